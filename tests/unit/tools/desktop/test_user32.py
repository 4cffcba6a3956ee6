"""Windows' own functions behind the port: what is passed and what is made of the answers. The
libraries are stand-ins made of the documents; ctypes and its structures are the real ones."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop import user32
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble
from moltbot_desktop.tools.desktop.user32 import Libraries, Message, Point, Rect, User32


class Function:
    """Holds `restype` and `argtypes` as a foreign function does, and wants as many arguments."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work = work
        self.restype: Any = None
        self.argtypes: tuple[Any, ...] = ()

    def __call__(self, *given: Any) -> Any:
        assert len(given) == len(self.argtypes)
        return self._work(*given)


class World:
    """Two windows, the upper one a sleeping app that is cloaked."""

    def __init__(self) -> None:
        self.said: list[object] = []
        self.messages = [(0x0312, 1), (0x0400, 5)]
        self.hot_key = True
        user = {
            "EnumWindows": self._enumerate,
            "IsWindowVisible": lambda handle: handle != 30,
            "IsIconic": lambda handle: 0,
            "GetWindowTextW": self._title,
            "GetWindowLongW": lambda handle, index: -0x7FFFFFE0 if handle == 10 else 0,
            "GetWindowThreadProcessId": lambda handle, out: self._fill(out, handle * 100) or 7,
            "GetWindowRect": lambda handle, out: self._rect(out, (0, 0, 50, 40)) or 1,
            "GetForegroundWindow": lambda: None,
            "SetForegroundWindow": lambda handle: self.said.append(("front", handle)) or 1,
            "WindowFromPoint": lambda point: 11 if point.x < 500 else None,
            "GetAncestor": lambda handle, kind: 10 if (handle, kind) == (11, 2) else None,
            "RegisterHotKey": self._register,
            "UnregisterHotKey": lambda window, id: self.said.append(("unregister", id)) or 1,
            "GetMessageW": self._message,
            "PostThreadMessageW": lambda *given: self.said.append(("post", *given)) or 1,
        }
        kernel = {
            "OpenProcess": lambda access, inherit, pid: pid if access == 0x1000 else None,
            "QueryFullProcessImageNameW": self._path,
            "CloseHandle": lambda handle: self.said.append(("closed", handle)) or 1,
            "GetCurrentThreadId": lambda: 4321,
        }
        self.libraries = Libraries(
            _library(user), _library({"DwmGetWindowAttribute": self._attribute}), _library(kernel)
        )
        user32.described(self.libraries)

    def _enumerate(self, each: Any, parameter: int) -> int:
        """From the top down, until it gives FALSE."""
        return int(all(each(handle, parameter) for handle in (20, 10, 30)))

    def _title(self, handle: int, out: Any, size: int) -> int:
        out.value = {10: "notes\u202e.txt", 20: "Sleeping"}[handle][: size - 1]
        return len(out.value)

    def _attribute(self, handle: int, number: int, out: Any, size: int) -> int:
        """An HRESULT; the frame is known of the first window alone."""
        assert size == {9: 16, 14: 4}[number]
        if number == 14:
            self._fill(out, 2 if handle == 20 else 0)
            return 0
        if handle != 10:
            return -2147024809
        self._rect(out, (-8, 5, 392, 305))
        return 0

    def _path(self, process: int, flags: int, out: Any, length: Any) -> int:
        assert length._obj.value == len(out)
        out.value = r"C:\Windows\System32\notepad.exe"
        return 1

    def _register(self, window: None, id: int, held: int, key: int) -> int:
        self.said.append((window, id, held, key))
        return int(self.hot_key)

    def _message(self, out: Any, window: None, first: int, last: int) -> int:
        if not self.messages:
            return 0
        out._obj.number, out._obj.first = self.messages.pop(0)
        return 1

    @staticmethod
    def _fill(out: Any, value: int) -> None:
        out._obj.value = value

    @staticmethod
    def _rect(out: Any, edges: tuple[int, int, int, int]) -> None:
        out._obj.left, out._obj.top, out._obj.right, out._obj.bottom = edges


def _library(functions: dict[str, Callable[..., Any]]) -> SimpleNamespace:
    return SimpleNamespace(**{name: Function(work) for name, work in functions.items()})


def test_windows_from_the_top_down_with_their_frames_and_programs() -> None:
    """DWMWA_EXTENDED_FRAME_BOUNDS and DWMWA_CLOAKED:
    https://learn.microsoft.com/windows/win32/api/dwmapi/ne-dwmapi-dwmwindowattribute"""
    world = World()
    upper, lower = User32(world.libraries).top_levels()
    assert (upper.id, upper.title, upper.shown, upper.program) == (20, "Sleeping", False, "")
    assert upper.box == Box(0, 0, 50, 40)
    assert (lower.id, lower.title, lower.program) == (10, "notes.txt", "notepad")
    assert lower.box == Box(-8, 5, 400, 300)
    assert lower.pid == 1000
    assert lower.styles == 0x80000020
    assert world.said == [("closed", 1000)]


def test_a_place_belongs_to_the_top_of_the_window_there() -> None:
    native = User32(World().libraries)
    assert native.at(100, 50) == 10
    assert native.at(900, 50) == 0
    assert native.front() == 0


def test_the_hot_key_and_its_messages() -> None:
    """https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-registerhotkey: with no
    window, WM_HOTKEY comes to the thread, with the id first; GetMessage gives 0 for WM_QUIT."""
    world = World()
    native = User32(world.libraries)
    assert native.lay_hot_key(1, 0x4004, 0x1B)
    assert [native.next_message() for _ in range(3)] == [1, -1, 0]
    native.take_hot_key(1)
    native.end_messages(native.this_thread())
    assert world.said == [(None, 1, 0x4004, 0x1B), ("unregister", 1), ("post", 4321, 0x12, 0, 0)]
    world.hot_key = False
    assert not native.lay_hot_key(1, 0x4004, 0x1B)


def test_an_error_of_get_message_is_the_end() -> None:
    """It gives -1 then, for ever: https://learn.microsoft.com/windows/win32/api/winuser/
    nf-winuser-getmessage"""
    world = World()
    world.libraries.user32.GetMessageW._work = lambda *_: -1
    assert User32(world.libraries).next_message() == 0


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="sizes of 64 bits")
def test_structures_have_windows_sizes() -> None:
    """RECT, POINT and MSG of windef.h and winuser.h, with 64 bits."""
    assert [ctypes.sizeof(one) for one in (Rect, Point, Message)] == [16, 8, 48]
    assert (Message.number.offset, Message.first.offset, Message.time.offset) == (8, 16, 32)


def test_elsewhere_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(ctypes, "WinDLL", raising=False)
    with pytest.raises(ScreenTrouble):
        user32.loaded()
