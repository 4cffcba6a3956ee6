"""All plugins of a running program: brought in, let go, renewed, without a new start.

    host = PluginHost(look, lender, effects, in_thread, language)
    await host.follow()               # what the settings ask for is on, what they do not is off
    host.records()                    # every plugin there is, with its status and the reason
    await host.reload("weather")      # its code as it is now
    await host.close()                # services stop, everything is taken away

A plugin comes in in three steps. It is opened on a worker thread (`opening`), which touches nothing
of the program; then everything it registered takes effect at once (`Effects.take`), or nothing
does; then its services start. It leaves in reverse. A call that runs meanwhile finishes with what
it has. What goes wrong with one is its record's reason, and the others come in all the same.

Lives on the agent's event loop; one change at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

from moltbot_desktop.config.plugin_entries import PluginEntries, PluginEntry
from moltbot_desktop.core.errors import (
    ManifestMistake,
    MoltbotError,
    PluginInvalid,
    UserInputInvalid,
)
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.plugins.consent import Objection
from moltbot_desktop.plugins.discovery import Discovered, FoundPlugin, Origin
from moltbot_desktop.plugins.enablement import Decision, Wish, decide
from moltbot_desktop.plugins.handlers import called
from moltbot_desktop.plugins.opening import Lender, OpenedPlugin, obstacles, open_plugin
from moltbot_desktop.plugins.registry import Registration, first_clash
from moltbot_desktop.sdk.plugins import PluginService

T = TypeVar("T")

OPEN_SECONDS = 30.0
SERVICE_SECONDS = 15.0
_log = logging.getLogger(__name__)

_PHRASES = Phrases(
    {
        "slow": "it was not ready after {seconds} seconds",
        "starting": "it is still starting, and is given up after {seconds} seconds",
        "slow_hint": "Its register should only say what there is; work belongs into a service.",
        "overridden": "another plugin of this name counts: {folder}",
        "no_plugin": "There is no plugin “{name}”.",
        "look": "moltbot-desktop plugins list shows all of them.",
        "off": "The plugin “{name}” is off: {reason}.",
        "no_service": "its service “{service}” did not start; the log says why",
    },
    {
        "slow": "{seconds} 秒后它还没有准备好",
        "starting": "它还在启动，{seconds} 秒后放弃",
        "slow_hint": "register 只应说明有什么；要做的事放进服务里。",
        "overridden": "同名的另一个插件优先：{folder}",
        "no_plugin": "没有叫“{name}”的插件。",
        "look": "用 moltbot-desktop plugins list 可以看到全部插件。",
        "off": "插件“{name}”是关的：{reason}。",
        "no_service": "它的服务“{service}”没有启动，原因写在日志里",
    },
)


class PluginStatus(StrEnum):
    """Whether a plugin works."""

    ON = "on"
    STARTING = "starting"
    """It takes longer than anybody waits for; it comes in later, or is given up."""
    OFF = "off"
    BROKEN = "broken"


@dataclass(frozen=True)
class PluginRecord:
    """A plugin and how it stands.

    Attributes:
        reason: why it is off or broken, or why it is on; for the person.
        hint: what to do about it, may be empty.
        troubles: of one that is on, what of it does not work all the same; clauses.
        wanted: False for a broken one that nobody has switched on.
    """

    found: FoundPlugin
    status: PluginStatus
    reason: str
    hint: str = ""
    mistakes: tuple[ManifestMistake, ...] = ()
    registration: Registration = field(default_factory=Registration, repr=False)
    troubles: tuple[str, ...] = ()
    wanted: bool = True


@dataclass(frozen=True)
class Survey:
    """What is there and what the settings say about it.

    Attributes:
        objections: by folder, why one that the settings switch on stays off all the same.
    """

    discovered: Discovered
    wish: Wish
    entries: PluginEntries
    objections: Mapping[Path, Objection] = field(default_factory=lambda: MappingProxyType({}))

    def entry(self, plugin: str) -> PluginEntry:
        return self.entries.get(plugin, PluginEntry())

    def decision(self, found: FoundPlugin) -> Decision:
        kind = found.manifest.kind if found.manifest is not None else ""
        bundled = found.origin is Origin.BUNDLED
        return decide(self.wish, found.id, kind=kind, bundled=bundled)


class Effects(Protocol):
    """What a registration does in the program."""

    def take(self, plugin: FoundPlugin, registration: Registration) -> Callable[[], None]:
        """Let all of it take effect; services aside, which the host starts.

        Returns:
            What takes all of it away again.

        Raises:
            MoltbotError: some of it cannot be; then nothing of it did.
        """
        ...


class InThread(Protocol):
    """Runs a blocking call on a worker thread."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


def static_records(survey: Survey, python: str, language: Language) -> tuple[PluginRecord, ...]:
    """How every plugin stands, as far as can be said without running any."""
    return tuple(_static(survey, found, python, language) for found in survey.discovered.plugins)


