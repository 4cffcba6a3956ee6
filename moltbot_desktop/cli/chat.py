"""Talking in a terminal: one line in, one answer out, reminders in between.

Works the same for a person at a terminal, for a pipe and for one `ask`: the difference is where
lines come from and how they are shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.cli.console import Console
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.events import ApprovalRequested, RunEnded, RunEvent
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import (
    ClientEvent,
    InboxChanged,
    Notice,
    ReminderDue,
    Talking,
)

ReadLine = Callable[[], Awaitable[str | None]]
"""The next line without its end, or None at the end of input."""


class Approve(Protocol):
    """Shows a card and passes the answer on; `elsewhere` is one that another conversation's run,
    or one that nobody here began, asks for."""

    async def __call__(self, card: ApprovalRequested, *, elsewhere: bool) -> None: ...


@dataclass
class ChatSession:
    """One conversation in a terminal.

    Attributes:
        approve: asks the person at the terminal and passes the answer on; None in a pipe, where
            nobody can answer.
    """

    client: Talking
    console: Console
    read_line: ReadLine
    approve: Approve | None = None

    async def run(self) -> int:
        """Answer lines until the input ends. Returns the exit code."""
        async with self._listening():
            while (line := await self.read_line()) is not None:
                if line.strip():
                    await self._answer(line)
        return 0

    async def ask(self, text: str) -> int:
        """Answer one request; 0 when it was answered, 1 when not."""
        async with self._listening():
            kind = await self._answer(text)
        return 0 if kind in (OutcomeKind.ANSWERED, OutcomeKind.SILENT) else 1

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        events: asyncio.Queue[ClientEvent] = asyncio.Queue()
        unsubscribe = self.client.subscribe(events.put_nowait)
        teller = asyncio.create_task(self._tell(events))
        try:
            yield
        finally:
            unsubscribe()
            teller.cancel()
            with suppress(asyncio.CancelledError):
                await teller

    def __post_init__(self) -> None:
        self._current: RunId | None = None
        self._done: asyncio.Future[OutcomeKind] | None = None

    @property
    def answering(self) -> bool:
        """An answer is coming."""
        return self._done is not None and not self._done.done()

    async def _answer(self, line: str) -> OutcomeKind:
        self.console.asked(line)
        self._done = asyncio.get_running_loop().create_future()
        try:
            self._current = self.client.send(line)
        except MoltbotError as error:
            self.console.refused(line, error)
            return OutcomeKind.FAILED
        return await self._done

    async def _tell(self, events: asyncio.Queue[ClientEvent]) -> None:
        while True:
            event = await events.get()
            match event:
                case ReminderDue():
                    self.console.reminder(event)
                case Notice():
                    self.console.notice(event)
                case InboxChanged():
                    self.console.inbox(event)
                case ApprovalRequested() if self.approve is not None:
                    await self.approve(event, elsewhere=event.run_id != self._current)
                case RunEvent():
                    self._run_event(event)

    def _run_event(self, event: RunEvent) -> None:
        if event.run_id != self._current:
            return
        self.console.happened(event)
        if isinstance(event, RunEnded) and event.then:
            self._current = event.then
        elif isinstance(event, RunEnded) and self._done is not None and not self._done.done():
            self._done.set_result(event.outcome.kind)
