"""The settings while the assistant runs: a changed file is taken over, `/config` and `/debug`.

What is read at each use holds at once; for the rest the person is told that it takes a new start.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.reload import changed_paths
from moltbot_desktop.config.watch import Reloaded
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.gateway.client import Notice

_PHRASES = Phrases(
    english={
        "holds": "moltbot.json was changed. In force now: {paths}.",
        "later": "moltbot.json was changed. In force from the next start on: {paths}.",
        "right": "moltbot.json is in order again.",
        "more": "{paths} and {count} more",
    },
    chinese={
        "holds": "moltbot.json 已更改。现在生效：{paths}。",
        "later": "moltbot.json 已更改。下次启动后生效：{paths}。",
        "right": "moltbot.json 又没有问题了。",
        "more": "{paths} 以及另外 {count} 项",
    },
)
_MOST_NAMED = 5


def take_over(live: LiveConfig, found: Reloaded, language: Language) -> list[Notice]:
    """Let what was read anew hold; what to tell. What was written by ourselves and is taken over
    already (`app.modes`, `app.settings_now`) is no news: who wrote it told what holds."""
    news = frozenset(changed_paths(live.loaded.config, found.loaded.config))
    had_problems = bool(live.loaded.warnings)
    live.take(found.loaded)
    told = [Notice(one.message, one.hint, serious=one.serious) for one in found.problems]
    now, later = found.plan.noop, [path for one in found.plan.restart for path in one.paths]
    for key, every in (("holds", now), ("later", later)):
        if paths := [path for path in every if path in news]:
            told.append(Notice(_PHRASES.say(key, language, paths=_named(paths, language))))
    if had_problems and not found.loaded.warnings:
        told.append(Notice(_PHRASES.say("right", language)))
    return told


def _named(paths: Sequence[str], language: Language) -> str:
    named = ", ".join(paths[:_MOST_NAMED])
    if len(paths) <= _MOST_NAMED:
        return named
    return _PHRASES.say("more", language, paths=named, count=len(paths) - _MOST_NAMED)


@dataclass(frozen=True)
class FileSettings:
    """What `/config` reads and writes (`gateway.commands.ports.Settings`)."""

    file: SettingsFile

    def get(self, path: str) -> str:
        try:
            shown = self.file.shown(path)
        except UserInputInvalid:
            return ""
        return json.dumps(shown.value, ensure_ascii=False, indent=None if path else 2)

    def set(self, path: str, value: str) -> str:
        self.file.set(path, value)
        return self.get(path)

    def unset(self, path: str) -> bool:
        try:
            self.file.unset(path)
        except UserInputInvalid:
            return False
        return True