def _static(survey: Survey, found: FoundPlugin, python: str, language: Language) -> PluginRecord:
    if found.overridden_by is not None:
        reason = _PHRASES.say("overridden", language, folder=found.overridden_by)
        return PluginRecord(found, PluginStatus.OFF, reason)
    if found.manifest is None:
        return _broken(
            found, PluginInvalid(found.problem, hint=found.hint, mistakes=found.mistakes)
        )
    decision = survey.decision(found)
    if found.problem:
        broken = PluginInvalid(found.problem, hint=found.hint, mistakes=found.mistakes)
        return replace(_broken(found, broken), wanted=decision.on)
    if not decision.on:
        return PluginRecord(found, PluginStatus.OFF, decision.words(language))
    objection = survey.objections.get(found.folder)
    if objection is not None:
        return PluginRecord(found, PluginStatus.OFF, objection.reason, objection.hint)
    obstacle = obstacles(found, survey.entry(found.id), python, language)
    if obstacle is not None:
        return _broken(found, obstacle)
    return PluginRecord(found, PluginStatus.ON, decision.words(language))


def _broken(found: FoundPlugin, error: MoltbotError) -> PluginRecord:
    mistakes = error.mistakes if isinstance(error, PluginInvalid) else ()
    return PluginRecord(found, PluginStatus.BROKEN, error.message, error.hint, mistakes)


@dataclass
class _Running:
    """A plugin that is in effect, with those of its services that started."""

    found: FoundPlugin
    opened: OpenedPlugin
    take_away: Callable[[], None]
    services: list[PluginService]


