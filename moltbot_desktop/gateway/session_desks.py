"""The desks of all conversations that are open: one each, opened when it is needed.

    desks = SessionDesks(store, runner, lanes, clock)
    desks.on_end(lambda message, outcome: ...)
    desk = desks.of(route.session_key)
    desk.submit(accepted, rules)

A conversation that nobody uses is closed again, the one used longest ago first, so that a busy
group channel does not hold thousands of files and locks.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from moltbot_desktop.agent.lanes import Lanes
from moltbot_desktop.agent.runner import AgentRunner
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.session_desk import SessionDesk, SessionParts
from moltbot_desktop.sessions.store import Session, SessionStore

MOST_OPEN = 64

Ended = Callable[[AcceptedRun, RunOutcome], None]


class SessionDesks:
    """Lives on the agent's event loop.

    Invariant: no two desks of one key.
    """

    def __init__(
        self, store: SessionStore, runner: AgentRunner, lanes: Lanes, clock: Clock
    ) -> None:
        self._store = store
        self._parts = SessionParts(runner, lanes, clock, self._ended)
        self._listeners: list[Ended] = []
        self._closing = False
        self._desks: dict[SessionKey, SessionDesk] = {}
        self._held: set[SessionKey] = set()

    def on_end(self, listener: Ended) -> None:
        """Call `listener` with every message that ends, whatever its conversation."""
        self._listeners.append(listener)

    def adopt(self, session: Session) -> SessionDesk:
        """The desk of a conversation that is open already; it stays open until the end."""
        desk = self._desks[session.key] = SessionDesk(session, self._parts)
        self._held.add(session.key)
        return desk

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
            desk = SessionDesk(self._store.open(key), self._parts)
            if self._closing:
                desk.begin_closing()
        self._desks[key] = desk  # the last one is the one used last
        return desk

    def known(self, key: SessionKey) -> SessionDesk | None:
        """The desk of `key` if its conversation is open."""
        return self._desks.get(key)

    def start_new(self, key: SessionKey) -> Session:
        """Stop what goes on in `key` and give it a fresh transcript; the old one stays on disk.

        Raises:
            StorageError: the new one cannot be written; the old one goes on.
        """
        desk = self.of(key)
        desk.stop()
        session = self._store.new(key)
        desk.renew(session)
        return session

    def begin_closing(self) -> None:
        """No run begins any more."""
        self._closing = True
        for desk in self._desks.values():
            desk.begin_closing()

    async def stop(self) -> None:
        """Cancel everything for good and wait for the outcomes."""
        await asyncio.gather(*(desk.close() for desk in self._desks.values()))

    def close(self) -> None:
        """Let go of all conversations.

        Raises:
            StorageError: what was set for one of them could not be written; all are let go.
        """
        with contextlib.ExitStack() as stack:
            while self._desks:
                _, desk = self._desks.popitem()
                stack.callback(self._store.close, desk.session)

    def _ended(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        for listener in self._listeners:
            listener(message, outcome)

    def _make_room(self) -> None:
        idle = [key for key, desk in self._desks.items() if not desk.busy and key not in self._held]
        for key in idle[: max(0, len(self._desks) - MOST_OPEN + 1)]:
            desk = self._desks.pop(key)
            self._store.close(desk.session)
            self._parts.runner.forget_session(desk.session.session_id)
