"""Mouse and keys: the one file that touches pyautogui.

    hands = Hands(injections, system)
    hands.move(640, 400)
    hands.click("left")

pyautogui looks for the screen when it is imported, so that happens at the first use. With the
pointer in the top left corner it refuses every call: the way to stop that needs no key.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.tools.desktop.system import System
from moltbot_desktop.tools.desktop.trouble import ScreenReleased

_MOVE_SECONDS = 0.15
_DRAG_SECONDS = 0.5
_BETWEEN_KEYS = 0.01
_PAUSE = 0.05


class Hands:
    """For one thread at a time; a lock sees to that."""

    def __init__(self, injections: Injections, system: System) -> None:
        self._injections = injections
        self._system = system
        self._lock = threading.Lock()
        self._loaded: Any | None = None

    def move(self, x: int, y: int) -> None:
        """Bring the pointer there, slowly enough to be followed."""
        self._do(lambda gui: gui.moveTo(x, y, duration=_MOVE_SECONDS))

    def click(self, how: str) -> None:
        """Where the pointer is; `how` is left, right or double."""
        if how == "double":
            self._do(self._double)
        else:
            button = "right" if how == "right" else "left"
            self._do(lambda gui: gui.click(button=button))

    def drag(self, x: int, y: int) -> None:
        """From where the pointer is, with the left button held."""
        self._do(lambda gui: gui.dragTo(x, y, duration=_DRAG_SECONDS, button="left"))

    def scroll(self, lines: int) -> None:
        """Below 0 is down."""
        self._do(lambda gui: gui.scroll(lines * self._system.keyboard.notch))

    def can_write(self, text: str) -> bool:
        """Whether `write` types each of its characters as it is meant."""
        with self._lock:
            table = self._module().platformModule.keyboardMapping
        return self._system.keyboard.can_write(text, table)

    def write(self, text: str) -> None:
        """`text` of ASCII characters, key by key."""
        self._do(lambda gui: gui.write(text, interval=_BETWEEN_KEYS))

    def press(self, keys: tuple[str, ...]) -> None:
        """Keys held together, in the names of `asked.chords`."""
        names = self._system.keyboard.named(keys)
        self._do(lambda gui: gui.hotkey(*names))

    def paste(self) -> None:
        self.press((self._system.keyboard.control, "v"))

    def select_all(self) -> None:
        self.press((self._system.keyboard.control, "a"))

    def around(self, deed: Callable[[], bool]) -> bool:
        """What a program is asked to do on our behalf, noted like a click; the corner stops it."""
        done: list[bool] = []

        def act(gui: Any) -> None:
            gui.failSafeCheck()
            done.append(deed())

        self._do(act)
        return done[0]

    def _double(self, gui: Any) -> None:
        gui.failSafeCheck()
        if not self._system.double_click():
            gui.click(clicks=2, interval=_BETWEEN_KEYS)

    def _do(self, act: Callable[[Any], object]) -> None:
        with self._lock:
            gui = self._module()
            self._injections.note()
            try:
                act(gui)
            except gui.FailSafeException as error:
                raise ScreenReleased from error
            finally:
                self._injections.note()

    def _module(self) -> Any:
        if self._loaded is None:
            with self._system.loading():
                import pyautogui  # noqa: PLC0415 - looks for a screen when it is imported

            pyautogui.FAILSAFE, pyautogui.PAUSE = True, _PAUSE
            self._loaded = pyautogui
        return self._loaded
