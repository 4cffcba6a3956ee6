"""What a call asks for, understood: pure.

    targets("3 7 2:640,400")     # (3, 7, ScreenPoint(2, 640, 400))
    chords("ctrl+a delete")      # (("ctrl", "a"), ("delete",))

A point says its screen, so that it means the same place whatever other screens stand beside it.
Both raise `ScreenTrouble` with what to write in place of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.trouble import unclear

_MOST_TARGETS = 40
_MOST_CHORDS = 40
_POINT = re.compile(r"(?:(\d{1,2}):)?(\d{1,5}),(\d{1,5})", re.ASCII)
_MARK = re.compile(r"#?(\d{1,3})", re.ASCII)
_STOP = frozenset({"shift", "esc"})
_NAMES = {
    "control": "ctrl", "strg": "ctrl", "cmd": "win", "super": "win", "meta": "win",
    "escape": "esc", "return": "enter", "del": "delete", "ins": "insert", "pgup": "pageup",
    "pgdn": "pagedown", "page_up": "pageup", "page_down": "pagedown", "option": "alt",
    "arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right",
}  # fmt: skip
_KEYS = frozenset(
    "ctrl alt shift win enter tab esc space backspace delete insert home end pageup pagedown"
    " up down left right printscreen menu"
    " f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12".split()
)


@dataclass(frozen=True)
class ScreenPoint:
    """A place on screen number `screen` (from 1), in pixels from its top left corner."""

    screen: int
    x: int
    y: int

    def on(self, screens: Sequence[Box]) -> tuple[int, int]:
        """The same place on the whole desktop."""
        if not 1 <= self.screen <= len(screens):
            raise unclear(f"there is no screen {self.screen}; there are {len(screens)}")
        box = screens[self.screen - 1]
        if self.x >= box.width or self.y >= box.height:
            size = f"{box.width}x{box.height}"
            raise unclear(f"{self.x},{self.y} is outside screen {self.screen} ({size})")
        return box.x + self.x, box.y + self.y


Target = int | ScreenPoint


def targets(text: str) -> tuple[Target, ...]:
    """Numbers of marks and points, in the order they are meant."""
    words = re.sub(r",(?=\s)|;", " ", text).split()
    if not words or len(words) > _MOST_TARGETS:
        raise unclear("`marks` is up to 40 numbers of marks, for example 3 7 12")
    return tuple(map(_target, words))


def _target(word: str) -> Target:
    if found := _MARK.fullmatch(word):
        return int(found[1])
    if found := _POINT.fullmatch(word):
        return ScreenPoint(int(found[1] or 1), int(found[2]), int(found[3]))
    raise unclear(f"{word[:40]!r} is neither the number of a mark nor a point like 1:640,400")


def chords(text: str) -> tuple[tuple[str, ...], ...]:
    """Keys that are pressed together, one such group after the other."""
    words = text.split()
    if not words or len(words) > _MOST_CHORDS:
        raise unclear("`keys` is for example: ctrl+s, or several: ctrl+a delete")
    return tuple(map(_chord, words))


def _chord(word: str) -> tuple[str, ...]:
    parts = word.split("+") if word != "+" else ["+"]
    keys = tuple(_NAMES.get(part.lower(), part.lower()) for part in parts)
    for key in keys:
        if key not in _KEYS and not (len(key) == 1 and key.isascii() and key.isprintable()):
            raise unclear(f"there is no key {key[:20]!r}; for text use action type")
    if set(keys) >= _STOP:
        raise unclear("Shift+Esc is the owner's key to stop you")
    return keys
