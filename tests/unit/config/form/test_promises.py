"""What a form promises whatever the schema is: nothing is lost, nothing wrong is saved unsaid."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from moltbot_desktop.config.form.form import Form, open_form
from moltbot_desktop.config.form.report import form_report
from moltbot_desktop.config.form.trees import changed, same
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import FieldKind, FormNode
from tests.unit.config.form.schemas import SCALARS, WHOLE, Case

EN = Language.ENGLISH


def with_dialect(case: Case) -> tuple[JsonObject, JsonObject]:
    schema, value = case
    assert isinstance(value, dict)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, value


def nodes(node: FormNode) -> Iterator[FormNode]:
    yield node
    for child in node.children:
        yield from nodes(child)


@given(WHOLE)
@settings(max_examples=40, deadline=None)
def test_load_form_save_is_the_identity(case: Case) -> None:
    schema, value = with_dialect(case)
    before = json.dumps(value)
    form = open_form(schema, value)
    form.root(EN)
    assert form.changes() == ()
    assert not form.dirty
    assert form.wrong == 0
    assert json.dumps(form.value) == before


@given(WHOLE)
@settings(max_examples=30, deadline=None)
def test_what_is_edited_as_json_comes_back_as_it_was(case: Case) -> None:
    schema, value = with_dialect(case)
    form = open_form(schema, value)
    for node in nodes(form.root(EN)):
        if node.written and node.kind is FieldKind.RAW:
            form = form.put(node.place, json.loads(json.dumps(node.value)))
    assert form.changes() == ()
    assert json.dumps(form.value) == json.dumps(value)


@given(WHOLE)
@settings(max_examples=30, deadline=None)
def test_everything_that_is_written_can_be_seen_somewhere(case: Case) -> None:
    schema, value = with_dialect(case)
    shown = {node.place: node for node in nodes(open_form(schema, value).root(EN))}
    assert shown[()].kind in (FieldKind.GROUP, FieldKind.MAP, FieldKind.RAW)
    for name in value if shown[()].kind is not FieldKind.RAW else ():
        assert (name,) in shown
        assert shown[name,].written


def edited(form: Form, data: st.DataObject) -> Form:
    """One thing a person might do to a field of the form."""
    found = [node for node in nodes(form.root(EN)) if node.place]
    if not found:
        return form
    node = data.draw(st.sampled_from(found))
    match data.draw(st.sampled_from(["put", "put", "unset", "add", "move", "choose", "hide"])):
        case "put":
            return form.put(node.place, data.draw(SCALARS))
        case "unset":
            return form.unset(node.place)
        case "add" if node.kind is FieldKind.LIST or node.addable:
            return form.add(node.place)
        case "add" if node.named:
            return form.add(node.place, "new")
        case "move" if node.movable:
            return form.move(node.place, 0)
        case "choose" if node.kind is FieldKind.VARIANT:
            return form.choose(node.place, len(node.options) - 1)
        case "hide" if node.kind is FieldKind.SECRET:
            return form.hide(node.place, "secret words")
    return form


@given(WHOLE, st.data())
@settings(max_examples=60, deadline=None)
def test_what_is_saved_fits_or_is_refused_at_its_field(case: Case, data: st.DataObject) -> None:
    schema, value = with_dialect(case)
    form = open_form(schema, value)
    for _ in range(data.draw(st.integers(1, 4))):
        try:
            form = edited(form, data)
        except UserInputInvalid:
            continue
    told = [node for node in nodes(form.root(EN)) if node.problems]
    saved = form.value
    for place, secret in form.secrets.items():
        saved = open_form(schema, as_group(saved)).put(place, secret).value
    fits = Draft202012Validator(dict(schema)).is_valid(saved)
    if "${" not in json.dumps(saved):  # what a variable will hold is not known
        assert fits == (not told)
        assert fits == (form.wrong == 0)


def as_group(value: JsonValue) -> JsonObject:
    assert isinstance(value, dict)
    return value


@given(WHOLE, st.data())
@settings(max_examples=40, deadline=None)
def test_the_changes_carried_out_one_by_one_give_what_was_edited(
    case: Case, data: st.DataObject
) -> None:
    schema, value = with_dialect(case)
    form = open_form(schema, value)
    for _ in range(3):
        try:
            form = edited(form, data)
        except UserInputInvalid:
            continue
    assert same(changed(value, form.changes()), form.value)
    steps = 0
    while form.can_undo:
        form, steps = form.undo(), steps + 1
    assert steps <= 4
    assert not form.dirty


@given(WHOLE)
@settings(max_examples=30, deadline=None)
def test_a_report_never_fails_and_tells_each_part(case: Case) -> None:
    schema, _ = with_dialect(case)
    report = form_report(schema, EN)
    assert report.errors == ()
    told = [*report.drawn, *(one.path for one in report.raw)]
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert set(properties) <= set(told)


JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                "type properties items $ref allOf anyOf enum const $defs required a pattern".split()
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(
        st.sampled_from(["type", "properties", "$ref", "allOf", "$defs", "items"]), JSON, max_size=4
    ),
    JSON,
)
@settings(max_examples=60, deadline=None)
def test_no_schema_however_strange_breaks_a_form(schema: JsonObject, value: JsonValue) -> None:
    form = open_form(schema, {"a": value})
    form.root(EN)
    form_report(schema, EN)
    assert form.changes() == ()
