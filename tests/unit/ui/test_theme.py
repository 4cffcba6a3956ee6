from pathlib import Path

import pytest

from moltbot_desktop.ui.theme import (
    DARK,
    LIGHT,
    CodeKind,
    Theme,
    chosen_theme,
    filled_style_sheet,
    load_style_sheet,
)

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@BOTH
def test_text_can_be_read_by_everybody(theme: Theme) -> None:
    assert contrast(theme.text, theme.ground) >= 7
    assert contrast(theme.text, theme.raised) >= 7
    assert contrast(theme.on_bubble, theme.bubble) >= 7
    assert contrast(theme.text, theme.bad_ground) >= 7


@BOTH
def test_secondary_text_has_the_contrast_that_is_asked_for(theme: Theme) -> None:
    pairs = [
        (theme.muted, theme.ground),
        (theme.muted, theme.raised),
        (theme.accent, theme.ground),
        (theme.accent, theme.hover),
        (theme.muted, theme.hover),
        (theme.on_accent, theme.accent),
        (theme.bad, theme.bad_ground),
        (theme.warn, theme.warn_ground),
        (theme.muted, theme.warn_ground),
        (theme.muted, theme.bad_ground),
        *((theme.code_colour(kind), theme.code_ground) for kind in CodeKind),
    ]
    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []


@BOTH
def test_whatever_is_written_can_be_read_on_whatever_stands_behind_it(theme: Theme) -> None:
    """Each ink on each surface: nobody need look up which may meet. What is marked is written in
    the ordinary ink, and a bubble has its own."""
    inks = ("text", "muted", "accent", "accent_strong", "good", "warn", "bad")
    surfaces = ("ground", "raised", "hover", "chosen", "warn_ground", "bad_ground", "code_ground")
    pairs = [(ink, surface) for ink in inks for surface in surfaces]
    pairs += [("text", "selection"), ("on_bubble", "bubble")]
    pairs += [("on_accent", "accent"), ("on_accent", "accent_strong")]
    poor = [one for one in pairs if contrast(*(getattr(theme, name) for name in one)) < 4.5]
    assert poor == []


def test_auto_follows_the_system_and_a_choice_wins() -> None:
    assert chosen_theme("auto", system_dark=True) is DARK
    assert chosen_theme("auto", system_dark=False) is LIGHT
    assert chosen_theme("light", system_dark=True) is LIGHT
    assert chosen_theme("dark", system_dark=False) is DARK


@BOTH
def test_the_style_sheet_names_only_colours_that_exist(theme: Theme, checkout: Path) -> None:
    assert "@" not in load_style_sheet(checkout / "resources", theme)


def test_a_colour_that_no_theme_has_is_told() -> None:
    with pytest.raises(KeyError):
        filled_style_sheet("QWidget { color: @nonsense; }", LIGHT)
