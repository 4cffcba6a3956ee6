"""What the grammars promise: every sentence is a call the tool takes, and every call fits."""

from __future__ import annotations

import contextlib
import random
import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import GrammarRejected
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.formats.function_xml import FunctionXmlFormat
from moltbot_desktop.models.formats.hermes import HermesFormat
from moltbot_desktop.models.formats.known import KNOWN
from moltbot_desktop.models.grammar import call_grammar
from moltbot_desktop.models.schema_gbnf import integer_between
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from tests.fakes.grammar_machine import GrammarMachine

# One of each kind; `test_formats.py` asks all of them the cheap questions.
KINDS = (
    "hermes function-xml bare-json python-calls gemma mistral-list gpt-oss kimi command "
    "arg-keys minimax dsml-tool_calls"
).split()
BY_NAME = {known.name: known for known in KNOWN}
FORMATS = [BY_NAME[name] for name in KINDS]
each_format = pytest.mark.parametrize("call_format", FORMATS, ids=lambda f: f.name)
TEXT = {"type": "string"}


def tool(name: str = "t", required: tuple[str, ...] = (), **properties: Any) -> ToolSpec:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name, "does it", schema, Effect.NONE)


READ = tool("read", ("path",), path=TEXT, offset={"type": "integer", "minimum": 1}, limit=TEXT)
LIST = tool("reminder_list")


def machine(call_format: CallFormat, *tools: ToolSpec, limit: int = 4096) -> GrammarMachine:
    return GrammarMachine(call_grammar(call_format, tools, string_limit=limit))


def body(call_format: CallFormat, name: str, **arguments: Any) -> str:
    return call_format.write(ToolCall("1", name, arguments)).removeprefix(call_format.open)


# --- schemas as authors write them

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,6}", fullmatch=True)
bounds = st.integers(-40, 40)
leaves = st.one_of(
    st.builds(
        lambda low, more, kept: {
            "type": "string",
            "minLength": low,
            "maxLength": low + more,
            **kept,
        },
        st.integers(0, 4),
        st.sampled_from([0, 1, 3, 40, 300, 900]),
        st.sampled_from([{}, {"description": "x"}, {"format": "date"}]),
    ),
    st.just(TEXT),
    st.builds(
        lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more},
        bounds,
        st.integers(0, 60),
    ),
    st.sampled_from([{"type": "integer"}, {"type": "number"}, {"type": "boolean"}]),
    st.sampled_from([{"type": ["string", "null"]}, {"anyOf": [{"type": "integer"}, TEXT]}]),
    st.lists(st.sampled_from(["a", "b c", "你", 3, True, None]), min_size=1, unique=True).map(
        lambda values: {"enum": values}
    ),
    st.just({"const": "fixed"}),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(
            lambda items, low: {"type": "array", "items": items, "minItems": low, "maxItems": 4},
            inner,
            st.integers(0, 2),
        ),
        st.dictionaries(names, inner, min_size=1, max_size=3).map(
            lambda properties: {"type": "object", "properties": properties}
        ),
    ),
    max_leaves=4,
)


@st.composite
def tools(draw: st.DrawFn) -> ToolSpec:
    properties = draw(st.dictionaries(names, values, max_size=4))
    required = [name for name in properties if draw(st.booleans())]
    schema = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(draw(names), "", schema, Effect.NONE)


@each_format
@settings(max_examples=40)
@given(offered=tools(), seed=st.integers(0, 2**32))
def test_every_sentence_is_a_whole_call_the_tool_takes(
    call_format: CallFormat, offered: ToolSpec, seed: int
) -> None:
    written = machine(call_format, offered, limit=400).sentence(random.Random(seed))
    assert call_format.body_end(written) == len(written)
    for part in call_format.split(written):
        call = call_format.parse(part, [offered], "c1")
        assert isinstance(call, ToolCall), (written, call)
        assert call.name == offered.name and call.id == "c1"


@each_format
@given(st.text(max_size=60), st.integers(1, 10**9))
def test_every_argument_can_be_written(call_format: CallFormat, text: str, number: int) -> None:
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]", "", text).strip()
    # Given up where values stand between tags (`text_without`, `_raw_text`): a line that ends
    # within a beginning of the closing tag, and nine of what the tag begins with.
    assume(not re.search(r"<[^\s>]*$|<{9}|\n{9}", text, re.MULTILINE))
    written = body(call_format, "read", path=text, offset=number)
    assert machine(call_format, READ).matches(written)
    call = call_format.parse(written, [READ], "c1")
    assert isinstance(call, ToolCall)
    assert call.arguments == {"path": text, "offset": number}


