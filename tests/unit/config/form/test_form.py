"""Fields, hints and edits of a form, on schemas as plugins have them."""

from __future__ import annotations

import json

import pytest

from moltbot_desktop.config.form.form import Form, open_form
from moltbot_desktop.config.form.report import form_report
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.forms import FieldKind, FieldPlace, FormNode, Put, SecretState, Unset

EN, ZH = Language.ENGLISH, Language.CHINESE

CALLS: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["provider"],
    "properties": {
        "provider": {"type": "string", "enum": ["telnyx", "mock"]},
        "fromNumber": {"type": "string", "pattern": "^\\+[1-9]\\d{1,14}$"},
        "allowFrom": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "serve": {
            "type": "object",
            "properties": {
                "port": {"type": "integer", "minimum": 1, "default": 3334},
                "path": {"type": "string", "format": "path"},
            },
        },
        "twilio": {"type": "object", "properties": {"authToken": {"type": "string"}}},
        "speed": {"type": ["number", "null"], "maximum": 2},
        "mode": {"anyOf": [{"const": "off"}, {"const": 1}, {"const": True}]},
        "accounts": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {"token": {"type": "string"}, "on": {"type": "boolean"}},
            },
        },
        "store": {
            "oneOf": [
                {
                    "title": "Disk",
                    "type": "object",
                    "required": ["kind", "folder"],
                    "properties": {"kind": {"const": "disk"}, "folder": {"type": "string"}},
                },
                {
                    "type": "object",
                    "required": ["kind"],
                    "properties": {"kind": {"const": "cloud"}, "size": {"type": "integer"}},
                },
            ]
        },
        "pair": {"type": "array", "items": [{"type": "string"}, {"type": "number"}]},
        "rule": {"type": "object", "if": {"required": ["x"]}, "then": {"required": ["y"]}},
    },
}
HINTS: JsonObject = {
    "provider": {"label": "Provider", "help": "Who carries the calls.", "order": 60},
    "fromNumber": {"placeholder": "+15550001234", "advanced": True, "order": 1},
    "accounts.*.on": {"label": "Switched on"},
    "allowFrom": {"itemTemplate": "Caller {{index}}"},
}
FULL: JsonObject = {
    "provider": "mock",
    "allowFrom": ["+1", "+2"],
    "twilio": {"authToken": "very secret"},
    "accounts": {"work": {"token": "${WORK_TOKEN}", "on": True}},
    "store": {"kind": "cloud", "size": 3},
    "pair": ["a", 1],
    "strange": {"a": 1},
}


@pytest.fixture
def form() -> Form:
    return open_form(CALLS, FULL, HINTS)


def at(form: Form, *place: str | int, language: Language = EN) -> FormNode:
    def look(node: FormNode) -> list[FormNode]:
        below = [one for child in node.children for one in look(child)]
        return [node, *below] if node.place == place else below

    return look(form.root(language))[0]


def test_each_kind_of_schema_gets_its_field(form: Form) -> None:
    kinds = {str(node.place[0]): node.kind.value for node in form.root(EN).children}
    assert kinds == {
        "provider": "choice",
        "fromNumber": "text",
        "allowFrom": "list",
        "serve": "group",
        "twilio": "group",
        "speed": "number",
        "mode": "choice",
        "accounts": "map",
        "store": "variant",
        "pair": "raw",
        "rule": "map",
        "strange": "raw",
    }


def test_hints_name_order_and_fold_fields(form: Form) -> None:
    fields = form.root(EN).children
    assert fields[0].place == ("fromNumber",)
    assert fields[0].advanced
    assert fields[0].placeholder == "+15550001234"
    known = [node for node in fields if not node.unknown]
    assert (known[-1].label, known[-1].help) == ("Provider", "Who carries the calls.")
    assert at(form, "accounts", "work", "on").label == "Switched on"
    assert [item.label for item in at(form, "allowFrom").children] == ["Caller 1", "Caller 2"]
    assert at(form, "serve", "path").format == "file"


