"""Standard input and output as an editor's connection: one JSON-RPC message a line.

    with own_output() as descriptor:
        stdio = StdioTransport(0, descriptor)
        AgentSideConnection(agent, stdio, listening=False)

The protocol has standard output for itself: whatever else the program or a library prints goes to
standard error. Reading and writing have threads of their own, because a pipe blocks whoever has it,
and nothing wakes a thread that waits for one: at the end of the program they are left behind. An
editor that does not read holds up what is told to it, and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any

from moltbot_desktop.gateway.acp.frames import MAX_LINE_BYTES, Refused, encoded, judged, too_long

_PIECE_BYTES = 65_536
_MOST_WAITING = 8
"""Messages that were read and not yet taken."""
_TOLD_AT_THE_END_SECONDS = 1.0
_log = logging.getLogger(__name__)


@contextmanager
def own_output() -> Iterator[int]:
    """A descriptor for the protocol alone; inside, what is printed goes to standard error."""
    sys.stdout.flush()
    own = os.dup(1)
    os.set_inheritable(own, False)
    os.dup2(2, 1)
    try:
        yield own
    finally:
        sys.stdout.flush()
        os.dup2(own, 1)
        os.close(own)


class Lines:
    """Cuts what comes into lines; one beyond every limit is skipped and told as None."""

    def __init__(self, most: int = MAX_LINE_BYTES) -> None:
        self._most = most
        self._held = bytearray()
        self._skipping = False

    def take(self, piece: bytes) -> Iterator[bytes | None]:
        for part in piece.splitlines(keepends=True):
            ends = part.endswith(b"\n")
            if not self._skipping:
                self._held += part
            if len(self._held) > self._most:
                self._skipping = True
                self._held.clear()
                yield None
            if ends:
                if not self._skipping:
                    yield bytes(self._held)
                self._held.clear()
                self._skipping = False

    def end(self) -> bytes:
        """A last line without its end."""
        return bytes(self._held)


class StdioTransport:
    """Implements `acp.connection`'s Transport. Made on the event loop that uses it."""

    def __init__(self, source: int, target: int) -> None:
        """`source` and `target`: file descriptors, which stay open."""
        self._source, self._target = source, target
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue(_MOST_WAITING)
        self._out: SimpleQueue[tuple[bytes, Callable[[bool], None]] | None]
        self._out = SimpleQueue()
        self._closed = self._ended = False
        self._last: asyncio.Future[None] | None = None
        for work, name in ((self._read, "acp-in"), (self._write, "acp-out")):
            threading.Thread(target=work, name=name, daemon=True).start()

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None at the end, and from then on. What is none is answered here."""
        while not self._ended and (line := await self._lines.get()) is not None:
            found = judged(line) if line else too_long()
            if isinstance(found, Refused):
                await self.send(dict(found.answer))
            elif found is not None:
                return found.message
        self._ended = True
        return None

    async def send(self, message: dict[str, Any]) -> None:
        """Return when it is written; in the order of the calls. An editor that does not read any
        more has ended, as if its input had."""
        if self._closed:
            return
        written: asyncio.Future[None] = self._loop.create_future()
        self._last = written

        def told(lost: bool) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._written, written, lost)

        self._out.put((encoded(message), told))
        await asyncio.shield(written)

    async def close(self) -> None:
        """No more is sent; what was begun is written, as long as somebody reads."""
        if not self._closed:
            self._closed = True
            self._out.put(None)
            if self._last is not None and not self._last.done():
                await asyncio.wait([self._last], timeout=_TOLD_AT_THE_END_SECONDS)

    def end(self) -> None:
        """As if the editor had ended."""
        if self._lines.full():
            self._lines.get_nowait()
        self._lines.put_nowait(None)

    def _read(self) -> None:
        lines = Lines()
        try:
            while piece := os.read(self._source, _PIECE_BYTES):
                for line in lines.take(piece):
                    self._put(line or b"")
            if last := lines.end():
                self._put(last)
        except OSError as error:
            _log.info("the editor's connection is lost: %s", error)
        except RuntimeError:
            return  # the loop has ended
        with contextlib.suppress(RuntimeError):
            self._put(None)

    def _put(self, line: bytes | None) -> None:
        """Waits while the program is busy, so that an editor fills no memory."""
        work = self._lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except RuntimeError:
            work.close()
            raise

    def _write(self) -> None:
        lost = False
        while (item := self._out.get()) is not None:
            data, told = item
            while data and not lost:
                try:
                    data = data[os.write(self._target, data) :]
                except OSError as error:
                    _log.info("the editor does not read any more: %s", error)
                    lost = True
            told(lost)

    def _written(self, written: asyncio.Future[None], lost: bool) -> None:
        if not written.done():
            written.set_result(None)
        if lost and not self._closed:
            self._closed = True
            self._out.put(None)
            self.end()
