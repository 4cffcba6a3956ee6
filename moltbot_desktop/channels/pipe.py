"""A channel for scripts: one JSON line in is a message, each answer is one JSON line out.

    channels: { pipe: { dmPolicy: "allowlist", allowFrom: ["local"],
                        accounts: { build: { in: "~/build.in", out: "~/build.out" } } } }

    $ mkfifo ~/build.in; echo '{"messageId": "1", "text": "is the build green?"}' > ~/build.in

Both ends may be FIFOs or files. A FIFO may be closed and opened again by either side at any time;
a file is followed as it grows, from where the last run of the program had kept everything. A
message that is kept is acknowledged, ``{"ack": "1"}``; one without an acknowledgement should be
written again, with the same `messageId`, and is answered once. An answer that a crash kept from
being ticked off comes again with the same `key`.

Two threads: one reads and waits for the desk, one writes. Both are bounded: while nobody reads the
answers, nothing more is read in.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import queue
import select
import stat
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.channels.pipe_lines import (
    CHANNEL,
    ack_line,
    answer_line,
    envelope_of,
    error_line,
)
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, MoltbotError, UserInputInvalid
from moltbot_desktop.sdk.channels import Envelope, OutboundMessage

Receive = Callable[[Sequence[Envelope]], Awaitable[None]]
"""Keeps messages; they may be acknowledged when it has returned."""

MAX_LINE_BYTES = 1_048_576
_CHUNK_BYTES = 65_536
_MOST_UNWRITTEN = 256
_POLL_SECONDS = 0.05
_RETRY_SECONDS = 1.0
_GONE = (errno.ENXIO, errno.ENOENT, errno.EPIPE)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PipeAccount:
    """Where one account's lines come from and go to; both paths absolute."""

    name: str
    path_in: Path
    path_out: Path


