"""What a program says, kept at both ends and readable whatever encoding it is in.

    output = Output(200_000)
    output.add(b"...")
    output.text(), output.fresh()

The first and the last part stay; of what is between, only how much it was. Bytes are kept, and
read as text when asked for, so that a character cut in two by a pipe is whole again.
"""

from __future__ import annotations

import codecs
import locale
import re

_HEAD_SHARE = 0.2
_ESCAPES = re.compile(
    r"\x1b\[[0-?]{0,32}[ -/]{0,4}[@-~]|\x1b\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LINE = re.compile(r"[^\n]*\r(?!\n)")


class Output:
    """Bytes as they come; at most about `most` of them are kept."""

    def __init__(self, most: int) -> None:
        self._most_head = int(most * _HEAD_SHARE)
        self._most_tail = most - self._most_head
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0
        self._fresh = bytearray()

    def add(self, data: bytes) -> None:
        room = self._most_head - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(0, room) :]
        over = len(self._tail) - self._most_tail
        if over > 0:
            del self._tail[:over]
            self._left_out += over
        self._fresh += data
        del self._fresh[: max(0, len(self._fresh) - self._most_tail)]

    def text(self) -> str:
        """All that is kept."""
        if not self._left_out:
            return readable(bytes(self._head + self._tail))
        gap = f"\n… [{self._left_out} bytes left out] …\n"
        return readable(bytes(self._head)) + gap + readable(bytes(self._tail))

    def fresh(self) -> str:
        """What came since this was asked the last time."""
        text = readable(bytes(self._fresh))
        self._fresh.clear()
        return text


def readable(data: bytes) -> str:
    """`data` as text: UTF-8, else what this computer writes, else Chinese, else with marks for
    what cannot be read. Without the colours and cursor moves of terminals; a line that was
    written over, as by a progress bar, is its last form."""
    text = _decoded(data).replace("\r\n", "\n")
    text = _LINE.sub("", _ESCAPES.sub("", text))
    return _CONTROL.sub("", text)


def _decoded(data: bytes) -> str:
    if b"\x00" in data[:64] and data[1:64:2].count(0) > len(data[:64]) // 4:
        return data.decode("utf-16-le", "replace")
    for encoding in ("utf-8", locale.getencoding(), "gb18030"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            # Not final: a character that is cut at the end is left out.
            return decoder.decode(data)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")
