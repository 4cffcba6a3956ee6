"""MEMORY.md: what is kept for good, one line a fact, under a heading of its own.

    ## Remembered

    - Allergic to peanuts <!-- from: 2026-11-21 14:05; quote: "I'm allergic to peanuts." -->
    - ~~I live in Leeds~~ (until 2026-11-21) <!-- from: 2026-03-02 09:12; quote: ... -->
    - I live in York <!-- from: 2026-11-21 14:07; quote: "We moved, I live in York now." -->

The file belongs to the person: only lines that carry our comment are ever struck through or moved.
A new value for the same thing strikes the old line, which stays as history. Over the budget (all
of the file is in every prompt) the oldest struck lines move to memory/archive-YEAR.md, and when
that is not enough the new fact goes to the day's notes, where a search finds it just as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.memory.comparing import supersedes
from moltbot_desktop.memory.daily import append_note
from moltbot_desktop.memory.edits import Page, read_page
from moltbot_desktop.memory.files import FOLDER
from moltbot_desktop.memory.notes import (
    Origin,
    read_fact,
    read_note,
    render_fact,
    strike,
    struck_until,
    unstrike,
)
from moltbot_desktop.memory.units import cut_units
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.storage.appending import append_bytes
from moltbot_desktop.storage.files import make_private_dir

LONG_TERM = "MEMORY.md"
_OLDER_NAME = "memory.md"
_HEADINGS = {Language.ENGLISH: "## Remembered", Language.CHINESE: "## 记住的事"}
_HEADING = re.compile(r"(#{1,6})\s")
_FENCE = re.compile(r"\s*(?:```|~~~)")


@dataclass(frozen=True)
class Struck:
    """A line that holds no longer: its file and what stands there now."""

    path: str
    line: str


@dataclass(frozen=True)
class Kept:
    """What keeping a fact did; enough to take it back.

    Attributes:
        path: the file, relative to the workspace.
        line: what stands there for the fact, several lines for a note of several; "" when it
            stood there before.
        lead: what was put before it, a heading perhaps.
        at: byte where `lead` begins.
        digest: of the whole file afterwards; "" when only the line is known.
        made: there was no such file.
        struck: lines whose place the fact took.
        over_budget: it would not fit MEMORY.md and is in the day's notes.
    """

    path: str
    line: str
    lead: str = ""
    at: int = 0
    digest: str = ""
    made: bool = False
    struck: tuple[Struck, ...] = ()
    over_budget: bool = False


@dataclass(frozen=True)
class LongTerm:
    """Keeps facts in MEMORY.md and takes them back. Callers hold the inbox's lock.

    Attributes:
        budget: of MEMORY.md, in bytes.
        wrote: is told each file that was changed, so that the next search looks at it.
    """

    workspace: Path
    budget: int
    wrote: Callable[[Path], None]

    def facts(self) -> tuple[str, ...]:
        """What MEMORY.md says and still holds, in the person's own lines too."""
        units = cut_units("\n".join(self._page().lines))
        return tuple(unit.text for unit in units if not struck_until(unit.text))

    def keep(
        self, text: str, quote: str, said: datetime, now: datetime, related: Sequence[SearchHit]
    ) -> Kept:
        """Write down `text` (one line), and strike what it takes the place of.

        Args:
            quote: the sentence it was taken from.
            said: when that was.
            related: notes that may be about the same thing.

        Raises:
            StorageError: the fact was not kept.
        """
        origin = Origin(f"{said:%Y-%m-%d %H:%M}", quote)
        struck = self.strike_old(text, said, now, related)
        page = self._page()
        line = render_fact(text, origin)
        index, lead = _place(page.lines, language_of(text))
        page = self._archived(page, page.size + len(page.encoded(lead, line)) - self.budget)
        index, lead = _place(page.lines, language_of(text))
        after = page.inserted(index, lead, line)
        if after.size > self.budget:
            note = append_note(self.workspace, text, "", now, origin)
            self.wrote(self.workspace / note.path)
            line = "" if note.already_known else self.line_of(note.path, text)
            return Kept(note.path, line, struck=struck, over_budget=True)
        self._write(after)
        made = page.data is None
        return Kept(page.path.name, line, lead, page.offset(index), after.digest, made, struck)

    def strike_old(
        self,
        text: str,
        said: datetime,
        now: datetime,
        related: Sequence[SearchHit],
        own: Struck | None = None,
    ) -> tuple[Struck, ...]:
        """Strike the lines of ours, in MEMORY.md and among `related`, whose place `text` takes.

        Args:
            said: when; what was said later stays, whenever this is carried out.
            own: the note that says `text`; what stands below it in its file is younger.
        """
        page = self._page()
        struck = []
        for index, line in enumerate(page.lines):
            fact, origin = read_fact(line)
            older = origin is not None and origin.when <= f"{said:%Y-%m-%d %H:%M}"
            if older and not struck_until(fact) and supersedes(text, fact):
                page = page.with_line(index, strike(line, now.date()))
                struck.append(Struck(page.path.name, page.lines[index]))
        if struck:
            self._write(page)
        for hit in related:
            struck += self._strike_note(hit, text, said, now, own)
        return tuple(struck)

    def _strike_note(
        self, hit: SearchHit, text: str, said: datetime, now: datetime, own: Struck | None
    ) -> list[Struck]:
        """Notes of the assistant in the daily files, of one line each."""
        if hit.mark or hit.start_line != hit.end_line or not hit.path.startswith(f"{FOLDER}/"):
            return []
        page, index = read_page(self.workspace, hit.path), hit.start_line - 1
        lines = page.lines
        note = read_note(lines, index) if index < len(lines) else None
        if note is None or struck_until(note.text) or not supersedes(text, note.text):
            return []
        below = own is not None and own.path == hit.path and index >= page.find(own.line)
        if below or f"{Path(hit.path).stem} {lines[index][2:7]}" > f"{said:%Y-%m-%d %H:%M}":
            return []
        line = strike(lines[index], now.date())
        self._write(page.with_line(index, line))
        return [Struck(hit.path, line)]

    def take_back(self, kept: Kept) -> None:
        """Undo `keep`: the bytes of before, or without the one line when the file has changed.

        Raises:
            UserInputInvalid: the line is not there any more; nothing was changed.
            StorageError: it cannot be read or written.
        """
        if kept.line:
            self._write(self._without(kept))
        for one in kept.struck:
            self._restore(one)

    def _without(self, kept: Kept) -> Page:
        page = read_page(self.workspace, kept.path)
        if kept.digest and page.digest == kept.digest:
            before = page.without_bytes(kept.at, len(page.encoded(kept.lead, kept.line)))
            return before.gone() if kept.made else before
        index = page.find(kept.line)
        if index < 0:  # something else may have taken its place meanwhile
            index = page.find_if(lambda line: unstrike(line) == kept.line)
        if index < 0:
            raise UserInputInvalid(
                f"{kept.path} was changed: the line is not there any more.",
                hint="Nothing was undone; the file can be edited by hand.",
            )
        rest = page.without(index, kept.line.count("\n") + 1)
        return rest.gone() if _is_bare_day(kept.path, rest) else rest

    def _restore(self, struck: Struck) -> None:
        """Where it is gone, to the archive perhaps, it stays what it is: history."""
        page = read_page(self.workspace, struck.path)
        if (index := page.find(struck.line)) >= 0:
            self._write(page.with_line(index, unstrike(struck.line)))

    def line_of(self, path: str, text: str) -> str:
        """The lines of the last note in `path` that says exactly `text`; "" without one."""
        lines = read_page(self.workspace, path).lines
        notes = ((at, read_note(lines, at)) for at in reversed(range(len(lines))))
        for at, note in notes:
            if note is not None and note.text == text:
                return "\n".join(lines[at : note.end])
        return ""

    def _write(self, page: Page) -> None:
        page.write()
        self.wrote(page.path)

    def _page(self) -> Page:
        page = read_page(self.workspace, LONG_TERM)
        if page.data is None and (self.workspace / _OLDER_NAME).exists():
            return read_page(self.workspace, _OLDER_NAME)
        return page

    def _archived(self, page: Page, excess: int) -> Page:
        """`page` with `excess` bytes less, if that many are in struck lines; the oldest go."""
        struck = sorted(
            (until, line)
            for line in page.lines
            for fact, origin in [read_fact(line)]
            if origin and (until := struck_until(fact))
        )
        target = page.size - excess
        for until, line in struck:
            if page.size <= target:
                break
            self._archive(until[:4], line)
            page = page.without(page.find(line))
        return page

    def _archive(self, year: str, line: str) -> None:
        page = read_page(self.workspace, f"{FOLDER}/archive-{year}.md")
        if page.find(line) < 0:
            make_private_dir(page.path.parent)
            lead = "" if page.size else f"# {year}\n\n"
            append_bytes(
                page.path, page.encoded(lead, line), newline=page.newline.encode(page.encoding)
            )
            self.wrote(page.path)


