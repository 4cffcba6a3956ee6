"""Bytes of a file as text, whatever wrote them: byte order mark, UTF-8, then what it looks like.

    decode(data)                   # for reading: the text, newlines as \\n
    source_text(data)              # for changing a part: encode() gives the bytes back

No guessing library: what people's notes come in are the cases below, and detectors read short
Chinese files as Turkish. GB18030, Shift-JIS and cp1252 each decode most files of the two others
into rubbish, so the reading is taken whose characters are the common ones of its language.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BOM = "\ufeff"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_JUDGED = 20_000
"""Characters that a reading is judged by."""


@dataclass(frozen=True)
class SourceText:
    """A text with all its newlines and its byte order mark, and how it is written."""

    text: str
    encoding: str

    def encode(self, text: str) -> bytes:
        """Raises UnicodeEncodeError: the encoding cannot hold it."""
        return text.encode(self.encoding)


def decode(data: bytes) -> str | None:
    """The text of `data` with newlines as ``\\n``, or None when it is no text."""
    read = _read(data)
    if read is None:
        return None
    return read.text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n")


def source_text(data: bytes) -> SourceText | None:
    """The text of `data` as it is; None when it is no text, or would not be written the same."""
    read = _read(data)
    if read is None:
        return None
    try:
        return read if read.encode(read.text) == data else None
    except UnicodeEncodeError:
        return None


def _read(data: bytes) -> SourceText | None:
    read = _marked(data)
    if read is None:
        read = _unmarked_utf16(data) if b"\x00" in data else _unmarked(data)
    return read if read is not None and _is_text(read.text) else None


def _marked(data: bytes) -> SourceText | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return SourceText(data.decode(encoding, errors="replace"), encoding)
    return None


def _unmarked_utf16(data: bytes) -> SourceText | None:
    """Windows tools write UTF-16 without a mark; then every second byte of ASCII is zero."""
    if len(data) % 2 or not data:
        return None
    even, odd = data[0::2].count(0), data[1::2].count(0)
    half = len(data) // 2
    for zeros, others, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > half * 0.7 and others < half * 0.1:
            return SourceText(data.decode(encoding, errors="replace"), encoding)
    return None


def _unmarked(data: bytes) -> SourceText | None:
    try:
        return SourceText(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    readings: list[tuple[float, SourceText]] = []
    for encoding, usual in _LOOKS:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        found = usual(text[:_JUDGED])
        readings.append((found, SourceText(text, encoding)))
    return max(readings, key=lambda reading: reading[0])[1] if readings else None


def _is_text(text: str) -> bool:
    return len(_CONTROL.findall(text)) * 100 <= len(text)


# ------------------------------------------------------------------ what a reading looks like


def _chinese(text: str) -> float:
    """The share of characters that are GB2312's first 3,755, its punctuation, or (weaker) its
    rarer ones; what only GBK and GB18030 know is rubbish more often than a rare name."""
    return _share(text, _of_gb2312)


def _of_gb2312(character: str) -> float:
    try:
        first = character.encode("gb2312")[0]
    except UnicodeEncodeError:
        return 0.05
    if first <= 0xA9 or 0xB0 <= first <= 0xD7:
        return 1.0
    return 0.3


def _japanese(text: str) -> float:
    """The share of kana, punctuation and the first 2,965 kanji. Half-width katakana, which every
    byte above A0 reads as, are rubbish of another encoding."""
    return _share(text, _of_jis)


def _of_jis(character: str) -> float:
    if "\u3040" <= character <= "\u30ff" or "\u3000" <= character <= "\u303f":
        return 1.0
    if "\uff61" <= character <= "\uff9f":
        return 0.0
    try:
        first = character.encode("cp932")[0]
    except UnicodeEncodeError:
        return 0.0
    return 0.9 if 0x81 <= first <= 0x97 else 0.1


def _western(text: str) -> float:
    """The share of letters with accents and signs that stand alone between ASCII: text of two
    bytes a character gives long runs."""
    found = [len(run) for run in re.findall(r"[^\x00-\x7f]+", text)]
    alone = sum(length for length in found if length <= 2)
    return 0.01 + 0.9 * alone / max(1, sum(found))  # before a reading that has nothing usual


def _share(text: str, weight: Callable[[str], float]) -> float:
    found = _NOT_ASCII.findall(text)
    return sum(map(weight, found)) / max(1, len(found))


_LOOKS: tuple[tuple[str, Callable[[str], float]], ...] = (
    ("gb18030", _chinese),
    ("cp932", _japanese),
    ("cp1252", _western),
)
