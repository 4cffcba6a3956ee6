"""A memory file cut into what is worth finding: bullets, turns, paragraphs.

A unit is the smallest piece that makes sense alone and is what a search returns; `windows` groups
neighbouring ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moltbot_desktop.memory.front_matter import FrontMatter, read_front_matter
from moltbot_desktop.memory.notes import note_end, read_note, split_mark

LONGEST_UNIT = 700

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*))?")
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?(.*)")
# Backticks after the opening ones would make it code inside a line.
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_RULE = re.compile(r"[ \t]*(?:[-*_=|:+][ \t]*){3,}")
_SPEAKER = re.compile(r"(?:\*\*([^*:：]{1,40})[:：]\*\*|\*\*([^*:：]{1,40})\*\*[:：])\s")
_SENTENCE_END = re.compile(r"[.!?。！？…；;][\"'”’)）」』]*$")
_SENTENCES = re.compile(r"[^.!?。！？…\n]*(?:[.!?。！？…]+[\"'”’)）」』]*\s*|\n+|$)")
_WRAPPED = 60  # a line at least so long without an end may go on in the next one


@dataclass(frozen=True)
class Unit:
    """One piece of a file.

    Attributes:
        start_line: 1-based, inclusive, like `end_line`.
        text: the words, without bullet, time or mark.
        headings: outermost first.
        speaker: of a turn ("**Anna:** hello"), else "".
    """

    start_line: int
    end_line: int
    text: str
    headings: tuple[str, ...]
    mark: str = ""
    speaker: str = ""


@dataclass(frozen=True)
class _Piece:
    start: int
    end: int  # exclusive
    text: str
    mark: str = ""


def cut_units(text: str) -> tuple[Unit, ...]:
    """The units of a file's text (`\\n` line ends), in order, none of them blank."""
    lines = text.split("\n")
    front = read_front_matter(lines) or FrontMatter(0, ())
    headings = [(0, field.text) for field in front.fields if field.name != "tags"]
    units = [
        Unit(field.start + 1, field.end, part, ())
        for field in front.fields
        if field.name != "date"
        for part in split_long(field.text, LONGEST_UNIT)
    ]
    bare: _Piece | None = None  # a heading nothing stands under is a unit itself
    at = front.end
    while at < len(lines):
        level, title = _heading(lines[at])
        if level:
            if bare and level <= headings[-1][0]:
                units += _units(bare, headings[:-1])
            headings = [kept for kept in headings if kept[0] < level]
            headings.append((level, title))
            at += 1
            bare = _Piece(at - 1, at, title)
            continue
        at, pieces = _next_pieces(lines, at)
        for piece in pieces:
            if piece.text.strip():
                bare = None
                units += _units(piece, headings)
    units += _units(bare, headings[:-1]) if bare else ()
    return tuple(units)


def _heading(line: str) -> tuple[int, str]:
    found = _HEADING.fullmatch(line)
    if not found:
        return 0, ""
    title = (found[2] or "").strip()
    bare = title.rstrip("#")
    # `## A title ##` may be closed as it was opened.
    return len(found[1]), bare.strip() if bare.endswith((" ", "\t")) else title


def _next_pieces(lines: Sequence[str], at: int) -> tuple[int, Sequence[_Piece]]:
    """What begins at `lines[at]`, and the index of the line after it."""
    note = read_note(lines, at)
    if note is not None:
        return note.end, [_Piece(at, note.end, note.text, note.mark)]
    line = lines[at]
    if not line.strip() or _RULE.fullmatch(line):
        return at + 1, []
    fence = _FENCE.match(line)
    if fence:
        return _fenced(lines, at, fence[1])
    piece = _bullet(lines, at) if _BULLET.fullmatch(line) else _paragraph(lines, at)
    return piece.end, [piece]


def _fenced(lines: Sequence[str], at: int, fence: str) -> tuple[int, Sequence[_Piece]]:
    """A code block; a stored note ends an unclosed one, so that no fact hides in it.

    A long one is cut between its lines, and the fences then belong to no part: without them the
    rest of the block would turn into text.
    """
    close = at + 1
    while close < len(lines) and not _closes(lines[close], fence):
        if read_note(lines, close) is not None:
            break
        close += 1
    is_closed = close < len(lines) and _closes(lines[close], fence)
    end = close + 1 if is_closed else close
    parts = list(_line_groups(lines, at + 1, close))
    if len(parts) <= 1:
        return end, [_Piece(at, end, "\n".join(lines[at + 1 : close]))]
    return end, parts


def _closes(line: str, fence: str) -> bool:
    text = line.strip()
    return len(text) >= len(fence) and not text.strip(fence[0])


def _line_groups(lines: Sequence[str], start: int, end: int) -> Iterator[_Piece]:
    """Neighbouring lines of `LONGEST_UNIT` characters at most; a longer one stands alone."""
    first, used = start, 0
    for at in range(start, end):
        if at > first and used + len(lines[at]) > LONGEST_UNIT:
            yield _Piece(first, at, "\n".join(lines[first:at]))
            first, used = at, 0
        used += len(lines[at]) + 1
    if first < end:
        yield _Piece(first, end, "\n".join(lines[first:end]))


def _bullet(lines: Sequence[str], at: int) -> _Piece:
    """A list item with its indented lines up to the next item of any depth."""
    found = _BULLET.fullmatch(lines[at])
    first, mark = split_mark(found[1] if found else lines[at])
    end = at + 1
    limit = note_end(lines, at)
    while end < limit and lines[end].strip() and not _BULLET.fullmatch(lines[end]):
        end += 1
    rest = [line.strip() for line in lines[at + 1 : end]]
    return _Piece(at, end, "\n".join([first, *rest]), mark)


def _paragraph(lines: Sequence[str], at: int) -> _Piece:
    """A line, and the next ones while a hard-wrapped sentence goes on in them."""
    end = at + 1
    while end < len(lines) and _goes_on(lines[end - 1], lines[end]):
        end += 1
    text, mark = split_mark("\n".join(line.strip() for line in lines[at:end]))
    return _Piece(at, end, text, mark)


def _goes_on(line: str, following: str) -> bool:
    return (
        len(line) >= _WRAPPED
        and bool(following.strip())
        and not _SENTENCE_END.search(line.rstrip())
        and not any(
            pattern.match(following) for pattern in (_HEADING, _BULLET, _FENCE, _SPEAKER, _RULE)
        )
        and not following.lstrip().startswith(("|", ">", "<"))
    )


def _units(piece: _Piece, headings: Sequence[tuple[int, str]]) -> Iterator[Unit]:
    path = tuple(title for _, title in headings if title)
    found = _SPEAKER.match(piece.text)
    speaker = (found[1] or found[2]).strip() if found else ""
    for text in split_long(piece.text.strip(), LONGEST_UNIT):
        yield Unit(piece.start + 1, piece.end, text, path, piece.mark, speaker)


def sentences(text: str) -> list[str]:
    """`text` cut after each sentence; joined again they are `text`."""
    return [found for found in _SENTENCES.findall(text) if found]


def split_long(text: str, limit: int) -> Iterator[str]:
    """`text` in parts of at most `limit` characters, cut between sentences where possible."""
    part = ""
    for sentence in sentences(text):
        if part and len(part) + len(sentence) > limit:
            yield part.strip()
            part = ""
        while len(part) + len(sentence) > limit:
            cut = sentence.rfind(" ", limit // 2, limit) + 1 or limit
            yield sentence[:cut].strip()
            sentence = sentence[cut:]
        part += sentence
    if part.strip():
        yield part.strip()
