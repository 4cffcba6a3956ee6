"""macOS put together: windows, places, the stop key and leave, without macOS. The stand-in for
PyObjC's Quartz and AppKit is made of Apple's documents."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.ax import AxTrees
from moltbot_desktop.tools.desktop.keyboard import MACOS
from moltbot_desktop.tools.desktop.macos import MacSystem, Names, Row, listed, row_of, title_of
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble
from moltbot_desktop.tools.desktop.walking import NOWHERE
from tests.fakes.ax import FakeServices, Native

LONG = 60.0
OWN = os.getpid()
NAMES = Names("n", "pid", "program", "title", "bounds", "layer")


def window(number: int, pid: int, x: int, y: int, **more: object) -> dict[str, object]:
    bounds = {"X": x, "Y": y, "Width": 400, "Height": 300}
    return {
        "kCGWindowNumber": number, "kCGWindowOwnerPID": pid, "kCGWindowOwnerName": f"Program {pid}",
        "kCGWindowBounds": bounds, "kCGWindowLayer": 0, **more,
    }  # fmt: skip


class FakeQuartz(SimpleNamespace):
    """https://developer.apple.com/documentation/coregraphics/quartz_window_services; a window's
    name is told only to who may record the screen."""

    def __init__(self, rows: Sequence[dict[str, object]]) -> None:
        names = ("Number", "OwnerPID", "OwnerName", "Name", "Bounds", "Layer")
        super().__init__(**{f"kCGWindow{one}": f"kCGWindow{one}" for one in names})
        self.rows = list(rows)
        self.kCGWindowListOptionOnScreenOnly = 1
        self.kCGWindowListExcludeDesktopElements = 16
        self.kCGWindowListOptionIncludingWindow = 8
        self.kCGNullWindowID = 0
        self.kCGEventSourceStateHIDSystemState = 1
        self.kCGEventFlagMaskShift = 0x20000
        self.kCGEventLeftMouseDown, self.kCGEventLeftMouseUp = 1, 2
        self.kCGMouseButtonLeft, self.kCGMouseEventClickState, self.kCGHIDEventTap = 0, 1, 0
        self.down: Iterator[tuple[bool, bool]] = iter(())
        self.shift = self.escape = False
        self.over = threading.Event()
        self.posted: list[dict[int, int]] = []
        self.may_record = True
        self.requests = 0

    def CGWindowListCopyWindowInfo(self, option: int, number: int) -> list[dict[str, object]]:
        if option == 17:
            return self.rows
        assert option == 8
        return [one for one in self.rows if one["kCGWindowNumber"] == number]

    def CGMainDisplayID(self) -> int:
        return 5

    def CGDisplayBounds(self, display: int) -> Any:
        assert display == 5
        return SimpleNamespace(size=SimpleNamespace(width=1440.0, height=900.0))

    def CGEventSourceFlagsState(self, state: int) -> int:
        """Whatever is held, as bits."""
        assert state == 1
        moment = next(self.down, None)
        if moment is None:
            self.over.set()
            return 0
        self.escape = moment[1]
        return 0x20100 if moment[0] else 0x100

    def CGEventSourceKeyState(self, state: int, key: int) -> bool:
        assert (state, key) == (1, 53)
        return self.escape

    def CGEventCreate(self, source: None) -> str:
        return "now"

    def CGEventGetLocation(self, event: str) -> tuple[int, int]:
        return (7, 8)

    def CGEventCreateMouseEvent(self, source: None, kind: int, place: object, button: int) -> Any:
        assert (place, button) == ((7, 8), 0)
        return {0: kind}

    def CGEventSetIntegerValueField(self, event: dict[int, int], name: int, value: int) -> None:
        event[name] = value

    def CGEventPost(self, tap: int, event: dict[int, int]) -> None:
        self.posted.append(event)

    def CGPreflightScreenCaptureAccess(self) -> bool:
        return self.may_record

    def CGRequestScreenCaptureAccess(self) -> bool:
        self.requests += 1
        return False


class FakeAppKit:
    """windowNumberAtPoint:belowWindowWithWindowNumber: leaves out windows that ignore the mouse,
    and counts from the lower left: https://developer.apple.com/documentation/appkit/nswindow/
    windownumber(at:belowwindowwithwindownumber:)"""

    def __init__(self, hits: dict[tuple[float, float], int]) -> None:
        self.NSWindow = self
        self._hits = hits

    def NSMakePoint(self, x: float, y: float) -> tuple[float, float]:
        return (x, y)

    def windowNumberAtPoint_belowWindowWithWindowNumber_(
        self, at: tuple[float, float], below: int
    ) -> int:
        assert below == 0
        return self._hits.get(at, 0)


ROWS = [
    window(90, OWN, 0, 0, kCGWindowLayer=25),
    window(30, OWN, 500, 500),
    window(20, 600, 100, 100),
    window(10, 500, 0, 30),
    window(40, 700, 0, 0, kCGWindowLayer=-2147483603),
]


@pytest.fixture
def quartz() -> FakeQuartz:
    return FakeQuartz(ROWS)


@pytest.fixture
def system(quartz: FakeQuartz) -> Iterator[MacSystem]:
    clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
    services = FakeServices(
        {
            500: [Native("AXWindow", AXTitle="notes.txt", box=(0, 30, 400, 300), pid=500)],
            600: [Native("AXWindow", AXTitle="", box=(100, 101, 400, 300), pid=600)],
        },
        front=500,
    )
    appkit = FakeAppKit({(150, 750): 20, (5, 5): 90})
    made = MacSystem(clock, AxTrees(clock, lambda: services), lambda: (quartz, appkit))
    made.services = services  # type: ignore[attr-defined]
    yield made
    made.close()


def test_windows_of_other_programs_with_the_titles_that_they_tell(system: MacSystem) -> None:
    with system.windows() as windows:
        found = windows.listed()
    assert [(one.id, one.title, one.in_front) for one in found] == [
        (10, "notes.txt", True), (20, "Program 600", False),
    ]  # fmt: skip
    assert found[0].box == Box(0, 30, 400, 300)


def test_whose_place_and_whose_keys(system: MacSystem) -> None:
    with system.windows() as windows:
        assert windows.owner_at(150, 150) == 600
        assert windows.is_own(windows.owner_at(5, 895))
        assert windows.owner_at(700, 700) == 0
        assert windows.owner_of_keys() == 500


def test_where_nobody_says_who_has_the_keys_it_is_the_first_window(system: MacSystem) -> None:
    system.services.everything.attributes["AXFocusedApplication"] = None  # type: ignore[attr-defined]
    with system.windows() as windows:
        assert windows.is_own(windows.owner_of_keys())
        assert not any(one.in_front for one in windows.listed())


def test_a_program_is_asked_for_its_titles_once_in_a_call(system: MacSystem) -> None:
    services = system.services  # type: ignore[attr-defined]
    with system.windows() as windows:
        first = windows.listed()
        services.programs.clear()
        assert windows.listed() == first


def test_without_leave_nothing_is_begun(system: MacSystem) -> None:
    """Events of a program that is not trusted are dropped without a word."""
    system.services.trusted = False  # type: ignore[attr-defined]
    with pytest.raises(ScreenTrouble) as refused, system.windows():
        pass
    assert refused.value.told == "mac_control"


def test_a_picture_needs_leave_of_its_own_which_is_asked_for_once(
    system: MacSystem, quartz: FakeQuartz
) -> None:
    """https://developer.apple.com/documentation/coregraphics/cgpreflightscreencaptureaccess()"""
    assert system.no_picture() == ""
    quartz.may_record = False
    assert system.no_picture() == system.no_picture() == "mac_picture"
    assert quartz.requests == 1


