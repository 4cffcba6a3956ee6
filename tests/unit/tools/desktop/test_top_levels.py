"""Which windows of Windows can be worked in, which stand over them, and whose a place is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.system import OpenWindow
from moltbot_desktop.tools.desktop.top_levels import (
    TopLevel,
    listed,
    owner_at,
    owner_of,
    popups,
)

OWN = 1
EDITOR = TopLevel(10, 500, "notes.txt", "notepad", Box(0, 0, 400, 300))
MAIL = TopLevel(20, 600, "Inbox", "mail", Box(100, 100, 400, 300))
OURS = TopLevel(30, OWN, "Moltbot", "python", Box(0, 0, 200, 200))
NUMBERS = TopLevel(31, OWN, "", "python", Box(0, 0, 1920, 1080), styles=0x80020 | 0x8000000)


def test_windows_of_other_programs_the_one_in_front_first() -> None:
    found = listed([NUMBERS, OURS, MAIL, EDITOR], front=10, own=OWN)
    assert [(one.title, one.in_front) for one in found] == [("notes.txt", True), ("Inbox", False)]
    assert found[0] == OpenWindow(10, 500, "notes.txt", "notepad", EDITOR.box, in_front=True)


@pytest.mark.parametrize(
    "change",
    [{"shown": False}, {"title": ""}, {"styles": 0x80}, {"styles": 0x8000000},
     {"box": Box(0, 0, 0, 0)}],
)  # fmt: skip
def test_what_alt_tab_would_not_show_is_left_out(change: dict[str, object]) -> None:
    """https://learn.microsoft.com/windows/win32/shell/taskbar#managing-taskbar-buttons"""
    assert listed([replace(EDITOR, **change)], 0, OWN) == ()  # type: ignore[arg-type]
    if "styles" in change:
        assert listed([replace(EDITOR, styles=0x40080)], 0, OWN) != ()


def test_menus_over_a_window_are_those_of_its_program_above_it() -> None:
    menu = TopLevel(11, 500, "", "", Box(10, 10, 100, 200))
    below = TopLevel(12, 500, "", "", Box(10, 10, 100, 200))
    other = TopLevel(21, 600, "", "", Box(10, 10, 100, 200))
    flat = TopLevel(13, 500, "", "", Box(10, 10, 0, 0))
    window = OpenWindow(10, 500, "notes.txt", "notepad", EDITOR.box)
    second = replace(EDITOR, id=14)
    assert popups([NUMBERS, flat, second, menu, other, EDITOR, below], window) == (11,)
    assert popups([menu], window) == ()


def test_whose_window_a_click_meets() -> None:
    stack = [NUMBERS, MAIL, OURS, EDITOR]
    assert owner_at(stack, 20, 150, 150) == 600
    assert owner_at(stack, 30, 50, 50) == OWN
    assert owner_at(stack, 0, 5, 5) == owner_at(stack, 99, 5, 5) == 0


def test_a_click_goes_through_our_numbers() -> None:
    """Should WindowFromPoint tell of a window that lets clicks through: no document says no.
    https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-windowfrompoint"""
    stack = [NUMBERS, replace(MAIL, shown=False), OURS, EDITOR]
    assert owner_at(stack, 31, 150, 150) == OWN
    assert owner_at(stack, 31, 300, 250) == 500
    assert owner_at(stack, 31, 1000, 900) == 0


def test_the_owner_of_the_keys_is_the_window_in_front_ours_too() -> None:
    assert owner_of([OURS, EDITOR], 30) == OWN
    assert owner_of([OURS], 77) == 0
