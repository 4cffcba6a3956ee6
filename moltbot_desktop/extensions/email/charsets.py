"""Text out of the bytes of an e-mail, whatever they are said to be; pure.

    text_of(b"\\xc4\\xe3\\xba\\xc3", "gb2312")      # "你好"

Labels name less than what is sent under them (gb2312 for GB18030, latin-1 for cp1252), so the
larger one is read. Names of Python's that are no charsets of mail, such as ``zlib`` or
``punycode``, are not taken: some of them need the square of their input.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.errors import HeaderParseError
from email.header import decode_header
from types import MappingProxyType

LONGEST_HEADER = 4_000
"""Characters of one header that are looked at."""
_LARGER: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("gb2312", "gbk", "gb18030", "cp936", "x-gbk", "euc-cn"), "gb18030"),
        **dict.fromkeys(("big5", "big5-hkscs", "cp950", "x-x-big5"), "big5hkscs"),
        **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252"), "cp1252"),
        **dict.fromkeys(("shift-jis", "x-sjis", "sjis", "windows-31j"), "cp932"),
        **dict.fromkeys(("ks-c-5601-1987", "ks-c-5601", "euc-kr", "cp949"), "cp949"),
        **dict.fromkeys(("iso-8859-9", "windows-1254"), "cp1254"),
        **dict.fromkeys(("utf-8", "utf8", "utf-8-sig", "us-ascii", "ascii", ""), "utf-8"),
        **{f"iso-8859-{number}": f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10)},
        **{f"iso-8859-{number}": f"iso8859-{number}" for number in (13, 14, 15, 16)},
        **{f"windows-{number}": f"cp{number}" for number in range(1250, 1259) if number != 1252},
        **{name: name for name in ("koi8-r", "koi8-u", "euc-jp", "iso-2022-jp", "hz", "cp866")},
        **{name: name for name in ("utf-16", "utf-16le", "utf-16be", "iso-2022-kr", "tis-620")},
    }
)


def text_of(data: bytes, charset: str) -> str:
    """`data` as text; what does not fit its label is read as UTF-8, or else as good as it goes."""
    label = charset.strip().strip("\"'").lower().replace("_", "-")
    codec = _LARGER.get(label, "utf-8")
    for one in (codec, "utf-8"):
        try:
            return data.decode(one)
        except UnicodeError:
            continue
    return data.decode("cp1252" if codec == "utf-8" else codec, "replace")


def header_text(raw: str) -> str:
    """A header's words (RFC 2047) in one line, without control characters.

    `raw` has bytes beyond ASCII as surrogates, as the standard library's parser gives them.
    """
    raw = raw[:LONGEST_HEADER].replace("\r", "").replace("\n", "")
    try:
        pieces = decode_header(raw)
    except (HeaderParseError, ValueError):
        pieces = [(raw, None)]
    found = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            piece = piece.encode("ascii", "surrogateescape") if _is_raw(piece) else piece
        found.append(piece if isinstance(piece, str) else text_of(piece, charset or ""))
    return one_line("".join(found))


def one_line(text: str) -> str:
    """Without line ends, control characters and signs that turn the direction of writing."""
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def _is_raw(piece: str) -> bool:
    return all(one < "\x80" or "\udc80" <= one <= "\udcff" for one in piece)
