"""The skills of an agent, put together: where they lie, what they meet here, who trusts them.

    book = open_skills(paths, workspace, "main", lambda: live.config, clock, language)
    book.view().usable                       # at each turn
    await follow_skills(book, clock, settings, heard)      # then a turn looks at no disk

One book for each agent: bundled, managed and extra skills are every agent's, those of a workspace
are its own. The settings are read at each view, so that what is switched off is off at once; only
where skills lie (``skills.load``) stays as it was at the start.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import skill_roots
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.skills import SkillsConfig
from moltbot_desktop.config.watch import InThread
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.ordering import natural
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.skills.book import SkillBook, SkillView, Standing
from moltbot_desktop.skills.discovery import PLUGIN, SkillReader, SkillRoot
from moltbot_desktop.skills.eligibility import Gate, SkillEntry, Surroundings
from moltbot_desktop.skills.trust import TrustBook
from moltbot_desktop.storage.changes import Changes, WatchHealth
from moltbot_desktop.storage.watching import FolderWatch

_MOST_NAMED = 5
_PHRASES = Phrases(
    english={
        "new": "The skill “{name}” is off until you say that you trust it.",
        "changed": "The skill “{name}” was changed and is off until you trust it again.",
        "many": "{count} skills are off until you say that you trust them: {names}",
        "do": "Read it under Skills; if it is fine, trust it there, or say: /skill trust {name}",
        "many_do": "Read them under Skills and trust those that are fine there, or say: "
        "/skill trust NAME",
    },
    chinese={
        "new": "技能“{name}”暂未启用，等你表示信任它。",
        "changed": "技能“{name}”有改动，暂未启用，等你再次表示信任。",
        "many": "有 {count} 个技能暂未启用，等你表示信任：{names}",
        "do": "请先在“技能”里看看它；没有问题就在那里信任，或者输入：/skill trust {name}",
        "many_do": "请先在“技能”里看看它们；没有问题的就在那里信任，或者输入：/skill trust 名称",
    },
)


Roots = Callable[[], tuple[SkillRoot, ...]]
"""Of plugins that are on (`PluginSkills.roots`)."""


def no_roots() -> tuple[SkillRoot, ...]:
    return ()


def skill_library(
    paths: Paths, settings: SkillsConfig, plugins: Sequence[SkillRoot] = ()
) -> tuple[Path, ...]:
    """Folders of skills outside the workspace, which tools may read."""
    own = (paths.bundled_skills, paths.managed_skills, *settings.extra_dirs)
    return (*own, *(root.path for root in plugins))


def open_skills(
    paths: Paths,
    workspace: Path,
    agent: str,
    config: Callable[[], Config],
    clock: Clock,
    language: Language,
    plugins: Roots = no_roots,
) -> SkillBook:
    """The book of the agent of that name, which works in `workspace`."""
    trust = TrustBook(paths.skill_trust)
    # Those of the settings for as long as the program runs: tools may read those folders.
    extra = config().skills.extra_dirs
    return SkillBook(
        SkillReader(clock, language),
        trust,
        lambda: skill_roots(paths, workspace, extra, plugins()),
        lambda: _surroundings(config(), agent, trust),
        clock,
    )


def _surroundings(config: Config, agent: str, trust: TrustBook) -> Surroundings:
    entries = config.skills.entries.items()
    return Surroundings(
        platform=_platform(),
        has_binary=lambda name: bool(name) and shutil.which(name) is not None,
        has_env=lambda name: bool(os.environ.get(name)),
        config=lambda path: _in_force(config, path),
        trust=trust.state,
        entries={key: SkillEntry(one.enabled, one.env, bool(one.api_key)) for key, one in entries},
        allow_bundled=tuple(filter(None, map(str.strip, config.skills.allow_bundled))),
        only=config.agent_entry(agent).skills,
    )


def _platform() -> str:
    """As skills name it: ``linux``, ``darwin``, ``win32``."""
    return "linux" if sys.platform.startswith("linux") else sys.platform


def _in_force(config: Config, path: str) -> JsonValue:
    """A setting as skills ask for it. The browser is off here until it is switched on, where the
    reference has it on (`eligibility.says_yes`): no skill is offered what is not there."""
    ours = {
        "browser.enabled": config.browser.enabled,
        "browser.evaluateEnabled": config.browser.evaluate_enabled,
    }
    return ours[path] if path in ours else _setting(config.raw, path)


def _setting(value: JsonValue, path: str) -> JsonValue:
    for step in filter(None, path.split(".")):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def waiting_notices(waiting: Sequence[Standing], language: Language) -> list[Notice]:
    """What the person is told of skills that wait for a word."""
    if len(waiting) > 1:
        between = "、" if language is Language.CHINESE else ", "
        named = sorted((one.skill.name for one in waiting), key=natural)[:_MOST_NAMED]
        names = between.join([*named, "…"] if len(waiting) > _MOST_NAMED else named)
        text = _PHRASES.say("many", language, count=len(waiting), names=names)
        return [Notice(text, _PHRASES.say("many_do", language))]
    return [
        Notice(
            _PHRASES.say(
                "changed" if one.report.has(Gate.CHANGED) else "new",
                language,
                name=one.skill.name,
            ),
            _PHRASES.say("do", language, name=one.skill.name),
        )
        for one in waiting
    ]


def lent_waiting(view: SkillView, language: Language) -> list[Notice]:
    """As `waiting_notices`, of the skills of plugins: they come after the start's own notices."""
    return waiting_notices([one for one in view.waiting if one.skill.source == PLUGIN], language)


