"""Bytes of a file as text, whatever wrote them: byte order mark, UTF-8, GB18030, else binary.

No guessing library: the three cases below are what people's notes come in, and a wrong guess
(charset detectors read short Chinese files as Turkish) is worse than a plain refusal.
"""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_TRIED = ("utf-8", "gb18030", "cp1252")


def _marked(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    return None


def _unmarked_utf16(data: bytes) -> str | None:
    """Windows tools write UTF-16 without a mark; then every second byte of ASCII is zero."""
    if len(data) % 2 or not data:
        return None
    even, odd = data[0::2].count(0), data[1::2].count(0)
    half = len(data) // 2
    if odd > half * 0.7 and even < half * 0.1:
        return data.decode("utf-16-le", errors="replace")
    if even > half * 0.7 and odd < half * 0.1:
        return data.decode("utf-16-be", errors="replace")
    return None


def _is_text(text: str) -> bool:
    return len(_CONTROL.findall(text)) * 100 <= len(text)


def decode(data: bytes) -> str | None:
    """The text of `data` with newlines as ``\\n``, or None when it is no text."""
    text = _marked(data)
    if text is None:
        text = _unmarked_utf16(data) if b"\x00" in data else _tried(data)
    if text is None or not _is_text(text):
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _tried(data: bytes) -> str | None:
    for encoding in _TRIED:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return None
