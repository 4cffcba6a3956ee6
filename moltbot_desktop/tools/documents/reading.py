"""Our side of a document that is read in a process of its own.

    DocumentReader().text_of(data, DocumentKind.PDF, context.cancel)

The last text is kept, because a long document is read in parts.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.models.worker.command import CREATION_FLAGS, child_environment
from moltbot_desktop.sdk.tools import CancelToken
from moltbot_desktop.tools.documents.kinds import DocumentKind
from moltbot_desktop.tools.documents.trouble import Trouble
from moltbot_desktop.tools.file_access import FileRefusal

CHILD_OPTION = "--read-document"
"""Starts a frozen build as the child; see `moltbot_desktop.__main__`."""
_CHILD = "moltbot_desktop.tools.documents.child"
_SECONDS = 40
_POLLS_PER_SECOND = 10
_REASONS = {
    Trouble.LOCKED: "it is locked with a password",
    Trouble.DAMAGED: "the file is damaged",
    Trouble.PICTURES: "it holds pictures and no text",
    Trouble.TOO_SLOW: "it is too large or takes too long",
    Trouble.STOPPED: "stopped",
}


def own_command() -> tuple[str, ...]:
    """What starts the child; the kind is added."""
    if getattr(sys, "frozen", False):
        return (sys.executable, CHILD_OPTION)
    return (sys.executable, "-m", _CHILD)


class DocumentReader:
    """Reads documents; may be used by several threads at once.

    Args:
        command: what starts the child; None for this program's own.
        seconds: after which a document takes too long.
    """

    def __init__(self, command: Sequence[str] | None = None, seconds: int = _SECONDS) -> None:
        self._command = tuple(command or own_command())
        self._seconds = seconds
        self._lock = threading.Lock()
        self._last = ("", "")

    def text_of(self, data: bytes, kind: DocumentKind, cancel: CancelToken) -> str:
        """The text of the document `data`.

        Raises:
            FileRefusal: it has none that can be read, or `cancel` came first.
        """
        key = f"{kind.value}:{hashlib.sha256(data).hexdigest()}"
        with self._lock:
            if self._last[0] == key:
                return self._last[1]
        text = self._read(data, kind, cancel)
        with self._lock:
            self._last = (key, text)
        return text

    def _read(self, data: bytes, kind: DocumentKind, cancel: CancelToken) -> str:
        child = subprocess.Popen(
            [*self._command, kind.value],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
            creationflags=CREATION_FLAGS,
        )
        # By hand: `communicate` forgets the rest of its input when it is asked a second time.
        stdin, child.stdin = child.stdin, None
        assert stdin is not None
        writer = threading.Thread(target=_hand_over, args=(stdin, data), name="document")
        with child:
            try:
                writer.start()
                output = self._awaited(child, cancel)
            finally:
                child.kill()  # nothing to one that has ended
                writer.join()
        answer = _answer(output) if child.returncode == 0 else {}
        text = answer.get("text")
        if isinstance(text, str):
            return text
        trouble = answer.get("trouble")
        known = trouble in [one.value for one in Trouble]
        raise _refusal(Trouble(str(trouble)) if known else Trouble.DAMAGED)

    def _awaited(self, child: subprocess.Popen[bytes], cancel: CancelToken) -> bytes:
        for _ in range(self._seconds * _POLLS_PER_SECOND):
            if cancel.cancelled:
                raise _refusal(Trouble.STOPPED)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.communicate(timeout=1 / _POLLS_PER_SECOND)[0]
        raise _refusal(Trouble.TOO_SLOW)


def _hand_over(pipe: IO[bytes], data: bytes) -> None:
    """Ends when the child has it all, or is gone."""
    with contextlib.suppress(OSError), pipe:
        pipe.write(data)


def _answer(output: bytes) -> dict[str, JsonValue]:
    try:
        answer = json.loads(output)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _refusal(trouble: Trouble) -> FileRefusal:
    return FileRefusal(f"cannot be read: {_REASONS[trouble]}", trouble.value)
