"""A channel for scripts: one JSON line in is a message, each answer is one JSON line out.

    channels: { pipe: { dmPolicy: "allowlist", allowFrom: ["local"],
                        accounts: { build: { in: "~/build.in", out: "~/build.out" } } } }

    $ mkfifo ~/build.in; echo '{"messageId": "1", "text": "is the build green?"}' > ~/build.in

Both ends may be FIFOs or files. A FIFO may be closed and opened again by either side at any time;
a file is followed as it grows, from where the last run of the program had kept everything. A
message that is kept is acknowledged, ``{"ack": "1"}``; one without an acknowledgement should be
written again, with the same `messageId`, and is answered once. An answer that a crash kept from
being ticked off comes again with the same `key`. A line that cannot be kept is answered with an
``{"error": …}``, and the next one is read.

Two threads: one reads and waits for the desk, one writes. Both are bounded: while nobody reads the
answers, nothing more is read in. Both sleep until there is something to do, but for a file, which
is looked at once a second when it has been quiet.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import queue
import select
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.channels.line_reader import MAX_LINE_BYTES, Line, LineReader
from moltbot_desktop.channels.pipe_lines import (
    CHANNEL,
    ack_line,
    answer_line,
    envelope_of,
    error_line,
)
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, MoltbotError, UserInputInvalid
from moltbot_desktop.sdk.channels import ChannelLife, Envelope, OutboundMessage

Receive = Callable[[Sequence[Envelope]], Awaitable[None]]
"""Keeps messages; they may be acknowledged when it has returned."""

_Unwritten = tuple[bytes, Future[str] | None]
_MOST_UNWRITTEN = 256
_POLL_SECONDS = 0.05
_RETRY_SECONDS = 1.0
_GONE = (errno.ENXIO, errno.ENOENT, errno.EPIPE)
_READING, _KEEPING, _WRITING = "reading", "keeping", "writing"
_FAULT = "It could not be kept: the program has a fault, which its log tells. Write it again later."
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PipeAccount:
    """Where one account's lines come from and go to; both paths absolute."""

    name: str
    path_in: Path
    path_out: Path


