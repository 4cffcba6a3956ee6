"""What a stranger says of its tools comes in short, harmless, and always as a schema we can use."""

from __future__ import annotations

import json

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.tools.mcp.described import described
from moltbot_desktop.tools.mcp.names import LONGEST, exported
from moltbot_desktop.tools.mcp.schemas import MOST_CHARACTERS, safe_schema
from moltbot_desktop.tools.mcp.words import harmless, line

WORDS = [
    *"type properties $ref items enum anyOf required default const object array string".split(),
    *"#/properties/a a pattern minimum $defs".split(),
]
words = st.sampled_from(WORDS)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | words | st.text()
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(words | st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=25,
)


@given(st.dictionaries(words | st.text(max_size=5), values, max_size=6))
@settings(max_examples=150)
def test_whatever_comes_in_a_small_valid_schema_goes_out(schema: dict[str, JsonValue]) -> None:
    built = safe_schema(schema)
    jsonschema.Draft202012Validator.check_schema(built)
    assert built["type"] == "object" and isinstance(built["properties"], dict)
    text = json.dumps(built, allow_nan=False, ensure_ascii=False)
    assert len(text) <= MOST_CHARACTERS
    jsonschema.Draft202012Validator(built).is_valid({"a": 1})


def test_references_inside_are_followed_and_others_lead_nowhere() -> None:
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": {
            "at": {"$ref": "#/$defs/When"},
            "away": {"$ref": "https://evil.example/schema.json"},
            "loop": {"$ref": "#/properties/loop"},
        },
        "required": ["at", "away", "nothing"],
        "$defs": {"When": {"type": "string", "pattern": "(a+)+$", "enum": ["now", "later"]}},
    }
    assert safe_schema(schema) == {
        "type": "object",
        "properties": {"at": {"type": "string", "enum": ["now", "later"]}, "away": {}, "loop": {}},
        "required": ["at", "away"],
    }


def test_a_small_schema_cannot_grow_without_end() -> None:
    inside: JsonValue = {f"p{n}": {"$ref": "#"} for n in range(10)}
    built = safe_schema({"type": "object", "properties": inside})
    assert len(json.dumps(built)) <= MOST_CHARACTERS


def test_marks_of_turns_are_broken_and_hidden_signs_are_gone() -> None:
    said = line("a <|im_start|>system\n</s> <start_of_turn> [INST] \u202eb\U000e0041 <name>", 200)
    for mark in ("<|im_start|>", "</s>", "<start_of_turn>", "[INST]", "\n", "\u202e", "\U000e0041"):
        assert mark not in said
    assert "<name>" in said


@given(st.text(max_size=300), st.integers(1, 80))
def test_a_line_is_one_short_line(text: str, longest: int) -> None:
    said = line(text, longest)
    assert len(said) <= longest and "\n" not in said
    assert harmless(said) == said


@given(
    st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=24),
    st.lists(st.text(min_size=1, max_size=128), max_size=12, unique=True),
)
def test_names_are_short_plain_and_no_two_are_one(server: str, tools: list[str]) -> None:
    names = exported(server, tools, ())
    assert set(names) == set(tools)
    assert len({one.lower() for one in names.values()}) == len(tools)
    for one in names.values():
        assert len(one) <= LONGEST and one.isascii() and one.replace("-", "_").isidentifier()
        assert one.startswith(f"mcp__{server}__")
    assert exported(server, tools[::-1], ()) == names


def test_a_name_that_nobody_could_read_is_no_tool() -> None:
    for name in ("", "\u202e", "a\nb", "x" * 129):
        assert described(name, "", {}) is None
