"""The text of a page's bytes, whatever it was written in.

    page_words(data, "text/html; charset=gbk")     # "你好"

The order is the one browsers keep: a byte order mark, what the server says, what the page says of
itself, then what notes come in (`tools.decoding`). Unlike browsers it does not believe what cannot
be: servers that call every page Latin-1 or UTF-8 are many, and a model cannot see that it reads
rubbish.
"""

from __future__ import annotations

import codecs
import re

from moltbot_desktop.tools.decoding import decode

_LOOKED_AT = 4_096
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_IN_PAGE = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_IN_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "latin-1": "cp1252",
          "ascii": "cp1252", "us-ascii": "cp1252", "shift_jis": "cp932", "shift-jis": "cp932",
          "sjis": "cp932", "x-sjis": "cp932", "ks_c_5601-1987": "cp949", "euc-kr": "cp949",
          "big5": "big5hkscs", "x-gbk": "gb18030"}  # fmt: skip
"""What a name means on the web; most pages that say GB2312 use more of it than that has."""

_WESTERN = ("cp1252", "windows-1252")
_SURE_OF_WESTERN, _SURE = 2, 20
_NO_SIGN = "\ufffd"
_PYTHONS_OWN = ("unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined")
"""Ways of writing for a program, not for a page."""


def page_words(data: bytes, content_type: str) -> str:
    """The text of `data`; what cannot be read in it is replaced. Line ends are ``\\n``."""
    if not data.startswith(_MARKS):
        names = _said(data, content_type)
        if names and _surely_utf8(data, names[0]):
            names = ["utf-8"]
        found = [text for name in names if (text := _decoded(data, name)) is not None]
        if found:
            # The first of those with the fewest signs that are none.
            text = min(found, key=lambda one: one.count(_NO_SIGN))
            return text.replace("\r\n", "\n").replace("\r", "\n")
    return decode(data) or data.decode("utf-8", "replace")


def _surely_utf8(data: bytes, said: str) -> bool:
    """Whether the bytes are good UTF-8 of more than ASCII, in a number that no text of another
    encoding comes to by accident; of a single-byte one some few do."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(data) - 3:  # else it was cut in the middle of a sign
            return False
        text = data[: error.start].decode("utf-8")
    beyond = sum(1 for sign in text if sign > "\x7f")
    western = _WIDER.get(said.lower(), said.lower()) in _WESTERN
    return beyond >= (_SURE_OF_WESTERN if western else _SURE)


def _said(data: bytes, content_type: str) -> list[str]:
    begin = data[:_LOOKED_AT]
    found = [_IN_HEADER.search(content_type)]
    inside = [_IN_XML.search(begin), _IN_PAGE.search(begin)]
    names = [one.group(1) for one in found if one]
    return names + [one.group(1).decode("ascii", "replace") for one in inside if one]


def _decoded(data: bytes, name: str) -> str | None:
    """None for an encoding nobody knows, or that is no encoding of text."""
    name = _WIDER.get(name.lower(), name)
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    if not codec._is_text_encoding or codec.name in _PYTHONS_OWN:
        return None
    try:
        return data.decode(codec.name, "replace")
    except (UnicodeError, ValueError):
        return None
