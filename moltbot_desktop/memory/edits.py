"""Changing single lines of a memory file, and not a byte beside them.

    page = read_page(workspace, "MEMORY.md")
    page = page.with_line(3, strike(page.lines[3], day)).inserted(4, "", "- Allergic to peanuts")
    page.write()

A `Page` is a value: its changes make another page, and only `write` touches the disk, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from moltbot_desktop.memory.daily import refuse_links
from moltbot_desktop.memory.files import LARGEST_FILE, decode
from moltbot_desktop.memory.lines import line_starts
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_PRIVATE = 0o600
_DIGEST_BYTES = 16


@dataclass(frozen=True)
class Page:
    """A file's bytes, seen as lines.

    Attributes:
        data: None when there is no such file.
        encoding, newline: as in `memory.files.MemoryText`.
    """

    path: Path
    data: bytes | None
    encoding: str
    newline: str
    mode: int = _PRIVATE

    @property
    def lines(self) -> list[str]:
        """Without line ends; the last one is "" where the file ends with one."""
        return decode(self.data or b"").text.split("\n")

    @property
    def digest(self) -> str:
        return blake2b(self.data or b"", digest_size=_DIGEST_BYTES).hexdigest()

    @property
    def size(self) -> int:
        return len(self.data or b"")

    def offset(self, index: int) -> int:
        """Byte at which line `index` (from 0) begins; the end for one beyond the last."""
        starts = line_starts(self.data or b"", self.encoding)
        return starts[index] if index < len(starts) else self.size

    def inserted(self, index: int, lead: str, line: str) -> Page:
        """With `lead` and the line before line `index`."""
        at = self.offset(index)
        return self._spliced(at, at, self.encoded(lead, line))

    def without(self, index: int, count: int = 1) -> Page:
        """Without `count` lines from `index` on."""
        return self._spliced(self.offset(index), self.offset(index + count), b"")

    def gone(self) -> Page:
        """No file."""
        return replace(self, data=None)

    def without_bytes(self, at: int, count: int) -> Page:
        return self._spliced(at, at + count, b"")

    def with_line(self, index: int, line: str) -> Page:
        """With other words in line `index`; its line end stays."""
        begin, end = self.offset(index), self.offset(index + 1)
        old = self.lines[index].encode(self.encoding)
        tail = (self.data or b"")[begin + len(old) : end]
        return self._spliced(begin, end, line.encode(self.encoding) + tail)

    def encoded(self, lead: str, line: str) -> bytes:
        """The bytes of `lead` and the line with its end."""
        return f"{lead}{line}\n".replace("\n", self.newline).encode(self.encoding)

    def find(self, block: str) -> int:
        """Index of the first of the lines of `block`, which stand there together; -1 nowhere."""
        wanted, lines = block.split("\n"), self.lines
        places = range(len(lines) - len(wanted) + 1)
        return next((at for at in places if lines[at : at + len(wanted)] == wanted), -1)

    def find_if(self, wanted: Callable[[str], bool]) -> int:
        """Index of the first line that is `wanted`; -1 without one."""
        return next((at for at, line in enumerate(self.lines) if wanted(line)), -1)

    def write(self) -> None:
        """Put the page on the disk, or take its file away when there is to be none.

        Raises:
            StorageError: the file is as it was before.
        """
        if self.data is not None:
            make_private_dir(self.path.parent)
            write_atomic(self.path, self.data, mode=self.mode)
            return
        with disk_errors(self.path):
            self.path.unlink(missing_ok=True)

    def _spliced(self, begin: int, end: int, new: bytes) -> Page:
        data = self.data or b""
        return replace(self, data=data[:begin] + new + data[end:])


def read_page(workspace: Path, name: str) -> Page:
    """The memory file `name`, which may be missing.

    Raises:
        StorageError: it is a link, cannot be read, or is too large for memory.
    """
    path = workspace / name
    refuse_links(path)
    with disk_errors(path):
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
            mode = path.stat().st_mode & 0o777
        except FileNotFoundError:
            return Page(path, None, "utf-8", "\n")
    known = decode(data)
    return Page(path, data, known.encoding, known.newline, mode)
