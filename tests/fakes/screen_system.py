"""A system to work on without a screen: `tools.desktop.system.System`, and a pyautogui that notes
what it was told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from moltbot_desktop.sdk.desktop import Box, ControlWords, Injections, ShownMark
from moltbot_desktop.tools.desktop.elements import Element
from moltbot_desktop.tools.desktop.keyboard import X11, Keyboard
from moltbot_desktop.tools.desktop.system import OpenWindow, Pause

EDITOR = OpenWindow(10, 500, "notes.txt", "notepad", Box(0, 0, 400, 300), in_front=True)


@dataclass
class FakeSystem:
    """Programs act when `acts`; `owner` is whose window lies everywhere."""

    keyboard: Keyboard = X11
    programs_act: bool = True
    elements: Sequence[Element] = ()
    acts: bool = True
    owner: int = 500
    own: int = 1
    no_picture_why: str = ""
    said: list[str] = field(default_factory=list)
    closed: int = 0
    doubles: bool = False

    @contextmanager
    def windows(self) -> Iterator[FakeSystem]:
        yield self

    @contextmanager
    def tree(self, pause: Pause) -> Iterator[FakeSystem]:
        yield self

    def stop_key(self, pressed: Callable[[], None]) -> None:
        return None

    def loading(self) -> AbstractContextManager[None]:
        return nullcontext()

    def double_click(self) -> bool:
        self.said.append("double")
        return self.doubles

    def no_picture(self) -> str:
        return self.no_picture_why

    def close(self) -> None:
        self.closed += 1

    # ------------------------------------------------------------------ Windows

    def listed(self) -> tuple[OpenWindow, ...]:
        return (EDITOR,)

    def activate(self, window: OpenWindow) -> None:
        self.said.append("activate")

    def owner_of_keys(self) -> int:
        return self.owner

    def owner_at(self, x: int, y: int) -> int:
        return self.owner

    def is_own(self, pid: int) -> bool:
        return pid == self.own

    # ------------------------------------------------------------------ Tree

    def window(self, window: OpenWindow) -> tuple[Element, ...]:
        return tuple(self.elements)

    def again(self, element: Element) -> Element | None:
        return element if element in self.elements else None

    def press(self, element: Element) -> bool:
        self.said.append(f"press {element.name}")
        return self.acts

    def put(self, element: Element, text: str) -> bool:
        self.said.append(f"put {element.name} {text}")
        return self.acts


class FakeGui(ModuleType):
    """pyautogui, as far as the hands use it."""

    class FailSafeException(Exception):
        pass

    def __init__(self, said: list[str], table: dict[str, object] | None = None) -> None:
        super().__init__("pyautogui")
        self._said = said
        self.in_corner = False
        self.platformModule = ModuleType("platform")
        self.platformModule.keyboardMapping = table or {}  # type: ignore[attr-defined]

    def failSafeCheck(self) -> None:
        if self.in_corner:
            raise self.FailSafeException

    def __getattr__(self, name: str) -> Any:
        def told(*given: object, **more: object) -> None:
            self.failSafeCheck()
            words = [
                *map(str, given),
                *(f"{key}={more[key]}" for key in ("button",) if key in more),
            ]
            self._said.append(" ".join((name, *words)))

        if name.startswith("__"):
            raise AttributeError(name)
        return told


class FakeFace:
    """Implements `sdk.desktop.ControlFace`; a paste is taken at once."""

    def __init__(self, injections: Injections, said: list[str]) -> None:
        self.injections = injections
        self._said = said
        self._reads = 0

    def begin(self, words: ControlWords, stop: Callable[[], None]) -> None:
        self._said.append(f"banner {words.how_to_stop}")

    def show_marks(self, marks: Sequence[ShownMark]) -> None:
        """Nobody looks."""

    def end(self) -> None:
        self._said.append("end")

    def lend_clipboard(self, text: str) -> None:
        self._said.append(f"lend {text}")

    def clipboard_reads(self) -> int:
        self._reads += 1
        return self._reads

    def restore_clipboard(self) -> None:
        self._said.append("restore")
