"""Which files are documents, by their name and how they begin."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePath
from types import MappingProxyType

_PDF_BEGINS_WITHIN = 1_024
"""Bytes; some programs write something before the mark."""


class DocumentKind(StrEnum):
    PDF = "pdf"
    WORD = "word"
    SHEET = "sheet"
    PAGE = "page"
    PICTURE = "picture"
    """Gives what the file says about itself, not what is on it."""
    WEB = "web"
    """A page just fetched, as UTF-8, its place in a ``<base>`` before it; gives Markdown."""


_BY_ENDING: Mapping[str, DocumentKind] = MappingProxyType(
    {
        **dict.fromkeys((".docx", ".docm", ".dotx"), DocumentKind.WORD),
        **dict.fromkeys((".xlsx", ".xlsm", ".xltx"), DocumentKind.SHEET),
        **dict.fromkeys((".html", ".htm", ".xhtml"), DocumentKind.PAGE),
    }
)


_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"})
_PICTURES_BEGIN = (
    *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a"),
    *(b"II*\x00", b"MM\x00*"),
)
_BITMAP_HEADERS = tuple(size.to_bytes(4, "little") for size in (12, 40, 52, 56, 108, 124))


def only_programs_write(name: str) -> bool:
    """Whether a file `name` is no text, so that text written into it would be a broken file."""
    suffix = PurePath(name).suffix.casefold()
    if suffix == ".pdf" or suffix in _PICTURES:
        return True
    return _BY_ENDING.get(suffix) in (DocumentKind.WORD, DocumentKind.SHEET)


def document_kind(name: str, data: bytes) -> DocumentKind | None:
    """The kind of the file `name` that holds `data`; None for what is no document."""
    if b"%PDF-" in data[:_PDF_BEGINS_WITHIN]:
        return DocumentKind.PDF
    if _is_picture(data):
        return DocumentKind.PICTURE
    kind = _BY_ENDING.get(PurePath(name).suffix.casefold())
    if kind in (DocumentKind.WORD, DocumentKind.SHEET) and not data.startswith(b"PK"):
        return None  # what lies under a wrong name is read as what it is, a text perhaps
    return kind


def _is_picture(data: bytes) -> bool:
    if data.startswith(_PICTURES_BEGIN):
        return True
    webp = data.startswith(b"RIFF") and data[8:12] == b"WEBP"
    # Of a bitmap the mark is a word; its header has a size that fits.
    bitmap = data.startswith(b"BM") and data[6:10] == bytes(4) and data[14:18] in _BITMAP_HEADERS
    return webp or bitmap
