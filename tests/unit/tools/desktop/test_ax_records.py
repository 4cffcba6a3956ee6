"""What macOS tells of a control becomes what the rest of the tool knows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.ax_records import (
    ATTRIBUTES,
    PRESS,
    SHOW_MENU,
    action_of,
    record_of,
    role_of,
    told,
    with_names,
)
from moltbot_desktop.tools.desktop.elements import Element, NodeRef, described, numbered

REF = NodeRef("ax", "1/0")
PLACED = {"AXPosition": (10.0, 20.0), "AXSize": (80.0, 24.0), "AXEnabled": True}


def element(**given: object) -> Element:
    return told(record_of({**PLACED, **given}), REF).element


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"AXRole": "AXButton", "AXTitle": "7"}, "button “7”"),
        ({"AXRole": "AXButton", "AXDescription": "close"}, "button “close”"),
        ({"AXRole": "AXCheckBox", "AXTitle": "Agree", "AXValue": 1},
         "check box “Agree” (checked)"),
        ({"AXRole": "AXCheckBox", "AXSubrole": "AXSwitch", "AXTitle": "Wi-Fi", "AXValue": True},
         "switch “Wi-Fi” (checked)"),
        ({"AXRole": "AXRadioButton", "AXSubrole": "AXTabButton", "AXTitle": "View", "AXValue": 1},
         "page tab “View” (selected)"),
        ({"AXRole": "AXTextField", "AXTitle": "Name", "AXValue": "Anna", "AXFocused": True},
         "entry “Name”: “Anna” (focused)"),
        ({"AXRole": "AXTextField", "AXPlaceholderValue": "Search"}, "entry “Search”"),
        ({"AXRole": "AXPopUpButton", "AXTitle": "City", "AXValue": "Köln"},
         "combo box “City”: “Köln”"),
        ({"AXRole": "AXMenuBarItem", "AXTitle": "File"}, "menu “File”"),
        ({"AXRole": "AXRow", "AXSubrole": "AXOutlineRow", "AXSelected": True},
         "tree item (selected)"),
    ],
)  # fmt: skip
def test_controls_in_our_words(given: dict[str, object], words: str) -> None:
    found = element(**given)
    assert described(found) == words
    assert found.box == Box(10, 20, 80, 24)
    assert [one.element for one in numbered([found], [Box(0, 0, 500, 500)])] == [found]
    assert described(found, Language.CHINESE)


def test_a_password_is_never_kept() -> None:
    given = {"AXRole": "AXTextField", "AXSubrole": "AXSecureTextField", "AXValue": "hunter2"}
    secret = record_of(given)
    assert "hunter2" not in repr(secret)
    assert role_of(secret) == "password text"


def test_only_what_says_that_it_is_off_is_grey() -> None:
    assert "sensitive" in element(AXRole="AXRow", AXEnabled=None).states
    for off in (False, 0):
        assert "sensitive" not in element(AXRole="AXButton", AXEnabled=off).states


def test_a_closed_menu_is_not_looked_into() -> None:
    """Its items are told all the time: https://developer.apple.com/documentation/
    applicationservices/carbon_accessibility/roles (kAXMenuBarItemRole)"""
    for role in ("AXMenuBarItem", "AXMenuItem"):
        assert told(record_of({"AXRole": role}), REF).leaf
        assert not told(record_of({"AXRole": role, "AXSelected": True}), REF).leaf
    assert told(record_of({"AXRole": "AXMenu"}), REF).free
    assert told(record_of({"AXRole": "AXScrollArea"}), REF).clips


@pytest.mark.parametrize(
    ("role", "offered", "action"),
    [
        ("AXButton", [PRESS, SHOW_MENU], PRESS),
        ("AXButton", [SHOW_MENU], ""),
        ("AXMenuButton", [SHOW_MENU], SHOW_MENU),
        ("AXPopUpButton", [SHOW_MENU, PRESS], PRESS),
        ("AXTextField", ["AXConfirm", PRESS], ""),
        ("AXRow", [], ""),
    ],
)
def test_what_a_click_means_to_the_program(role: str, offered: list[str], action: str) -> None:
    assert action_of(record_of({"AXRole": role}), offered) == action
    assert action_of(record_of({"AXRole": role, "AXEnabled": False}), offered) == ""


def test_a_row_is_called_what_is_written_in_it() -> None:
    row = Element(REF, "list item", "", Box(0, 0, 200, 20), Box(0, 0, 200, 20), frozenset())
    texts = [
        Element(REF, "label", "", box, box, frozenset(), value)
        for value, box in (("Report", Box(5, 2, 60, 16)), ("12 KB", Box(90, 2, 60, 16)),
                           ("other row", Box(5, 22, 60, 16)))
    ]  # fmt: skip
    named = with_names([row, *texts])
    assert named[0].name == "Report 12 KB"
    assert named[1:] == tuple(texts)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.binary(),
    st.lists(st.floats(), max_size=3).map(tuple), st.lists(st.text(max_size=2), max_size=5),
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(ATTRIBUTES), VALUES))
def test_whatever_a_program_answers_is_understood_or_left_out(values: dict[str, object]) -> None:
    found = told(record_of(values), REF).element
    assert isinstance(described(found), str)
    assert found.role
    assert with_names([found, found])
