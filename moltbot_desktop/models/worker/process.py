"""One child process and its pipes, served by three threads that end when it does.

The *keeper* starts the process, reads its answers and waits for its end (Linux ends a child whose
starting thread ends, so the one that starts it has to stay). The *writer* keeps a full pipe from
blocking whoever sends. The *listener* brings the child's stderr into the log and keeps the last
lines, which tell why it died. All pipes are read and written raw: a thread that is cut off by the
end of the interpreter holds no lock of a buffer.

    process = WorkerProcess(own_command(ChildRole.WORKER), on_answer=..., on_end=...)
    process.start()
    process.send(encode(Load(...)))
    process.finish()                   # what was sent is still written, then end of file
    process.ended.result(3)
    process.join()                     # now its threads are gone too
"""

from __future__ import annotations

import logging
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO

from moltbot_desktop.models.worker.codec import ProtocolBroken
from moltbot_desktop.models.worker.command import CREATION_FLAGS, child_environment
from moltbot_desktop.models.worker.deaths import not_started_error
from moltbot_desktop.models.worker.protocol import Answer, LineSplitter, decode_answer

_LOGGER = logging.getLogger("moltbot_desktop.models.worker")
_CHUNK = 1 << 16
_LAST_WORDS = 60
_MAX_STDERR_LINE = 2000


@dataclass(frozen=True)
class ProcessEnd:
    """How a process ended.

    Attributes:
        code: as `subprocess` gives it; None when it could not be started or not be served.
        last_words: of its stderr, or why it could not be started.
        garbled: it was ended because it said something that is no answer.
    """

    code: int | None
    last_words: tuple[str, ...]
    garbled: bool = False


class _NotServed(Exception):
    """There is no thread to be had for its pipes; says why."""


class WorkerProcess:
    """A running child. `on_answer` and `on_end` are called on its keeper thread.

    Attributes:
        ended: done when the process is gone and its pipes are closed; the keeper still has to
            tell so, and may be held up at that on a busy computer. `join` waits for it.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        on_answer: Callable[[Answer], None],
        on_end: Callable[[ProcessEnd], None],
    ) -> None:
        self.ended: Future[None] = Future()
        # Daemons, all three: a program that ends without closing is not held up by them, and the
        # end of its pipes ends the child.
        self._keeper = threading.Thread(target=self._keep, name="model-process", daemon=True)
        self._command = tuple(command)
        self._on_answer = on_answer
        self._on_end = on_end
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)
        # Guards the two fields below: a kill may come before the process is there.
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False
        self.ended.set_running_or_notify_cancel()

    def start(self) -> None:
        """Returns at once; a process that cannot be started is an `on_end`.

        Raises:
            ModelError: there is not even a thread to start it on; `on_end` is not called.
        """
        try:
            self._keeper.start()
        except RuntimeError as error:
            self.ended.set_result(None)
            raise not_started_error(str(error)) from error

    def join(self) -> None:
        """Once it has `ended`: wait for the keeper's last instructions, on a foreign thread."""
        self._keeper.join()

    @property
    def process_id(self) -> int | None:
        """None before it was started."""
        return self._process.pid if self._process is not None else None

    def send(self, line: bytes) -> None:
        """Queue a line; one for a process that is gone is dropped."""
        self._outbox.put(line)

    def finish(self) -> None:
        """Close its input once everything sent was written; the child takes that as its end."""
        self._outbox.put(None)

    def kill(self) -> None:
        """End it now, whatever it does."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    # -- keeper -------------------------------------------------------------------------------

    def _keep(self) -> None:
        # Whatever goes wrong here: who waits for an answer is told that none comes.
        end = ProcessEnd(None, ("a bug of the program; its log says more",))
        try:
            end = self._run()
        except (OSError, _NotServed) as error:
            end = ProcessEnd(None, (str(error),))
        finally:
            try:
                self._on_end(end)
            finally:
                self.ended.set_result(None)

    def _run(self) -> ProcessEnd:
        try:
            # A session of its own: Ctrl-C in the terminal is for the program, not for its child.
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=child_environment(),
                start_new_session=True,
                creationflags=CREATION_FLAGS,
            )
        except OSError as error:
            return ProcessEnd(None, (error.strerror or str(error),))
        with process:
            with self._lock:
                self._process = process
                if self._killed:
                    process.kill()
            return self._serve(process)

    def _serve(self, process: subprocess.Popen[bytes]) -> ProcessEnd:
        assert process.stdin and process.stdout and process.stderr
        helpers = (
            threading.Thread(
                target=self._write, args=(process.stdin,), name="model-process-in", daemon=True
            ),
            threading.Thread(
                target=self._listen, args=(process.stderr,), name="model-process-log", daemon=True
            ),
        )
        try:
            _start(helpers)
            garbled = not self._read(process.stdout)
            if garbled:
                process.kill()
            code = process.wait()
        except BaseException:
            # No thread to be had, or a bug in a listener.
            process.kill()
            raise
        finally:
            self._outbox.put(None)
            for helper in helpers:
                if helper.ident is not None:
                    helper.join()
        return ProcessEnd(code, tuple(self._last_words), garbled)

    def _read(self, pipe: IO[bytes]) -> bool:
        """Hand over the answers until the pipe ends; False when one is no answer."""
        splitter = LineSplitter()
        try:
            while data := pipe.read(_CHUNK):
                for line in splitter.feed(data):
                    self._on_answer(decode_answer(line))
        except ProtocolBroken as error:
            _LOGGER.error("the model's process said: %s", error)
            return False
        return True

    # -- helpers ------------------------------------------------------------------------------

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            while (line := self._outbox.get()) is not None:
                rest = memoryview(line)
                while rest:
                    rest = rest[pipe.write(rest) :]
            pipe.close()
        except OSError as error:
            # It is gone; the keeper tells.
            _LOGGER.debug("the model's process hears nothing any more: %s", error)

    def _listen(self, pipe: IO[bytes]) -> None:
        splitter = LineSplitter()
        while data := pipe.read(_CHUNK):
            for line in splitter.feed(data):
                text = line.decode("utf-8", errors="replace").rstrip()[:_MAX_STDERR_LINE]
                if text:
                    self._last_words.append(text)
                    _LOGGER.info("%s", text)


def _start(helpers: Iterable[threading.Thread]) -> None:
    try:
        for helper in helpers:
            helper.start()
    except RuntimeError as error:
        raise _NotServed(str(error)) from error
