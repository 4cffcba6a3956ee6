"""Keys in pyautogui's names for each system; what it would pass over in silence is refused."""

from __future__ import annotations

import pytest

from moltbot_desktop.tools.desktop.asked import chords
from moltbot_desktop.tools.desktop.keyboard import MACOS, WINDOWS, X11
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble


def test_keys_are_called_what_pyautogui_calls_them() -> None:
    (cmd_option,) = chords("cmd+option+s")
    assert MACOS.named(cmd_option) == ("command", "option", "s")
    assert WINDOWS.named(cmd_option) == ("win", "alt", "s")
    assert X11.named(cmd_option) == ("win", "alt", "s")
    assert WINDOWS.named(("menu",)) == ("apps",)


@pytest.mark.parametrize("key", ["insert", "printscreen", "menu"])
def test_a_key_that_macs_have_not_is_refused(key: str) -> None:
    with pytest.raises(ScreenTrouble, match=f"no key {key}"):
        MACOS.named(("ctrl", key))


def test_paste_and_what_the_model_is_told() -> None:
    assert (X11.control, WINDOWS.control, MACOS.control) == ("ctrl", "ctrl", "command")
    assert (X11.example, MACOS.example) == ("ctrl", "cmd")


def test_characters_that_this_layout_has_as_one_key_are_typed_the_others_pasted() -> None:
    """VkKeyScan: https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-vkkeyscana (-1
    where there is none; 1 Shift, 2 Ctrl, 4 Alt above the key). A German layout: @ is AltGr+q."""
    german = {"a": 0x41, "A": 0x141, "@": 0x651, "ж": -1, "z": 0x59}
    assert WINDOWS.can_write("aAz", german)
    for no in ("a@", "ж", "你"):
        assert not WINDOWS.can_write(no, german)
    assert X11.can_write("anything", {})


def test_on_macs_text_is_pasted_because_the_table_is_of_one_layout() -> None:
    assert not MACOS.can_write("a", {"a": 0})


def test_a_notch_of_the_wheel() -> None:
    """WHEEL_DELTA: https://learn.microsoft.com/windows/win32/inputdev/wm-mousewheel"""
    assert (X11.notch, WINDOWS.notch, MACOS.notch) == (1, 120, 1)
