"""A global key on Windows: RegisterHotKey, whose message Qt's own loop brings. Not run by us yet.

Protocol: https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-registerhotkey
With no window the message goes to the thread that asked, which is the main one here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import wintypes
from typing import Any

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication

from moltbot_desktop.qt.chord import Chord, Modifier
from moltbot_desktop.qt.hotkeys.port import Laid

_MODIFIERS = {
    Modifier.ALT: 0x0001,
    Modifier.CTRL: 0x0002,
    Modifier.SHIFT: 0x0004,
    Modifier.SUPER: 0x0008,
}
_NO_REPEAT = 0x4000
_HOTKEY = 0x0312
_TAKEN = 1409
"""ERROR_HOTKEY_ALREADY_REGISTERED"""
_NUMBER = 0x6D6F
_CODES = {
    "Space": 0x20,
    "Tab": 0x09,
    "Return": 0x0D,
    "Escape": 0x1B,
    "Insert": 0x2D,
    "Delete": 0x2E,
    "Home": 0x24,
    "End": 0x23,
    "Pause": 0x13,
}


def virtual_key(key: str) -> int:
    """The code of a key of `chord`: letters and digits are their own, F1 is 0x70."""
    if len(key) == 1:
        return ord(key)
    return _CODES[key] if key in _CODES else 0x70 + int(key[1:]) - 1


def modifier_bits(chord: Chord) -> int:
    return sum(_MODIFIERS[one] for one in chord.modifiers) | _NO_REPEAT


class WindowsKey(QAbstractNativeEventFilter):
    """Calls `pressed` on the main thread until it is closed."""

    def __init__(self, user32: Any, pressed: Callable[[], None]) -> None:
        super().__init__()
        self._user32 = user32
        self._pressed = pressed

    def nativeEventFilter(
        self, kind: QByteArray | bytes | bytearray | memoryview, message: int
    ) -> tuple[bool, int]:
        if kind == b"windows_generic_MSG":
            found = wintypes.MSG.from_address(int(message))
            if found.message == _HOTKEY and found.wParam == _NUMBER:
                self._pressed()
                return True, 0
        return False, 0

    def close(self) -> None:
        if (application := QCoreApplication.instance()) is not None:
            application.removeNativeEventFilter(self)
        self._user32.UnregisterHotKey(None, _NUMBER)


def lay_windows_key(
    chord: Chord, pressed: Callable[[], None], user32: Any = None
) -> WindowsKey | Laid:
    """The key, or why there is none. `user32` is lent by tests."""
    application = QCoreApplication.instance()
    if user32 is None and (load := getattr(ctypes, "WinDLL", None)) is not None:
        user32 = load("user32", use_last_error=True)
    if application is None or user32 is None:
        return Laid.NOT_HERE
    if not user32.RegisterHotKey(None, _NUMBER, modifier_bits(chord), virtual_key(chord.key)):
        taken = getattr(ctypes, "get_last_error", int)() == _TAKEN
        return Laid.TAKEN if taken else Laid.NOT_HERE
    key = WindowsKey(user32, pressed)
    application.installNativeEventFilter(key)
    return key
