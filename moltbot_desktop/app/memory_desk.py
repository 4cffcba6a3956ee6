"""The desk of the place "Memory": files read and written here, everything else asked of the
assistant's own memory, of whichever agent.

    desk = MemoryBooks(paths, settings, clock, language)     # before the assistant is opened
    desk.attach(RunningMemory(loop, made, home_of))          # it runs
    desk.detach()                                            # before its memory closes

A file is written while the inbox's lock is held and the assistant's memory stands still: what is
remembered in that moment is not lost.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from moltbot_desktop.app.agent_plan import AgentPlan, agent_ids, agent_plan, default_agent
from moltbot_desktop.app.forgetting import Forgetter
from moltbot_desktop.app.memory_plan import memory_plan
from moltbot_desktop.app.memory_slot import SlottedMemory
from moltbot_desktop.app.paths import MEMORY_INBOX, Paths
from moltbot_desktop.app.workspace import made_workspace
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import AgentUnusable, MoltbotError, NoAnswer, NobodyListens
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.memories import words_digest
from moltbot_desktop.memory.daily import append_note
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.files import own_name
from moltbot_desktop.memory.inbox import FileInbox
from moltbot_desktop.memory.rewriting import Sheet, read_sheet, rewrite
from moltbot_desktop.memory.sources import Sources, is_conversation
from moltbot_desktop.memory.units import cut_units
from moltbot_desktop.sdk.inbox import MemoryChange
from moltbot_desktop.sdk.memory import SearchHit, StoredNote
from moltbot_desktop.sdk.memory_desk import (
    Clash,
    Foreseen,
    Found,
    Gone,
    InboxNow,
    NoteFile,
    NoteText,
    Saved,
    Whose,
)
from moltbot_desktop.storage.locks import taken_lock

T = TypeVar("T")

_LIMIT_SECONDS = 15.0
_HITS = 30
_LOOKED_INTO = 400
"""Files whose beginning is shown, the latest; the others are listed by name."""
_SMALL = 200_000
_NANOSECONDS = 1_000_000
_BEGINS = 120


class Home(Protocol):
    """An agent's memory, as `app.made.Made` has it."""

    @property
    def memory(self) -> MarkdownMemory: ...
    @property
    def answering(self) -> SlottedMemory: ...
    @property
    def inbox(self) -> FileInbox: ...
    @property
    def forgetter(self) -> Forgetter: ...


@dataclass(frozen=True)
class RunningMemory:
    """The assistant's.

    Attributes:
        default: home of the default agent.
        home_of: that of any; called on `loop`, where it may open it.
    """

    loop: asyncio.AbstractEventLoop
    default: Home
    home_of: Callable[[AgentId], Home]


@dataclass(frozen=True)
class _Head:
    """What a list shows of a file, while it has that stamp."""

    stamp: tuple[int, ...]
    begins: str
    count: int


