"""The child's end of the pipes. Imports nothing that could print."""

from __future__ import annotations

import os
import sys
import threading

from moltbot_desktop.models.worker.protocol import Answer, encode

_STDOUT, _STDERR = 1, 2


def claim_stdout() -> int:
    """Take this process's stdout for answers alone; whatever prints from now on, prints to stderr.

    Returns:
        A descriptor, not inherited by processes started from here.
    """
    answers = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    # Anew, because a windowed build has none; in UTF-8, whatever the locale is.
    sys.stdout = sys.stderr = open(  # noqa: SIM115 - open for as long as the process is
        _STDERR, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )
    return answers


class AnswerPipe:
    """Writes answers whole, whichever thread they come from."""

    def __init__(self, descriptor: int) -> None:
        """`descriptor`: number of an open file that is written to and stays open."""
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def say(self, answer: Answer) -> None:
        """Write it.

        Raises:
            ProtocolBroken: it cannot be written as a message.
            OSError: nobody reads any more.
        """
        line = memoryview(encode(answer))
        with self._lock:
            while line:
                line = line[os.write(self._descriptor, line) :]