def test_a_default_is_shown_as_one(form: Form) -> None:
    port = at(form, "serve", "port")
    assert (port.value, port.written, port.has_default) == (3334, False, True)
    written = at(form.put(("serve", "port"), 3334), "serve", "port")
    assert (written.value, written.written, written.changed) == (3334, True, True)


def test_what_is_unset_again_leaves_no_empty_group(form: Form) -> None:
    edited = form.put(("serve", "port"), 1)
    assert edited.changes() == (Put(("serve",), {"port": 1}),)
    assert edited.unset(("serve", "port")).changes() == ()


def test_a_key_is_never_shown_and_comes_back_from_json_untouched(form: Form) -> None:
    token = at(form, "twilio", "authToken")
    assert (token.kind, token.secret, token.value) == (FieldKind.SECRET, SecretState.WRITTEN, None)
    assert "very secret" not in repr(form.root(EN))
    elsewhere = at(form, "accounts", "work", "token")
    assert (elsewhere.secret, elsewhere.value) == (SecretState.ELSEWHERE, "${WORK_TOKEN}")
    odd = open_form({"type": "object"}, {"a": {"apiKey": "k", "n": 1}})
    assert odd.root(EN).value == {"a": {"apiKey": "***", "n": 1}}
    assert odd.put((), {"a": {"apiKey": "***", "n": 2}}).value == {"a": {"apiKey": "k", "n": 2}}
    with pytest.raises(UserInputInvalid, match=r"\*\*\*"):
        odd.put((), {"b": {"apiKey": "***"}})


def test_a_typed_key_waits_apart_from_the_values(form: Form) -> None:
    place = ("twilio", "authToken")
    edited = form.hide(place, "new secret")
    assert edited.secrets == {place: "new secret"}
    assert edited.changes() == ()
    assert edited.dirty
    assert "new secret" not in repr(edited.root(EN)) + repr(edited)
    cleared = edited.unset(place)
    assert cleared.secrets == {}
    assert cleared.changes() == (Unset(place),)


def test_lists_grow_move_and_shrink(form: Form) -> None:
    longer = form.add(("allowFrom",)).put(("allowFrom", 2), "+3")
    assert not at(longer, "allowFrom").addable
    assert longer.move(("allowFrom", 2), 0).changes() == (
        Put(("allowFrom", 0), "+3"),
        Put(("allowFrom", 1), "+1"),
        Put(("allowFrom", 2), "+2"),
    )
    assert longer.unset(("allowFrom", 0)).value["allowFrom"] == ["+2", "+3"]  # type: ignore[index,call-overload]
    with pytest.raises(UserInputInvalid):
        form.move(("allowFrom", 0), 5)


def test_entries_have_names_of_their_own(form: Form) -> None:
    more = form.add(("accounts",), "home")
    assert at(more, "accounts", "home").removable
    renamed = more.rename(("accounts", "home"), "house")
    assert [child.label for child in at(renamed, "accounts").children] == ["work", "house"]
    with pytest.raises(UserInputInvalid, match="work"):
        renamed.rename(("accounts", "house"), "work")


def test_alternatives_are_told_apart_by_their_constants(form: Form) -> None:
    store = at(form, "store")
    assert [option.label for option in store.options] == ["Disk", "cloud"]
    assert store.chosen == 1
    disk = form.choose(("store",), 0)
    assert disk.value["store"] == {"folder": "", "kind": "disk"}  # type: ignore[index,call-overload]
    assert at(disk, "store").chosen == 0


def test_null_is_a_value_of_its_own(form: Form) -> None:
    assert at(form, "speed").nullable
    assert form.put(("speed",), None).wrong == 0
    assert [one.value for one in at(form, "mode").options] == ["off", 1, True]
    assert at(form.put(("mode",), True), "mode").chosen == 2


PROBLEMS: list[tuple[FieldPlace, JsonValue, str, str]] = [
    (("serve", "port"), 0, "at least 1", "不能小于 1"),
    (("serve", "port"), 1.5, "a whole number", "整数"),
    (("fromNumber",), "12", "look like", "格式"),
    (("provider",), "x", "one of: telnyx, mock", "其中之一"),
    (("speed",), 3, "at most 2", "不能大于 2"),
    (("store", "size"), "big", "a whole number", "整数"),
]


