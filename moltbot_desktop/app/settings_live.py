"""The settings while the assistant runs: a changed file is taken over, `/config` and `/debug`.

What is read at each use holds at once; for the rest the person is told that it takes a new start.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.live import LiveConfig
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


Renew = Callable[[], None]
"""Lets one part of the program go on with the settings as they are now."""


def take_over(
    live: LiveConfig,
    found: Reloaded,
    language: Language,
    renew: Mapping[str, Renew] = MappingProxyType({}),
) -> list[Notice]:
    """Let what was read anew hold; what to tell. `renew` has the parts that need no new start of
    the program."""
    had_problems = bool(live.loaded.warnings)
    live.take(found.loaded)
    told = [Notice(one.message, one.hint, serious=one.serious) for one in found.problems]
    now, later = list(found.plan.noop), list[str]()
    for concern in (*found.plan.hot, *found.plan.restart):
        if concern.part in renew:
            renew[concern.part]()
            now += concern.paths
        else:
            later += concern.paths
    for key, paths in (("holds", now), ("later", later)):
        if paths:
            told.append(Notice(_PHRASES.say(key, language, paths=_named(paths, language))))
    if had_problems and not found.loaded.warnings:
        told.append(Notice(_PHRASES.say("right", language)))
    return told


def _named(paths: list[str], language: Language) -> str:
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
