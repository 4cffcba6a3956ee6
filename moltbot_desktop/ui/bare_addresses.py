"""Web addresses that stand in a text without any mark around them.

    pieces("see https://a.example/x, then go on")
    # (("see ", ""), ("https://a.example/x", "https://a.example/x"), (", then go on", ""))

What ends an address follows GitHub's extended autolinks (https://github.github.com/gfm/, 6.9), and
knows Chinese, which does so without a blank. Only addresses with a scheme: a name with a dot in it
is more often a file.
"""

from __future__ import annotations

import re

_BEGINS = re.compile(r"(?<![A-Za-z0-9_/])https?://(?=[\w\[])", re.IGNORECASE)
_GOES_ON = re.compile(r"[^\s<>\"`“”‘’…\u2e80-\U0010ffff]++")
"""Chinese, Japanese and Korean follow an address without a blank; within one they are encoded."""
_NOT_AT_THE_END = "?!.,:;*_~'"


def pieces(text: str) -> tuple[tuple[str, str], ...]:
    """`text` in order as pairs of words and the address they are, "" for none."""
    found: list[tuple[str, str]] = []
    at = 0
    for begins in _BEGINS.finditer(text):
        rest = _GOES_ON.match(text, begins.end())
        if begins.start() < at or rest is None:
            continue
        address = _ended(text[begins.start() : rest.end()])
        if len(address) <= begins.end() - begins.start():
            continue
        found += [(text[at : begins.start()], ""), (address, address)]
        at = begins.start() + len(address)
    found.append((text[at:], ""))
    return tuple(one for one in found if one[0])


def _ended(address: str) -> str:
    """Without what belongs to the sentence around it."""
    while True:
        shorter = address.rstrip(_NOT_AT_THE_END)
        for opens, closes in ("()", "[]", "{}"):
            if shorter.endswith(closes) and shorter.count(closes) > shorter.count(opens):
                shorter = shorter[:-1]
        if shorter == address:
            return address
        address = shorter
