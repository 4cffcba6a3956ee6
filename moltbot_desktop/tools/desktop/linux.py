"""Linux under X11: windows by Xlib, controls by AT-SPI."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.tools.desktop.atspi import AccessibilityTree
from moltbot_desktop.tools.desktop.elements import Element
from moltbot_desktop.tools.desktop.keyboard import X11, Keyboard
from moltbot_desktop.tools.desktop.stop_key import X11StopKey
from moltbot_desktop.tools.desktop.system import OpenWindow, Pause, StopKey, Tree, Windows
from moltbot_desktop.tools.desktop.x11 import X11Windows, authority


class LinuxSystem:
    """Implements `system.System`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def keyboard(self) -> Keyboard:
        return X11

    @property
    def programs_act(self) -> bool:
        return False

    def windows(self) -> AbstractContextManager[Windows]:
        return X11Windows.opened()

    @contextmanager
    def tree(self, pause: Pause) -> Iterator[Tree]:
        with AccessibilityTree.opened(self._clock, pause) as tree:
            yield _Tree(tree)

    def stop_key(self, pressed: Callable[[], None]) -> StopKey | None:
        return X11StopKey.laid(pressed)

    def loading(self) -> AbstractContextManager[None]:
        return authority()

    def double_click(self) -> bool:
        return False

    def no_picture(self) -> str:
        return ""

    def close(self) -> None:
        """Nothing is kept open."""


class _Tree:
    """Implements `system.Tree`; what is pressed and written, the pointer and the keys do."""

    def __init__(self, tree: AccessibilityTree) -> None:
        self._tree = tree

    def window(self, window: OpenWindow) -> tuple[Element, ...]:
        return self._tree.window(window.pid, window.title, window.box)

    def again(self, element: Element) -> Element | None:
        return self._tree.again(element)

    def press(self, element: Element) -> bool:
        return False

    def put(self, element: Element, text: str) -> bool:
        return False