@each_format
@pytest.mark.parametrize(
    "text", ["你好，世界", 'say "hi"\\n', "a\nb\n\n  c", "<b>\n</b>\n<i", "</params", "5 < 6", ""]
)
def test_quotes_lines_markup_and_chinese_can_be_written(call_format: CallFormat, text: str) -> None:
    assert machine(call_format, READ).matches(body(call_format, "read", path=text))


@each_format
def test_optional_arguments_may_be_left_out_and_required_ones_not(
    call_format: CallFormat,
) -> None:
    grammar = machine(call_format, READ, LIST)
    assert grammar.matches(body(call_format, "read", path="a", limit="b"))
    assert grammar.matches(body(call_format, "reminder_list"))
    assert not grammar.matches(body(call_format, "read", offset=3))
    assert not grammar.matches(body(call_format, "reminder_list", path="a"))
    assert not grammar.matches(body(call_format, "other", path="a"))


@each_format
def test_all_optional_arguments_combine_freely_in_the_order_of_the_schema(
    call_format: CallFormat,
) -> None:
    grammar = machine(call_format, tool("t", (), a=TEXT, b=TEXT, c=TEXT))
    for chosen in ("", "a", "b", "c", "ab", "ac", "bc", "abc"):
        assert grammar.matches(body(call_format, "t", **dict.fromkeys(chosen, "x"))), chosen
    assert not grammar.matches(body(call_format, "t", b="x", a="x"))


@each_format
@pytest.mark.parametrize("length", [1, 31, 33, 300, 1000])
def test_a_text_has_exactly_the_lengths_the_schema_allows(
    call_format: CallFormat, length: int
) -> None:
    limited = tool("t", ("v",), v={"type": "string", "minLength": 1, "maxLength": length})
    grammar = machine(call_format, limited, limit=100_000)
    assert grammar.matches(body(call_format, "t", v="x" * length))
    assert not grammar.matches(body(call_format, "t", v="x" * (length + 1)))
    assert not grammar.matches(body(call_format, "t", v=""))


@each_format
def test_a_text_without_a_limit_gets_ours(call_format: CallFormat) -> None:
    grammar = machine(call_format, READ, limit=777)
    for length, fits in [(0, True), (700, True), (777, True), (778, False)]:
        assert grammar.matches(body(call_format, "read", path="x" * length)) is fits, length


@each_format
def test_a_long_text_costs_few_rules_and_no_large_repeat(call_format: CallFormat) -> None:
    # The machine itself refuses repeats over 2,000, as llama.cpp does.
    assert machine(call_format, READ, limit=1_000_000).rule_count < 30


def test_a_limited_text_may_have_lines_and_keeps_its_limit() -> None:
    limited = tool("t", ("v",), v={"type": "string", "maxLength": 300})
    call_format = FunctionXmlFormat()
    grammar = machine(call_format, limited)
    assert grammar.matches(body(call_format, "t", v="a line\n" * 10 + "x"))
    assert not grammar.matches(body(call_format, "t", v="\n".join("x" * 151)))


@given(st.one_of(st.none(), bounds), st.one_of(st.none(), bounds), st.integers(-60, 60))
def test_whole_numbers_keep_their_bounds(low: int | None, high: int | None, number: int) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    pattern = re.compile(integer_between(low, high).replace(" ", "").replace('"', ""))
    inside = (low is None or low <= number) and (high is None or number <= high)
    assert bool(pattern.fullmatch(str(number))) is inside
    assert not pattern.fullmatch("-0") and not pattern.fullmatch("007")


def test_of_several_bounds_the_narrower_holds() -> None:
    number = {"type": "integer", "minimum": 2.5, "exclusiveMinimum": 7, "maximum": 20}
    grammar = machine(HermesFormat(), tool("t", ("n",), n=number | {"exclusiveMaximum": 11}))
    fitting = [n for n in range(-30, 30) if grammar.matches(body(HermesFormat(), "t", n=n))]
    assert fitting == [8, 9, 10]


