"""Windows: its windows and its hot key, controls by `uia`. Written to Microsoft's documents and
driven by a stand-in made of them; never run on Windows yet.

All places are in pixels of the screens: Qt makes the process aware of each monitor's own scale, and
so does mss where there is no Qt.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.tools.desktop.keyboard import WINDOWS, Keyboard
from moltbot_desktop.tools.desktop.system import OpenWindow, Pause, StopKey, Tree, Windows
from moltbot_desktop.tools.desktop.top_levels import Native, listed, owner_at, owner_of, popups
from moltbot_desktop.tools.desktop.uia import UiaTrees
from moltbot_desktop.tools.desktop.user32 import User32, loaded

_SHIFT_ONCE = 0x4004
"""MOD_SHIFT, and MOD_NOREPEAT: a key that is held is one press."""
_ESCAPE = 0x1B
_HOT_KEY = 1
_JOIN_SECONDS = 2.0


class WindowsSystem:
    """Implements `system.System`."""

    def __init__(
        self, clock: Clock, native: Native | None = None, trees: UiaTrees | None = None
    ) -> None:
        self._native = native or User32(loaded())
        self._trees = trees or UiaTrees(clock, self.popups)

    @property
    def keyboard(self) -> Keyboard:
        return WINDOWS

    @property
    def programs_act(self) -> bool:
        return True

    @contextmanager
    def windows(self) -> Iterator[Windows]:
        yield TopLevels(self._native)

    def tree(self, pause: Pause) -> AbstractContextManager[Tree]:
        return self._trees.opened(pause)

    def stop_key(self, pressed: Callable[[], None]) -> StopKey | None:
        return HotKey.laid(self._native, pressed)

    def loading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def double_click(self) -> bool:
        return False

    def no_picture(self) -> str:
        return ""

    def close(self) -> None:
        self._trees.close()

    def popups(self, window: OpenWindow) -> Sequence[int]:
        return popups(self._native.top_levels(), window)


class TopLevels:
    """Implements `system.Windows`."""

    def __init__(self, native: Native) -> None:
        self._native = native
        self._own = os.getpid()

    def listed(self) -> tuple[OpenWindow, ...]:
        return listed(self._native.top_levels(), self._native.front(), self._own)

    def activate(self, window: OpenWindow) -> None:
        self._native.bring(window.id)

    def owner_of_keys(self) -> int:
        return owner_of(self._native.top_levels(), self._native.front())

    def owner_at(self, x: int, y: int) -> int:
        return owner_at(self._native.top_levels(), self._native.at(x, y), x, y)

    def is_own(self, pid: int) -> bool:
        return pid == self._own


class HotKey:
    """Shift+Esc from Windows itself, which hands over this one combination and no other key; calls
    `pressed` on a thread of its own. Implements `system.StopKey`."""

    def __init__(self, native: Native, pressed: Callable[[], None]) -> None:
        self._native = native
        self._pressed = pressed
        self._is_laid = False
        self._number = 0
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="stop-key", daemon=True)
        self._thread.start()
        self._begun.wait()  # two calls that do not wait for anybody

    @classmethod
    def laid(cls, native: Native, pressed: Callable[[], None]) -> HotKey | None:
        """None when another program has the combination."""
        key = cls(native, pressed)
        if key._is_laid:
            return key
        key.close()
        return None

    def close(self) -> None:
        if self._thread.is_alive():
            self._native.end_messages(self._number)
            self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        """A hot key belongs to the thread that lays it."""
        try:
            self._number = self._native.this_thread()
            self._is_laid = self._native.lay_hot_key(_HOT_KEY, _SHIFT_ONCE, _ESCAPE)
        finally:
            self._begun.set()
        if not self._is_laid:
            return
        while (message := self._native.next_message()) != 0:
            if message == _HOT_KEY:
                self._pressed()
        self._native.take_hot_key(_HOT_KEY)
