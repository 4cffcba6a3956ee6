"""A memory file as an editor has it: read whole, and written whole if nobody wrote meanwhile.

    sheet = read_sheet(workspace, "MEMORY.md")
    rewrite(workspace, "MEMORY.md", sheet.text + "- I like tea\n", sheet.digest)   # None: changed

Encoding, byte order mark and line ends stay those of the file. One whose bytes would not come back
as they are can be read here, and is not written.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.memory.edits import Page, read_page
from moltbot_desktop.memory.files import LARGEST_FILE, decode, not_memory, own_name, plain_path

_BYTE_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Sheet:
    """What a file says.

    Attributes:
        text: with `\\n` line ends.
        digest: of its bytes, "" where there is no file.
        exact: `text` gives its bytes again.
    """

    text: str
    digest: str
    exact: bool


def read_sheet(workspace: Path, path: str) -> Sheet:
    """A file of memory's own; one that is not there is empty.

    Raises:
        PathRefused: it is no place for one.
        StorageError: it is a link, cannot be read, or is too large.
    """
    return _sheet(_page(workspace, path))


def rewrite(workspace: Path, path: str, text: str | None, digest: str) -> Sheet | None:
    """Write all of it, or take it away (None), if it still has `digest`; None if it has another.

    Raises:
        PathRefused, StorageError: the file is as it was.
    """
    page = _page(workspace, path)
    before = _sheet(page)
    if before.digest != digest:
        return None
    if not before.exact:
        raise StorageError(
            f"{path} is not text in one encoding, so it is only shown.",
            hint="Save it as UTF-8 in another editor.",
        )
    data = None if text is None else _bytes(page, text)
    if data is not None and len(data) > LARGEST_FILE:
        raise StorageError(
            f"{path} is larger than {LARGEST_FILE // 1_000_000} MB.",
            hint="Split it into smaller files.",
        )
    after = replace(page, data=data)
    after.write()
    return _sheet(after)


def _page(workspace: Path, path: str) -> Page:
    name = plain_path(workspace, path)
    if not own_name(name):
        raise not_memory(path)
    return read_page(workspace, name)


def _sheet(page: Page) -> Sheet:
    if page.data is None:
        return Sheet("", "", exact=True)
    if len(page.data) > LARGEST_FILE:
        raise StorageError(
            f"{page.path} is larger than {LARGEST_FILE // 1_000_000} MB.",
            hint="Split it into smaller files.",
        )
    text = decode(page.data).text
    plain = page.data.decode(page.encoding, errors="replace").encode(page.encoding, "replace")
    return Sheet(text, page.digest, exact=plain == page.data)


def _bytes(page: Page, text: str) -> bytes:
    mark = next((one for one in _BYTE_MARKS if (page.data or b"").startswith(one)), b"")
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", page.newline)
    return mark + plain.encode(page.encoding, errors="replace")