@pytest.mark.parametrize(("place", "value", "english", "chinese"), PROBLEMS)
def test_a_mistake_is_told_at_its_field(
    form: Form, place: FieldPlace, value: JsonValue, english: str, chinese: str
) -> None:
    wrong = form.put(place, value)
    assert english in at(wrong, *place).problems[0]
    assert chinese in at(wrong, *place, language=ZH).problems[0]
    assert wrong.wrong == 1


def test_what_was_wrong_in_the_file_is_told_and_hinders_nothing(form: Form) -> None:
    assert at(form, "strange").problems == ("This name is not known here.",)
    assert form.wrong == 0
    assert at(form.unset(("provider",)), "provider").problems == ("This is needed.",)


def test_a_variable_stands_for_whatever_it_will_hold(form: Form) -> None:
    port = at(form.put(("serve", "port"), "${PORT}"), "serve", "port")
    assert (port.kind, port.variable, port.problems) == (FieldKind.TEXT, True, ())


def test_a_value_of_another_kind_is_shown_as_json_and_stays() -> None:
    form = open_form(CALLS, {"provider": "mock", "serve": [1]})
    serve = at(form, "serve")
    assert (serve.kind, serve.value) == (FieldKind.RAW, [1])
    assert "another kind" in serve.reason
    assert form.changes() == ()


def test_a_schema_that_leads_into_itself_is_drawn_as_far_as_it_is_written() -> None:
    tree: JsonObject = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/node"}},
            }
        },
    }
    form = open_form(tree, {"next": {"next": {}}})
    assert at(form, "next", "next", "next").addable
    deeper = form.add(("next", "next", "next"))
    assert at(deeper, "next", "next", "next", "name").kind is FieldKind.TEXT
    assert form_report(tree, EN).drawn == ("name", "next")


def test_a_schema_that_cannot_be_used_is_edited_as_json() -> None:
    form = open_form({"type": "nonsense"}, {"a": 1})
    assert form.root(EN).kind is FieldKind.RAW
    assert form.root(EN).problems
    assert form_report({"type": "nonsense"}, EN).errors


def test_nothing_is_fetched_for_a_reference_elsewhere() -> None:
    schema: JsonObject = {"properties": {"a": {"$ref": "https://example.org/schema.json"}}}
    assert form_report(schema, EN).raw[0].path == "a"
    assert open_form(schema, {"a": 1}).wrong == 0
    assert "schema" in open_form(schema, {"a": 1}).root(EN).problems[0]


def test_parts_that_all_hold_are_one_group() -> None:
    schema: JsonObject = {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}},
            {"properties": {"a": {"maximum": 5}, "b": {"type": "string"}}},
        ]
    }
    form = open_form(schema, {})
    assert (at(form, "a").low, at(form, "a").high) == (1, 5)
    assert at(form, "b").kind is FieldKind.TEXT


def test_search_finds_labels_keys_and_help(form: Form) -> None:
    assert ("provider",) in form.found("carries", EN)
    assert {("accounts",), ("accounts", "work"), ("accounts", "work", "on")} <= form.found(
        "switched", EN
    )
    assert form.found("nothing like it", EN) == frozenset()


def test_edits_are_taken_back_one_by_one_and_all_at_once(form: Form) -> None:
    edited = form.put(("provider",), "telnyx").put(("serve", "port"), 9)
    assert edited.undo().value == form.put(("provider",), "telnyx").value
    assert edited.undo().undo().value == FULL
    reverted = edited.revert()
    assert not reverted.dirty
    assert reverted.undo().value == edited.value


def test_the_report_tells_what_is_drawn_and_why_the_rest_is_not() -> None:
    report = form_report(CALLS, EN)
    assert {"serve.port", "accounts.*.token", "allowFrom[]", "store.size"} <= set(report.drawn)
    assert {one.path for one in report.raw} == {"pair"}
    assert "a meaning of its own" in report.raw[0].reason
    assert json.dumps(report.drawn)


