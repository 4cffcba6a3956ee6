"""Text as IRC has it: control codes off, names compared, answers cut into lines; pure.

    unformatted("\\x0304,01red\\x03 and \\x02bold\\x02")     # "red and bold"
    folded("Ada[m]", "rfc1459")                            # "ada{m}"
    parts_of("a long answer", 400)                         # lines of at most 400 bytes

A line has 512 bytes, counted in UTF-8 and with all that the server puts before it. No character is
cut in two, and bold that goes on into the next line is begun anew there.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator

LINE_BYTES = 512
_CODES = re.compile(
    "\x03(?:[0-9]{1,2}(?:,[0-9]{1,2})?)?|\x04(?:[0-9a-fA-F]{6}(?:,[0-9a-fA-F]{6})?)?"
    "|[\x02\x0f\x11\x16\x1d\x1e\x1f]"
)
_TOGGLES = "\x02\x1d\x1e\x11"
_NEVER_SENT = re.compile("[\x00\x01]")
_UPPER = {
    "ascii": "",
    "rfc1459": "[]\\~",
    "rfc1459-strict": "[]\\",
}
_LOWER = "{}|^"
_OF_A_NICK = r"[\w\[\]\\`^{|}-]"


def unformatted(text: str) -> str:
    """`text` without mIRC's codes for colour, bold and the like."""
    return _CODES.sub("", text)


def folded(name: str, mapping: str = "rfc1459") -> str:
    """A nick or channel as the server compares it; `mapping` is its CASEMAPPING."""
    upper = _UPPER.get(mapping, _UPPER["rfc1459"])
    ascii_lower = "".join(one.lower() if one.isascii() else one for one in name)
    return ascii_lower.translate(str.maketrans(upper, _LOWER[: len(upper)]))


def names(text: str, nick: str) -> bool:
    """Whether `nick` stands in `text` as a word of its own."""
    found = rf"(?<!{_OF_A_NICK}){re.escape(nick)}(?!{_OF_A_NICK})"
    return bool(nick) and re.search(found, text, re.IGNORECASE) is not None


def action_in(text: str) -> str | None:
    """What somebody does (``/me waves``), from a CTCP message; None for another CTCP. Text that is
    none comes back as it is."""
    if not text.startswith("\x01"):
        return text
    command, _, rest = text.strip("\x01").partition(" ")
    return rest if command.upper() == "ACTION" else None


def room_in_a_line(command: str, target: str, prefix_bytes: int) -> int:
    """Bytes that are left for the text: others get our prefix before it."""
    head = f" {command} {target} :".encode()
    return LINE_BYTES - prefix_bytes - len(head) - len(b":\r\n")


def parts_of(text: str, most: int) -> Iterator[str]:
    """`text` in lines of at most `most` (>= 32) bytes; empty ones are left out, since IRC has
    none."""
    for line in re.split(r"\r\n|\r|\n", _NEVER_SENT.sub("", text)):
        yield from _cut(line.rstrip(), most)


def _cut(line: str, most: int) -> Iterator[str]:
    open_codes = ""
    while line:
        line = open_codes + line
        if len(line.encode("utf-8", "replace")) <= most:
            part, line = line, ""
        else:
            end = _border(line, most)
            part, line = line[:end].rstrip(), line[end:].lstrip(" ")
        if unformatted(part).strip():
            yield part
        open_codes = "".join(one for one in _TOGGLES if part.count(one) % 2)


def _border(line: str, most: int) -> int:
    """Where to cut: at a blank in the second half, else between two characters."""
    sizes = itertools.accumulate(len(one.encode("utf-8", "replace")) for one in line)
    end = next(number for number, size in enumerate(sizes) if size > most)
    blank = line.rfind(" ", end // 2, end + 1)
    if blank > len(_TOGGLES):
        return blank
    # What is put on the character before it, or joined to it, stays with it.
    whole = end
    while whole > end - 12 and whole > len(_TOGGLES) + 1 and _joined(line, whole):
        whole -= 1
    return end if _joined(line, whole) else whole


def _joined(line: str, at: int) -> bool:
    before, after = line[at - 1], line[at]
    return (
        "\u200d" in (before, after)
        or unicodedata.combining(after) > 0
        or "\ufe00" <= after <= "\ufe0f"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
    )
