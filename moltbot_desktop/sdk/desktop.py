"""What the hands on the screen and the window that shows them to the owner have in common.

The tool (`tools.desktop`) sees and presses; the window (`ui.control`) shows that it does, with the
same numbers, and lends the clipboard. Neither knows the other: `app` puts them together.

    injections.note()                    # the tool, before and after each key and click
    if injections.recent(): ...          # the card: an event that comes now counts as nobody's
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from moltbot_desktop.core.clock import Clock

_ECHO_SECONDS = 0.6
"""How long after a key or click of ours an event may still be its echo."""


@dataclass(frozen=True)
class Box:
    """A rectangle of the desktop; the origin is top left.

    Attributes:
        x: of its left side, in what the system counts the desktop in and moves the pointer by:
            pixels of the screens, not scaled, under X11 and Windows; points on macOS.
        y: of its upper side, in the same.
        width: in the same.
        height: in the same.
    """

    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    def contains(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def common(self, other: Box) -> Box:
        """What both cover; of width or height 0 when nothing."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Box(left, top, max(0, right - left), max(0, bottom - top))

    @property
    def empty(self) -> bool:
        return self.width <= 0 or self.height <= 0


@dataclass(frozen=True)
class ShownMark:
    """A number and what it stands for on the screen."""

    number: int
    box: Box


@dataclass(frozen=True)
class ControlWords:
    """The banner's texts, in the person's language."""

    title: str
    how_to_stop: str
    stop: str


@dataclass
class Injections:
    """When the program itself last pressed a key or a button. Written by the tool's thread, read
    by the window's; a float is written in one step."""

    clock: Clock
    _last: float = field(default=float("-inf"))

    def note(self) -> None:
        self._last = self.clock.monotonic()

    def recent(self) -> bool:
        """Whether an event that arrives now may be the program's own."""
        return self.clock.monotonic() - self._last < _ECHO_SECONDS


class ControlFace(Protocol):
    """How the owner sees that the screen is used. For any thread.

    Each method but `end` raises `ToolError` when the window does not answer.
    """

    @property
    def injections(self) -> Injections:
        """To be told of every key and click, so that no card takes them for the owner's."""
        ...

    def begin(self, words: ControlWords, stop: Callable[[], None]) -> None:
        """Show the banner until `end`; `stop` is called when its button is pressed."""
        ...

    def show_marks(self, marks: Sequence[ShownMark]) -> None:
        """Show these numbers over the screen, in place of those before; clicks go through."""
        ...

    def end(self) -> None:
        """Take banner and marks away; returns at once."""
        ...

    def lend_clipboard(self, text: str) -> None:
        """Put `text` there and keep what was there."""
        ...

    def clipboard_reads(self) -> int:
        """How often programs have fetched what was lent."""
        ...

    def restore_clipboard(self) -> None:
        """What was there before is there again, unless somebody copied something meanwhile."""
        ...
