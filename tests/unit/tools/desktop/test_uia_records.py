"""What Windows tells of a control becomes what the rest of the tool knows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.elements import NodeRef, described, numbered
from moltbot_desktop.tools.desktop.uia_records import (
    PROPERTIES,
    ROLES,
    Deed,
    deed_of,
    record_of,
    role_of,
    takes_text,
    told,
)

REF = NodeRef("uia", "1/0")
NAMES = {
    "box": 30001, "process": 30002, "type": 30003, "name": 30005, "focused": 30008,
    "enabled": 30010, "password": 30019, "off_screen": 30022, "can_expand": 30028,
    "can_invoke": 30031, "can_scroll": 30034, "can_select": 30036, "can_toggle": 30041,
    "can_value": 30043, "value": 30045, "read_only": 30046, "expanded": 30070,
    "selected": 30079, "toggled": 30086,
}  # fmt: skip


def record(**given: object) -> Any:
    values = {"enabled": True, "box": (10.0, 20.0, 80.0, 24.0), **given}
    return record_of({NAMES[name]: value for name, value in values.items()})


def test_every_property_that_is_read_is_asked_for() -> None:
    assert set(NAMES.values()) == set(PROPERTIES)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"type": 50000, "name": "7", "can_invoke": True}, "button “7”"),
        ({"type": 50000, "name": "Bold", "can_toggle": True, "toggled": 1},
         "button “Bold” (pressed)"),
        ({"type": 50002, "name": "Agree", "can_toggle": True, "toggled": 1},
         "check box “Agree” (checked)"),
        ({"type": 50002, "name": "Agree", "can_toggle": True, "toggled": 2},
         "check box “Agree”"),
        ({"type": 50013, "name": "A", "can_select": True, "selected": True},
         "radio button “A” (checked)"),
        ({"type": 50004, "name": "Name", "can_value": True, "value": "Anna", "focused": True},
         "entry “Name”: “Anna” (focused)"),
        ({"type": 50003, "name": "City", "can_expand": True, "expanded": 1},
         "combo box “City” (expanded)"),
        ({"type": 50007, "name": "One", "can_select": True, "selected": True},
         "list item “One” (selected)"),
        ({"type": 50019, "name": "View", "can_select": True}, "page tab “View”"),
        ({"type": 50025, "name": "Tile", "can_invoke": True}, "button “Tile”"),
        ({"type": 50030, "can_value": True, "read_only": False, "value": "text"},
         "document text: “text”"),
    ],
)  # fmt: skip
def test_controls_in_our_words(given: dict[str, object], words: str) -> None:
    element = told(record(**given), REF).element
    assert described(element) == words
    assert [one.element for one in numbered([element], [Box(0, 0, 500, 500)])] == [element]
    assert described(element, Language.CHINESE)


def test_a_password_is_never_kept() -> None:
    secret = record(type=50004, password=True, can_value=True, value="hunter2", read_only=False)
    assert "hunter2" not in repr(secret)
    assert role_of(secret) == "password text"
    assert not takes_text(secret)


def test_a_default_of_a_pattern_that_is_not_there_says_nothing() -> None:
    """GetCachedPropertyValue gives a default for what is not supported; that of ToggleState is 2
    and that of IsReadOnly true: https://learn.microsoft.com/windows/win32/winauto/
    uiauto-control-pattern-propids"""
    plain = record(type=50000, toggled=1, expanded=1, selected=True, value="x", read_only=False)
    states = told(plain, REF).element.states
    assert not states & {"pressed", "checked", "expanded", "selected", "editable"}
    assert plain.value == ""


@pytest.mark.parametrize(
    ("given", "deed"),
    [
        ({"type": 50000, "can_invoke": True}, Deed.INVOKE),
        ({"type": 50002, "can_toggle": True, "can_invoke": True}, Deed.TOGGLE),
        # A double click in Explorer: a single one selects.
        ({"type": 50007, "can_select": True, "can_invoke": True}, Deed.SELECT),
        ({"type": 50019, "can_select": True}, Deed.SELECT),
        ({"type": 50003, "can_expand": True, "expanded": 0}, Deed.EXPAND),
        ({"type": 50003, "can_expand": True, "expanded": 1}, Deed.COLLAPSE),
        ({"type": 50011, "can_expand": True, "expanded": 3, "can_invoke": True}, Deed.INVOKE),
        ({"type": 50024, "can_expand": True, "expanded": 0, "can_select": True}, Deed.SELECT),
        ({"type": 50004, "can_value": True, "can_invoke": True}, None),
        ({"type": 50015, "can_invoke": True}, None),
        ({"type": 50000}, None),
        ({"type": 50000, "can_invoke": True, "enabled": False}, None),
    ],
)
def test_what_a_click_means_to_the_program(given: dict[str, object], deed: Deed | None) -> None:
    assert deed_of(record(**given)) is deed


def test_what_is_off_the_screen_is_hidden_and_a_list_that_scrolls_clips() -> None:
    assert told(record(type=50000, off_screen=True), REF).hidden
    assert told(record(type=50008, can_scroll=True), REF).clips
    assert told(record(type=50009), REF).free
    assert told(record(type=50000), REF).leaf
    assert not told(record(type=50003), REF).leaf


def test_text_goes_where_it_may_be_written() -> None:
    field = {"type": 50004, "can_value": True, "read_only": False}
    assert takes_text(record(**field))
    for change in ({"read_only": True}, {"enabled": False}, {"can_value": False}):
        assert not takes_text(record(**{**field, **change}))


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.binary(),
    st.lists(st.floats(), max_size=5).map(tuple), st.lists(st.text(max_size=2), max_size=5),
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(PROPERTIES), VALUES))
def test_whatever_a_program_answers_is_understood_or_left_out(values: dict[int, object]) -> None:
    record = record_of(values)
    element = told(record, REF).element
    assert element.role == "unknown" or element.role
    assert isinstance(described(element), str)
    assert deed_of(record) is None or record.enabled


def test_each_of_the_forty_one_types_has_a_role() -> None:
    """https://learn.microsoft.com/windows/win32/winauto/uiauto-controltype-ids"""
    assert set(ROLES) == set(range(50000, 50041))
