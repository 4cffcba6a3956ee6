"""A key combination as the settings write it: ``Ctrl+Alt+Space``. Pure.

chord = parse_chord("ctrl + alt + space")
str(chord)                      # "Ctrl+Alt+Space"
portal_trigger(chord)           # "CTRL+ALT+space", in the words of the shortcuts portal
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Modifier(Enum):
    """In the order in which people say them."""

    CTRL = "Ctrl"
    ALT = "Alt"
    SHIFT = "Shift"
    SUPER = "Super"


_MODIFIERS = {
    "ctrl": Modifier.CTRL,
    "control": Modifier.CTRL,
    "strg": Modifier.CTRL,
    "alt": Modifier.ALT,
    "option": Modifier.ALT,
    "shift": Modifier.SHIFT,
    "super": Modifier.SUPER,
    "meta": Modifier.SUPER,
    "win": Modifier.SUPER,
    "cmd": Modifier.SUPER,
}
_NAMED = {
    one.lower(): one
    for one in ("Space", "Tab", "Return", "Escape", "Insert", "Delete", "Home", "End", "Pause")
} | {"enter": "Return", "esc": "Escape", "del": "Delete"}
_KEYS = (
    {name: name for name in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"}
    | {f"F{number}": f"F{number}" for number in range(1, 25)}
)  # fmt: skip


@dataclass(frozen=True)
class Chord:
    """Modifiers held, and the key that is pressed: a capital letter, a digit, F1 to F24, or one of
    a few names."""

    modifiers: frozenset[Modifier]
    key: str

    def __str__(self) -> str:
        held = [one.value for one in Modifier if one in self.modifiers]
        return "+".join([*held, self.key])


def parse_chord(text: str) -> Chord | None:
    """None for what is no combination, or one that would take a key away from typing: at least one
    of Ctrl, Alt and Super, or a function key."""
    *held, key = (part.strip() for part in text.split("+"))
    modifiers = [_MODIFIERS.get(one.lower()) for one in held]
    name = _NAMED.get(key.lower()) or _KEYS.get(key.upper())
    found = frozenset(one for one in modifiers if one is not None)
    if name is None or None in modifiers or len(found) != len(modifiers):
        return None
    if not found - {Modifier.SHIFT} and not (name[0] == "F" and name[1:].isdecimal()):
        return None
    return Chord(found, name)


_PORTAL = {
    Modifier.CTRL: "CTRL",
    Modifier.ALT: "ALT",
    Modifier.SHIFT: "SHIFT",
    Modifier.SUPER: "LOGO",
}
_KEYSYMS = {"Space": "space"}


def keysym_name(key: str) -> str:
    """What X11 and the portal call it (xkbcommon's names)."""
    if len(key) == 1:
        return key.lower()
    return _KEYSYMS.get(key, key)


def portal_trigger(chord: Chord) -> str:
    """By the freedesktop specification "Shortcuts": https://specifications.freedesktop.org/
    shortcuts-spec/latest/"""
    held = [_PORTAL[one] for one in Modifier if one in chord.modifiers]
    return "+".join([*held, keysym_name(chord.key)])
