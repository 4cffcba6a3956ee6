"""Windows put together: windows, controls and the stop key, without Windows."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Sequence
from datetime import UTC, datetime

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.keyboard import WINDOWS
from moltbot_desktop.tools.desktop.top_levels import TopLevel
from moltbot_desktop.tools.desktop.uia import UiaTrees
from moltbot_desktop.tools.desktop.windows import HotKey, WindowsSystem
from tests.fakes.uia import INVOKE, Control, FakeAutomation

LONG = 60.0
EDITOR = TopLevel(10, 500, "notes.txt", "notepad", Box(0, 0, 400, 300))
MENU = TopLevel(11, 500, "", "", Box(0, 0, 100, 100))
OURS = TopLevel(30, os.getpid(), "Moltbot", "python", Box(0, 0, 90, 90))


class FakeNative:
    """Implements `top_levels.Native`. A hot key belongs to the thread that laid it:
    https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-unregisterhotkey"""

    def __init__(self, *, free: bool = True) -> None:
        self.stack: Sequence[TopLevel] = [OURS, MENU, EDITOR]
        self.free = free
        self.messages: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.laid: list[tuple[int, int, int, int]] = []
        self.taken: list[tuple[int, int]] = []
        self.brought: list[int] = []

    def top_levels(self) -> Sequence[TopLevel]:
        return self.stack

    def front(self) -> int:
        return 10

    def at(self, x: int, y: int) -> int:
        return next((one.id for one in self.stack if one.box.contains(x, y)), 0)

    def bring(self, handle: int) -> None:
        self.brought.append(handle)

    def lay_hot_key(self, id: int, held: int, key: int) -> bool:
        self.laid.append((threading.get_ident(), id, held, key))
        return self.free

    def take_hot_key(self, id: int) -> None:
        self.taken.append((threading.get_ident(), id))

    def next_message(self) -> int:
        return self.messages.get(timeout=LONG)

    def end_messages(self, thread: int) -> None:
        assert thread == self.laid[-1][0]
        self.messages.put(0)

    def this_thread(self) -> int:
        return threading.get_ident()


def test_shift_esc_is_laid_and_taken_on_its_own_thread() -> None:
    native, pressed = FakeNative(), threading.Event()
    key = HotKey.laid(native, pressed.set)
    assert key is not None
    native.messages.put(-1)
    native.messages.put(1)
    assert pressed.wait(LONG)
    key.close()
    ((thread, *given),) = native.laid
    assert given == [1, 0x4004, 0x1B]
    assert native.taken == [(thread, 1)]
    assert thread != threading.get_ident()


def test_a_combination_that_another_program_has_leaves_the_corner() -> None:
    native = FakeNative(free=False)
    system = WindowsSystem(ManualClock(datetime(2026, 11, 22, tzinfo=UTC)), native)
    assert system.stop_key(lambda: None) is None
    assert native.taken == []
    system.close()


def test_windows_and_the_controls_in_them() -> None:
    clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
    native = FakeNative()
    automation = FakeAutomation(
        {
            10: Control(50032, "notes.txt", [Control(50000, "Save", can={INVOKE}, pid=500)], pid=5),
            11: Control(50009, "", [Control(50011, "Leave", can={INVOKE}, pid=500)], pid=5),
        }
    )
    system = WindowsSystem(clock, native)
    trees = UiaTrees(clock, system.popups, automation.begun)
    system = WindowsSystem(clock, native, trees)
    with system.windows() as windows:
        (editor,) = windows.listed()
        assert editor.in_front
        assert windows.is_own(windows.owner_at(50, 50))
        assert windows.owner_at(95, 95) == windows.owner_of_keys() == 500
        windows.activate(editor)
        assert native.brought == [10]
    with system.tree(clock.advance) as tree:
        assert {one.name for one in tree.window(editor)} == {"Save", "Leave"}
    system.close()
    assert automation.ended == 1


def test_what_it_can_do() -> None:
    system = WindowsSystem(ManualClock(datetime(2026, 11, 22, tzinfo=UTC)), FakeNative())
    assert system.keyboard is WINDOWS
    assert system.programs_act
    assert system.no_picture() == ""
    assert not system.double_click()
    with system.loading():
        pass
    system.close()
