"""What a call on the screen asks for: understood exactly, or refused with what to write."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.asked import ScreenPoint, chords, targets
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble

SCREENS = (Box(0, 0, 1280, 900), Box(1280, 0, 1920, 1080))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("7", (7,)),
        ("#3 #7", (3, 7)),
        ("3, 7, 12", (3, 7, 12)),
        ("3;7", (3, 7)),
        ("640,400", (ScreenPoint(1, 640, 400),)),
        ("2:5,6 4", (ScreenPoint(2, 5, 6), 4)),
    ],
)
def test_marks_and_points(text: str, meant: tuple[object, ...]) -> None:
    assert targets(text) == meant


@pytest.mark.parametrize("text", ["", "seven", "1:2", "1:2,3,4", "-3", "１２", "3 " * 41])
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(ScreenTrouble):
        targets(text)


def test_a_point_is_meant_on_its_own_screen() -> None:
    assert ScreenPoint(1, 5, 6).on(SCREENS) == (5, 6)
    assert ScreenPoint(2, 5, 6).on(SCREENS) == (1285, 6)
    for outside in (ScreenPoint(3, 1, 1), ScreenPoint(0, 1, 1), ScreenPoint(1, 1280, 5)):
        with pytest.raises(ScreenTrouble):
            outside.on(SCREENS)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ctrl+s", (("ctrl", "s"),)),
        ("Ctrl+A Delete", (("ctrl", "a"), ("delete",))),
        ("Return", (("enter",),)),
        ("+", (("+",),)),
        ("super", (("win",),)),
        ("page_down", (("pagedown",),)),
    ],
)
def test_keys(text: str, meant: tuple[tuple[str, ...], ...]) -> None:
    assert chords(text) == meant


@pytest.mark.parametrize("text", ["", "hello", "ctrl+", "ctrl+你", "a " * 41])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ScreenTrouble):
        chords(text)


@pytest.mark.parametrize("text", ["shift+esc", "Escape+Shift", "ctrl+shift+escape"])
def test_the_owners_stop_key_is_never_pressed(text: str) -> None:
    with pytest.raises(ScreenTrouble):
        chords(text)


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_any_text_is_understood_or_refused(text: str) -> None:
    for read in (targets, chords):
        try:
            assert read(text)
        except ScreenTrouble as refused:
            assert len(str(refused)) < 200
