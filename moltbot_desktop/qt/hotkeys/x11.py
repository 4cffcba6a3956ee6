"""A global key under X11: XGrabKey on a connection of our own, read by Qt's event loop.

The X server hands over this one combination and no other key, so nothing the owner types is seen.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier, Slot
from Xlib import XK, X, display, error

from moltbot_desktop.qt.chord import Chord, Modifier, keysym_name
from moltbot_desktop.qt.hotkeys.port import Laid

_MASKS = {
    Modifier.CTRL: X.ControlMask,
    Modifier.ALT: X.Mod1Mask,
    Modifier.SHIFT: X.ShiftMask,
    Modifier.SUPER: X.Mod4Mask,
}
_LOCKS = (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask)
"""With Caps Lock and Num Lock on, the same keys are other combinations."""
_ENTRY_OF_NOBODY = b"\x01\x00" + bytes(8)
_AT_ONCE = 64


class X11Key(QObject):
    """Calls `pressed` on the main thread until it is closed."""

    def __init__(
        self, connection: display.Display, pressed: Callable[[], None], parent: QObject | None
    ) -> None:
        super().__init__(parent)
        self._display: display.Display | None = connection
        self._pressed = pressed
        self._notifier = QSocketNotifier(connection.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_readable)

    def close(self) -> None:
        self._notifier.setEnabled(False)
        connection, self._display = self._display, None
        if connection is not None:
            try:
                connection.close()
            except (error.ConnectionClosedError, OSError):
                return  # the screen is gone, and with it the key
        self.deleteLater()

    @Slot()
    def _on_readable(self) -> None:
        """A key that is held repeats: it is pressed once."""
        if self._display is None:
            return
        pressed = False
        try:
            for _ in range(min(self._display.pending_events(), _AT_ONCE)):
                pressed |= self._display.next_event().type == X.KeyPress
        except (error.ConnectionClosedError, OSError):
            self.close()
            return
        if pressed:
            self._pressed()


def lay_x11_key(
    chord: Chord, pressed: Callable[[], None], parent: QObject | None = None
) -> X11Key | Laid:
    """The key, or why there is none."""
    try:
        with _authority():
            connection = display.Display()
    except (error.DisplayError, error.XauthError, OSError):
        return Laid.NOT_HERE
    try:
        laid = _grabbed(connection, chord)
    except (error.ConnectionClosedError, OSError):
        return Laid.NOT_HERE
    if laid is not Laid.HERE:
        connection.close()
        return laid
    return X11Key(connection, pressed, parent)


def _grabbed(connection: display.Display, chord: Chord) -> Laid:
    code = connection.keysym_to_keycode(XK.string_to_keysym(keysym_name(chord.key)))
    if not code:
        return Laid.NO_KEY
    mask = sum(_MASKS[one] for one in chord.modifiers)
    refused = error.CatchError(error.BadAccess)
    root = connection.screen().root
    for lock in _LOCKS:
        root.grab_key(code, mask | lock, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
    connection.sync()
    return Laid.TAKEN if refused.get_error() is not None else Laid.HERE


@contextmanager
def _authority() -> Iterator[None]:
    """Xlib demands a file of passwords for the X server even where none is needed, and prints a
    complaint when that is empty."""
    named = os.environ.get("XAUTHORITY")
    if (Path(named) if named else Path.home() / ".Xauthority").is_file():
        yield
        return
    with tempfile.NamedTemporaryFile() as stand_in:
        stand_in.write(_ENTRY_OF_NOBODY)
        stand_in.flush()
        os.environ["XAUTHORITY"] = stand_in.name
        try:
            yield
        finally:
            if named is None:
                del os.environ["XAUTHORITY"]
            else:
                os.environ["XAUTHORITY"] = named