class MemoryBooks:
    """A `MemoryDesk`."""

    def __init__(
        self, paths: Paths, settings: Callable[[], Config], clock: Clock, language: Language
    ) -> None:
        self._paths, self._settings, self._clock = paths, settings, clock
        self._language = language
        self._running: RunningMemory | None = None
        self._heads: dict[Path, Mapping[str, _Head]] = {}
        self._lock = threading.Lock()

    def attach(self, running: RunningMemory) -> None:
        self._running = running

    def detach(self) -> None:
        self._running = None

    # ------------------------------------------------------------------ agents and files

    def agents(self) -> tuple[Whose, ...]:
        config = self._settings()
        first = default_agent(config)
        order = dict.fromkeys((first, *agent_ids(config)))
        return tuple(Whose(one, self._name(config, one)) for one in order)

    def _name(self, config: Config, agent: AgentId) -> str:
        try:
            return agent_plan(self._paths, config, agent, self._language).name
        except AgentUnusable:  # says so itself when it is chosen
            return agent

    def notes(self, agent: str) -> tuple[NoteFile, ...]:
        plan, workspace = self._place(agent)
        sources = Sources(workspace, memory_plan(plan.memory, workspace, self._paths.user_home))
        stamps = sources.stamps()
        latest = sorted(stamps, key=lambda name: -stamps[name][1])[:_LOOKED_INTO]
        with self._lock:
            before = self._heads.get(workspace, {})
        heads = {name: _head(sources, name, stamps[name], before.get(name)) for name in latest}
        with self._lock:
            self._heads[workspace] = heads
        nothing = _Head((), "", 0)
        return tuple(
            NoteFile(
                name,
                stamp,
                stamp[1] // _NANOSECONDS,
                own_name(name),
                heads.get(name, nothing).begins,
                heads.get(name, nothing).count,
            )
            for name, stamp in stamps.items()
        )

    def read(self, agent: str, path: str) -> NoteText:
        plan, workspace = self._place(agent)
        if own_name(path):
            return _text(path, read_sheet(workspace, path))
        sources = Sources(workspace, memory_plan(plan.memory, workspace, self._paths.user_home))
        text = sources.text(sources.find(path)).text
        return NoteText(path, text, words_digest(text), editable=False)

    def write(self, agent: str, path: str, text: str | None, digest: str) -> Saved | Clash:
        with self._writing(agent, path) as workspace:
            before = read_sheet(workspace, path)
            after = rewrite(workspace, path, text, digest)
            if after is None:
                return Clash(_text(path, before))
            return Saved(path, after.text, after.digest, before.text if before.digest else None)

    def add(self, agent: str, text: str) -> Saved:
        now = self._clock.now()
        path = f"memory/{now:%Y-%m-%d}.md"
        with self._writing(agent, path) as workspace:
            before = read_sheet(workspace, path)
            append_note(workspace, text, "", now)
            after = read_sheet(workspace, path)
        return Saved(path, after.text, after.digest, before.text if before.digest else None)

    def _place(self, agent: str) -> tuple[AgentPlan, Path]:
        plan = agent_plan(self._paths, self._settings(), AgentId(agent), self._language)
        return plan, made_workspace(self._paths.home, plan.workspace)

    @contextmanager
    def _writing(self, agent: str, path: str) -> Iterator[Path]:
        plan, workspace = self._place(agent)
        running = self._running
        with contextlib.ExitStack() as stack:
            inbox = plan.folder / f"{MEMORY_INBOX}.lock"
            if inbox.parent.is_dir():  # nobody has an inbox there otherwise
                stack.callback(taken_lock(inbox).release)
            if running is not None and plan.default:
                stack.enter_context(running.default.memory.still(workspace / path))
            yield workspace

    # ------------------------------------------------------------------ the inbox

    def waiting(self) -> int:
        running = self._running
        return 0 if running is None else len(running.default.inbox.proposals())

    def inbox(self, agent: str) -> InboxNow:
        inbox = self._home(agent).inbox
        return InboxNow(inbox.proposals(), inbox.recent())

    def keep(self, agent: str, proposal: str, text: str = "") -> MemoryChange:
        return self._home(agent).inbox.accept(proposal, text)

    def drop(self, agent: str, proposal: str) -> MemoryChange:
        return self._home(agent).inbox.reject(proposal)

    def undo(self, agent: str, change: str) -> MemoryChange:
        return self._home(agent).inbox.undo(change)

    # ------------------------------------------------------------------ search and forgetting

    def search(self, agent: str, words: str) -> Found:
        answering = self._home(agent).answering
        hits = answering.search(words, max_results=_HITS).hits if words else ()
        status = answering.glance(self._language)
        return Found(hits, status.note, status.vectors)

    def foresee(self, agent: str, hit: SearchHit) -> Foreseen:
        home = self._home(agent)
        # As forgetting would refuse it: better now than after the question.
        home.memory.sources.writable_path(hit.path, hit.start_line)
        words = hit.snippet
        return Foreseen(
            tuple(dict.fromkeys([hit.path, *_saying(home.memory.sources, words)])),
            home.forgetter.said_in(words),
            home.forgetter.elsewhere(words),
        )

    def forget(self, agent: str, hit: SearchHit, *, everywhere: bool) -> Gone:
        forgetter, words = self._home(agent).forgetter, hit.snippet
        gone = forgetter.forget(hit)
        if not everywhere:
            return Gone(gone)
        problems: tuple[str, ...] = ()
        if said := forgetter.said_in(words):
            problems = tuple(filter(None, self._there(lambda: forgetter.blot(said, words))))
        return Gone(gone, problems, forgetter.blot_elsewhere(words))

    def bring_back(self, agent: str) -> StoredNote:
        forgetter = self._home(agent).forgetter
        return self._there(forgetter.bring_back)

    # ------------------------------------------------------------------ the assistant

    def _home(self, agent: str) -> Home:
        running = self._running
        if running is None:
            raise _nobody()
        return self._there(lambda: running.home_of(AgentId(agent)))

    def _there(self, call: Callable[[], T]) -> T:
        """Have `call` done where the assistant lives, and wait for it."""
        running = self._running
        if running is None:
            raise _nobody()

        async def there() -> T:
            return call()

        work = there()
        try:
            asked = asyncio.run_coroutine_threadsafe(work, running.loop)
        except RuntimeError as error:  # its loop has ended
            work.close()
            raise _nobody() from error
        try:
            return asked.result(_LIMIT_SECONDS)
        except TimeoutError as error:
            asked.cancel()
            raise NoAnswer("The assistant is busy.", hint="Try again in a moment.") from error
        except concurrent.futures.CancelledError as error:
            raise _nobody() from error


def _nobody() -> NobodyListens:
    return NobodyListens("The assistant is not there yet.", hint="Try again in a moment.")


def _saying(sources: Sources, words: str) -> Iterator[str]:
    """Files of memory's own with a note that says `words`: a search shows one of several."""
    digest = words_digest(words)
    for name in sorted(filter(own_name, sources.stamps())):
        with contextlib.suppress(MoltbotError):  # gone meanwhile, or not to be read
            if any(words_digest(one.text) == digest for one in cut_units(sources.text(name).text)):
                yield name


def _text(path: str, sheet: Sheet) -> NoteText:
    return NoteText(path, sheet.text, sheet.digest, editable=sheet.exact)


def _head(sources: Sources, name: str, stamp: tuple[int, ...], known: _Head | None) -> _Head:
    if known is not None and known.stamp == stamp:
        return known
    if stamp[0] > _SMALL or is_conversation(name):
        return _Head(stamp, "", 0)
    try:
        units = cut_units(sources.text(name).text)
    except MoltbotError:  # gone or not to be read now; it says so when it is opened
        return _Head(stamp, "", 0)
    return _Head(stamp, units[0].text[:_BEGINS] if units else "", len(units))