@dataclass(frozen=True)
class Heard:
    """Who hears of skills that wait.

    Attributes:
        in_thread: for reading files.
        tell: on the loop's thread.
        on_roots: tells when a plugin brought folders or took them away; the answer ends that.
        sources: whose skills are told of; all for none.
    """

    in_thread: InThread
    tell: Callable[[Notice], None]
    language: Language
    on_roots: Callable[[Callable[[], None]], Callable[[], None]]
    sources: frozenset[str] = frozenset()


class WaitingNews:
    """Which skills began to wait, or came to wait in another form, since the last look."""

    def __init__(self, sources: frozenset[str] = frozenset()) -> None:
        """`sources`: whose are told of; all for none."""
        self._sources = sources
        self._known: frozenset[tuple[str, str]] = frozenset()

    def of(self, view: SkillView) -> tuple[Standing, ...]:
        now = {
            (str(one.skill.folder), one.skill.content_hash): one
            for one in view.waiting
            if not self._sources or one.skill.source in self._sources
        }
        fresh = tuple(one for key, one in now.items() if key not in self._known)
        # What is away for a moment (its plugin is renewed) is not news when it comes back.
        there = {str(one.skill.folder) for one in view.standings}
        self._known = frozenset(now) | {key for key in self._known if key[0] not in there}
        return fresh


async def follow_skills(
    book: SkillBook, clock: Clock, settings: SkillsConfig, heard: Heard
) -> None:
    """Watch the folders of a book until cancelled: what was touched is looked at in the next turn,
    and skills that begin to wait are told when the burst of changes is over. Folders that come and
    go with plugins are watched as they do."""
    loop, woken = asyncio.get_running_loop(), asyncio.Event()
    news = WaitingNews(heard.sources)
    news.of(await heard.in_thread(book.view))  # told at the start
    stop_hearing = heard.on_roots(woken.set)
    try:
        while True:
            roots = book.roots
            watch = _watch(book, roots, clock, settings, partial(_wake, loop, woken))
            watch.start()
            try:
                while book.roots == roots:
                    await woken.wait()
                    woken.clear()
                    for notice in waiting_notices(
                        news.of(await heard.in_thread(book.view)), heard.language
                    ):
                        heard.tell(notice)
            finally:
                book.watched(None)
                await asyncio.to_thread(watch.stop)
    finally:
        stop_hearing()


def _wake(loop: asyncio.AbstractEventLoop, woken: asyncio.Event) -> None:
    loop.call_soon_threadsafe(woken.set)


def _watch(
    book: SkillBook,
    roots: Sequence[SkillRoot],
    clock: Clock,
    settings: SkillsConfig,
    wake: Callable[[], None],
) -> FolderWatch:
    def settled(_: Changes) -> None:
        book.watched(roots if watch.health is WatchHealth.WATCHING else None)
        wake()

    watch = FolderWatch(
        [root.path for root in roots],
        clock,
        seen=lambda _: book.touched(),
        settled=settled,
        debounce_seconds=settings.watch_debounce_ms / 1_000,
        matters=lambda path: ".git" not in path.parts,  # the only thing trust leaves out
    )
    return watch
