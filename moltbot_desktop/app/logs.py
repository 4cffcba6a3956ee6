"""One local log file and one crash note; nothing is ever sent anywhere."""

from __future__ import annotations

import faulthandler
import logging
import logging.handlers
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import TextIO

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.security.redaction import redacted
from moltbot_desktop.storage.files import make_private_dir

_log = logging.getLogger(__name__)
_MAX_BYTES = 1_000_000
_BACKUPS = 2
_LONGEST_RECORD = 16_000
"""Characters, with the traceback."""


def start_logging(folder: Path) -> logging.Handler | None:
    """Log to `folder`/moltbot.log; without a writable folder the program runs unlogged."""
    try:
        # The program's home is made here, before anything else needs it.
        make_private_dir(folder)
        handler = LogFile(
            folder / "moltbot.log", maxBytes=_MAX_BYTES, backupCount=_BACKUPS, encoding="utf-8"
        )
    except (OSError, StorageError):
        return None
    handler.setFormatter(CarefulFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    return handler


class LogFile(logging.handlers.RotatingFileHandler):
    """On a full disk a record is lost without a word: else Python tells each of them, with where
    it stood, to a terminal or to a service's journal, which fills that too."""

    def handleError(self, record: logging.LogRecord) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)


class CarefulFormatter(logging.Formatter):
    """What strangers say gets into the log too, and others read it again, line by line.

    So keys are hidden, a record begins at the left edge and nothing else does, and there is nothing
    in it that a terminal would obey.
    """

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if len(text) > _LONGEST_RECORD:
            text = f"{text[:_LONGEST_RECORD]}… ({len(text):,} characters)"
        lines = redacted(text).split("\n")
        return "\n    ".join(line if line.isprintable() else _visible(line) for line in lines)


def _visible(line: str) -> str:
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)


class CrashNotes:
    """Writes uncaught errors to `folder`/crash.txt, whichever thread they come from."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "crash.txt"
        self._fault_file: TextIO | None = None

    def install(self) -> None:
        """Catch uncaught exceptions of all threads and fatal signals."""
        sys.excepthook = self._main_thread
        threading.excepthook = self._other_thread
        try:
            self._fault_file = (self._path.parent / "fault.txt").open("a", encoding="utf-8")
        except OSError:
            return
        faulthandler.enable(self._fault_file)

    def _main_thread(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.write("".join(traceback.format_exception(kind, error, trace)))
        sys.__excepthook__(kind, error, trace)

    def _other_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.write("".join(traceback.format_exception(args.exc_value)))

    def write(self, text: str) -> None:
        """Keep one note; the newest replaces the older one."""
        _log.error("uncaught error\n%s", text)
        try:
            self._path.write_text(redacted(text), encoding="utf-8")
        except OSError:
            _log.warning("the crash note could not be written")
