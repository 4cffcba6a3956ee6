"""What a program says, kept at both ends and readable whatever encoding it is in.

    output = Output(200_000)
    output.add(b"...")
    output.text(), output.fresh()

The first and the last part stay; of what is between, only how much it was. Bytes are kept, and
read as text when asked for, so that a character cut in two by a pipe is whole again.
"""

from __future__ import annotations

import codecs
import ctypes
import locale
import re
import sys
from collections.abc import Sequence

_HEAD_SHARE = 0.2
_ESCAPES = re.compile(
    r"\x1b\[[0-?]{0,32}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LINE = re.compile(r"[^\n]*\r(?!\n)")


def encodings(console: int = 0) -> tuple[str, ...]:
    """What programs here write, the likeliest first.

    Args:
        console: the code page that Windows' console programs write (936 is GBK, 437 the first
            PC's); 0 elsewhere.
    """
    named = ("utf-8", f"cp{console}" if console else "", locale.getencoding(), "gb18030")
    return tuple(dict.fromkeys(one for one in named if one and _is_known(one)))


def _is_known(encoding: str) -> bool:
    try:
        codecs.lookup(encoding)
    except LookupError:
        return False
    return True


if sys.platform == "win32":
    _CONSOLE: int = ctypes.windll.kernel32.GetOEMCP()
else:
    _CONSOLE = 0
HERE = encodings(_CONSOLE)


class Output:
    """Bytes as they come; at most about `most` of them are kept."""

    def __init__(self, most: int) -> None:
        self._most_head = int(most * _HEAD_SHARE)
        self._most_tail = most - self._most_head
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0
        self._fresh = bytearray()
        self._fresh_cut = False

    def add(self, data: bytes) -> None:
        room = self._most_head - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(0, room) :]
        over = len(self._tail) - self._most_tail
        if over > 0:
            del self._tail[:over]
            self._left_out += over
        self._fresh += data
        over = len(self._fresh) - self._most_tail
        if over > 0:
            del self._fresh[:over]
            self._fresh_cut = True

    def text(self) -> str:
        """All that is kept."""
        if not self._left_out:
            return readable(bytes(self._head + self._tail))
        gap = f"\n… [{self._left_out} bytes left out] …\n"
        return readable(bytes(self._head)) + gap + readable(_from_a_border(self._tail))

    def fresh(self) -> str:
        """What came since this was asked the last time."""
        text = readable(_from_a_border(self._fresh) if self._fresh_cut else bytes(self._fresh))
        self._fresh_cut = False
        self._fresh.clear()
        return text


def _from_a_border(data: bytearray) -> bytes:
    """`data`, whose beginning was cut off anywhere, from where a character of UTF-8 begins; one
    that is cut in two would have all of it read as another encoding."""
    begin = next((at for at, one in enumerate(data[:4]) if one & 0xC0 != 0x80), 0)
    return bytes(data[begin:])


def readable(data: bytes, known: Sequence[str] = HERE) -> str:
    """`data` as text: UTF-8, else what this computer writes, else Chinese, else with marks for
    what cannot be read. Without the colours and cursor moves of terminals; a line that was
    written over, as by a progress bar, is its last form."""
    text = _decoded(data, known).replace("\r\n", "\n")
    text = _LINE.sub("", _ESCAPES.sub("", text))
    return _CONTROL.sub("", text)


def _decoded(data: bytes, known: Sequence[str]) -> str:
    if b"\x00" in data[:64] and data[1:64:2].count(0) > len(data[:64]) // 4:
        return data.decode("utf-16-le", "replace")
    for encoding in known:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            # Not final: a character that is cut at the end is left out.
            return decoder.decode(data)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")