def test_shift_and_escape_together_stop_and_neither_alone(
    system: MacSystem, quartz: FakeQuartz
) -> None:
    nothing, shift, escape, both = (False, False), (True, False), (False, True), (True, True)
    quartz.down = iter([nothing, shift, nothing, escape, nothing, both, both])
    pressed: list[int] = []
    key = system.stop_key(lambda: pressed.append(1))
    assert key is not None
    assert quartz.over.wait(LONG)
    key.close()
    assert pressed == [1]


def test_a_double_click_says_which_of_its_clicks_each_is(
    system: MacSystem, quartz: FakeQuartz
) -> None:
    """kCGMouseEventClickState: https://developer.apple.com/documentation/coregraphics/
    cgeventfield/mouseeventclickstate"""
    assert system.double_click()
    assert quartz.posted == [{0: 1, 1: 1}, {0: 2, 1: 1}, {0: 1, 1: 2}, {0: 2, 1: 2}]
    assert system.keyboard is MACOS
    assert system.programs_act


def test_a_title_is_that_of_the_window_at_the_same_place() -> None:
    row = Row(1, 5, "Notes", "", Box(0, 30, 400, 300), 0)
    told = (("other", Box(500, 30, 400, 300)), ("mine", Box(1, 31, 400, 300)))
    assert title_of(row, told) == "mine"
    assert title_of(row, told[:1]) is None
    assert title_of(row, (("", row.box),)) == "Notes"
    assert listed([row], 5, {}) == ()


VALUES = st.one_of(st.none(), st.integers(), st.text(max_size=5), st.floats(allow_nan=False,
    allow_infinity=False), st.dictionaries(st.sampled_from(["X", "Y", "Width", "Height"]),
    st.one_of(st.floats(), st.text(max_size=3), st.none())))  # fmt: skip


@given(
    st.dictionaries(st.sampled_from(["n", "pid", "program", "title", "bounds", "layer"]), VALUES)
)
def test_a_row_of_anything_is_a_row(told: dict[str, Any]) -> None:
    row = row_of(told, NAMES)
    assert isinstance(row.id, int)
    assert row.box == NOWHERE or isinstance(told["bounds"], dict)