VAULT: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "allOf": [
        {"if": {"required": ["vault"]}, "then": {"required": ["items"]}},
        {"if": {"required": ["items"]}, "then": {"required": ["vault"]}},
    ],
    "properties": {
        "vault": {"type": "string", "pattern": "^(?!\\s*-)"},
        "items": {"type": "object", "additionalProperties": {"type": "string"}},
        "mode": {"type": "string"},
    },
    "if": {"properties": {"mode": {"const": "far"}}, "required": ["mode"]},
    "then": {"properties": {"host": {"type": "string"}}, "required": ["host"]},
}


def test_what_holds_only_under_a_condition_has_its_field_and_is_told_there() -> None:
    assert form_report(VAULT, EN).raw == ()
    form = open_form(VAULT, {}).put(("vault",), "work")
    assert at(form, "items").problems == ("This is needed.",)
    assert open_form(VAULT, {}).wrong == 0
    far = open_form(VAULT, {}).put(("mode",), "far")
    assert at(far, "host").problems == ("This is needed.",)


FREE: JsonObject = {
    "type": "object",
    "properties": {
        "apiKey": {"type": ["string", "object"]},
        "headers": {"type": "object", "additionalProperties": {"type": ["string", "object"]}},
        "anything": {},
        "list": {"type": "array"},
    },
}


def test_a_key_or_a_group_is_a_field_with_two_forms() -> None:
    assert form_report(FREE, EN).raw == ()
    written = open_form(FREE, {"apiKey": "very secret"})
    assert at(written, "apiKey").chosen == 0
    assert at(written, "apiKey").options[0].label == "Key"
    assert at(written, "apiKey").children[0].secret is SecretState.WRITTEN
    group = written.choose(("apiKey",), 1).add(("apiKey",), "source").put(("apiKey", "source"), "x")
    assert group.value == {"apiKey": {"source": "x"}}
    assert at(group, "apiKey", "source").kind is FieldKind.VARIANT


def test_any_kind_of_value_is_chosen_step_by_step() -> None:
    form = open_form(FREE, {"anything": {"deep": [1, True, None, "x", {"a": []}]}})
    assert [one.label for one in at(form, "anything").options] == [
        "Text",
        "Number",
        "Yes or no",
        "Group",
        "List",
    ]
    kinds = [one.children[0].kind for one in at(form, "anything", "deep").children[0].children[:2]]
    assert kinds == [FieldKind.NUMBER, FieldKind.FLAG]
    assert form.changes() == ()
    assert open_form({}, {"a": 1}).root(EN).kind is FieldKind.MAP


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("silenceDurationMs", "Silence duration (ms)"),
        ("sttProvider", "STT provider"),
        ("maxCostUsd", "Max cost usd"),
        ("ms", "Ms"),
        ("apiUrl", "API URL"),
    ],
)
def test_names_are_told_as_people_say_them(name: str, label: str) -> None:
    form = open_form({"properties": {name: {"type": "string"}}}, {})
    assert at(form, name).label == label


ACCOUNTS: JsonObject = {
    "type": "object",
    "properties": {
        "accounts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "token": {"type": "string"}},
            },
        }
    },
}


def test_a_typed_key_stays_with_its_item_when_items_move_or_go() -> None:
    names: JsonObject = {"accounts": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}
    typed = open_form(ACCOUNTS, names).hide(("accounts", 1, "token"), "of b")
    up = typed.move(("accounts", 1), 0)
    assert up.secrets == {("accounts", 0, "token"): "of b"}
    assert typed.move(("accounts", 0), 2).secrets == {("accounts", 0, "token"): "of b"}
    assert typed.move(("accounts", 2), 0).secrets == {("accounts", 2, "token"): "of b"}
    assert typed.unset(("accounts", 0)).secrets == {("accounts", 0, "token"): "of b"}
    assert typed.unset(("accounts", 2)).secrets == {("accounts", 1, "token"): "of b"}
    assert typed.unset(("accounts", 1)).secrets == {}
