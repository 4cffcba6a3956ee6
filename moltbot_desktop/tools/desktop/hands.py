"""Mouse and keys: the one file that touches pyautogui.

    hands = Hands(injections)
    hands.click(640, 400)

pyautogui looks for the screen when it is imported, so that happens at the first use. With the
pointer in the top left corner it refuses every call: the way to stop that needs no key.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.tools.desktop.trouble import ScreenReleased
from moltbot_desktop.tools.desktop.x11 import authority

_MOVE_SECONDS = 0.15
_DRAG_SECONDS = 0.5
_BETWEEN_KEYS = 0.01
_PAUSE = 0.05


class Hands:
    """For one thread at a time; a lock sees to that."""

    def __init__(self, injections: Injections) -> None:
        self._injections = injections
        self._lock = threading.Lock()
        self._loaded: Any | None = None

    def move(self, x: int, y: int) -> None:
        """Bring the pointer there, slowly enough to be followed."""
        self._do(lambda gui: gui.moveTo(x, y, duration=_MOVE_SECONDS))

    def click(self, how: str) -> None:
        """Where the pointer is; `how` is left, right or double."""
        clicks = 2 if how == "double" else 1
        button = "right" if how == "right" else "left"
        self._do(lambda gui: gui.click(clicks=clicks, interval=_BETWEEN_KEYS, button=button))

    def drag(self, x: int, y: int) -> None:
        """From where the pointer is, with the left button held."""
        self._do(lambda gui: gui.dragTo(x, y, duration=_DRAG_SECONDS, button="left"))

    def scroll(self, lines: int) -> None:
        """Below 0 is down."""
        self._do(lambda gui: gui.scroll(lines))

    def write(self, text: str) -> None:
        """`text` of ASCII characters, key by key."""
        self._do(lambda gui: gui.write(text, interval=_BETWEEN_KEYS))

    def press(self, keys: tuple[str, ...]) -> None:
        """Keys held together, in pyautogui's names; see `keys.parsed`."""
        self._do(lambda gui: gui.hotkey(*keys))

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
            with authority():
                import pyautogui  # noqa: PLC0415 - looks for a screen when it is imported

            pyautogui.FAILSAFE, pyautogui.PAUSE = True, _PAUSE
            self._loaded = pyautogui
        return self._loaded