def _is_bare_day(path: str, page: Page) -> bool:
    """Whether all that is left of a day's file is the heading it was made with."""
    day = Path(path).stem
    return path == f"{FOLDER}/{day}.md" and "\n".join(page.lines).strip() == f"# {day}"


def _place(lines: Sequence[str], language: Language) -> tuple[int, str]:
    """Before which line (from 0) a new fact goes, and what must be put before it."""
    sections = [at for at, level in _headings(lines) if lines[at].strip() in _HEADINGS.values()]
    if sections:
        return _end_of_section(lines, sections[0])
    heading = _HEADINGS[language] + "\n\n"
    text = "\n".join(lines)
    if not text.strip():
        return len(lines), heading
    gap = "" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
    return len(lines), gap + heading


def _end_of_section(lines: Sequence[str], start: int) -> tuple[int, str]:
    following = (at for at, level in _headings(lines) if at > start and level <= 2)
    end = next(following, len(lines))
    last = max(at for at in range(start, end) if lines[at].strip())
    if last == len(lines) - 1:  # no line end there
        return len(lines), "\n\n" if last == start else "\n"
    if last > start:
        return last + 1, ""
    has_gap = start + 2 < len(lines) and not lines[start + 1].strip()
    return (start + 2, "") if has_gap else (start + 1, "\n")


def _headings(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Index and level of each heading outside code."""
    found, code = [], False
    for at, line in enumerate(lines):
        if _FENCE.match(line):
            code = not code
        elif not code and (heading := _HEADING.match(line)):
            found.append((at, len(heading[1])))
    return found
