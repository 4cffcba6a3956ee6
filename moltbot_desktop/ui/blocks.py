"""Cuts Markdown that is still being written into blocks that are finished and one that is not.

A streaming answer is drawn block by block: a finished block is drawn once and never touched
again, only the open one is drawn anew. The same cut is used for stored answers, so a streamed
answer and the same answer loaded later look alike by construction.

Deliberately line-based and simpler than CommonMark: re-parsing the whole answer at each flush
costs 15 ms at 16 KB, and CommonMark lets a later line change what earlier ones meant (reference
definitions, lazy continuation), which would force finished blocks to be redrawn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LONG_LIST_CHARACTERS = 1_200
"""A list longer than this is cut before its next item, so that the open block stays small."""

_FENCE = re.compile(r"^( *)(`{3,}+|~{3,}+)([^`]*)$")
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_INTERRUPTS = re.compile(r"^ {0,3}(?:[-*+]|1[.)])\s")
"""An item that may follow a paragraph without an empty line ("2019. was..." may not)."""
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:\s|$)")


@dataclass(frozen=True)
class _Fence:
    marker: str
    length: int

    def closed_by(self, line: str) -> bool:
        text = line.strip()
        return len(text) >= self.length and set(text) == {self.marker}


def _opened_fence(line: str) -> _Fence | None:
    match = _FENCE.match(line)
    return _Fence(match[2][0], len(match[2])) if match else None


class BlockCutter:
    """Takes text in pieces of any size; gives back blocks as they are finished.

    What it gives depends on the text only, not on where the pieces were cut.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._partial = ""
        self._fence: _Fence | None = None
        self._is_list = False
        self._gap = 0
        self._finished: list[str] = []

    def feed(self, text: str) -> tuple[str, ...]:
        """Add `text`; the blocks that are finished by it, without their ending newline."""
        *whole, self._partial = (self._partial + text).split("\n")
        for line in whole:
            self._take(line)
        done = tuple(self._finished)
        self._finished.clear()
        return done

    @property
    def open_blocks(self) -> tuple[str, ...]:
        """What the text would be cut into if it ended here, after the blocks already given.

        Mostly one block; two while the line being written begins a new one.
        """
        rest = BlockCutter()
        rest._lines, rest._fence = list(self._lines), self._fence
        rest._is_list, rest._gap = self._is_list, self._gap
        if self._partial:
            rest._take(self._partial)
        rest._close()
        return tuple(rest._finished)

    @property
    def in_code(self) -> bool:
        """The open block is a code fence that is not closed yet."""
        return self._fence is not None and not self._is_list

    def _take(self, line: str) -> None:
        if self._fence is not None:
            self._in_fence(line)
        elif not line.strip():
            self._gap += bool(self._lines)
        else:
            if self._starts_anew(line):
                self._close()
            self._append(line)

    def _in_fence(self, line: str) -> None:
        fence = self._fence
        self._lines.append(line)
        if fence is not None and fence.closed_by(line):
            self._fence = None
            if not self._is_list:
                self._close()

    def _append(self, line: str) -> None:
        self._lines.extend([""] * self._gap)
        self._gap = 0
        if not self._lines:
            self._is_list = bool(_ITEM.match(line))
        self._lines.append(line)
        self._fence = _opened_fence(line)
        if _HEADING.match(line) and len(self._lines) == 1:
            self._close()

    def _starts_anew(self, line: str) -> bool:
        """Whether `line` cannot belong to the open block."""
        if not self._lines or self._fence is not None:
            return False
        if self._is_list:
            return self._ends_list(line)
        if self._gap or _HEADING.match(line) or _opened_fence(line):
            return True
        return bool(_INTERRUPTS.match(line))

    def _ends_list(self, line: str) -> bool:
        if _ITEM.match(line):
            return sum(map(len, self._lines)) > LONG_LIST_CHARACTERS and line[0] != " "
        indented = line.startswith(("  ", "\t"))
        return not indented and bool(self._gap or _HEADING.match(line) or _opened_fence(line))

    def _close(self) -> None:
        if self._lines:
            self._finished.append("\n".join(self._lines))
        self._lines.clear()
        self._fence, self._is_list, self._gap = None, False, 0


def cut_blocks(text: str) -> tuple[str, ...]:
    """All blocks of a whole text."""
    cutter = BlockCutter()
    return (*cutter.feed(text), *cutter.open_blocks)