@each_format
def test_a_length_the_schema_demands_goes_over_our_limit(call_format: CallFormat) -> None:
    demanding = tool("t", ("v",), v={"type": "string", "minLength": 50})
    assert machine(call_format, demanding, limit=8).matches(body(call_format, "t", v="x" * 50))


def test_a_reference_inside_the_schema_is_followed() -> None:
    schema = {
        "type": "object",
        "$defs": {"Size": {"enum": ["small", "large"]}},
        "properties": {"size": {"$ref": "#/$defs/Size"}},
        "required": ["size"],
    }
    referring = ToolSpec("t", "", schema, Effect.NONE)
    grammar = machine(HermesFormat(), referring)
    assert grammar.matches(body(HermesFormat(), "t", size="large"))
    assert not grammar.matches(body(HermesFormat(), "t", size="medium"))


RECURSIVE = {
    "type": "object",
    "$defs": {"N": {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}}},
    "properties": {"n": {"$ref": "#/$defs/N"}},
}


def chained(times: int) -> dict[str, Any]:
    steps = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(times)}
    return {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {**steps, f"d{times}": TEXT}}


def nested_kinds(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = TEXT
    for _ in range(depth):
        inner = {"type": ["array"] * 100, "items": inner}
    return {"properties": {"a": inner}}


@each_format
@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (nested_kinds(3), "more than 2000 parts"),
        (chained(1200), "nested too deeply"),
        ({"properties": {"a": {"type": "string", "minLength": 10**400}}}, "too long"),
        (RECURSIVE, "refers to itself"),
        ({"properties": {"a": {"$ref": "https://x.test/y"}}}, "outside the schema"),
        ({"properties": {"a": {"$ref": "#/nowhere"}}}, "does not exist"),
        ({"properties": {"a": {"description": "anything"}}}, "no type"),
        ({"properties": {"a": {"type": "object"}}}, "without named properties"),
        ({"properties": {"a": {"type": "array"}}}, "without `items`"),
        ({"properties": {"a": {"type": "date"}}}, "unknown"),
        ({"properties": {"a": True}}, "no object"),
        ({"properties": {'a"b': TEXT}}, 'a"b'),
        ({"properties": {"名字": TEXT}}, "名字"),
        ({"properties": {"a": {"enum": []}}}, "enum"),
        ({"properties": {"a": TEXT}, "required": ["b"]}, "`b` is required"),
        ({"properties": {"a": {"type": "string", "minLength": 9, "maxLength": 1}}}, "smaller"),
        ({"properties": {"a": {"type": "string", "minLength": 10**6}}}, "too long"),
        ({"properties": {"a": {"type": "integer", "minimum": 5, "maximum": 4}}}, "no whole"),
        ({"type": "string"}, "not an object"),
    ],
)
def test_what_a_grammar_cannot_say_is_refused_with_the_tool_and_the_reason(
    call_format: CallFormat, schema: dict[str, Any], reason: str
) -> None:
    with pytest.raises(GrammarRejected) as refused:
        call_grammar(call_format, [LIST, ToolSpec("odd_one", "", schema, Effect.NONE)])
    assert reason in refused.value.message and "odd_one" in refused.value.message


@pytest.mark.parametrize("name", ["a b", 'a"', "", "9lives", "x" * 65, "a\n"])
def test_a_tool_whose_name_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(GrammarRejected):
        call_grammar(HermesFormat(), [ToolSpec(name, "", {}, Effect.NONE)])


def test_no_tools_no_grammar() -> None:
    with pytest.raises(GrammarRejected):
        call_grammar(HermesFormat(), [])


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                st.sampled_from(
                    "type properties required items enum const $ref anyOf minLength maxLength "
                    "minimum maximum minItems maxItems".split()
                ),
                st.text(max_size=3),
            ),
            st.one_of(inner, st.sampled_from(["string", "object", "array", "integer", "number"])),
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@each_format
@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "x"]), anything))
def test_any_schema_gives_a_grammar_or_a_reason(
    call_format: CallFormat, schema: dict[str, Any]
) -> None:
    with contextlib.suppress(GrammarRejected):
        GrammarMachine(call_grammar(call_format, [ToolSpec("t", "", schema, Effect.NONE)]))
