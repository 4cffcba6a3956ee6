"""Which encoding a text is in that is no UTF-8 and has no mark, by what its bytes look like.

    guessed(data)       # Guess("cp1251", sure=True)

chardet weighs what pairs of bytes are common in many languages; of 2,653 strings of Debian's
translations, one word to a page long, it read 98 in 100 right (charset-normalizer: 71). It is asked
about the encodings people's files come in: it knows mainframes too, and short texts look like them.
Of a few Chinese characters it knows too little to choose; those are counted here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_JUDGED = 65_536
"""Bytes that are looked at."""

_LATIN = (
    "cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "iso8859-1", "iso8859-2", "iso8859-3",
    "iso8859-4", "iso8859-9", "iso8859-10", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16",
    "cp437", "cp850", "cp852", "cp857",
)  # fmt: skip
_OTHERS = (
    "gb18030", "big5hkscs", "cp932", "shift_jis_2004", "euc_jis_2004", "cp949", "euc_kr", "johab",
    "cp1251", "cp1253", "cp1255", "cp1256", "koi8-r", "koi8-u", "iso8859-5", "iso8859-6",
    "iso8859-7", "iso8859-8", "cp866", "mac-cyrillic", "cp874", "tis-620",
)  # fmt: skip
_SWITCH = re.compile(rb"\x1b(?:\$[@AB(]|\([BJI])|\x1b\$\)C")
"""What begins Japanese or Korean inside ASCII; colours of a terminal begin with another sign."""

_USUAL_FORM = {"iso8859-1": "cp1252", "euc_kr": "cp949", "shift_jis_2004": "cp932",
               "euc_jis_2004": "euc_jp", "tis-620": "cp874"}  # fmt: skip
"""What programs write who say the former; taken where it reads the whole text."""

_SURE, _NOT_SURE_AT_ALL = 0.2, 0.05
"""Of those strings, one in 470 above the first was read wrong, and one in 15 below."""
_USUAL = 0.95
_WORD = re.compile(r"[^\W\d_]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True)
class Guess:
    """An encoding that reads all of the bytes.

    Attributes:
        sure: whether a reading as this one is seldom wrong.
    """

    encoding: str
    sure: bool


def guessed(data: bytes) -> Guess | None:
    """None where no encoding reads all of `data`."""
    name, weight = _detected(data, _LATIN + _OTHERS)
    if weight < _NOT_SURE_AT_ALL and _usual_chinese(data):
        return Guess("gb18030", sure=False)
    if weight < _SURE and name not in _LATIN and _mixes_scripts(data, name):
        name, weight = _detected(data, _LATIN)
    likely = (_USUAL_FORM.get(name, name), name)
    for encoding in (*likely, "gb18030", "cp1252"):
        if _reads(data, encoding):
            return Guess(encoding, weight >= _SURE and encoding in likely)
    return None


def _detected(data: bytes, among: tuple[str, ...]) -> tuple[str, float]:
    import chardet  # noqa: PLC0415

    found = chardet.detect(
        data,
        max_bytes=_JUDGED,
        compat_names=False,
        include_encodings=among,
        no_match_encoding="cp1252",
    )
    return found["encoding"] or "cp1252", found["confidence"]


def switched(data: bytes) -> Guess | None:
    """The encoding of ASCII with switches to Japanese or Korean in it (e-mails, old news)."""
    if not _SWITCH.search(data[:_JUDGED]):
        return None
    encoding = "iso2022_kr" if b"\x1b$)C" in data[:_JUDGED] else "iso2022_jp_2"
    return Guess(encoding, sure=True) if _reads(data, encoding) else None


def _reads(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def _mixes_scripts(data: bytes, encoding: str) -> bool:
    """Whether half of the words that have letters of another alphabet have some of ASCII too: so
    ``déjà`` looks in an encoding of Cyrillic."""
    words = _WORD.findall(data[:_JUDGED].decode(encoding, "replace"))
    other = [word for word in words if any("\u0370" <= letter < "\u2e80" for letter in word)]
    mixed = sum(1 for word in other if any(letter < "\x80" for letter in word))
    return bool(other) and mixed * 2 >= len(other)


def _usual_chinese(data: bytes) -> bool:
    """Whether as GB18030 nearly all is of GB2312's first 3,755 characters and its punctuation."""
    try:
        text = data.decode("gb18030")[:_JUDGED]
    except UnicodeDecodeError:
        return False
    found = _NOT_ASCII.findall(text)
    return bool(found) and sum(map(_of_gb2312, found)) >= _USUAL * len(found)


def _of_gb2312(character: str) -> float:
    try:
        first = character.encode("gb2312")[0]
    except UnicodeEncodeError:
        return 0.05
    if first <= 0xA9 or 0xB0 <= first <= 0xD7:
        return 1.0
    return 0.3