class PluginHost:
    """See the module.

    Args:
        look: finds what there is and reads the settings; blocks.
        open_seconds: after which a plugin that does not come to an end is given up.
        patience_seconds: after which nobody waits for it; None: as long.

    Attributes:
        came_late: told of each that came in, or was given up, when nobody waited any more.
    """

    def __init__(
        self,
        look: Callable[[], Survey],
        lender: Lender,
        effects: Effects,
        in_thread: InThread,
        language: Language,
        open_seconds: float = OPEN_SECONDS,
        patience_seconds: float | None = None,
    ) -> None:
        self._look = look
        self._lender = lender
        self._effects = effects
        self._in_thread = in_thread
        self._language = language
        self._open_seconds = open_seconds
        self._patience = open_seconds if patience_seconds is None else patience_seconds
        self.came_late: Callable[[PluginRecord], None] = _untold
        self._late: dict[str, tuple[asyncio.Task[None], asyncio.Future[OpenedPlugin]]] = {}
        self._changing = asyncio.Lock()
        self._running: dict[str, _Running] = {}
        self._asked: dict[str, tuple[Path, JsonObject]] = {}
        self._records: tuple[PluginRecord, ...] = ()
        self._survey: Survey | None = None

    @property
    def survey(self) -> Survey | None:
        """What the last look found; None before the first."""
        return self._survey

    def records(self) -> tuple[PluginRecord, ...]:
        """Every plugin that was found, and how it stands."""
        return self._records

    async def follow(self) -> None:
        """Look anew: bring in what should be on, let go what should not, and open again what has
        other settings or lies elsewhere. Never raises for a plugin."""
        async with self._changing:
            survey = await self._in_thread(self._look)
            await self._follow(survey, again=frozenset())

    async def reload(self, plugin: str) -> PluginRecord:
        """Let the plugin go and bring it in as it is now on the disk.

        Raises:
            UserInputInvalid: there is none of that id, or it is off.
        """
        async with self._changing:
            survey = await self._in_thread(self._look)
            found = survey.discovered.plugin(plugin)
            if found is None:
                raise UserInputInvalid(
                    _PHRASES.say("no_plugin", self._language, name=plugin),
                    hint=_PHRASES.say("look", self._language),
                )
            await self._follow(survey, again=frozenset({plugin}))
            record = next(one for one in self._records if one.found == found)
            if record.status is PluginStatus.OFF:
                said = _PHRASES.say("off", self._language, name=plugin, reason=record.reason)
                hint = record.hint or _PHRASES.say("look", self._language)
                raise UserInputInvalid(said, hint=hint)
            return record

    async def close(self) -> None:
        """Stop all services and take everything away, newest first."""
        async with self._changing:
            await self._give_up_late(self._late)
            for plugin in reversed(list(self._running)):
                await self._let_go(plugin)

    # ------------------------------------------------------------------ one change

    async def _follow(self, survey: Survey, again: frozenset[str]) -> None:
        self._survey = survey
        static = static_records(survey, self._lender.python, self._language)
        wanted = {one.found.id: one for one in static if one.status is PluginStatus.ON}
        for plugin in reversed(list(self._running)):
            record = wanted.get(plugin)
            if record is None or plugin in again or self._is_other(record.found, survey):
                await self._let_go(plugin)
        await self._give_up_late(
            one
            for one in self._late
            if one not in wanted or one in again or self._is_other(wanted[one].found, survey)
        )
        for plugin in self._asked.keys() - wanted.keys():
            del self._asked[plugin]
        before = {one.found.id: one for one in self._records if one.status is not PluginStatus.OFF}
        records: list[PluginRecord] = []
        for record in static:
            if record.status is not PluginStatus.ON:
                records.append(record)
            elif record.found.id in self._running:
                records.append(replace(before[record.found.id], found=record.found))
            elif not self._is_other(record.found, survey) and record.found.id not in again:
                records.append(before[record.found.id])  # it failed or comes, nothing has changed
            else:
                whole = record.found.id in again  # whoever renews one wants to know
                patience = self._open_seconds if whole else self._patience
                records.append(await self._brought_in(record, survey, patience))
        self._records = tuple(records)

    def _is_other(self, found: FoundPlugin, survey: Survey) -> bool:
        return self._asked.get(found.id) != (found.folder, survey.entry(found.id).config)

    async def _brought_in(
        self, record: PluginRecord, survey: Survey, patience: float
    ) -> PluginRecord:
        found = record.found
        entry = survey.entry(found.id)
        self._asked[found.id] = (found.folder, entry.config)
        work = asyncio.ensure_future(
            self._in_thread(lambda: open_plugin(found, entry, self._lender, self._language))
        )
        try:
            await asyncio.wait({work}, timeout=patience)
        except asyncio.CancelledError:  # whoever wanted it goes meanwhile
            work.add_done_callback(_given_up)
            raise
        left = self._open_seconds - patience
        if work.done() or left <= 0:
            return await self._settled(record, work)
        coming = self._come_late(record, work, left)
        self._late[found.id] = asyncio.create_task(coming, name=f"plugin {found.id}"), work
        seconds = round(self._open_seconds)
        said = _PHRASES.say("starting", self._language, seconds=seconds)
        return replace(record, status=PluginStatus.STARTING, reason=said)

    async def _come_late(
        self, record: PluginRecord, work: asyncio.Future[OpenedPlugin], seconds: float
    ) -> None:
        """Bring in what nobody waits for any more. Cancelled only by who holds `_changing`, so
        never in the middle of it."""
        found = record.found
        await asyncio.wait({work}, timeout=seconds)
        async with self._changing:
            del self._late[found.id]
            now = await self._settled(record, work)
            self._records = tuple(
                now if one.found.folder == found.folder else one for one in self._records
            )
        self.came_late(now)

    async def _settled(
        self, record: PluginRecord, work: asyncio.Future[OpenedPlugin]
    ) -> PluginRecord:
        """`record` as it stands now that its time is over."""
        found = record.found
        try:
            if not work.done():
                work.add_done_callback(_given_up)
                raise self._slow()
            opened = work.result()
            take_away = self._taken(found, opened)
        except MoltbotError as error:
            _log.warning("plugin %s is not used: %s", found.id, error)
            return _broken(found, error)
        running = _Running(found, opened, take_away, [])
        self._running[found.id] = running
        troubles: list[str] = []
        for service in opened.registration.services:
            if await self._ended(service.start, f"{found.id}: service {service.id}: start"):
                running.services.append(service)
            else:
                said = _PHRASES.say("no_service", self._language, service=service.id)
                troubles.append(said)
        return replace(record, registration=opened.registration, troubles=tuple(troubles))

    def _slow(self) -> PluginInvalid:
        seconds = round(self._open_seconds)
        return PluginInvalid(
            _PHRASES.say("slow", self._language, seconds=seconds),
            hint=_PHRASES.say("slow_hint", self._language),
        )

    async def _give_up_late(self, plugins: Iterable[str]) -> None:
        """No more wait for these, where they are still coming."""
        late = [self._late.pop(one) for one in list(plugins) if one in self._late]
        for coming, work in late:
            coming.cancel()  # perhaps before its first step
            work.add_done_callback(_given_up)
        if late:
            await asyncio.wait([coming for coming, _ in late])

    def _taken(self, found: FoundPlugin, opened: OpenedPlugin) -> Callable[[], None]:
        others = {name: one.opened.registration for name, one in self._running.items()}
        try:
            clash = first_clash(others, opened.registration, self._language)
            if clash is not None:
                raise PluginInvalid(clash)
            return self._effects.take(found, opened.registration)
        except MoltbotError:
            opened.close()
            raise

    async def _let_go(self, plugin: str) -> None:
        running = self._running.pop(plugin)
        self._asked.pop(plugin, None)
        running.take_away()
        for service in reversed(running.services):
            await self._ended(service.stop, f"{plugin}: service {service.id}: stop")
        running.opened.close()

    async def _ended(self, call: Callable[[], Awaitable[None]], what: str) -> bool:
        """Whether a plugin's coroutine came to its end in time; else it is in the log."""
        try:
            await called(lambda _: call(), what, SERVICE_SECONDS)
        except TimeoutError:
            _log.warning("plugin %s took too long", what)
        except Exception:  # noqa: BLE001 - border: a plugin's bug is its own affair
            _log.exception("plugin %s failed", what)
        else:
            return True
        return False


def _untold(_: PluginRecord) -> None:
    pass


def _given_up(work: asyncio.Future[OpenedPlugin]) -> None:
    """What comes too late goes at once."""
    if not work.cancelled() and work.exception() is None:
        work.result().close()