class LineReader:
    """The lines of a FIFO or a file, as they come. Used by one thread.

    Attributes:
        offset: of a file, where the next line begins; 0 for a FIFO.
    """

    def __init__(self, path: Path, offset: int) -> None:
        self._path = path
        self.offset = offset
        self._file: int | None = None
        self._is_file = False
        self._rest = b""
        self._skipping = False

    def read(self) -> list[tuple[bytes, bool, int]]:
        """What has come: (line, whether it is whole, where the next one begins). Never waits.

        Raises:
            OSError: it cannot be read.
        """
        if self._file is None and not self._open():
            return []
        try:
            data = os.read(self._file or 0, _CHUNK_BYTES)
        except BlockingIOError:
            return []
        if data:
            return self._lines(data)
        if self._is_file:
            self._begin_again_if_cut()
            return []
        # Nobody has a FIFO open for writing: what has no end by now will get none.
        torn, self._rest, self._skipping = self._rest, b"", False
        return [(torn, False, 0)] if torn else []

    def wait(self, seconds: float) -> None:
        """Until there may be more."""
        if self._file is not None and not self._is_file:
            select.select([self._file], [], [], seconds)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> bool:
        try:
            self._file = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        found = os.fstat(self._file)
        self._is_file = stat.S_ISREG(found.st_mode)
        if self._is_file:
            # A file that was begun anew is shorter than what was read of the old one.
            self.offset = self.offset if self.offset <= found.st_size else 0
            os.lseek(self._file, self.offset, os.SEEK_SET)
        else:
            self.offset = 0
        return True

    def _begin_again_if_cut(self) -> None:
        read = self.offset + len(self._rest)
        with contextlib.suppress(FileNotFoundError):
            if self._path.stat().st_size < read:
                self.offset, self._rest = 0, b""
                self.close()

    def _lines(self, data: bytes) -> list[tuple[bytes, bool, int]]:
        *whole, self._rest = (self._rest + data).split(b"\n")
        found = []
        for line in whole:
            if self._is_file:
                self.offset += len(line) + 1
            if self._skipping:
                self._skipping = False
            elif line.strip():
                found.append((line, True, self.offset))
        if len(self._rest) > MAX_LINE_BYTES:
            found += [] if self._skipping else [(self._rest, False, self.offset)]
            self.offset += len(self._rest) if self._is_file else 0
            self._rest, self._skipping = b"", True
        return found


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
        self._unwritten: queue.Queue[tuple[bytes, Future[str] | None]] = queue.Queue(
            _MOST_UNWRITTEN
        )
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told = ""
        name = f"pipe-{account.name}"
        self._threads = (
            threading.Thread(target=self._read_all, name=f"{name}-in"),
            threading.Thread(target=self._write_all, name=f"{name}-out"),
        )

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        for thread in self._threads:
            thread.start()

    async def stop(self) -> None:
        """Nothing is read or written when this returns, within two seconds."""
        self._stopping.set()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

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
                except OSError as error:
                    self._tell(f"{self._account.path_in}: {error.strerror}")
                    self._stopping.wait(_RETRY_SECONDS)
                    continue
                if lines:
                    self._take(lines)
                else:
                    self._reader.wait(_POLL_SECONDS)
                    self._stopping.wait(_POLL_SECONDS)
        finally:
            self._reader.close()

    def _take(self, lines: Sequence[tuple[bytes, bool, int]]) -> None:
        envelopes: list[Envelope] = []
        answers: list[bytes] = []
        for line, whole, after in lines:
            try:
                envelope = self._envelope(line, whole, after)
            except UserInputInvalid as error:
                answers.append(error_line(error.message, line))
            else:
                envelopes.append(envelope)
                answers.append(ack_line(envelope.message_id))
        if envelopes and not self._keep(envelopes):
            return
        for answer in answers:
            self._write_soon(answer)

    def _envelope(self, line: bytes, whole: bool, after: int) -> Envelope:
        if not whole:
            problem = "too long" if len(line) > MAX_LINE_BYTES else "torn: it has no end"
            raise UserInputInvalid(f"The line is {problem}.")
        cursor = str(after) if after else ""
        return envelope_of(line, self._account.name, self._clock.now(), cursor)

    def _keep(self, envelopes: Sequence[Envelope]) -> bool:
        """False when the program ends before they are kept: then nothing is acknowledged."""
        while not self._stopping.is_set() and self._loop is not None:
            kept = self._on_loop(self._loop, envelopes)
            if kept is None:
                return False
            try:
                while not kept.done() and not self._stopping.is_set():
                    with contextlib.suppress(TimeoutError):
                        kept.result(_POLL_SECONDS)
                if not kept.done():
                    return False
                kept.result()
            except CancelledError:
                return False
            except MoltbotError as error:
                self._tell(str(error))
                self._stopping.wait(_RETRY_SECONDS)
            else:
                return True
        return False

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
                self._unwritten.put((line, None), timeout=_POLL_SECONDS)
                return

    def _write_all(self) -> None:
        out: int | None = None
        try:
            while not self._stopping.is_set():
                try:
                    line, written = self._unwritten.get(timeout=_POLL_SECONDS)
                except queue.Empty:
                    continue
                out = self._write(out, line, written)
        finally:
            if out is not None:
                os.close(out)
            self._give_up()

    def _write(self, out: int | None, line: bytes, written: Future[str] | None) -> int | None:
        """Write a whole line, to a reader that comes later if need be; the file it went to."""
        if written is not None and not written.set_running_or_notify_cancel():
            return out  # nobody waits for it any more: it will be sent again
        rest = line
        while not self._stopping.is_set():
            try:
                if out is None:
                    out, rest = _opened(self._account.path_out), line
                select.select([], [out], [], _POLL_SECONDS)
                rest = rest[os.write(out, rest) :]
            except BlockingIOError:
                continue
            except OSError as error:
                if out is not None:
                    os.close(out)
                    out = None
                if error.errno not in _GONE:
                    self._tell(f"{self._account.path_out}: {error.strerror}")
                self._stopping.wait(_POLL_SECONDS)
                continue
            if not rest:
                if written is not None:
                    written.set_result("")
                return out
        if written is not None:
            written.set_exception(self._nobody_reads())
        return out

    def _give_up(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                _, written = self._unwritten.get_nowait()
                if written is not None and written.set_running_or_notify_cancel():
                    written.set_exception(self._nobody_reads())

    def _nobody_reads(self) -> ChannelError:
        return ChannelError(
            f"Nobody reads {self._account.path_out}.", hint="It is written when somebody does."
        )

    def _tell(self, problem: str) -> None:
        if problem != self._told:
            self._told = problem
            _log.warning("%s %s: %s", CHANNEL, self._account.name, problem)
            self._on_problem(problem)


def _opened(path: Path) -> int:
    """The out end, without waiting: a FIFO that nobody reads is an error here. A path where
    nothing is becomes a file for this user alone."""
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    return os.open(path, flags, 0o600)
