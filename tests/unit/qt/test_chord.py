"""Key combinations of the settings, and their names on the systems that lay them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.qt.chord import Chord, Modifier, keysym_name, parse_chord, portal_trigger
from moltbot_desktop.qt.hotkeys.windows import modifier_bits, virtual_key


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Ctrl+Alt+Space", "Ctrl+Alt+Space"),
        (" alt + CTRL + space ", "Ctrl+Alt+Space"),
        ("super+m", "Super+M"),
        ("Win+Shift+7", "Shift+Super+7"),
        ("F9", "F9"),
        ("Shift+F12", "Shift+F12"),
        ("Control+Enter", "Ctrl+Return"),
    ],
)
def test_combinations(written: str, read: str) -> None:
    chord = parse_chord(written)
    assert chord is not None
    assert str(chord) == read
    assert parse_chord(read) == chord


@pytest.mark.parametrize(
    "written",
    ["", "+", "A", "Shift+A", "Space", "Ctrl", "Ctrl+", "Ctrl+Ctrl+A", "Hyper+A", "F25", "Ctrl+é"],
)
def test_what_would_take_a_key_from_typing_is_none(written: str) -> None:
    assert parse_chord(written) is None


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(written: str) -> None:
    chord = parse_chord(written)
    assert chord is None or parse_chord(str(chord)) == chord


def test_names_on_other_systems() -> None:
    chord = Chord(frozenset({Modifier.CTRL, Modifier.SUPER}), "Space")
    assert portal_trigger(chord) == "CTRL+LOGO+space"
    assert [keysym_name(key) for key in ("A", "7", "F5", "Return")] == ["a", "7", "F5", "Return"]
    # https://learn.microsoft.com/windows/win32/inputdev/virtual-key-codes
    assert [virtual_key(key) for key in ("A", "7", "F1", "F12", "Space")] == [65, 55, 112, 123, 32]
    assert modifier_bits(chord) == 0x4000 | 0x2 | 0x8
