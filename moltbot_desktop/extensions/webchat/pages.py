"""The records of all browsers of an account, in files that outlive the program.

    pages = Pages(folder)
    page = pages.of("b3f0…")
    page.put(entry)                   # on the disk, and told to whoever listens
    page.changed                      # an asyncio.Event for each listener: `page.listen()`

A file has a line for each change, and is written anew when it has many more lines than entries.
Lines are handed to the system at once, so that the death of the program loses none; when the
power fails, the last seconds of the page may be gone, and the conversation itself is in its
transcript. The name ends in ``.words.jsonl``: what was forgotten is taken out there as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.core.errors import ChannelError
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.webchat.record import Entry, Record, line_of, record_of

SUFFIX = ".words.jsonl"
_MOST_BYTES = 64_000_000
_TIDY_LINES = 4
"""A file may have so many times more lines than entries."""
_TIDY_BYTES = 8_000_000
_NAME = re.compile(r"[0-9a-zA-Z-]{1,64}")
_log = logging.getLogger(__name__)


@dataclass
class Page:
    """One browser's. Lives on the account's loop.

    Attributes:
        writing: how often it was shown that we write.
    """

    path: Path
    record: Record
    writing: int = 0
    _lines: int = 0
    _torn: bool = False
    _seen: tuple[int, int] = (0, 0)
    _listeners: set[asyncio.Event] = field(default_factory=set)

    @contextmanager
    def listen(self) -> Iterator[asyncio.Event]:
        """An event that is set with every change."""
        event = asyncio.Event()
        self._listeners.add(event)
        try:
            yield event
        finally:
            self._listeners.discard(event)

    def put(self, entry: Entry) -> Entry:
        """Raises ChannelError: the disk does not take it; then nothing has changed."""
        self._append(line_of(entry))
        entry = self.record.put(entry)
        self.tell()
        return entry

    def remove(self, name: str) -> None:
        """Raises ChannelError."""
        if self.record.get(name) is None:
            return
        self._append({"gone": name})
        self.record.remove(name)
        self.tell()

    def show_writing(self) -> None:
        self.writing += 1
        self.tell()

    def refreshed(self) -> Record:
        """The record, read again when somebody else has written the file (words were forgotten)."""
        if self.path.exists() and _version(self.path) != self._seen:
            data = _read(self.path)
            self.record = record_of(_lines(data))
            self._lines, self._seen = data.count(b"\n"), _version(self.path)
            self._torn = bool(data) and not data.endswith(b"\n")
        return self.record

    def tell(self) -> None:
        for event in self._listeners:
            event.set()

    def _append(self, line: JsonObject) -> None:
        try:
            self.refreshed()
            if self._needs_tidying():
                self._tidy()
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                file.write(_bytes(line))
        except OSError as error:
            raise ChannelError(
                f"The page cannot be kept: {error.strerror or error}.",
                hint="Make room on the disk.",
            ) from error
        self._lines += 1
        self._seen = _version(self.path)

    def _needs_tidying(self) -> bool:
        entries = len(self.record.all())
        return (
            self._torn or self._lines > 100 + _TIDY_LINES * entries or self._seen[1] > _TIDY_BYTES
        )

    def _tidy(self) -> None:
        """Raises OSError."""
        fresh = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            for entry in self.record.all():
                file.write(_bytes(line_of(entry)))
        fresh.replace(self.path)
        self._lines, self._torn = len(self.record.all()), False


@dataclass
class Pages:
    """Lives on the account's loop."""

    folder: Path
    _open: dict[str, Page] = field(default_factory=dict)

    def of(self, browser: str) -> Page:
        """Raises ChannelError: its file cannot be read; KeyError: that is no browser's name."""
        if not _NAME.fullmatch(browser):
            raise KeyError(browser)
        if browser not in self._open:
            path = self.folder / f"{browser}{SUFFIX}"
            try:
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                page = Page(path, Record())
                page.refreshed()
            except OSError as error:
                raise ChannelError(
                    f"The page cannot be read: {error.strerror or error}.",
                    hint=f"Look at {path}.",
                ) from error
            self._open[browser] = page
        return self._open[browser]

    def close(self) -> None:
        """Whoever listens is told, and finds nothing new."""
        for page in self._open.values():
            page.tell()


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def _lines(data: bytes) -> Iterator[JsonValue]:
    for line in data.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):
            yield json.loads(line)


def _bytes(line: JsonObject) -> bytes:
    # Half a character, which a model may write, is kept as an escape.
    text = json.dumps(line, ensure_ascii=False)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(line).encode() + b"\n"


def _version(path: Path) -> tuple[int, int]:
    """Another one after every writing by somebody else: the time, and the length."""
    state = path.stat()
    return state.st_mtime_ns, state.st_size
