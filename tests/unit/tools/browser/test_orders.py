"""Calls of the tool `browser`: both forms of an act, what is wrong is told, what only looks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.tools.browser.orders import Action, FieldValue, Kind, Order, read_order
from moltbot_desktop.tools.browser.trouble import BrowserTrouble


def test_the_reference_writes_an_act_in_an_object() -> None:
    flat = read_order({"action": "act", "kind": "type", "ref": "e5", "text": " a ", "submit": True})
    nested = read_order(
        {
            "action": "act",
            "request": {"kind": "type", "ref": "@e5", "text": " a ", "submit": True},
        }
    )
    assert flat == nested
    assert flat == Order(Action.ACT, Kind.TYPE, ref="e5", text=" a ", submit=True)


@pytest.mark.parametrize("written", ["e12", "@e12", "ref=e12", "[ref=e12]", "12", " e012 "])
def test_a_ref_in_any_of_its_forms(written: str) -> None:
    assert read_order({"action": "act", "kind": "click", "ref": written}).ref == "e12"


@pytest.mark.parametrize("written", ["button", "f1e2", "e", "e1 e2", "e" + "1" * 20])
def test_what_is_no_ref_is_told(written: str) -> None:
    with pytest.raises(BrowserTrouble, match="ref"):
        read_order({"action": "act", "kind": "click", "ref": written})


def test_fields_of_a_form() -> None:
    order = read_order(
        {
            "action": "act",
            "kind": "fill",
            "fields": [{"ref": "e1", "value": "Eve"}, {"ref": "e2", "value": True}, {"ref": "e3"}],
        }
    )
    assert order.fields == (FieldValue("e1", "Eve"), FieldValue("e2", True), FieldValue("e3", ""))
    assert order.refs == ("e1", "e2", "e3")


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "action"),
        ({"action": "fly"}, "action"),
        ({"action": "open"}, "url"),
        ({"action": "act"}, "kind"),
        ({"action": "act", "kind": "click"}, "ref"),
        ({"action": "act", "kind": "press"}, "key"),
        ({"action": "act", "kind": "drag", "ref": "e1"}, "endRef"),
        ({"action": "act", "kind": "select", "ref": "e1"}, "values"),
        ({"action": "act", "kind": "fill"}, "fields"),
        ({"action": "act", "kind": "wait"}, "text"),
        ({"action": "act", "kind": "evaluate"}, "fn"),
        ({"action": "upload", "ref": "e1"}, "paths"),
        ({"action": "act", "kind": "press", "key": "rm -rf; x"}, "key"),
    ],
)
def test_what_is_missing_is_named(given: dict[str, JsonValue], missing: str) -> None:
    with pytest.raises(BrowserTrouble, match=f"`?{missing}"):
        read_order(given)


@pytest.mark.parametrize("action", [one for one in Action if one is not Action.ACT])
def test_which_actions_only_look(action: Action) -> None:
    order = Order(action)
    doing = action in (Action.UPLOAD, Action.DIALOG)
    assert order.looks is not (doing or order.goes)


@pytest.mark.parametrize("kind", list(Kind))
def test_which_acts_only_look(kind: Kind) -> None:
    assert Order(Action.ACT, kind).looks is (kind in (Kind.WAIT, Kind.RESIZE, Kind.CLOSE))


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=5,
)
_NAMES = st.sampled_from(
    [
        "action",
        "kind",
        "ref",
        "fields",
        "paths",
        "values",
        "request",
        "text",
        "url",
        "timeMs",
        "key",
    ]
)


@settings(max_examples=150)
@given(st.dictionaries(_NAMES, _ANY | st.sampled_from(["act", "open", "click", "e1"])))
def test_whatever_a_model_writes_is_an_order_or_a_correction(given: dict[str, JsonValue]) -> None:
    try:
        order = read_order(given)
    except BrowserTrouble as trouble:
        assert str(trouble)
    else:
        assert order.milliseconds <= 30_000
