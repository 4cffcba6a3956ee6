"""Shift+Esc under X11 while the screen is used: it reaches us wherever the keys go.

    key = X11StopKey.laid(pressed)      # None where another program has it
    ...
    key.close()

The X server hands over this one combination and no other key, so nothing the owner types is seen.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from typing import Self

from Xlib import XK, X, display, error

from moltbot_desktop.tools.desktop.x11 import authority

_JOIN_SECONDS = 2.0
_LOCKS = (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask)
"""With Caps Lock and Num Lock on, the same keys are other combinations."""


class X11StopKey:
    """Calls `pressed` on a thread of its own until it is closed."""

    def __init__(self, connection: display.Display, pressed: Callable[[], None]) -> None:
        self._display = connection
        self._pressed = pressed
        self._ending, self._end = os.pipe()
        self._thread = threading.Thread(target=self._run, name="stop-key", daemon=True)
        self._thread.start()

    @classmethod
    def laid(cls, pressed: Callable[[], None]) -> Self | None:
        """None when the combination cannot be had."""
        try:
            with authority():
                connection = display.Display()
        except (error.DisplayError, error.XauthError, OSError):
            return None
        refused = error.CatchError(error.BadAccess)
        code = connection.keysym_to_keycode(XK.XK_Escape)
        root = connection.screen().root
        for lock in _LOCKS:
            root.grab_key(
                code, X.ShiftMask | lock, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused
            )
        connection.sync()
        if refused.get_error() is not None:
            connection.close()
            return None
        return cls(connection, pressed)

    def close(self) -> None:
        """End the thread; may be called from anywhere but from `pressed`."""
        os.write(self._end, b".")
        self._thread.join(_JOIN_SECONDS)
        os.close(self._end)

    def _run(self) -> None:
        try:
            while True:
                ready, _, _ = select.select([self._display.fileno(), self._ending], [], [])
                if self._ending in ready:
                    break
                for _ in range(self._display.pending_events()):
                    if self._display.next_event().type == X.KeyPress:
                        self._pressed()
        except (error.ConnectionClosedError, OSError):
            pass  # the screen is gone, and with it what could be stopped
        finally:
            os.close(self._ending)
            self._display.close()
