"""Bytes of a file as text, whatever wrote them: byte order mark, UTF-8, then what it looks like.

    decode(data)                   # for reading: the text, newlines as \\n
    source_text(data)              # for changing a part: encode() gives the bytes back
    source_text(data).said()       # "" for UTF-8, else "cp1251", or "cp1250 (a guess)"

What is neither marked nor UTF-8 is looked at by `tools.charsets`.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass

from moltbot_desktop.tools.charsets import guessed, switched

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BOM = "\ufeff"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_LARGE_SCRIPTS = re.compile("[\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef]")
_JUDGED = 20_000
"""Characters that a reading is judged by."""
_NOTHING = ("Cn", "Co", "Cs")
"""Kinds of characters that no text has many of."""


@dataclass(frozen=True)
class SourceText:
    """A text with all its newlines and its byte order mark, and how it is written.

    Attributes:
        sure: whether a text like this one is seldom in another encoding.
    """

    text: str
    encoding: str
    sure: bool = True

    @property
    def plain(self) -> str:
        """The text without its mark, newlines as ``\\n``."""
        return self.text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n")

    def said(self) -> str:
        """What a model is told of the encoding; nothing of the usual one."""
        if self.encoding == "utf-8":
            return ""
        return self.encoding if self.sure else f"{self.encoding} (a guess, may be wrong)"

    def whole(self, content: str) -> bytes:
        """`content` in the place of the text, with its mark. Raises UnicodeEncodeError."""
        return self.encode(_BOM + content if self.text.startswith(_BOM) else content)

    def encode(self, text: str) -> bytes:
        """Raises UnicodeEncodeError: the encoding cannot hold it."""
        return text.encode(self.encoding)


def decode(data: bytes) -> str | None:
    """The text of `data` with newlines as ``\\n``, or None when it is no text."""
    read = as_text(data)
    return None if read is None else read.plain


def source_text(data: bytes) -> SourceText | None:
    """The text of `data` as it is; None when it is no text, or would not be written the same."""
    read = as_text(data)
    if read is None:
        return None
    try:
        return read if read.encode(read.text) == data else None
    except UnicodeEncodeError:
        return None


def as_text(data: bytes) -> SourceText | None:
    """The text of `data` as well as it can be read; None when it is no text."""
    read = _marked(data)
    if read is None:
        read = None if b"\x00" in data else _unmarked(data)
        if read is None or not _is_text(read.text):
            read = _unmarked_wide(data)
    return read if read is not None and _is_text(read.text) else None


def _marked(data: bytes) -> SourceText | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return SourceText(data.decode(encoding, errors="replace"), encoding)
    return None


def _unmarked_wide(data: bytes) -> SourceText | None:
    """UTF-16 or UTF-32 without a mark, as Windows tools write them. Of the readings that are
    characters the one of the fewest blocks: in the other order of bytes every text is anything."""
    readings: list[tuple[int, SourceText]] = []
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        sparse = encoding.startswith("utf-32")  # of any four bytes, one in 3,855 can be one
        if text and _is_text(text) and (sparse or _are_characters(text[:_JUDGED])):
            blocks = len({ord(one) >> 8 for one in text[:_JUDGED]})
            readings.append((blocks, SourceText(text, encoding, sure=b"\x00" in data)))
    return min(readings, key=lambda reading: reading[0])[1] if readings else None


def _are_characters(text: str) -> bool:
    """Whether all are characters that exist, of scripts that stand together; and where nothing is
    of ASCII, of those alone that are written so."""
    if any(unicodedata.category(one) in _NOTHING for one in text):
        return False
    others = [one for one in text if not _LARGE_SCRIPTS.match(one)]
    if not any(one < "\x80" for one in others):
        return not others
    return len({ord(one) >> 8 for one in others}) <= 4 + len(text) // 50


def _unmarked(data: bytes) -> SourceText | None:
    guess = switched(data)
    if guess is None:
        try:
            return SourceText(data.decode("utf-8"), "utf-8")
        except UnicodeDecodeError:
            guess = guessed(data)
    if guess is None:
        return None
    return SourceText(data.decode(guess.encoding), guess.encoding, guess.sure)


def _is_text(text: str) -> bool:
    return len(_CONTROL.findall(text)) * 100 <= len(text)
