"""One stored fact as Markdown, and back.

    - 14:05 · My dentist is Dr. Okafor <!-- mark: web page -->
      second line of the same note
    - Allergic to peanuts <!-- from: 2026-11-21 14:05; quote: "I'm allergic to peanuts." -->
    - ~~I live in Leeds~~ (until 2026-11-21) <!-- from: ... -->

What goes in comes out again: the words and nothing else. The dot after the time tells a stored
note from a person's own bullet that begins with a time ("- 15:30 dentist"), which is theirs to
the last character. Nothing in a fact can end the note, begin a heading or a comment, or pose as a
provenance mark.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.memories import folded

_NOTE = re.compile(r"- \d\d:\d\d · (?P<text>.*)")
_MARK = re.compile(r"(?:^| )<!-- mark: (?P<mark>[^<>]*) -->$")
_ORIGIN = re.compile(
    r'(?:^| )<!-- from: (?P<when>\d{4}-\d\d-\d\d \d\d:\d\d); quote: "(?P<quote>[^<>\n]*)" -->$'
)
_STRUCK = re.compile(r"~~(?P<text>.+)~~(?: \(until|（至) (?P<until>\d{4}-\d\d-\d\d)[)）]")
_ITEM = re.compile(r"- (?:\d\d:\d\d · )?")
_COMMENT = re.compile(r"(?<!\\)(\\*)<!--")
_INDENT = "  "


@dataclass(frozen=True)
class Note:
    """A note read back.

    Attributes:
        end: index of the line after its last one.
        mark: provenance, "" for the owner's own words.
    """

    text: str
    mark: str
    end: int


@dataclass(frozen=True)
class Origin:
    """Where a fact comes from: `when` it was said, ``2026-11-21 14:05``, and in which words."""

    when: str
    quote: str


def clean_text(text: str) -> str:
    """`text` without what Markdown or an editor could not keep; may be empty."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(map(_kept, text))
    return "\n".join(line.rstrip() for line in kept.split("\n")).strip()


def _kept(character: str) -> str:
    if character in "\n\t":
        return character
    category = unicodedata.category(character)
    if category in {"Zl", "Zp"}:  # line and paragraph separators
        return "\n"
    if category == "Cs":  # half a surrogate pair
        return "\ufffd"
    return " " if category == "Cc" else character


def clean_mark(mark: str) -> str:
    """`mark` as it can stand inside an HTML comment."""
    words = re.sub(r"[<>\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+|--+", " ", mark)
    return " ".join(words.split()).strip(" -")[:200].strip(" -")


def render_note(text: str, mark: str, when: datetime, origin: Origin | None = None) -> str:
    """The lines of a note, `\\n` after each; `text` and `mark` are clean."""
    first, *rest = _escaped(text).split("\n")
    suffix = f" <!-- mark: {mark} -->" if mark else ""
    suffix += _origin_comment(origin) if origin else ""
    lines = [f"- {when:%H:%M} · {first}{suffix}"]
    lines += [_INDENT + line if line else "" for line in rest]
    return "".join(line + "\n" for line in lines)


def read_note(lines: Sequence[str], start: int) -> Note | None:
    """The note that begins at `lines[start]`, or None when none does."""
    found = _NOTE.fullmatch(lines[start])
    if found is None:
        return None
    first, mark = split_mark(found["text"])
    end = note_end(lines, start)
    rest = [line.removeprefix(_INDENT) for line in lines[start + 1 : end]]
    return Note(_unescaped("\n".join([first, *rest])), mark, end)


def split_mark(line: str) -> tuple[str, str]:
    """A line without its comments, and its provenance mark."""
    line, _ = split_origin(line)
    found = _MARK.search(line)
    return (split_origin(line[: found.start()])[0], found["mark"]) if found else (line, "")


def split_origin(line: str) -> tuple[str, Origin | None]:
    """A line without the comment that tells its origin, and that."""
    found = _ORIGIN.search(line)
    if found is None:
        return line, None
    return line[: found.start()], Origin(found["when"], html.unescape(found["quote"]))


def render_fact(text: str, origin: Origin) -> str:
    """A fact as an item of a list, without line end; `text` is clean and has one line."""
    return f"- {_escaped(text)}{_origin_comment(origin)}"


def read_fact(line: str) -> tuple[str, Origin | None]:
    """The text of an item of a list (a stored note too) and its origin; ("", None) for others."""
    item = _ITEM.match(line)
    if item is None:
        return "", None
    _, origin = split_origin(line)
    return _unescaped(split_mark(line)[0][item.end() :]), origin


def strike(line: str, day: date) -> str:
    """A list item that holds no longer since `day`; its words, origin and mark stay."""
    shown = split_mark(line)[0]
    item = _ITEM.match(shown)
    start = item.end() if item else 0
    words = shown[start:]
    until = f"（至 {day}）" if language_of(words) is Language.CHINESE else f" (until {day})"
    return f"{line[:start]}~~{words}~~{until}{line[len(shown) :]}"


def unstrike(line: str) -> str:
    """What `strike` was given."""
    return _STRUCK.sub(lambda found: found["text"], line, count=1)


def struck_until(text: str) -> str:
    """The day since which a fact holds no longer, ``2026-11-21``; "" while it holds."""
    found = _STRUCK.fullmatch(text.strip())
    return found["until"] if found else ""


def _origin_comment(origin: Origin) -> str:
    # Two dashes could end the comment, and a bracket could pose as the end of another one.
    quote = " ".join(html.escape(origin.quote, quote=False).split())
    return f' <!-- from: {origin.when}; quote: "{re.sub("(?<=-)-", "&#45;", quote)}" -->'


def _escaped(text: str) -> str:
    # An odd number of backslashes before "<!--" makes Markdown show it, so ours come in pairs.
    return _COMMENT.sub(lambda found: found[1] * 2 + r"\<!--", text)


def note_end(lines: Sequence[str], start: int) -> int:
    """Index after the last indented line that belongs to the item at `start`."""
    end = at = start + 1
    while at < len(lines) and (lines[at].startswith(_INDENT) or not lines[at].strip()):
        at += 1
        if lines[at - 1].strip():
            end = at
    return end


def _unescaped(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        count = len(found[1])
        return "\\" * (count // 2) + "<!--" if count % 2 else found[0]

    return _COMMENT.sub(plain, text)


def day_heading(day: date) -> str:
    """The beginning of a day's file."""
    return f"# {day:%Y-%m-%d}\n\n"


def same_fact(text: str) -> str:
    """What two wordings of one fact have in common: case, width, spaces and last full stop go."""
    return folded(text)
