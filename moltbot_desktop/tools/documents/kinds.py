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
    WEB = "web"
    """A page just fetched, as UTF-8, its place in a ``<base>`` before it; gives Markdown."""


_BY_ENDING: Mapping[str, DocumentKind] = MappingProxyType(
    {
        **dict.fromkeys((".docx", ".docm", ".dotx"), DocumentKind.WORD),
        **dict.fromkeys((".xlsx", ".xlsm", ".xltx"), DocumentKind.SHEET),
        **dict.fromkeys((".html", ".htm", ".xhtml"), DocumentKind.PAGE),
    }
)


def only_programs_write(name: str) -> bool:
    """Whether a file `name` is no text, so that text written into it would be a broken file."""
    suffix = PurePath(name).suffix.casefold()
    return suffix == ".pdf" or _BY_ENDING.get(suffix) in (DocumentKind.WORD, DocumentKind.SHEET)


def document_kind(name: str, data: bytes) -> DocumentKind | None:
    """The kind of the file `name` that holds `data`; None for what is no document."""
    if b"%PDF-" in data[:_PDF_BEGINS_WITHIN]:
        return DocumentKind.PDF
    kind = _BY_ENDING.get(PurePath(name).suffix.casefold())
    if kind in (DocumentKind.WORD, DocumentKind.SHEET) and not data.startswith(b"PK"):
        return None  # what lies under a wrong name is read as what it is, a text perhaps
    return kind
