"""A long answer in parts that a channel can take, cut where a reader would.

    [block.text for block in blocks(answer, most=4000)]

A part ends at a paragraph, else at a line, a sentence (also a Chinese one), a blank, and only in
the middle of a word when there is nothing else: even then never inside a character, however many
code points that has. A code block that goes over a border is closed in the one part and opened
again in the next. Nothing is lost: the parts' `source` put together is the text.

    end = next_end(answer_so_far, at, most=1200, least=800)    # 0: not enough of it yet
    rest_from(answer_so_far[:end], at)                         # what is sent of it then

A text that still grows is cut by the same rules, a part at a time; `fitting` counts as a platform
does.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.sdk.channel_abilities import TextUnit

_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)([^\n]*)$", re.MULTILINE)
_SENTENCE = re.compile(r"[.!?…][\"')\]”’]*\s|[。！？；][”’」』）]*")
_BLANK = re.compile(r"\s")
_LINE = re.compile(r"\n")
_PARAGRAPH = re.compile(r"\n[ \t]*\n+")
_JOINER = "\u200d"


class Break(StrEnum):
    """Where a part should end if it can."""

    PARAGRAPH = "paragraph"
    NEWLINE = "newline"
    SENTENCE = "sentence"


_ORDER = {
    Break.PARAGRAPH: (_PARAGRAPH, _LINE, _SENTENCE, _BLANK),
    Break.NEWLINE: (_LINE, _SENTENCE, _BLANK),
    Break.SENTENCE: (_SENTENCE, _LINE, _BLANK),
}


@dataclass(frozen=True)
class Block:
    """One part.

    Attributes:
        source: the characters of the text it is made of.
        text: as it is sent: without blank lines around it, its code blocks whole.
    """

    source: str
    text: str


@dataclass(frozen=True)
class _Fence:
    """A code block.

    Attributes:
        start: where its first line begins.
        body: where the line behind that begins.
        close: where its last line begins; the text's end when it is never closed.
        end: where that line ends.
        opening: the first line.
        mark: what closes it.
    """

    start: int
    body: int
    close: int
    end: int
    opening: str
    mark: str


def blocks(
    text: str, *, most: int = 1_200, least: int = 800, prefer: Break = Break.PARAGRAPH
) -> tuple[Block, ...]:
    """`text` in parts of at most `most` characters; a part that would be blank is left out of
    what is sent by having an empty `text`.

    Args:
        most: characters of a part, at least 1.
        least: a part is not ended before so many, as long as there is a place to end it after.
    """
    if most < 1:
        raise ValueError("a part has at least one character")
    inside = _insides(text)
    found: list[Block] = []
    at = 0
    while at < len(text):
        fence = _reopened(inside(at), most)
        cut = _cut(text, at, _Window(most, least, prefer, fence, inside))
        found.append(_block(text, at, cut, fence, inside(cut) if cut < len(text) else None, most))
        at = cut
    return tuple(found)


def next_end(text: str, at: int, *, most: int, least: int, prefer: Break = Break.PARAGRAPH) -> int:
    """Where the part of a growing `text` that begins at `at` may end now: at a good place behind
    `least` characters, or where it must when there are more than `most`; 0 for not yet.

    A code block is parted only when it must be.
    """
    if len(text) - at < least:
        return 0
    inside = _insides(text)
    window = _Window(most, least, prefer, _reopened(inside(at), most), inside)
    if len(text) - at > most:
        return _cut(text, at, window)
    best = 0
    for match in _ORDER[prefer][0].finditer(text, at + least):
        if inside(match.end()) is None:
            best = match.end()
    return best


def rest_from(text: str, at: int, most: int = 1_200) -> str:
    """`text` from `at` on as it is sent, its code blocks whole; "" for blanks."""
    inside = _insides(text)
    return _block(text, at, len(text), _reopened(inside(at), most), inside(len(text)), most).text


def _insides(text: str) -> Callable[[int], _Fence | None]:
    """Tells in which code block a place of `text` is."""
    fences = _fences(text)
    starts = [fence.start for fence in fences]

    def inside(at: int) -> _Fence | None:
        number = bisect_right(starts, at - 1) - 1
        fence = fences[number] if number >= 0 else None
        return fence if fence is not None and fence.body <= at <= fence.close < fence.end else None

    return inside


@dataclass(frozen=True)
class _Window:
    most: int
    least: int
    prefer: Break
    fence: _Fence | None
    inside: Callable[[int], _Fence | None]


def _reopened(fence: _Fence | None, most: int) -> _Fence | None:
    """A code block that is worth opening again: not one whose first line fills half a part."""
    if fence is None or len(fence.opening) + len(fence.mark) + 2 > most // 2:
        return None
    return fence


def _cut(text: str, at: int, window: _Window) -> int:
    """Where the part that begins at `at` ends."""
    before = len(window.fence.opening) + 1 if window.fence else 0
    room = max(1, window.most - before)
    if len(text) - at <= room and _closed_fits(text, at, window):
        return len(text)
    marks = [one.mark for one in (window.fence, _fence_within(text, at, at + room, window)) if one]
    room = max(1, room - max((len(mark) + 1 for mark in marks), default=0))
    last = min(len(text), at + room)
    least = at + min(window.least, room * 2 // 3)
    for first in (least, at):
        for pattern in _ORDER[window.prefer]:
            cut = _last_end(text, pattern, first, last, window)
            if cut > at:
                return cut
    return _whole_character(text, at, last)


def _closed_fits(text: str, at: int, window: _Window) -> bool:
    """Whether the rest of the text is sent as it is, or its open code block can be closed too."""
    fence = _reopened(window.inside(len(text)), window.most)
    before = len(window.fence.opening) + 1 if window.fence else 0
    return fence is None or len(text) - at + before + len(fence.mark) + 1 <= window.most


def _fence_within(text: str, at: int, last: int, window: _Window) -> _Fence | None:
    """The code block that a cut near `last` would be in, if any begins before it."""
    for place in range(min(last, len(text)), at, -1):
        fence = window.inside(place)
        if fence is not None:
            return _reopened(fence, window.most)
    return None


def _last_end(text: str, pattern: re.Pattern[str], first: int, last: int, window: _Window) -> int:
    """The last place in (first, last] at which `pattern` ends; 0 for none.

    A paragraph inside code is no place to part it while there is another.
    """
    best = 0
    for match in pattern.finditer(text, first, last):
        cut = match.end()
        if cut > first and not (pattern is _PARAGRAPH and window.inside(cut)):
            best = cut
    return best


def _block(
    text: str, at: int, cut: int, opened: _Fence | None, fence: _Fence | None, most: int
) -> Block:
    source = text[at:cut]
    closing = _reopened(fence, most)
    sent = source.strip("\n") if opened or closing else source.lstrip("\n").rstrip()
    if closing is not None and at < closing.start and not source[closing.body - at :].strip():
        # The code begins in the next part: its first line alone would be an empty block.
        sent, closing = text[at : closing.start].strip("\n"), None
    if not sent.strip():
        return Block(source, "")
    if opened is not None:
        sent = f"{opened.opening}\n{sent}"
    if closing is not None:
        sent = f"{sent}\n{closing.mark}"
    return Block(source, sent)


def _fences(text: str) -> list[_Fence]:
    found: list[_Fence] = []
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            if not (match[1][0] == "`" and "`" in match[2]):  # that is code inside a line
                opened = match
        elif match[1].startswith(opened[1]) and not match[2].strip():
            found.append(_fence(opened, match.start(), match.end()))
            opened = None
    if opened is not None:
        found.append(_fence(opened, len(text), len(text) + 1))
    return found


def _fence(opened: re.Match[str], close: int, end: int) -> _Fence:
    return _Fence(opened.start(), opened.end() + 1, close, end, opened[0].strip(), opened[1])


def _whole_character(text: str, at: int, cut: int) -> int:
    """The last border between characters, as a reader counts them, in (at, cut]."""
    place = cut
    while place > at and place < len(text) and _continues(text, place):
        place -= 1
    return place if place > at else cut


def _continues(text: str, at: int) -> bool:
    """Whether the code point at `at` belongs to the character before it."""
    one, before = text[at], text[at - 1]
    return (
        unicodedata.category(one) in ("Mn", "Me", "Mc")
        or one == _JOINER
        or before == _JOINER
        or "\U0001f3fb" <= one <= "\U0001f3ff"  # the colour of a skin
        or "\U000e0020" <= one <= "\U000e007f"  # parts of a flag
        or (one == "\n" and before == "\r")
        or "\udc00" <= one <= "\udfff"
        or ("\u1160" <= one <= "\u11ff" and "\u1100" <= before <= "\u11ff")
        or (_is_flag_letter(one) and _flag_letters_before(text, at) % 2 == 1)
    )


def _is_flag_letter(one: str) -> bool:
    return "\U0001f1e6" <= one <= "\U0001f1ff"


def _flag_letters_before(text: str, at: int) -> int:
    count = 0
    while at - count > 0 and _is_flag_letter(text[at - count - 1]):
        count += 1
    return count


def fitting(
    text: str, *, limit: int, unit: TextUnit, prefer: Break = Break.PARAGRAPH
) -> tuple[str, ...]:
    """`text` in parts that are at most `limit` long in a platform's `unit`, as they are sent. Only
    one character that is longer by itself is not cut further.

        fitting(answer, limit=400, unit=TextUnit.BYTES)
    """
    found: list[str] = []
    for part in texts(blocks(text, most=limit, least=limit * 2 // 3, prefer=prefer)):
        size = unit.size(part)
        # As many characters as would fit if all were as long as they are on an average.
        most = min(len(part) - 1, len(part) * limit // size) if size > limit else 0
        if most < 1:
            found.append(part)
        else:
            found += _halved(part, most, limit, unit, prefer)
    return tuple(found)


def _halved(text: str, most: int, limit: int, unit: TextUnit, prefer: Break) -> Sequence[str]:
    """`text` in parts of `most` characters, and those that are still too long in shorter ones."""
    found: list[str] = []
    for part in texts(blocks(text, most=most, least=most * 2 // 3, prefer=prefer)):
        if unit.size(part) <= limit or most == 1 or len(part) == 1:
            found.append(part)
        else:
            found += _halved(part, max(1, min(len(part), most) * 3 // 4), limit, unit, prefer)
    return found


def texts(parts: Sequence[Block]) -> tuple[str, ...]:
    """What is sent of `parts`."""
    return tuple(part.text for part in parts if part.text)
