"""What a file is, told by its content alone, and the name it may lie under.

    kind_of(b"\\x89PNG\\r\\n\\x1a\\n…")          # "image/png"
    fitting_name("photo.jpg", "image/png")    # "photo.jpg.png"

Whoever sends a file chooses its name and says what it is; a program that opens it later goes by the
ending. So the ending is one of what the content is, and nothing is opened as what it only claims to
be. Only the beginning is looked at, and nothing is decoded but text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType

UNKNOWN = "application/octet-stream"
TEXT = "text/plain"
_OPENDOCUMENT = "application/vnd.oasis.opendocument."
_OFFICE = "application/vnd.openxmlformats-officedocument."
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
_IN_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}
_BRANDS = {
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heic",
    b"avif": "image/avif",
    b"M4A ": "audio/mp4",
    b"qt  ": "video/quicktime",
}
_IN_ARCHIVE = (
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
    (b"mimetype" + f"{_OPENDOCUMENT}text".encode(), f"{_OPENDOCUMENT}text"),
    (b"mimetype" + f"{_OPENDOCUMENT}spreadsheet".encode(), f"{_OPENDOCUMENT}spreadsheet"),
    (b"mimetype" + f"{_OPENDOCUMENT}presentation".encode(), f"{_OPENDOCUMENT}presentation"),
    (b"word/", f"{_OFFICE}wordprocessingml.document"),
    (b"xl/", f"{_OFFICE}spreadsheetml.sheet"),
    (b"ppt/", f"{_OFFICE}presentationml.presentation"),
)
ENDINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "image/png": (".png",),
        "image/jpeg": (".jpg", ".jpeg"),
        "image/gif": (".gif",),
        "image/tiff": (".tif", ".tiff"),
        "image/webp": (".webp",),
        "image/heic": (".heic", ".heif"),
        "image/avif": (".avif",),
        "application/pdf": (".pdf",),
        "application/gzip": (".gz", ".tgz"),
        "application/x-7z-compressed": (".7z",),
        "application/zip": (".zip",),
        "application/epub+zip": (".epub",),
        "audio/ogg": (".ogg", ".oga", ".opus", ".ogv"),
        "audio/flac": (".flac",),
        "audio/mpeg": (".mp3",),
        "audio/wav": (".wav",),
        "audio/mp4": (".m4a",),
        "video/mp4": (".mp4", ".m4v"),
        "video/quicktime": (".mov",),
        "video/webm": (".webm", ".mkv", ".mka"),
        "video/x-msvideo": (".avi",),
        f"{_OPENDOCUMENT}text": (".odt",),
        f"{_OPENDOCUMENT}spreadsheet": (".ods",),
        f"{_OPENDOCUMENT}presentation": (".odp",),
        f"{_OFFICE}wordprocessingml.document": (".docx", ".docm", ".dotx"),
        f"{_OFFICE}spreadsheetml.sheet": (".xlsx", ".xlsm", ".xltx"),
        f"{_OFFICE}presentationml.presentation": (".pptx", ".pptm"),
        "text/html": (".html", ".htm", ".xhtml"),
    }
)
"""Of what has endings of its own; the first is given to a file that has none of them."""
_TAKEN = frozenset(one for endings in ENDINGS.values() for one in endings)
_HEAD = 4_096
_WEB_PAGE = re.compile(rb"\s{0,200}(?:<!doctype\s+html|<html)\b", re.IGNORECASE)
_NO_LETTERS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def kind_of(data: bytes) -> str:
    """The media type of `data`; `TEXT` for what can be read, `UNKNOWN` for anything else."""
    head = data[:_HEAD]
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if head.startswith(b"RIFF"):
        return _IN_RIFF.get(head[8:12], UNKNOWN)
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    if head.startswith(b"PK\x03\x04"):
        return next((kind for mark, kind in _IN_ARCHIVE if mark in head), "application/zip")
    return _kind_of_text(data)


def _kind_of_text(data: bytes) -> str:
    if _NO_LETTERS.search(data):
        return UNKNOWN
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return UNKNOWN
    return "text/html" if _WEB_PAGE.match(data.removeprefix(b"\xef\xbb\xbf")) else TEXT


def fitting_name(name: str, kind: str) -> str:
    """`name` with an ending that does not say something else than `kind`."""
    suffix = PurePath(name).suffix.casefold()
    endings = ENDINGS.get(kind)
    if endings is not None:
        return name if suffix in endings else name + endings[0]
    if suffix not in _TAKEN:
        return name
    return name + (".txt" if kind == TEXT else ".bin")
