"""Windows' own functions, through ctypes: no more than calls. Never run on Windows yet.

https://learn.microsoft.com/windows/win32/api/winuser/ and .../api/dwmapi/ have each of them. Widths
of arguments are written out, so that a handle of 64 bits is not cut.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_int32,
    c_long,
    c_size_t,
    c_ssize_t,
    c_uint32,
    c_void_p,
    c_wchar_p,
    create_unicode_buffer,
    sizeof,
)
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Any

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.top_levels import TopLevel
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble
from moltbot_desktop.tools.desktop.walking import box_of

_EXTENDED_STYLES = -20
_ROOT = 2
_FRAME, _CLOAKED = 9, 14
_QUERY = 0x1000
_PATH_CHARACTERS = 32_768
_TITLE_CHARACTERS = 512
_HOT_KEY, _QUIT = 0x0312, 0x0012
_MOST_WINDOWS = 2_000


class Rect(Structure):
    """RECT."""

    _fields_ = (("left", c_int32), ("top", c_int32), ("right", c_int32), ("bottom", c_int32))


class Point(Structure):
    """POINT; goes by value."""

    _fields_ = (("x", c_int32), ("y", c_int32))


class Message(Structure):
    """MSG."""

    _fields_ = (
        ("window", c_void_p),
        ("number", c_uint32),
        ("first", c_size_t),
        ("second", c_ssize_t),
        ("time", c_uint32),
        ("place", Point),
    )


# BOOL CALLBACK; the two ways to call are one with 64 bits.
EachWindow = getattr(ctypes, "WINFUNCTYPE", ctypes.CFUNCTYPE)(c_int32, c_void_p, c_ssize_t)

_HANDLE = c_void_p
_USER32: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "EnumWindows": (c_int32, (EachWindow, c_ssize_t)),
    "IsWindowVisible": (c_int32, (_HANDLE,)),
    "IsIconic": (c_int32, (_HANDLE,)),
    "GetWindowTextW": (c_int32, (_HANDLE, c_wchar_p, c_int32)),
    "GetWindowLongW": (c_int32, (_HANDLE, c_int32)),
    "GetWindowThreadProcessId": (c_uint32, (_HANDLE, POINTER(c_uint32))),
    "GetWindowRect": (c_int32, (_HANDLE, POINTER(Rect))),
    "GetForegroundWindow": (_HANDLE, ()),
    "SetForegroundWindow": (c_int32, (_HANDLE,)),
    "WindowFromPoint": (_HANDLE, (Point,)),
    "GetAncestor": (_HANDLE, (_HANDLE, c_uint32)),
    "RegisterHotKey": (c_int32, (_HANDLE, c_int32, c_uint32, c_uint32)),
    "UnregisterHotKey": (c_int32, (_HANDLE, c_int32)),
    "GetMessageW": (c_int32, (POINTER(Message), _HANDLE, c_uint32, c_uint32)),
    "PostThreadMessageW": (c_int32, (c_uint32, c_uint32, c_size_t, c_ssize_t)),
}
_DWMAPI: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "DwmGetWindowAttribute": (c_long, (_HANDLE, c_uint32, c_void_p, c_uint32)),
}
_KERNEL32: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "OpenProcess": (_HANDLE, (c_uint32, c_int32, c_uint32)),
    "QueryFullProcessImageNameW": (c_int32, (_HANDLE, c_uint32, c_wchar_p, POINTER(c_uint32))),
    "CloseHandle": (c_int32, (_HANDLE,)),
    "GetCurrentThreadId": (c_uint32, ()),
}


@dataclass(frozen=True)
class Libraries:
    user32: Any
    dwmapi: Any
    kernel32: Any


class User32:
    """Implements `top_levels.Native`."""

    def __init__(self, libraries: Libraries) -> None:
        self._user = libraries.user32
        self._dwm = libraries.dwmapi
        self._kernel = libraries.kernel32

    def top_levels(self) -> Sequence[TopLevel]:
        handles: list[int] = []

        def each(handle: int | None, _: int) -> int:
            handles.append(handle or 0)
            return len(handles) < _MOST_WINDOWS

        self._user.EnumWindows(EachWindow(each), 0)
        return [self._described(one) for one in handles if self._user.IsWindowVisible(one)]

    def front(self) -> int:
        return self._user.GetForegroundWindow() or 0

    def at(self, x: int, y: int) -> int:
        found = self._user.WindowFromPoint(Point(x, y))
        return (self._user.GetAncestor(found, _ROOT) or found) if found else 0

    def bring(self, handle: int) -> None:
        self._user.SetForegroundWindow(handle)

    def lay_hot_key(self, id: int, held: int, key: int) -> bool:
        return bool(self._user.RegisterHotKey(None, id, held, key))

    def take_hot_key(self, id: int) -> None:
        self._user.UnregisterHotKey(None, id)

    def next_message(self) -> int:
        message = Message()
        if self._user.GetMessageW(byref(message), None, 0, 0) <= 0:
            return 0  # the end, or an error, which would come for ever
        return int(message.first) if message.number == _HOT_KEY else -1

    def end_messages(self, thread: int) -> None:
        self._user.PostThreadMessageW(thread, _QUIT, 0, 0)

    def this_thread(self) -> int:
        return int(self._kernel.GetCurrentThreadId())

    def _described(self, handle: int) -> TopLevel:
        title = create_unicode_buffer(_TITLE_CHARACTERS)
        self._user.GetWindowTextW(handle, title, _TITLE_CHARACTERS)
        pid = c_uint32()
        self._user.GetWindowThreadProcessId(handle, byref(pid))
        shown = not self._user.IsIconic(handle) and not self._cloaked(handle)
        return TopLevel(
            handle,
            pid.value,
            "".join(one for one in title.value if one.isprintable()),
            self._program(pid.value) if shown and title.value else "",
            self._box(handle),
            self._user.GetWindowLongW(handle, _EXTENDED_STYLES) & 0xFFFFFFFF,
            shown,
        )

    def _cloaked(self, handle: int) -> bool:
        why = c_uint32()
        error = self._dwm.DwmGetWindowAttribute(handle, _CLOAKED, byref(why), sizeof(why))
        return error == 0 and why.value != 0

    def _box(self, handle: int) -> Box:
        """Without the invisible border that the other function counts."""
        rect = Rect()
        if self._dwm.DwmGetWindowAttribute(handle, _FRAME, byref(rect), sizeof(rect)) != 0:
            self._user.GetWindowRect(handle, byref(rect))
        return box_of(rect.left, rect.top, rect.right - rect.left, rect.bottom - rect.top)

    def _program(self, pid: int) -> str:
        """The name of its file without the ending; "" for a process that may not be asked."""
        process = self._kernel.OpenProcess(_QUERY, 0, pid)
        if not process:
            return ""
        try:
            path, length = create_unicode_buffer(_PATH_CHARACTERS), c_uint32(_PATH_CHARACTERS)
            self._kernel.QueryFullProcessImageNameW(process, 0, path, byref(length))
            return PureWindowsPath(path.value).stem
        finally:
            self._kernel.CloseHandle(process)


def loaded() -> Libraries:
    """Raises ScreenTrouble where there is no Windows."""
    library = getattr(ctypes, "WinDLL", None)
    if library is None:
        raise ScreenTrouble("this is no Windows", "no_automation")
    found = Libraries(library("user32"), library("dwmapi"), library("kernel32"))
    described(found)
    return found


def described(libraries: Libraries) -> None:
    """Tell ctypes what each function takes and gives: without, a handle would be cut to 32 bits."""
    for library, table in (
        (libraries.user32, _USER32),
        (libraries.dwmapi, _DWMAPI),
        (libraries.kernel32, _KERNEL32),
    ):
        for name, (result, arguments) in table.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
