"""The desks of all conversations that are open: one each, opened when it is needed.

    desks = SessionDesks(store, runner, lanes, clock, is_over, asyncio.to_thread)
    desks.on_end(lambda message, outcome: ...)
    desk = desks.for_turn(route.session_key)
    desk.submit(accepted, rules)

A conversation that is over (`sessions.reset`) gets a fresh transcript before its next turn. One
that nobody uses is closed again, the one used longest ago first, so that a busy group channel does
not hold thousands of files and locks.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from moltbot_desktop.agent.lanes import Lane, Lanes
from moltbot_desktop.agent.port import RunsTurns
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, StorageError, UserInputInvalid
from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.commands.ports import RunState
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.session_desk import SessionDesk, SessionParts
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key
from moltbot_desktop.sessions.store import Session, SessionStore

MOST_OPEN = 64
_SAVE_SECONDS = 1.0
"""After a run; those that end meanwhile share the write of the list of conversations."""

Ended = Callable[[AcceptedRun, RunOutcome], None]
IsOver = Callable[[SessionKey, datetime, datetime], bool]
"""Whether a conversation that was used last at the first time is over at the second one."""

_log = logging.getLogger(__name__)


class SessionDesks:
    """Lives on the agent's event loop.

    Invariant: no two desks of one key.
    """

    def __init__(
        self,
        store: SessionStore,
        runner: RunsTurns,
        lanes: Lanes,
        clock: Clock,
        is_over: IsOver,
        in_thread: InThread,
    ) -> None:
        """`in_thread` as in `SessionParts`."""
        self._store = store
        self._clock = clock
        self._is_over = is_over
        self._parts = SessionParts(
            *(runner, lanes, clock, self._ended, in_thread, self._stopped),
            broken_off=self._broken_off,
            over=self._over,
        )
        self._listeners: list[Ended] = []
        self._told_over: list[Ended] = []
        self._told_stopped: list[Callable[[SessionKey], bool]] = []
        self._told_begun: list[Callable[[Session], None]] = []
        self._told_left: list[Callable[[Session], None]] = []
        self._closing = False
        self._reading = asyncio.Lock()
        self._desks: dict[SessionKey, SessionDesk] = {}
        self._held: set[SessionKey] = set()
        self._saving: asyncio.TimerHandle | None = None

    def on_end(self, listener: Ended) -> None:
        """Call `listener` with every message that ends, whatever its conversation, once its end
        is on the disk."""
        self._listeners.append(listener)

    def on_over(self, listener: Ended) -> None:
        """As `on_end`, at once: before whoever heard of the end can say the next thing."""
        self._told_over.append(listener)

    def on_stop(self, listener: Callable[[SessionKey], bool]) -> None:
        """Call `listener` with every conversation that is stopped; it tells whether it has
        stopped something, too."""
        self._told_stopped.append(listener)

    def on_sessions(
        self, begun: Callable[[Session], None], left: Callable[[Session], None]
    ) -> None:
        """Call `begun` with every conversation that is opened or started, `left` when it is
        closed or a new one takes its place."""
        self._told_begun.append(begun)
        self._told_left.append(left)

    def adopt(self, session: Session) -> SessionDesk:
        """The desk of a conversation that is open already; it stays open until the end."""
        desk = self._desks[session.key] = SessionDesk(session, self._parts, lane_of(session.key))
        _told(self._told_begun, session)
        self._held.add(session.key)
        return desk

    async def ready(self, key: SessionKey) -> None:
        """Let `of` and `for_turn` open a long conversation at once: it is read on another thread
        first. What is wrong with it, they say."""
        if key in self._desks:
            return
        async with self._reading:  # whoever asks first goes on first
            with contextlib.suppress(MoltbotError):
                if (read := self._store.reading_ahead(key)) is not None:
                    await self._parts.in_thread(read)

    def of(self, key: SessionKey) -> SessionDesk:
        """The desk of `key`, its conversation continued or begun.

        Raises:
            UserInputInvalid: not a session key.
            StoreBusy: another process has it open.
            StorageError: it cannot be read or written.
        """
        desk = self._desks.pop(key, None)
        if desk is None:
            self._make_room()
            desk = SessionDesk(self._store.open(key), self._parts, lane_of(key))
            _told(self._told_begun, desk.session)
            if self._closing:
                desk.begin_closing()
        self._desks[key] = desk  # the last one is the one used last
        return desk

    def for_turn(self, key: SessionKey) -> SessionDesk:
        """The desk of `key` for a message that comes now, which ends a conversation that is over.

        Raises:
            as `of`.
        """
        desk = self.of(key)
        used, now = self._store.last_used(key), self._clock.now()
        spoken = bool(desk.session.transcript.entries())
        if spoken and not desk.busy and used is not None and self._is_over(key, used, now):
            self.start_new(key)
        self._store.touch(key)
        return desk

    def known(self, key: SessionKey) -> SessionDesk | None:
        """The desk of `key` if its conversation is open."""
        return self._desks.get(key)

    def counts(self) -> tuple[int, int]:
        """How many runs go on and how many messages wait, in all conversations together."""
        desks = tuple(self._desks.values())
        return sum(desk.runs for desk in desks), sum(desk.waiting for desk in desks)

    def let_go(self, key: SessionKey) -> None:
        """Stop what goes on in `key` and close its conversation, so that it can be put away.

        Raises:
            UserInputInvalid: it is the one that is shown, or its run has not ended yet.
        """
        if key in self._held:
            raise UserInputInvalid(
                "This conversation is open in the window.", hint="Begin a new one first: /new."
            )
        desk = self._desks.get(key)
        if desk is None:
            return
        desk.stop()
        if desk.busy:
            raise UserInputInvalid(
                "It is being answered just now and was stopped.", hint="Try again in a moment."
            )
        del self._desks[key]
        self._leave(desk)

    def session_of(self, key: SessionKey) -> Session | None:
        """The conversation `key` if it is open."""
        desk = self._desks.get(key)
        return desk.session if desk is not None else None

    def start_new(self, key: SessionKey) -> Session:
        """Stop what goes on in `key` and give it a fresh transcript; the old one stays on disk.

        Raises:
            StorageError: the new one cannot be written; the old one goes on.
        """
        desk = self.of(key)
        desk.stop()
        old, session = desk.session, self._store.new(key)
        desk.renew(session)
        _told(self._told_left, old)
        _told(self._told_begun, session)
        return session

    async def go_back(self, key: SessionKey, session_id: SessionId) -> Session | None:
        """Continue an earlier conversation of `key` in the place of the one that is open; None, and
        nothing is done, while that one is busy.

        Raises:
            StorageError: it cannot be read or written; the one that is open goes on.
        """
        async with self._reading:
            with contextlib.suppress(MoltbotError):
                if (read := self._store.reading_ahead(key, session_id)) is not None:
                    await self._parts.in_thread(read)
        desk = self.of(key)
        if desk.busy or self._closing:
            return None
        old, session = desk.session, self._store.go_back(key, session_id)
        desk.renew(session)
        _told(self._told_left, old)
        _told(self._told_begun, session)
        return session

    def limit(self, limits: Mapping[Lane, int]) -> None:
        """How many runs go on at once from now on, of each kind."""
        self._parts.lanes.limit(limits)

    def begin_closing(self) -> None:
        """No run begins any more, and those that go on are cancelled."""
        self._closing = True
        for desk in self._desks.values():
            desk.begin_closing()

    async def end(self) -> None:
        """Cancel everything for good and wait for the outcomes."""
        await asyncio.gather(*(desk.close() for desk in self._desks.values()))

    def close(self) -> None:
        """Let go of all conversations.

        Raises:
            StorageError: what was set for one of them could not be written; all are let go.
        """
        self._save()  # once for all of an agent's
        with contextlib.ExitStack() as stack:
            while self._desks:
                _, desk = self._desks.popitem()
                _told(self._told_left, desk.session)
                stack.callback(self._store.close, desk.session)

    def _broken_off(self, key: SessionKey) -> None:
        try:
            self._store.change_settings(key, lambda old: replace(old, aborted_last_run=True))
        except StorageError as error:  # stopping works all the same
            _log.info("that an answer was stopped could not be noted: %s", error)

    def _over(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        for listener in self._told_over:
            listener(message, outcome)

    def _ended(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        for listener in self._listeners:
            listener(message, outcome)
        if self._saving is None:
            self._saving = asyncio.get_running_loop().call_later(_SAVE_SECONDS, self._save)

    def _save(self) -> None:
        if self._saving is not None:
            self._saving.cancel()
            self._saving = None
        try:
            self._store.save()
        except StorageError as error:  # it is kept for the next time, and in the transcripts
            _log.warning("the list of conversations could not be written: %s", error)

    def _stopped(self, key: SessionKey) -> bool:
        stopped = [listener(key) for listener in self._told_stopped]  # all of them hear it
        return any(stopped)

    def _make_room(self) -> None:
        idle = [key for key, desk in self._desks.items() if desk.idle and key not in self._held]
        for key in idle[: max(0, len(self._desks) - MOST_OPEN + 1)]:
            self._leave(self._desks.pop(key))

    def _leave(self, desk: SessionDesk) -> None:
        _told(self._told_left, desk.session)
        self._store.close(desk.session)
        self._parts.runner.forget_session(desk.session.session_id)


def _told(listeners: list[Callable[[Session], None]], session: Session) -> None:
    for listener in listeners:
        listener(session)


def lane_of(key: SessionKey) -> Lane:
    """Where the runs of a conversation wait for their turn."""
    parsed = parse_session_key(key)
    kind = parsed.kind if parsed is not None else KeyKind.OTHER
    return {KeyKind.CRON: Lane.CRON, KeyKind.SUBAGENT: Lane.SUBAGENT}.get(kind, Lane.MAIN)


@dataclass(frozen=True)
class DeskRuns:
    """The conversations, as the commands of channels know them: `commands.ports.Runs`."""

    desks: SessionDesks

    def state(self, session: SessionKey) -> RunState:
        desk = self.desks.known(session)
        return RunState(desk.runs, desk.waiting) if desk is not None else RunState()

    def stop(self, session: SessionKey) -> bool:
        desk = self.desks.known(session)
        return desk is not None and desk.stop()

    def start_new(self, session: SessionKey) -> None:
        self.desks.start_new(session)
