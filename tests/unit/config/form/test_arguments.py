"""Arguments are checked against schemas that strangers wrote, and an answer comes soon."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent.refusals import argument_problem
from moltbot_desktop.config.form.arguments import SchemaUnusable, argument_errors
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.models.formats.arguments import argument_problem as problem_of_a_model
from moltbot_desktop.sdk.tools import Effect, ToolSpec

HANGS = "^(a|aa)+$"
"""Python's engine would look for this in sixty letters for longer than anybody lives."""
LONG = "a" * 60 + "!"


def schema(inner: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {"a": inner}}


def words(inner: JsonObject, value: object) -> list[str]:
    return [error.message for error in argument_errors(schema(inner), {"a": value})]  # type: ignore[dict-item]


def test_a_pattern_that_hangs_counts_as_one_that_does_not_fit() -> None:
    assert "takes too long" in words({"pattern": HANGS}, LONG)[0]
    assert not words({"pattern": HANGS}, "aaa")


@pytest.mark.parametrize("inside", ["not", "anyOf"])
def test_what_a_condition_could_not_find_out_is_a_no(inside: str) -> None:
    """`not` of "no answer" must not be a yes."""
    one: JsonObject = {"pattern": HANGS}
    inner: JsonObject = {"not": one} if inside == "not" else {"anyOf": [one, {"type": "string"}]}
    assert any("takes too long" in word for word in words(inner, LONG))


@pytest.mark.parametrize(
    "inner",
    [
        {"pattern": "((a{99}){99}){99}"},  # written out it would fill the memory
        {"pattern": "("},
        {"type": "strnig"},
        {"$ref": "https://x.test/schema"},
        {"$ref": "#/nowhere"},
    ],
    ids=["large", "no pattern", "no type", "far away", "nowhere"],
)
def test_a_schema_that_cannot_be_used_is_told_and_fetches_nothing(
    inner: JsonObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[object] = []
    monkeypatch.setattr("urllib.request.urlopen", fetched.append)
    with pytest.raises(SchemaUnusable):
        argument_errors(schema(inner), {"a": "b"})
    spec = ToolSpec("odd", "", schema(inner), Effect.NONE)
    assert "this tool cannot be called" in argument_problem(spec, {"a": "b"})
    assert "this tool cannot be called" in problem_of_a_model({"a": "b"}, spec.parameters)
    assert not fetched


def test_references_that_multiply_end() -> None:
    steps: dict[str, JsonObject] = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)
    }
    multiplied: JsonObject = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/d0"}},
        "$defs": {**steps, "d40": {"type": "integer"}},
    }
    spec = ToolSpec("odd", "", multiplied, Effect.NONE)
    assert "this tool cannot be called" in argument_problem(spec, {"a": 5})


def test_a_schema_that_leads_into_itself_and_endless_numbers_are_no_bug() -> None:
    spec = ToolSpec("odd", "", schema({"$ref": "#/properties/a"}), Effect.NONE)
    assert argument_problem(spec, {"a": 5})
    figures = ToolSpec("odd", "", schema({"multipleOf": 0.5}), Effect.NONE)
    assert argument_problem(figures, {"a": 10**400})
    assert argument_problem(figures, {"a": 10**5000})
    assert not argument_problem(figures, {"a": 1.5})
