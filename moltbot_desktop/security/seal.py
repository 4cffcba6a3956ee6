"""The offline seal: whether anything may leave this computer, and the book of what did.

    with Seal(home, clock) as seal:
        seal.close_it()                                    # nothing leaves from now on
        way = seal.way(Errand(Purpose.MODEL, "lab"))       # lent to whoever connects for it
        seal.sent_today()

The seal is a file in the program's home, looked at before each connection: so closing it holds at
once, in every process of the program and without a start, and a broken settings file opens
nothing. No tool can reach that folder. What stays on this computer passes and is not counted.

The book is opened at the first passage; until then there is none, because nothing ever left.
"""

from __future__ import annotations

import logging
import os
import threading
from datetime import date, timedelta
from pathlib import Path
from types import TracebackType

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import EgressSealed, StorageError
from moltbot_desktop.core.traffic import Errand, Passage, Way
from moltbot_desktop.security.traffic_book import Counted, TrafficBook
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_log = logging.getLogger(__name__)

SEAL_FILE = "network.seal"
BOOK_FILE = "network.sqlite"
_WRITTEN = b"While this file is here, Moltbot lets nothing leave this computer.\n"
_MOST_OWED = 1_000


class Seal:
    """For any thread. `close` at the end."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self._file = home / SEAL_FILE
        self._path = home / BOOK_FILE
        self._clock = clock
        self._lock = threading.Lock()
        self._book: TrafficBook | None = None
        self._owed: list[tuple[date, str, Errand, Counted]] = []

    # --- open or closed

    @property
    def closed(self) -> bool:
        """Whether nothing may leave; also where that cannot be found out."""
        try:
            os.lstat(self._file)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return True

    def close_it(self) -> None:
        """Nothing leaves from now on. Raises StorageError."""
        make_private_dir(self._file.parent)
        write_atomic(self._file, _WRITTEN)

    def open_it(self) -> None:
        """What the owner switched on may leave again. Raises StorageError."""
        with disk_errors(self._file):
            self._file.unlink(missing_ok=True)

    def way(self, errand: Errand) -> Way:
        """For whoever connects on that errand."""
        return _SealedWay(self, errand)

    # --- the book

    def passages(self, days: int = 1) -> tuple[Passage, ...]:
        """Of today and the days before. Raises StorageError."""
        with self._lock:
            book = self._opened(writing=False)
            first = self._today() - timedelta(days=days - 1)
            return book.since(first) if book is not None else ()

    def sent_today(self) -> int:
        """Bytes. Raises StorageError."""
        with self._lock:
            book = self._opened(writing=False)
            return book.sent_on(self._today()) if book is not None else 0

    def close(self) -> None:
        with self._lock:
            book, self._book = self._book, None
        if book is not None:
            book.close()

    def __enter__(self) -> Seal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _note(self, host: str, errand: Errand, counted: Counted) -> None:
        """A book that cannot be written costs no answer: it is written with the next passage."""
        with self._lock:
            self._owed.append((self._today(), host, errand, counted))
            try:
                book = self._opened(writing=True)
                while book is not None and self._owed:
                    book.add(*self._owed[0])
                    del self._owed[0]
            except StorageError as error:
                del self._owed[:-_MOST_OWED]
                _log.warning("what left this computer cannot be noted: %s", error.message)

    def _opened(self, *, writing: bool) -> TrafficBook | None:
        """The book; None where there is none and nothing is to be written."""
        if self._book is None and (writing or self._path.exists()):
            self._book = TrafficBook(self._path)
        return self._book

    def _today(self) -> date:
        return self._clock.now().date()


class _SealedWay:
    """One errand's way through a seal."""

    def __init__(self, seal: Seal, errand: Errand) -> None:
        self._seal = seal
        self._errand = errand

    def open(self, host: str) -> None:
        if self._seal.closed:
            raise EgressSealed(
                f"The seal is closed: nothing leaves this computer, so {host} is not asked.",
                hint="moltbot-desktop network seal off opens it.",
            )
        _log.info("asks %s (%s %s)", host, self._errand.purpose.value, self._errand.who)

    def count(self, host: str, *, requests: int = 0, sent: int = 0, received: int = 0) -> None:
        self._seal._note(host, self._errand, Counted(requests, sent, received))
