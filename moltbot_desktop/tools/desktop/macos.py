"""macOS: windows by the window server, controls by `ax`. Written to Apple's documents and driven by
a stand-in made of them; never run on macOS yet.

Everything is in points here, as the pointer is: https://developer.apple.com/documentation/
coregraphics/quartz_window_services and .../quartz_display_services.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.ax import AxTrees, near
from moltbot_desktop.tools.desktop.keyboard import MACOS, Keyboard
from moltbot_desktop.tools.desktop.polled_key import PolledKey
from moltbot_desktop.tools.desktop.system import OpenWindow, Pause, StopKey, Tree, Windows
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble
from moltbot_desktop.tools.desktop.walking import NOWHERE, box_of, text_of

_HIGHEST_LAYER = 8
"""kCGModalPanelWindowLevel; above it are menus, the bar and the Dock."""
_ESCAPE = 53
"""kVK_Escape"""


@dataclass(frozen=True)
class Row:
    """A window as the window server tells it."""

    id: int
    pid: int
    program: str
    title: str
    box: Box
    layer: int


class MacSystem:
    """Implements `system.System`. `load` gives PyObjC's Quartz and AppKit."""

    def __init__(
        self,
        clock: Clock,
        trees: AxTrees | None = None,
        load: Callable[[], tuple[Any, Any]] | None = None,
    ) -> None:
        self._trees = trees or AxTrees(clock)
        self._load = load or _loaded
        self._asked = False

    @cached_property
    def _libraries(self) -> tuple[Any, Any]:
        return self._load()

    @property
    def keyboard(self) -> Keyboard:
        return MACOS

    @property
    def programs_act(self) -> bool:
        return True

    @contextmanager
    def windows(self) -> Iterator[Windows]:
        """Raises ScreenTrouble when the owner has not allowed it: keys and clicks would be dropped
        without a word."""
        self._trees.check_allowed()
        yield MacWindows(*self._libraries, self._trees)

    def tree(self, pause: Pause) -> AbstractContextManager[Tree]:
        return self._trees.opened(pause)

    def stop_key(self, pressed: Callable[[], None]) -> StopKey | None:
        """The state of two keys is looked at; a listener would see all that is typed."""
        quartz, _ = self._libraries
        state, shift = quartz.kCGEventSourceStateHIDSystemState, quartz.kCGEventFlagMaskShift

        def is_down() -> bool:
            held = quartz.CGEventSourceFlagsState(state) & shift
            return bool(held and quartz.CGEventSourceKeyState(state, _ESCAPE))

        return PolledKey(is_down, pressed)

    def loading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def double_click(self) -> bool:
        """pyautogui leaves out which of the two clicks each is, so programs see two single ones."""
        quartz, _ = self._libraries
        place = quartz.CGEventGetLocation(quartz.CGEventCreate(None))
        for click in (1, 2):
            for kind in (quartz.kCGEventLeftMouseDown, quartz.kCGEventLeftMouseUp):
                event = quartz.CGEventCreateMouseEvent(None, kind, place, quartz.kCGMouseButtonLeft)
                quartz.CGEventSetIntegerValueField(event, quartz.kCGMouseEventClickState, click)
                quartz.CGEventPost(quartz.kCGHIDEventTap, event)
        return True

    def no_picture(self) -> str:
        """Without leave there would be a picture, of the wallpaper."""
        quartz, _ = self._libraries
        if quartz.CGPreflightScreenCaptureAccess():
            return ""
        if not self._asked:
            self._asked = True  # macOS shows its own window, with a button that leads there
            quartz.CGRequestScreenCaptureAccess()
        return "mac_picture"

    def close(self) -> None:
        self._trees.close()


