"""Where the lines of a memory file lie in its bytes.

A change to one line must not touch a byte beside it, whatever encoding and line ends an editor
gave the file; decoding and encoding the whole of it could.
"""

from __future__ import annotations

import re

_LINE_END = re.compile(rb"\r\n|\r|\n")


def line_starts(data: bytes, encoding: str) -> list[int]:
    """Where each line begins, behind the byte order mark; line ends as `decode` knows them."""
    mark = next((m for m in _MARKS.get(encoding, ()) if data.startswith(m)), b"")
    if not encoding.startswith("utf-16"):
        return [len(mark), *(found.end() for found in _LINE_END.finditer(data))]
    # Two bytes a character: a search for bytes could find an end across two of them.
    feed, back = "\n".encode(encoding), "\r".encode(encoding)
    starts = [len(mark)]
    for at in range(len(mark), len(data) - 1, 2):
        unit = data[at : at + 2]
        if unit == feed or (unit == back and data[at + 2 : at + 4] != feed):
            starts.append(at + 2)
    return starts


_MARKS = {
    "utf-8": (b"\xef\xbb\xbf",),
    "utf-16-le": (b"\xff\xfe",),
    "utf-16-be": (b"\xfe\xff",),
}
