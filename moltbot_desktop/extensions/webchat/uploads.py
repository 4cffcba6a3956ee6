"""Files that go over the page, both ways; each under a long random id, which is the right to it.

    files = Uploads(folder)
    ticket = files.expect("b3f0", "tea.png", "image/png", 2_048)     # what the page may upload
    path = files.path(file_id)

A ticket is good for one upload of at most the size that was said. The oldest files go when all of
them together are too much.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.extensions.webchat.record import SharedFile
from moltbot_desktop.extensions.webchat.settings import MEGABYTE

MOST_BYTES = 20 * MEGABYTE
MOST_KEPT = 500 * MEGABYTE
_MOST_TICKETS = 20
_FILE = re.compile(r"[0-9a-f]{32}")


class TooLarge(Exception):
    """More came than was said."""


@dataclass
class Uploads:
    """Lives on the account's loop."""

    folder: Path
    _tickets: dict[str, tuple[str, SharedFile]] = field(default_factory=dict)
    _there: dict[tuple[str, str], SharedFile] = field(default_factory=dict)

    def expect(self, browser: str, name: str, kind: str, size: int) -> SharedFile | None:
        """What is to be uploaded, by its ticket's id; None for what is too large."""
        if size > MOST_BYTES:
            return None
        file = SharedFile(secrets.token_hex(16), name, kind, size)
        self._tickets[file.id] = (browser, file)
        while len(self._tickets) > _MOST_TICKETS:
            del self._tickets[next(iter(self._tickets))]
        return file

    def is_expected(self, name: str) -> bool:
        return name in self._tickets

    async def take_in(self, name: str, source: AsyncIterator[bytes]) -> SharedFile:
        """Keep what a ticket was made for.

        Raises:
            KeyError: there is no such ticket, or it was used.
            TooLarge: more came than was said.
            OSError: it cannot be written.
        """
        browser, file = self._tickets.pop(name)
        self._make_room()
        path, size = self.folder / name, 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as out:
                async for piece in source:
                    size += len(piece)
                    if size > file.size:
                        raise TooLarge
                    out.write(piece)
        except BaseException:
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        kept = SharedFile(name, file.name, file.type, size)
        self._there[browser, name] = kept
        return kept

    def uploaded(self, browser: str, name: str) -> SharedFile | None:
        """What that browser has uploaded under that id."""
        return self._there.get((browser, name))

    def put(self, path: Path, name: str, kind: str) -> SharedFile:
        """Keep a copy of a file for a page to load.

        Raises:
            OSError: it cannot be read or written.
        """
        self._make_room()
        file = SharedFile(secrets.token_hex(16), name, kind, path.stat().st_size)
        shutil.copyfile(path, self.folder / file.id)
        (self.folder / file.id).chmod(0o600)
        return file

    def path(self, name: str) -> Path | None:
        """Where the file of that id lies; None where there is none."""
        if not _FILE.fullmatch(name):
            return None
        path = self.folder / name
        return path if path.is_file() else None

    def _make_room(self) -> None:
        """The oldest go. Raises OSError."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        there = sorted((one.stat().st_mtime, one) for one in self.folder.iterdir())
        kept = sum(one.stat().st_size for _, one in there)
        for _, one in there:
            if kept <= MOST_KEPT:
                return
            kept -= one.stat().st_size
            one.unlink(missing_ok=True)
