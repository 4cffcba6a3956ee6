"""Calls are used exactly as written, or sent back with a short correction."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.arguments import argument_problem
from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.formats.function_xml import FunctionXmlFormat
from moltbot_desktop.models.formats.hermes import HermesFormat
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import Effect, ToolSpec

HERMES, XML = HermesFormat(), FunctionXmlFormat()
STARTER = FunctionXmlFormat(strips_values=True)
each_format = pytest.mark.parametrize("call_format", [HERMES, XML], ids=lambda f: f.name)

READ = ToolSpec(
    "read",
    "Read a file",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "maxLength": 50},
            "lines": {"type": "integer", "minimum": 1, "maximum": 99},
            "mode": {"enum": ["text", "raw", 7]},
            "ratio": {"type": "number"},
            "follow": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "nothing": {"type": ["null", "integer"]},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "code": {"type": "string", "pattern": "^[A-Z]+$"},
        },
        "required": ["path"],
    },
    Effect.FILE_READ,
)
LIST = ToolSpec("reminder_list", "", {"type": "object", "properties": {}}, Effect.NONE)
TOOLS = (READ, LIST)


def hermes(text: str) -> ToolCall | MalformedCall:
    return HERMES.parse(text, TOOLS, "c1")


def problem(found: ToolCall | MalformedCall) -> str:
    assert isinstance(found, MalformedCall), found
    return found.problem


def arguments(found: ToolCall | MalformedCall) -> dict[str, Any]:
    assert isinstance(found, ToolCall), found
    return dict(found.arguments)


def xml(*values: tuple[str, str], name: str = "read") -> str:
    inner = "".join(f"<parameter={key}>\n{text}\n</parameter>\n" for key, text in values)
    return f"\n<function={name}>\n{inner}</function>\n"


# --- what is accepted


@each_format
@pytest.mark.parametrize(
    "given_arguments",
    [
        {"path": "a.md"},
        {"path": "你好.md", "lines": 3, "tags": ["a", "b"], "follow": True},
        {"path": "a", "ratio": -2.5, "nothing": None, "mode": 7},
        {"path": ' "quoted"\nlines\\ '},
    ],
)
def test_what_is_written_is_read_again(
    call_format: CallFormat, given_arguments: dict[str, Any]
) -> None:
    written = call_format.write(ToolCall("x", "read", given_arguments))
    assert written.startswith(call_format.open) and written.endswith(call_format.close)
    body = written.removeprefix(call_format.open)
    assert arguments(call_format.parse(body, TOOLS, "c1")) == given_arguments
    assert arguments(call_format.parse(body.removesuffix(call_format.close), TOOLS, "c1")) == (
        given_arguments
    )


@each_format
def test_a_tool_without_arguments_is_called(call_format: CallFormat) -> None:
    body = call_format.write(ToolCall("x", "reminder_list")).removeprefix(call_format.open)
    assert arguments(call_format.parse(body, TOOLS, "c1")) == {}


def test_function_xml_turns_text_into_the_type_the_schema_asks_for() -> None:
    body = xml(
        ("path", "7"), ("lines", " 12 "), ("ratio", "1.5"), ("follow", "True"), ("mode", "7"),
        ("tags", '["a"]'), ("nothing", "null"), ("either", "5"),
    )  # fmt: skip
    assert arguments(XML.parse(body, TOOLS, "c1")) == {
        "path": "7",
        "lines": 12,
        "ratio": 1.5,
        "follow": True,
        "mode": 7,
        "tags": ["a"],
        "nothing": None,
        "either": 5,
    }


def test_hermes_does_not_turn_text_into_numbers() -> None:
    text = '{"name": "read", "arguments": {"path": "a", "lines": "12"}}'
    assert problem(hermes(text)) == '`lines` must be a whole number, got "12"'


def test_indentation_belongs_to_the_value_except_for_the_starter() -> None:
    body = xml(("path", "  a.md "))
    assert arguments(XML.parse(body, TOOLS, "c1")) == {"path": "  a.md "}
    assert arguments(STARTER.parse(body, TOOLS, "c1")) == {"path": "a.md"}


def test_a_value_on_the_line_of_its_tags_is_read() -> None:
    body = "<function=read>\n<parameter=path>a.md</parameter>\n</function>"
    assert arguments(XML.parse(body, TOOLS, "c1")) == {"path": "a.md"}


# --- what is sent back


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        ("not json", "not valid JSON"),
        ('{"name": "read", "arguments": {"path": "a"}', "not valid JSON"),
        ('{"name": "read", "arguments": {"path": NaN}}', "not valid JSON"),
        ('{"name": "read", "arguments": {"path": "a", "path": "b"}}', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('[{"name": "read"}]', "names no tool"),
        ('{"tool": "read"}', "names no tool"),
        ('{"name": "read"}', "`arguments` must be an object"),
        ('{"name": "read", "arguments": "{}"}', "`arguments` must be an object"),
        ('{"name": "raed", "arguments": {}}', "no tool `raed`; the tools are `read`, `rem"),
        ('{"name": "read", "arguments": {"file": "a"}}', "`path` missing; got `file`"),
        ('{"name": "read", "arguments": {}}', "`path` missing"),
        ('{"name": "read", "arguments": {"path": 5}}', "`path` must be text, got 5"),
        ('{"name": "read", "arguments": {"path": ""}}', "`path` must not be empty"),
        ('{"name": "read", "arguments": {"path": "\\ud800"}}', "half a character"),
        ('{"name": "read", "arguments": {"path": "a", "ratio": 1e999}}', "endless number"),
        (
            '{"name": "read", "arguments": {"path": "a", "line": 5}}',
            "unknown argument `line`; it takes `path`, `lines`",
        ),
        (
            '{"name": "reminder_list", "arguments": {"all": true}}',
            "unknown argument `all`; it takes none",
        ),
        (
            '{"name": "read", "arguments": {"path": "a", "lines": 0}}',
            "`lines` must be at least 1, got 0",
        ),
        (
            '{"name": "read", "arguments": {"path": "a", "mode": "x"}}',
            '`mode` must be one of "text", "raw", 7; got "x"',
        ),
        (
            '{"name": "read", "arguments": {"path": "a", "code": "x"}}',
            "`code` does not fit the pattern",
        ),
        (
            '{"name": "read", "arguments": {"path": "a", "tags": [1]}}',
            "`tags.0` must be text, got 1",
        ),
        (
            '{"name": "read", "arguments": {"path": "a", "nothing": "x"}}',
            "`nothing` must be null or a whole number",
        ),
    ],
)
def test_a_wrong_call_is_sent_back_with_what_to_correct(text: str, words: str) -> None:
    assert words in problem(hermes(text))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", "names no function"),
        ('{"name": "read"}', "names no function"),
        (xml(("file", "a")), "`path` missing; got `file`"),
        (xml(("path", "a"), ("lines", "many")), '`lines` must be a whole number, got "many"'),
        (xml(("path", "a"), ("lines", "1" * 5000)), "`lines` must be a whole number"),
        (xml(("path", "a"), ("path", "b")), "`path` stands twice"),
        (
            "<function=read>\n<parameter=path>\n</parameter>\n"
            "<parameter=code>\nA\n</parameter>\n</function>",
            "`path` must not be empty",
        ),
        (xml(("path", "a"), name="raed"), "no tool `raed`"),
        ("<function=read>\n<parameter=path>\na\n</function>", "`path` is not closed"),
        ("<function=read>\n<parameter=path>\na\n</parameter>\n", "not closed"),
        ("<function=read>\npath=a\n</function>", "not closed"),
    ],
)
def test_wrong_function_xml_is_sent_back_too(body: str, words: str) -> None:
    assert words in problem(XML.parse(body, TOOLS, "c1"))


def test_a_correction_is_short_and_keeps_what_was_written() -> None:
    text = '{"name": "read", "arguments": {"path": "' + "x" * 10_000 + '"}}'
    found = hermes(text)
    assert problem(found) == "`path` is too long: at most 50 characters"
    assert isinstance(found, MalformedCall) and found.raw == text


def test_a_tool_with_a_broken_or_distant_schema_is_never_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetched: list[object] = []
    monkeypatch.setattr("urllib.request.urlopen", fetched.append)
    for schema in (
        {"type": "object", "properties": {"a": {"type": "strnig"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://x.test/schema"}}},
    ):
        odd = ToolSpec("odd", "", schema, Effect.NONE)
        found = HERMES.parse('{"name": "odd", "arguments": {"a": "b"}}', [odd], "c1")
        assert "schema is broken" in problem(found)
    assert not fetched, "a schema made the program fetch another one"


def doubling(kind: str, times: int) -> dict[str, Any]:
    """A schema of a few lines that stands for two to the power of `times` values."""
    steps = {
        f"d{n}": {kind: [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(times)
    }
    last: dict[str, Any] = {f"d{times}": {"type": "integer"}}
    properties = {"a": {"$ref": "#/$defs/d0"}}
    return {"type": "object", "properties": properties, "$defs": steps | last}


@pytest.mark.parametrize("kind", ["anyOf", "oneOf", "allOf"])
def test_a_schema_that_grows_without_end_checks_nothing(kind: str) -> None:
    odd = ToolSpec("odd", "", doubling(kind, 40), Effect.NONE)
    found = HERMES.parse('{"name": "odd", "arguments": {"a": "b"}}', [odd], "c1")
    assert "its schema is too large" in problem(found)
    small = ToolSpec("odd", "", doubling(kind, 3), Effect.NONE)
    found = HERMES.parse('{"name": "odd", "arguments": {"a": 5}}', [small], "c1")
    assert isinstance(found, MalformedCall if kind == "oneOf" else ToolCall)  # both fit: not one


def test_arguments_too_deep_or_too_large_to_check_are_sent_back() -> None:
    endless: dict[str, Any] = {"anyOf": [{"$ref": "#/$defs/d"}, {"type": "null"}]}
    cases: list[tuple[dict[str, Any], Any, str]] = [
        ({"$ref": "#/$defs/d"}, 5, "nested too deeply"),
        ({"type": "number", "multipleOf": 0.5}, 10**400, "too large"),
    ]
    for schema, value, words in cases:
        parameters = {"type": "object", "properties": {"a": schema}, "$defs": {"d": endless}}
        assert words in argument_problem({"a": value}, parameters)
    deep: Any = 5
    for _ in range(100_000):
        deep = [deep]
    assert "nested too deeply" in argument_problem({"a": deep}, {"type": "object"})


pieces = st.sampled_from(
    [
        "<function=read>",
        "<parameter=path>",
        "\n",
        "</parameter>",
        "</function>",
        "a",
        "</tool_call>",
        '{"name": "read", ',
        '"arguments": ',
        "{",
        "}",
        '"path"',
        ":",
        '"',
        "\\",
        "�",
        "[",
        "1e999",
    ]
)


@each_format
@settings(max_examples=200)
@given(st.one_of(st.text(max_size=40), st.lists(pieces, max_size=14).map("".join)))
def test_any_text_is_a_valid_call_or_a_correction(call_format: CallFormat, text: str) -> None:
    found = call_format.parse(text, TOOLS, "c1")
    assert found.name in ("read", "reminder_list") if isinstance(found, ToolCall) else found.problem
    end = call_format.body_end(text)
    assert end is None or text[:end].endswith(call_format.close)


# --- which format a model uses

TURNS = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}"
CALLS = (
    "{% for c in m.tool_calls or [] %}<tool_call>\n"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n'
    "</tool_call>{% endfor %}"
)
XML_CALLS = (
    "{% for c in m.tool_calls or [] %}<tool_call>\n<function={{ c.function.name }}>\n"
    "{% for k, v in c.function.arguments.items() %}<parameter={{ k }}>\n"
    "{{ v if v is string else v | tojson }}\n</parameter>\n"
    "{% endfor %}</function>\n</tool_call>{% endfor %}"
)
LLAMA_CALLS = (
    '{% for c in m.tool_calls or [] %}{"name": "{{ c.function.name }}", '
    '"parameters": {{ c.function.arguments | tojson }}}{% endfor %}'
)


@pytest.mark.parametrize(
    ("calls", "name", "shown"),
    [
        (CALLS, "hermes", True),
        (XML_CALLS, "function-xml", True),
        (XML_CALLS.replace("v if v is string else v | tojson", "v"), "function-xml", False),
        (LLAMA_CALLS, "bare-json", True),
        ("", "hermes", False),
    ],
)
def test_the_format_is_told_from_a_call_the_template_printed(
    calls: str, name: str, shown: bool
) -> None:
    template = ChatTemplate(TURNS + calls + "{% endfor %}")
    assert template.call_format.name == name
    assert template.shows_calls is shown


def test_without_a_template_calls_are_hermes() -> None:
    assert ChatTemplate("").call_format.name == "hermes"
