"""The mail book on the event loop: what is asked in the same moment shares one commit.

    desk = MailDesk(book, in_thread)
    received = await desk.receive([envelope])     # on the disk, may be acknowledged
    await desk.finish(received[0].run_id, [answer])

A flush of the disk takes milliseconds and costs the same for one message or a hundred. So a call
waits until the commit before it is done, and goes with everything that came meanwhile into the
next: busy channels share flushes, a lonely message waits for nothing.

`in_thread` runs a blocking call on a thread that serves this book alone: among tools it would
wait behind them, and channels with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.mail_items import Accepted, OutboxHead, OutboxRow, Received
from moltbot_desktop.sdk.channels import DeliveryTarget, Envelope, OutboundMessage

T = TypeVar("T")

MOST_TOGETHER = 200
"""Calls in one commit; more would make the first of them wait long."""


@dataclass(frozen=True)
class _Waiting:
    operation: Callable[[], object]
    done: asyncio.Future[object]


class MailDesk:
    """Used on one event loop. Each method is as in `MailBook`; what is asked first is done
    first. A caller that is cancelled may find its call done all the same."""

    def __init__(self, book: MailBook, in_thread: InThread) -> None:
        self._book = book
        self._in_thread = in_thread
        self._waiting: list[_Waiting] = []
        self._writer: asyncio.Task[None] | None = None
        self._on_posted: list[Callable[[], None]] = []

    def on_posted(self, listener: Callable[[], None]) -> None:
        """Call `listener` on the loop after something entered the outbox."""
        self._on_posted.append(listener)

    async def receive(self, envelopes: Iterable[Envelope]) -> tuple[Received, ...]:
        kept = tuple(envelopes)
        return await self._written(lambda: self._book.receive(kept))

    async def merge(self, gone: Sequence[RunId], into: Accepted) -> None:
        await self._written(lambda: self._book.merge(gone, into))

    async def unfinished(self) -> tuple[Accepted, ...]:
        return await self._in_thread(self._book.unfinished)

    async def broke(self, run_id: RunId) -> bool:
        return await self._written(lambda: self._book.broke(run_id))

    async def put_aside(self) -> Mapping[tuple[str, str], int]:
        return await self._in_thread(self._book.put_aside)

    async def cursor(self, channel: str, account: str) -> str:
        return await self._in_thread(lambda: self._book.cursor(channel, account))

    async def finish(
        self,
        run_id: RunId,
        parts: Sequence[OutboundMessage],
        *,
        handled: Sequence[RunId] | None = None,
    ) -> None:
        await self._written(lambda: self._book.finish(run_id, parts, handled=handled))
        if parts:
            for listener in self._on_posted:
                listener()

    async def drafted(self, run_id: RunId, platform_id: str) -> None:
        await self._written(lambda: self._book.drafted(run_id, platform_id))

    async def draft(self, run_id: RunId) -> str:
        return await self._in_thread(lambda: self._book.draft(run_id))

    async def told(self, run_id: RunId) -> tuple[str, ...]:
        return await self._in_thread(lambda: self._book.told(run_id))

    async def heads(self) -> tuple[OutboxHead, ...]:
        return await self._in_thread(self._book.heads)

    async def waiting(self) -> Mapping[tuple[str, str], int]:
        return await self._in_thread(self._book.waiting)

    async def attached(self) -> tuple[Path, ...]:
        return await self._in_thread(self._book.attached)

    async def own(self, target: DeliveryTarget, platform_id: str = "") -> str:
        return await self._in_thread(lambda: self._book.own(target, platform_id))

    async def heard(self, target: DeliveryTarget, message_id: str = "") -> str:
        return await self._in_thread(lambda: self._book.heard(target, message_id))

    async def load(self, row_id: int, most: int = 1) -> tuple[OutboxRow, ...]:
        return await self._in_thread(lambda: self._book.load(row_id, most))

    async def sent(self, row_id: int, platform_id: str) -> None:
        await self._written(lambda: self._book.sent(row_id, platform_id))

    async def failed(self, row_id: int, error: str, retry_at: datetime | None) -> None:
        await self._written(lambda: self._book.failed(row_id, error, retry_at))

    async def tidy(self) -> None:
        await self._written(self._book.tidy)

    async def close(self) -> None:
        """Wait until everything that was asked is on the disk, or was refused by it."""
        while self._writer is not None:
            await asyncio.wait([self._writer])

    # ---------------------------------------------------------------- one commit for many

    async def _written(self, operation: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        waiting = _Waiting(operation, loop.create_future())
        self._waiting.append(waiting)
        if self._writer is None:
            # It takes its first step after what else is ready in this turn of the loop was asked.
            self._writer = loop.create_task(self._write(), name="mail")
        return cast(T, await waiting.done)

    async def _write(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:MOST_TOGETHER]
                del self._waiting[:MOST_TOGETHER]
                await self._commit(batch)
        finally:
            self._writer = None
            for waiting in self._waiting:  # only when the whole loop is being stopped
                waiting.done.cancel()

    async def _commit(self, batch: Sequence[_Waiting]) -> None:
        operations = [waiting.operation for waiting in batch]
        try:
            results = await self._in_thread(lambda: self._book.together(operations))
        except asyncio.CancelledError:
            for waiting in batch:
                waiting.done.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - border: whoever asked gets the error
            if len(batch) > 1 and not isinstance(error, StorageError):
                for waiting in batch:  # a bug in one of the calls costs no other
                    await self._commit([waiting])
                return
            for waiting in batch:
                if not waiting.done.done():
                    waiting.done.set_exception(error)
            return
        for waiting, result in zip(batch, results, strict=True):
            if not waiting.done.done():
                waiting.done.set_result(result)
