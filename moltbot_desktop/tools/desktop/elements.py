"""What is in a window, numbered: pure.

    marks = numbered(elements, Box(0, 0, 1280, 900))
    in_lines(marks, elements)            # 4 button “7”

Numbers go as one reads, line by line from the left. A mark is good for the look it came from: the
element is looked at again before it is pressed (`same`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.control_roles import role_words

MOST_MARKS = 120
_LINE_HEIGHT = 14
_SHIFT = 3
_NAME_CHARACTERS = 60
_VALUE_CHARACTERS = 200

_PRESSED = frozenset(
    "push button|button|toggle button|check box|radio button|menu|menu item|check menu item"
    "|radio menu item|page tab|combo box|link|list item|table cell|tree item|slider|spin button"
    "|icon|switch|tool button|push button menu".split("|")
)
_WRITTEN = frozenset("text|entry|password text|terminal|document text|editbar".split("|"))
_READ = frozenset("label|static|heading|paragraph|status bar|alert|info bar".split("|"))
_SECRET = "password text"
_STATES = ("focused", "checked", "selected", "expanded", "pressed")


@dataclass(frozen=True)
class NodeRef:
    """Where a program keeps it: the name of its connection and a path there."""

    bus: str
    path: str


@dataclass(frozen=True)
class Element:
    """One control of a program, as it tells it.

    Attributes:
        role: as AT-SPI calls it, for example "push button".
        box: the part of it that can be seen.
        whole: all of it.
        value: the text in it; never that of a password.
        states: of `atspi.STATES`.
    """

    ref: NodeRef
    role: str
    name: str
    box: Box
    whole: Box
    states: frozenset[str]
    value: str = ""

    @property
    def writable(self) -> bool:
        return self.role in _WRITTEN

    @property
    def readable(self) -> bool:
        """Whether its text may be looked at."""
        return self.role != _SECRET and (self.writable or self.role in _READ)

    @property
    def usable(self) -> bool:
        return (self.role in _PRESSED or self.writable) and "sensitive" in self.states


@dataclass(frozen=True)
class Mark:
    number: int
    element: Element


def numbered(elements: Sequence[Element], screens: Sequence[Box]) -> tuple[Mark, ...]:
    """Those that can be used and seen, in reading order, from 1."""
    seen = [one for one in elements if one.usable and _is_on(one.box, screens)]
    found = {(one.box, one.role, one.name): one for one in seen}
    ordered = sorted(found.values(), key=_reading_order)[:MOST_MARKS]
    return tuple(Mark(number, one) for number, one in enumerate(ordered, 1))


def in_lines(marks: Sequence[Mark], elements: Sequence[Element]) -> str:
    """The marks with their numbers, then other texts of the window."""
    lines = [f"{mark.number} {described(mark.element)}" for mark in marks]
    texts = [
        one.name or one.value
        for one in sorted(elements, key=_reading_order)
        if not one.usable and one.readable and (one.name.strip() or one.value.strip())
    ]
    lines += [f"- {_short(text, _VALUE_CHARACTERS)}" for text in dict.fromkeys(texts)]
    return "\n".join(lines[: MOST_MARKS + MOST_MARKS // 2])


def described(element: Element, language: Language = Language.ENGLISH) -> str:
    """``button “7”``, ``text “Name”: “Anna” (focused)``; English is what the model reads."""
    between = "" if language is Language.CHINESE else " "
    name = f"{between}“{_short(element.name, _NAME_CHARACTERS)}”" if element.name.strip() else ""
    value = f": “{_short(element.value, _VALUE_CHARACTERS)}”" if element.value.strip() else ""
    states = ", ".join(role_words(one, language) for one in _STATES if one in element.states)
    role = role_words(element.role.removeprefix("push ").removeprefix("toggle "), language)
    return f"{role}{name}{value}{f' ({states})' if states else ''}"


def same(before: Element, now: Element) -> bool:
    """Whether what carries a mark is still what the owner and the model saw."""
    old, new = before.whole, now.whole
    moved = max(abs(old.x - new.x), abs(old.y - new.y), abs(old.width - new.width))
    return (before.role, before.name) == (now.role, now.name) and now.usable and moved <= _SHIFT


def _is_on(box: Box, screens: Sequence[Box]) -> bool:
    return not box.empty and any(screen.contains(*box.centre) for screen in screens)


def _reading_order(element: Element) -> tuple[int, int]:
    return element.box.centre[1] // _LINE_HEIGHT, element.box.x


def _short(text: str, most: int) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= most else f"{one_line[: most - 1]}…"
