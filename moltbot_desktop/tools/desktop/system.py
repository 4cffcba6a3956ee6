"""What the tool needs of the system it runs on: one port, and a way for each system.

`making` picks it: `linux` (X11 and AT-SPI), `windows` (UI Automation), `macos` (Accessibility).
What is understood of the answers is the same everywhere: `elements` numbers it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.elements import Element
from moltbot_desktop.tools.desktop.keyboard import Keyboard

Pause = Callable[[float], None]
"""Waits so many seconds, or until the owner says stop."""

_TERMINALS = frozenset({"xterm", "uxterm", "urxvt", "rxvt"})


@dataclass(frozen=True)
class OpenWindow:
    """A window of another program.

    Attributes:
        id: X11's number, Windows' HWND, the number that macOS' window server gives.
        pid: 0 when the program does not tell.
        program: its class or file, for example "galculator".
    """

    id: int
    pid: int
    title: str
    program: str
    box: Box
    in_front: bool = False

    @property
    def pastes_selection(self) -> bool:
        """An old terminal: Shift+Insert takes the selection, Ctrl+V means something else."""
        return self.program.lower() in _TERMINALS


class Windows(Protocol):
    """The windows of other programs; for one thread."""

    def listed(self) -> tuple[OpenWindow, ...]:
        """Those that can be seen, the one in front first; never our own."""
        ...

    def activate(self, window: OpenWindow) -> None:
        """Ask for it to come to the front; whether it did says `listed`."""
        ...

    def owner_of_keys(self) -> int:
        """The process that gets what is typed now; 0 when nobody knows."""
        ...

    def owner_at(self, x: int, y: int) -> int:
        """The process whose window a click there would meet; 0 when nobody knows. Windows that let
        clicks through do not count."""
        ...

    def is_own(self, pid: int) -> bool: ...


class Tree(Protocol):
    """What is in a window, as its program tells it; for one thread.

    Elements are good for the look they came from.
    """

    def window(self, window: OpenWindow) -> tuple[Element, ...]:
        """What it shows; nothing when its program does not tell."""
        ...

    def again(self, element: Element) -> Element | None:
        """`element` as it is now; None when it is gone."""
        ...

    def press(self, element: Element) -> bool:
        """Have its program do what a click on it does. False when it offers no such thing: then
        nothing was done, and the pointer has to. Never on an element of our own."""
        ...

    def put(self, element: Element, text: str) -> bool:
        """Have its program put `text` in place of what stands there. False when it did not."""
        ...


class StopKey(Protocol):
    """The owner's key to stop; laid until it is closed."""

    def close(self) -> None:
        """May be called from anywhere but from what it calls."""
        ...


class System(Protocol):
    @property
    def keyboard(self) -> Keyboard: ...

    @property
    def programs_act(self) -> bool:
        """Whether `Tree.press` and `Tree.put` can do anything here."""
        ...

    def windows(self) -> AbstractContextManager[Windows]: ...

    def tree(self, pause: Pause) -> AbstractContextManager[Tree]: ...

    def stop_key(self, pressed: Callable[[], None]) -> StopKey | None:
        """None where the key cannot be had; the corner is left then."""
        ...

    def loading(self) -> AbstractContextManager[None]:
        """Around the moment when pyautogui is imported."""
        ...

    def double_click(self) -> bool:
        """Where the pointer is. False where pyautogui's own does."""
        ...

    def no_picture(self) -> str:
        """Why no picture of other programs can be had, a key of `texts`; "" when one can."""
        ...

    def close(self) -> None: ...