class PipeChannel:
    """One account. `start` and `stop` from the event loop, `send` as `sdk.channels.Outgoing`."""

    def __init__(
        self,
        account: PipeAccount,
        receive: Receive,
        clock: Clock,
        on_problem: Callable[[str], None],
        cursor: str = "",
    ) -> None:
        """
        Args:
            on_problem: told once of each reason why the files cannot be used, from any thread.
            cursor: of the last message that was kept.
        """
        self._account = account
        self._receive = receive
        self._clock = clock
        self._on_problem = on_problem
        self._reader = LineReader(account.path_in, int(cursor) if cursor.isdecimal() else 0)
        self._unwritten: queue.Queue[_Unwritten | None] = queue.Queue(_MOST_UNWRITTEN)
        self._stopping = threading.Event()
        self._wake: tuple[int, int] = (-1, -1)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._problems: dict[str, str] = {}
        name = f"pipe-{account.name}"
        self._threads = (
            threading.Thread(target=self._read_all, name=f"{name}-in"),
            threading.Thread(target=self._write_all, name=f"{name}-out"),
        )

    @property
    def problem(self) -> str:
        """What keeps it from reading, keeping or writing just now, "" for nothing."""
        return "; ".join(self._problems.copy().values())

    @property
    def life(self) -> ChannelLife:
        """A pipe has nothing to connect to: from its start on it is online."""
        return ChannelLife.DEGRADED if self._problems else ChannelLife.ONLINE

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._wake = os.pipe()
        for thread in self._threads:
            thread.start()

    async def stop(self) -> None:
        """Nothing is read or written when this returns, within two seconds. May be said again."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        os.write(self._wake[1], b"!")
        with contextlib.suppress(queue.Full):  # then nobody waits for it to be filled
            self._unwritten.put_nowait(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        for end in self._wake:
            os.close(end)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`; there are no ids in a pipe.

        Raises:
            ChannelError: nobody reads, or too much waits to be read.
        """
        written: Future[str] = Future()
        try:
            self._unwritten.put_nowait((answer_line(message, idempotency_key), written))
        except queue.Full:
            raise self._nobody_reads() from None
        return await asyncio.wrap_future(written)

    # ---------------------------------------------------------------- reading

    def _read_all(self) -> None:
        try:
            while not self._stopping.is_set():
                try:
                    lines = self._reader.read()
                    if not lines:
                        self._works(_READING)
                        self._reader.wait(self._wake[0])
                        continue
                except OSError as error:
                    self._tell(_READING, f"{self._account.path_in}: {error.strerror}")
                    self._stopping.wait(_RETRY_SECONDS)
                    continue
                self._take(lines)
                self._works(_READING)
        finally:
            self._reader.close()

    def _take(self, lines: Sequence[Line]) -> None:
        found = [(line, self._message(line)) for line in lines]
        envelopes = [one for _, one in found if isinstance(one, Envelope)]
        unkept = self._keep(envelopes) if envelopes else ()
        if unkept is None:
            return
        for line, one in found:
            if not isinstance(one, Envelope):
                self._write_soon(error_line(one.message, line.data))
            elif one in unkept:
                self._write_soon(error_line(_FAULT, line.data))
            else:
                self._write_soon(ack_line(one.message_id))

    def _message(self, line: Line) -> Envelope | UserInputInvalid:
        try:
            return self._envelope(line)
        except UserInputInvalid as error:
            return error

    def _envelope(self, line: Line) -> Envelope:
        if not line.whole:
            problem = "too long" if len(line.data) > MAX_LINE_BYTES else "torn: it has no end"
            raise UserInputInvalid(f"The line is {problem}.")
        cursor = str(line.after) if line.after else ""
        return envelope_of(line.data, self._account.name, self._clock.now(), cursor)

    def _keep(self, envelopes: Sequence[Envelope]) -> Sequence[Envelope] | None:
        """What a fault of the program keeps from being kept. None when the program ends before
        they are: then nothing is acknowledged."""
        while not self._stopping.is_set() and self._loop is not None:
            kept = self._on_loop(self._loop, envelopes)
            if kept is None:
                return None
            try:
                while not kept.done() and not self._stopping.is_set():
                    with contextlib.suppress(TimeoutError):
                        kept.result(_POLL_SECONDS)
                if not kept.done():
                    return None
                kept.result()
            except CancelledError:
                return None
            except MoltbotError as error:
                self._tell(_KEEPING, str(error))
                self._stopping.wait(_RETRY_SECONDS)
            except Exception as error:  # noqa: BLE001 - border: a bug costs its message, not all that follow
                _log.exception("%s %s", CHANNEL, self._account.name)
                if len(envelopes) > 1:
                    return self._keep_one_by_one(envelopes)
                self._tell(_KEEPING, f"{self._account.path_in}: {type(error).__name__}: {error}")
                return envelopes
            else:
                self._works(_KEEPING)
                return ()
        return None

    def _keep_one_by_one(self, envelopes: Sequence[Envelope]) -> Sequence[Envelope] | None:
        unkept: list[Envelope] = []
        for one in envelopes:
            found = self._keep((one,))
            if found is None:
                return None
            unkept += found
        return unkept

    def _on_loop(
        self, loop: asyncio.AbstractEventLoop, envelopes: Sequence[Envelope]
    ) -> Future[None] | None:
        async def keep() -> None:
            await self._receive(envelopes)

        work = keep()
        try:
            return asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError:  # the loop has ended
            work.close()
            return None

    # ---------------------------------------------------------------- writing

    def _write_soon(self, line: bytes) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(queue.Full):
                self._unwritten.put((line, None), timeout=_RETRY_SECONDS)
                return

    def _write_all(self) -> None:
        out: int | None = None
        try:
            while not self._stopping.is_set():
                unwritten = self._unwritten.get()
                if unwritten is not None:
                    out = self._write(out, *unwritten)
        finally:
            if out is not None:
                os.close(out)
            self._give_up()

    def _write(self, out: int | None, line: bytes, written: Future[str] | None) -> int | None:
        """Write a whole line, to a reader that comes later if need be; the file it went to."""
        if written is not None and not written.set_running_or_notify_cancel():
            return out  # nobody waits for it any more: it will be sent again
        rest, pause = line, _POLL_SECONDS
        while not self._stopping.is_set():
            try:
                if out is None:
                    out, rest = _opened(self._account.path_out), line
                select.select([self._wake[0]], [out], [])
                rest = rest[os.write(out, rest) :]
            except BlockingIOError:
                continue
            except OSError as error:
                if out is not None:
                    os.close(out)
                    out = None
                if error.errno not in _GONE:
                    self._tell(_WRITING, f"{self._account.path_out}: {error.strerror}")
                self._stopping.wait(pause)
                pause = min(_RETRY_SECONDS, 2 * pause)
                continue
            if not rest:
                self._works(_WRITING)
                if written is not None:
                    written.set_result("")
                return out
        if written is not None:
            written.set_exception(self._nobody_reads())
        return out

    def _give_up(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                unwritten = self._unwritten.get_nowait()
                written = unwritten[1] if unwritten is not None else None
                if written is not None and written.set_running_or_notify_cancel():
                    written.set_exception(self._nobody_reads())

    def _nobody_reads(self) -> ChannelError:
        return ChannelError(
            f"Nobody reads {self._account.path_out}.", hint="It is written when somebody does."
        )

    def _works(self, part: str) -> None:
        self._problems.pop(part, None)

    def _tell(self, part: str, problem: str) -> None:
        """Of each reason once, until that part of the work goes well again."""
        if problem != self._problems.get(part):
            self._problems[part] = problem
            _log.warning("%s %s: %s", CHANNEL, self._account.name, problem)
            self._on_problem(problem)


def _opened(path: Path) -> int:
    """The out end, without waiting: a FIFO that nobody reads is an error here. A path where
    nothing is becomes a file for this user alone."""
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    return os.open(path, flags, 0o600)
