"""How pyautogui is to be told of keys on each system: pure.

    MACOS.named(("win", "v"))            # ("command", "v")
    WINDOWS.can_write("a@", mapping)     # whether each is one key, with or without Shift

pyautogui passes over a key it does not know without a word, so what is not there is refused here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from moltbot_desktop.tools.desktop.trouble import unclear

_BYTE = 8
_WITH_SHIFT = 1


@dataclass(frozen=True)
class Keyboard:
    """Attributes:
    control: the key that is held for paste and select all.
    names: of keys that pyautogui calls otherwise here; "" for those that are not there.
    notch: what pyautogui takes for one notch of the wheel.
    layout: whether it asks the system which keys make which characters. Where it does not, only
        the clipboard writes what was meant on every keyboard.
    coded: whether its table has Windows' codes: the key below, what is held with it above.
    """

    control: str = "ctrl"
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    notch: int = 1
    layout: bool = True
    coded: bool = False

    @property
    def example(self) -> str:
        """What `control` is called to the model, which says "cmd" for Apple's key."""
        return "cmd" if self.control == "command" else self.control

    def named(self, chord: tuple[str, ...]) -> tuple[str, ...]:
        """Raises ScreenTrouble for a key that no keyboard of this system has."""
        found = tuple(self.names.get(key, key) for key in chord)
        if "" in found:
            raise unclear(f"there is no key {chord[found.index('')]} on this system")
        return found

    def can_write(self, text: str, table: Mapping[str, object]) -> bool:
        """Whether pyautogui types every character of `text` as it is meant, by its own `table`."""
        if not self.layout:
            return False
        return not self.coded or all(_is_one_key(table.get(one)) for one in text)


def _is_one_key(code: object) -> bool:
    """VkKeyScan's answer: -1 for a character that the layout has not; held with Ctrl and Alt
    (AltGr), pyautogui lets go of the wrong keys."""
    return isinstance(code, int) and 0 <= code >> _BYTE <= _WITH_SHIFT


X11 = Keyboard()
WINDOWS = Keyboard(names=MappingProxyType({"menu": "apps"}), notch=120, coded=True)
MACOS = Keyboard(
    control="command",
    names=MappingProxyType(
        {"win": "command", "alt": "option", "insert": "", "printscreen": "", "menu": ""}
    ),
    layout=False,
)
