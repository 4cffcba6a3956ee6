"""Keys by name, as the bytes that a terminal sends: tmux's names.

keys_as_bytes(("C-c", "Up", "Enter"))        # (b"\\x03\\x1b[A\\r", ())
pasted("two\\nlines")                         # between the marks of a paste
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import MappingProxyType

_NAMED = MappingProxyType(
    {
        "enter": b"\r", "return": b"\r", "tab": b"\t", "escape": b"\x1b", "esc": b"\x1b",
        "space": b" ", "bspace": b"\x7f", "backspace": b"\x7f", "up": b"\x1b[A", "down": b"\x1b[B",
        "right": b"\x1b[C", "left": b"\x1b[D", "home": b"\x1b[1~", "end": b"\x1b[4~",
        "pageup": b"\x1b[5~", "pgup": b"\x1b[5~", "ppage": b"\x1b[5~", "pagedown": b"\x1b[6~",
        "pgdn": b"\x1b[6~", "npage": b"\x1b[6~", "insert": b"\x1b[2~", "ic": b"\x1b[2~",
        "delete": b"\x1b[3~", "del": b"\x1b[3~", "dc": b"\x1b[3~", "btab": b"\x1b[Z",
        "f1": b"\x1bOP", "f2": b"\x1bOQ", "f3": b"\x1bOR", "f4": b"\x1bOS", "f5": b"\x1b[15~",
        "f6": b"\x1b[17~", "f7": b"\x1b[18~", "f8": b"\x1b[19~", "f9": b"\x1b[20~",
        "f10": b"\x1b[21~", "f11": b"\x1b[23~", "f12": b"\x1b[24~",
    }
)  # fmt: skip
_HELD = re.compile(r"(?:([CMS])-|(\^))(.{1,16})", re.IGNORECASE | re.DOTALL)
_PASTE, _PASTED = b"\x1b[200~", b"\x1b[201~"


def keys_as_bytes(keys: Iterable[str]) -> tuple[bytes, tuple[str, ...]]:
    """The bytes, and the names that are none; a single character is itself."""
    found, unknown = bytearray(), []
    for key in keys:
        one = _key(key.strip() or key)
        if one is None:
            unknown.append(key)
        else:
            found += one
    return bytes(found), tuple(unknown)


def pasted(text: str, *, bracketed: bool = True) -> bytes:
    """`text` as a terminal hands over what is pasted; its own end mark is taken out."""
    data = text.encode("utf-8", "replace")
    return _PASTE + data.replace(_PASTED, b"") + _PASTED if bracketed else data


def _key(key: str) -> bytes | None:
    if len(key) == 1:
        return key.encode("utf-8", "replace")
    if (named := _NAMED.get(key.casefold())) is not None:
        return named
    held = _HELD.fullmatch(key)
    if held is None:
        return None
    modifier = "c" if held[2] else held[1].casefold()
    if modifier == "s":
        return b"\x1b[Z" if held[3].casefold() == "tab" else _key(held[3].upper())
    inner = _key(held[3])
    if inner is None:
        return None
    if modifier == "m":
        return b"\x1b" + inner
    return _control(held[3])


def _control(character: str) -> bytes | None:
    if character == "?":
        return b"\x7f"
    if character.casefold() == "space":
        return b"\x00"
    code = ord(character.upper()) if len(character) == 1 else 0
    return bytes((code & 0x1F,)) if 0x40 <= code <= 0x5F else None
