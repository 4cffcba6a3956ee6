"""Every rule of the style sheet can be read and seen, in both looks (WCAG 2.2: 1.4.3 and 1.4.11).

https://www.w3.org/TR/WCAG22/#contrast-minimum and #non-text-contrast; what is switched off is
excepted there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from moltbot_desktop.ui.theme import DARK, LIGHT, Theme, load_style_sheet
from tests.unit.ui.test_theme import contrast

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
TEXT, PART = 4.5, 3.0
COLOUR = re.compile(r"#[0-9a-f]{6}")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
# What takes text or has a choice in it, and is known by its border; other borders only area.
BORDERED = (
    "#composer",
    "QLineEdit#field",
    "#proposal QLineEdit",
    "QPushButton#secondary",
    "QPushButton#danger",
    "QPushButton#segment",
    "QDialogButtonBox QPushButton",
    "QPushButton#example",
    "QCheckBox::indicator",
)


def rules(theme: Theme, checkout: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Selectors and what they set; a balloon of Qt's own has its own ground."""
    sheet = re.sub(
        r"/\*.*?\*/", "", load_style_sheet(checkout / "resources", theme), flags=re.DOTALL
    )
    for selectors, body in RULE.findall(sheet):
        lines = (one.split(":", 1) for one in body.split(";") if ":" in one)
        if "QBalloonTip" not in selectors:
            yield selectors.strip(), {name.strip(): value.strip() for name, value in lines}


def grounds(theme: Theme, declared: Mapping[str, str]) -> list[str]:
    """What a rule's own text stands on: its background, or whatever a window may have."""
    own = COLOUR.findall(declared.get("background", ""))
    return own or [theme.ground, theme.raised]


@BOTH
def test_text_of_every_rule_can_be_read(theme: Theme, checkout: Path) -> None:
    poor = [
        (selectors, colour, ground)
        for selectors, declared in rules(theme, checkout)
        if ":disabled" not in selectors
        for name in ("color", "placeholder-text-color")
        for colour in COLOUR.findall(declared.get(name, ""))
        for ground in grounds(theme, declared)
        if contrast(colour, ground) < TEXT
    ]
    assert poor == []


@BOTH
def test_borders_of_controls_and_of_focus_can_be_seen(theme: Theme, checkout: Path) -> None:
    poor, seen = [], set()
    for selectors, declared in rules(theme, checkout):
        names = {one.strip() for one in selectors.split(",")}
        seen |= names & set(BORDERED)
        if "border" not in declared or not (names & set(BORDERED) or ":focus" in selectors):
            continue
        for colour in COLOUR.findall(declared["border"]):
            both = (theme.ground, theme.raised)
            poor += [(selectors, colour, one) for one in both if contrast(colour, one) < PART]
    assert poor == []
    assert seen == set(BORDERED), "a control was renamed: this test must know its name"


@BOTH
def test_what_is_drawn_on_a_chosen_row_can_be_read(theme: Theme) -> None:
    on_rows = (theme.text, theme.muted, theme.good, theme.bad)
    for ground in (theme.chosen, theme.hover, theme.raised):
        assert [one for one in on_rows if contrast(one, ground) < TEXT] == []
    assert contrast(theme.accent, theme.chosen) >= PART, "the ring of the row with the keys"


@BOTH
def test_fields_and_lists_say_where_the_keys_are(theme: Theme, checkout: Path) -> None:
    """Each control that the sheet gives a border has another one while it has the keys."""
    borders = dict(rules(theme, checkout))
    both = {name: declared.get("border") for name, declared in borders.items()}
    unseen = [
        name
        for name, declared in both.items()
        if name in {"QPushButton#secondary", "QPushButton#danger", "#rows", "QTreeWidget"}
        if declared == both.get(f"{name}:focus", declared)
    ]
    assert unseen == []
