"""The settings some editors keep at the top of a note, between two lines of dashes.

    ---
    title: Trip to Bornholm
    date: 2026-01-05
    tags: [travel, ferry]
    cssclass: wide
    ---

Title and tags are what a person remembers a note by, so they are found; the day dates what stands
below; the rest is for the editor. Only what surely is such a block counts: two rules around a few
lines of speech are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moltbot_desktop.memory.notes import read_note

_KEY = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]++(.*))?")
_INSIDE = re.compile(r"[ \t]++.*|-[ \t].*|-|#.*|")
_ITEM = re.compile(r"\A[ \t]*-[ \t]+")
_QUOTES = "\"' \t"
_USUAL = frozenset(
    {
        *("title", "date", "tags", "aliases", "author", "categories", "category", "created"),
        *("description", "draft", "id", "keywords", "lang", "layout", "modified", "permalink"),
        *("publish", "slug", "status", "summary", "tag", "type", "uid", "updated"),
    }
)
"""A block that has none of these is taken for text."""
_LONGEST = 200  # lines


@dataclass(frozen=True)
class Field:
    """A value worth finding: lines are counted from 0, `end` is the one after the last."""

    name: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class FrontMatter:
    """Attributes:
    end: index of the first line below it.
    fields: `title`, `date` and `tags` as far as they are there and not empty.
    """

    end: int
    fields: tuple[Field, ...]


def read_front_matter(lines: Sequence[str]) -> FrontMatter | None:
    """What stands at the top of a file's lines; None when that is no such block."""
    if not lines or lines[0].rstrip() != "---":
        return None
    for end in range(1, min(len(lines), _LONGEST)):
        if lines[end].rstrip() in ("---", "..."):
            break
        if read_note(lines, end) is not None or not _may_stand_inside(lines, end):
            return None
    else:
        return None
    found = tuple(_fields(lines, end))
    if not any(field.name in _USUAL for field in found):
        return None
    wanted = ("title", "date", "tags")
    return FrontMatter(
        end + 1, tuple(field for field in found if field.name in wanted and field.text)
    )


def _may_stand_inside(lines: Sequence[str], at: int) -> bool:
    if _KEY.fullmatch(lines[at]):
        return True
    return at > 1 and _INSIDE.fullmatch(lines[at]) is not None


def _fields(lines: Sequence[str], end: int) -> Iterator[Field]:
    starts = [at for at in range(1, end) if _KEY.fullmatch(lines[at])]
    for start, following in zip(starts, [*starts[1:], end], strict=False):
        found = _KEY.fullmatch(lines[start])
        assert found is not None
        values = [_value(found[2] or "")]
        values += [_value(_ITEM.sub("", line)) for line in lines[start + 1 : following]]
        yield Field(found[1].lower(), start, following, "\n".join(filter(None, values)))


def _value(text: str) -> str:
    """A scalar or a list on one line, as words."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return ", ".join(filter(None, (part.strip(_QUOTES) for part in text[1:-1].split(","))))
    return "" if text.startswith("#") else text.strip(_QUOTES)