class MacWindows:
    """Implements `system.Windows`."""

    def __init__(self, quartz: Any, appkit: Any, trees: AxTrees) -> None:
        self._quartz = quartz
        self._appkit = appkit
        self._trees = trees
        self._own = os.getpid()
        self._titles: dict[int, str | None] = {}

    def listed(self) -> tuple[OpenWindow, ...]:
        rows = self._rows()
        front = self._trees.front() or next((one.pid for one in rows), 0)
        others = [one for one in rows if one.pid != self._own]
        self._ask_titles(others)
        return listed(others, front, self._titles)

    def activate(self, window: OpenWindow) -> None:
        self._trees.bring(window)

    def owner_of_keys(self) -> int:
        return self._trees.front() or next((one.pid for one in self._rows()), 0)

    def owner_at(self, x: int, y: int) -> int:
        """AppKit leaves out windows that let clicks through, our numbers among them."""
        quartz = self._quartz
        height = quartz.CGDisplayBounds(quartz.CGMainDisplayID()).size.height
        at = self._appkit.NSMakePoint(x, height - y)  # its origin is below
        number = self._appkit.NSWindow.windowNumberAtPoint_belowWindowWithWindowNumber_(at, 0)
        if number <= 0:
            return 0
        option = quartz.kCGWindowListOptionIncludingWindow
        return next((one.pid for one in self._read(option, number) if one.id == number), 0)

    def is_own(self, pid: int) -> bool:
        return pid == self._own

    def _ask_titles(self, rows: list[Row]) -> None:
        """Each window once: this lives as long as one call of the tool."""
        for pid in {one.pid for one in rows if one.id not in self._titles}:
            told = self._trees.titles(pid)
            mine = [one for one in rows if one.pid == pid and one.id not in self._titles]
            self._titles |= {one.id: title_of(one, told) for one in mine}

    def _rows(self) -> list[Row]:
        """Front to back."""
        quartz = self._quartz
        option = quartz.kCGWindowListOptionOnScreenOnly | quartz.kCGWindowListExcludeDesktopElements
        rows = self._read(option, quartz.kCGNullWindowID)
        return [one for one in rows if 0 <= one.layer <= _HIGHEST_LAYER and not one.box.empty]

    def _read(self, option: int, number: int) -> list[Row]:
        quartz = self._quartz
        rows = quartz.CGWindowListCopyWindowInfo(option, number) or ()
        names = Names(
            quartz.kCGWindowNumber,
            quartz.kCGWindowOwnerPID,
            quartz.kCGWindowOwnerName,
            quartz.kCGWindowName,
            quartz.kCGWindowBounds,
            quartz.kCGWindowLayer,
        )
        return [row_of(one, names) for one in rows]


@dataclass(frozen=True)
class Names:
    """What the window server calls what it tells."""

    number: str
    pid: str
    program: str
    title: str
    bounds: str
    layer: str


def row_of(told: Mapping[str, Any], names: Names) -> Row:
    return Row(
        _whole(told.get(names.number)),
        _whole(told.get(names.pid)),
        text_of(told.get(names.program)),
        text_of(told.get(names.title)),
        _bounds(told.get(names.bounds)),
        _whole(told.get(names.layer)),
    )


def title_of(row: Row, told: Sequence[tuple[str, Box]]) -> str | None:
    """Among what its program tells of its windows; None for one that it does not know as a window:
    nobody could work in it. Pure."""
    fitting = [title for title, box in told if near(box, row.box)]
    return (fitting[0] or row.title or row.program) if fitting else None


def listed(
    rows: Sequence[Row], front: int, titles: Mapping[int, str | None]
) -> tuple[OpenWindow, ...]:
    """Windows that have a title, the first one of process `front` before all others. Pure."""
    before = next((one.id for one in rows if one.pid == front), 0)
    found = [
        OpenWindow(row.id, row.pid, title, row.program, row.box, row.id == before)
        for row in rows
        if (title := titles.get(row.id)) is not None
    ]
    return tuple(sorted(found, key=lambda one: not one.in_front))


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _bounds(value: Any) -> Box:
    """A dictionary, as CGRectCreateDictionaryRepresentation makes it."""
    try:
        return box_of(*(float(value[one]) for one in ("X", "Y", "Width", "Height")))
    except (TypeError, KeyError, ValueError):
        return NOWHERE


def _loaded() -> tuple[Any, Any]:
    try:
        import AppKit  # noqa: PLC0415 - macOS alone has it, and it takes long
        import Quartz  # noqa: PLC0415 - the same
    except ImportError as error:
        raise ScreenTrouble("PyObjC does not start here", "no_automation") from error
    return Quartz, AppKit
