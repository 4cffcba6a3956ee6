"""Windows without a parent, under Windows: which count, whose they are. Pure, but for the port.

listed(native.top_levels(), native.front(), own)
owner_at(native.top_levels(), native.at(640, 400), 640, 400)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.system import OpenWindow

_TRANSPARENT, _TOOL, _APP, _NO_ACTIVATE = 0x20, 0x80, 0x40000, 0x8000000
_LAYERED = 0x80000


@dataclass(frozen=True)
class TopLevel:
    """A window without a parent, as Windows tells it.

    Attributes:
        styles: its extended styles (WS_EX_...).
        shown: visible, neither an icon on the taskbar nor cloaked, which is how windows of other
            desktops and of sleeping apps are kept away.
    """

    id: int
    pid: int
    title: str
    program: str
    box: Box
    styles: int = 0
    shown: bool = True

    @property
    def seen_through(self) -> bool:
        """Clicks go through it: https://learn.microsoft.com/windows/win32/winmsg/window-features"""
        return bool(self.styles & _TRANSPARENT and self.styles & _LAYERED)

    @property
    def worked_in(self) -> bool:
        """What Alt+Tab would show: not a tool's panel, a menu or a tip."""
        apart = self.styles & (_TOOL | _NO_ACTIVATE) and not self.styles & _APP
        return bool(self.shown and self.title and not apart and not self.box.empty)


class Native(Protocol):
    """What is asked of Windows; `user32` does."""

    def top_levels(self) -> Sequence[TopLevel]:
        """From the one on top down."""
        ...

    def front(self) -> int: ...

    def at(self, x: int, y: int) -> int:
        """The top level of the window there; 0 for none."""
        ...

    def bring(self, handle: int) -> None: ...

    def lay_hot_key(self, id: int, held: int, key: int) -> bool:
        """On this thread, whose messages tell of it."""
        ...

    def take_hot_key(self, id: int) -> None: ...

    def next_message(self) -> int:
        """Waits for one to this thread; the id of a hot key, 0 at the end, -1 for another."""
        ...

    def end_messages(self, thread: int) -> None:
        """Make `next_message` of that thread give 0."""
        ...

    def this_thread(self) -> int: ...


def listed(windows: Sequence[TopLevel], front: int, own: int) -> tuple[OpenWindow, ...]:
    """Those of other programs that can be worked in, the one in front first."""
    found = [
        OpenWindow(one.id, one.pid, one.title, one.program, one.box, one.id == front)
        for one in windows
        if one.worked_in and one.pid != own
    ]
    return tuple(sorted(found, key=lambda one: not one.in_front))


def popups(windows: Sequence[TopLevel], window: OpenWindow) -> tuple[int, ...]:
    """Menus and lists that stand open over `window`: of its program, above it, no window to work
    in."""
    found: list[int] = []
    for one in windows:
        if one.id == window.id:
            return tuple(found)
        if one.pid == window.pid and one.shown and not one.worked_in and not one.box.empty:
            found.append(one.id)
    return ()


def owner_at(windows: Sequence[TopLevel], hit: int, x: int, y: int) -> int:
    """Whose window a click would meet. Windows' own answer counts, unless it is a window that lets
    clicks through: no document says that those are left out."""
    met = next((one for one in windows if one.id == hit), None)
    if met is None:
        return 0
    if not met.seen_through:
        return met.pid
    below = windows[windows.index(met) + 1 :]
    there = (one for one in below if one.shown and one.box.contains(x, y) and not one.seen_through)
    return next((one.pid for one in there), 0)


def owner_of(windows: Sequence[TopLevel], handle: int) -> int:
    return next((one.pid for one in windows if one.id == handle), 0)
