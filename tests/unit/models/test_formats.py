"""What every call syntax promises: what it writes it reads, its grammar allows, and a stream of it
is understood however it is cut; a broken call is a correction and never another call."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.formats.known import (
    APRIEL,
    COMMAND,
    GPT_OSS,
    KIMI,
    KNOWN,
    MISTRAL_LIST,
    MISTRAL_NAMED,
)
from moltbot_desktop.models.grammar import call_grammar
from moltbot_desktop.models.scanner import (
    CallClosed,
    CallCut,
    CallOpened,
    ScanEvent,
    StreamScanner,
    Text,
    Thinking,
)
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from tests.fakes.grammar_machine import GrammarMachine

BY_NAME = {known.name: known for known in KNOWN}
BARE, PYTHON, GEMMA = (BY_NAME[name] for name in ("bare-json", "python-calls", "gemma"))
each_format = pytest.mark.parametrize("call_format", KNOWN, ids=lambda f: f.name)

READ = ToolSpec(
    "read",
    "Reads a file",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "lines": {"type": "integer", "minimum": 1, "maximum": 99},
            "ratio": {"type": "number"},
            "follow": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "mode": {"enum": ["text", "raw"]},
            "nothing": {"type": "null"},
            "place": {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "name": {"type": "string"}},
                "required": ["x"],
            },
        },
        "required": ["path"],
    },
    Effect.FILE_READ,
)
LIST = ToolSpec("reminder_list", "", {"type": "object", "properties": {}}, Effect.NONE)
TOOLS = (READ, LIST)
RICH: dict[str, Any] = {
    "path": "a 'b' \"c\"\n你好 \\ é {x} [y], z",
    "lines": 7,
    "ratio": -2.5,
    "follow": True,
    "tags": ["p, q", "]"],
    "mode": "raw",
    "nothing": None,
    "place": {"x": 0, "name": "it's"},
}


def parsed(call_format: CallFormat, body: str) -> list[ToolCall | MalformedCall]:
    return [call_format.parse(part, TOOLS, "c1") for part in call_format.split(body)]


def scanned(call_format: CallFormat | None, pieces: Sequence[str], **more: Any) -> list[ScanEvent]:
    """Events with neighbours joined; what depends on the cut is dropped."""
    markers = call_format.markers(TOOLS) if call_format else None
    scanner = StreamScanner(call_format, markers=markers, **more)
    events = [event for piece in pieces for event in scanner.feed(piece)]
    joined: list[ScanEvent] = []
    for event in [*events, *scanner.finish()]:
        last = joined[-1] if joined else None
        if isinstance(event, Text | Thinking) and type(event) is type(last):
            joined[-1] = type(event)(last.text + event.text)  # type: ignore[union-attr]
        elif not isinstance(event, CallOpened):
            joined.append(event)
    return joined


def calls(call_format: CallFormat, events: Sequence[ScanEvent]) -> list[dict[str, Any]]:
    bodies = [event.body for event in events if isinstance(event, CallClosed)]
    found = [call for body in bodies for call in parsed(call_format, body)]
    assert all(isinstance(call, ToolCall) for call in found), found
    return [dict(call.arguments) for call in found if isinstance(call, ToolCall)]


# --- writing, reading, grammar


@each_format
@pytest.mark.parametrize("arguments", [RICH, {"path": "a"}, {"path": ""}], ids=["rich", "a", "0"])
def test_what_is_written_is_read_and_allowed_by_the_grammar(
    call_format: CallFormat, arguments: dict[str, Any]
) -> None:
    body = call_format.write(ToolCall("x", "read", arguments)).removeprefix(call_format.open)
    assert call_format.body_end(body) == len(body)
    (call,) = parsed(call_format, body)
    assert isinstance(call, ToolCall) and call.arguments == arguments, call
    grammar = GrammarMachine(call_grammar(call_format, TOOLS, string_limit=100))
    assert grammar.matches(body)


@each_format
def test_what_the_schema_forbids_the_grammar_forbids_and_the_parser_corrects(
    call_format: CallFormat,
) -> None:
    grammar = GrammarMachine(call_grammar(call_format, TOOLS, string_limit=100))
    for wrong in (
        {"path": "a", "lines": 100},
        {"path": "a", "mode": "other"},
        {"lines": 1},
        {"path": "a", "odd": "b"},
        {"path": "a", "follow": "maybe"},
        {"path": "a", "place": {"name": "x"}},
    ):
        body = call_format.write(ToolCall("x", "read", wrong)).removeprefix(call_format.open)
        (found,) = parsed(call_format, body)
        assert isinstance(found, MalformedCall) and found.problem, wrong
        assert not grammar.matches(body), wrong
    body = call_format.write(ToolCall("x", "other", {})).removeprefix(call_format.open)
    assert not grammar.matches(body)
    (found,) = parsed(call_format, body)
    assert isinstance(found, MalformedCall) and "no tool `other`" in found.problem


@each_format
def test_a_call_cut_anywhere_is_never_a_call(call_format: CallFormat) -> None:
    written = call_format.write(ToolCall("x", "read", {"path": "你好", "lines": 3}))
    for length in range(len(written)):
        events = scanned(call_format, [written[:length]])
        assert not calls(call_format, events), written[:length]


@each_format
@settings(max_examples=60)
@given(data=st.data())
def test_any_text_is_a_valid_call_or_a_correction(
    call_format: CallFormat, data: st.DataObject
) -> None:
    whole = call_format.write(ToolCall("x", "read", RICH))
    cuts = st.integers(0, len(whole))
    edges = st.tuples(cuts, cuts).map(lambda cut: whole[min(cut) : max(cut)])
    noise = st.sampled_from(["", "x", '"', "'", "}", "]", ")", "\n", "\\", ",", "1e999", "<"])
    text = "".join(data.draw(st.lists(st.one_of(edges, noise, st.text(max_size=8)), max_size=5)))
    end = call_format.body_end(text)
    assert end is None or text[:end].endswith(call_format.close)
    for found in parsed(call_format, text):
        if isinstance(found, ToolCall):
            assert found.name in ("read", "reminder_list")
        else:
            assert found.problem


# --- streams


@each_format
def test_a_stream_is_understood_wherever_it_is_cut(call_format: CallFormat) -> None:
    """At every position once, and character by character; bytes are cut by the decoder below."""
    one = call_format.write(ToolCall("x", "read", RICH))
    two = call_format.write(ToolCall("x", "reminder_list", {}))
    lead = "" if call_format in (BARE, GPT_OSS) else "好 <b> "
    middle = "<|start|>assistant" if call_format is GPT_OSS else "\n"
    whole = f"<think>hm {one}</think>\n\n{lead}{one}{middle}{two}"
    expected = scanned(call_format, [whole])
    assert calls(call_format, expected) == [RICH, {}]
    assert expected[0] == Thinking(f"hm {one}")
    said = "".join(event.text for event in expected if isinstance(event, Text))
    assert said.strip() == lead.strip()
    assert scanned(call_format, list(whole)) == expected
    for at in range(1, len(whole)):
        assert scanned(call_format, [whole[:at], whole[at:]]) == expected, at


@each_format
def test_without_tools_a_call_is_text(call_format: CallFormat) -> None:
    written = call_format.write(ToolCall("x", "read", {"path": "a"}))
    assert not any(isinstance(e, CallClosed | CallCut) for e in scanned(None, [written]))


SEVERAL = {
    MISTRAL_LIST.name: '[TOOL_CALLS][{"name": "read", "arguments": {"path": "a]}"}}, '
    '{"name": "reminder_list", "arguments": {}}]',
    MISTRAL_NAMED.name: '[TOOL_CALLS]read[ARGS]{"path": "a]}"}'
    "[TOOL_CALLS]reminder_list[CALL_ID]abcdefghi[ARGS]{}",
    APRIEL.name: '<tool_calls>[{"name": "read", "arguments": {"path": "a]}"}}, '
    '{"name": "reminder_list", "arguments": {}}]</tool_calls>',
    COMMAND.name: '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "read", "parameters": '
    '{"path": "a]}"}},\n    {"tool_call_id": "1", "tool_name": "reminder_list", "parameters": {}}\n'
    "]<|END_ACTION|>",
    KIMI.name: "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0"
    '<|tool_call_argument_begin|>{"path": "a]}"}<|tool_call_end|><|tool_call_begin|>'
    "functions.reminder_list:1<|tool_call_argument_begin|>{}<|tool_call_end|>"
    "<|tool_calls_section_end|>",
    "python-calls": "<|tool_call_start|>[read(path='a]}'), reminder_list()]<|tool_call_end|>",
    "bare-json": '{"name": "read", "parameters": {"path": "a]}"}}; '
    '{"type": "function", "name": "reminder_list", "parameters": {}}',
    "gpt-oss": "<|channel|>commentary to=functions.read <|constrain|>json<|message|>"
    '{"path": "a]}"}<|call|><|start|>assistant to=functions.reminder_list<|channel|>commentary'
    "<|message|>{}<|call|>",
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_calls_of_one_message_are_all_read(name: str) -> None:
    call_format, whole = BY_NAME[name], SEVERAL[name]
    for at in range(len(whole)):
        events = scanned(call_format, [whole[:at], whole[at:]])
        assert calls(call_format, events) == [{"path": "a]}"}, {}], at
        assert not [event for event in events if isinstance(event, Text) and event.text.strip()]


# --- what is special in one of them


def test_an_answer_that_is_json_stays_an_answer() -> None:
    for answer in (
        '{"name": "Ann", "age": 3}',
        'As JSON: {"name": "read", "parameters": {"path": "a"}}',
        '{"names": []}',
    ):
        for at in range(len(answer)):
            assert scanned(BARE, [answer[:at], answer[at:]]) == [Text(answer)]


def test_python_tag_before_bare_json_is_not_shown() -> None:
    events = scanned(BARE, list('<|python_tag|>{"name": "read", "parameters": {"path": "a"}}'))
    assert calls(BARE, events) == [{"path": "a"}] and not any(isinstance(e, Text) for e in events)


def test_channels_are_thought_said_and_called() -> None:
    thinking = (("<|channel|>analysis<|message|>", "<|end|>"),)
    stream = (
        "<|channel|>analysis<|message|>The person 好 wants to=functions.read<|end|>"
        "<|start|>assistant<|channel|>commentary<|message|>I look.<|end|>"
        '<|start|>assistant to=functions.read<|channel|>commentary json<|message|>{"path": "a"}'
        "<|call|><|start|>assistant<|channel|>final<|message|>Done: to=functions.x<|return|>"
    )
    for at in range(len(stream)):
        events = scanned(GPT_OSS, [stream[:at], stream[at:]], thinking=thinking)
        kinds = [type(event).__name__ for event in events]
        assert kinds == ["Thinking", "Text", "CallClosed", "Text"], (at, events)
        assert calls(GPT_OSS, events) == [{"path": "a"}]
        assert events[0] == Thinking("The person 好 wants to=functions.read")
        assert events[-1] == Text("Done: to=functions.x")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("[read(path=a)]", "no value at `a)`"),
        ("[read('a')]", "no name"),
        ("[read(path='a', path='b')]", "`path` stands twice"),
        ("[read(path='a', follow=true)]", "True, False or None"),
        ("[read(path='a\nb')]", "not closed"),
        ("[read(path=open('x'))]", "no value at `open"),
        ("read", "names no tool"),
        ("[read(path='a'); reminder_list()]", "is no call"),
        ("[read(path='\\x')]", "an escape is wrong"),
    ],
)
def test_python_calls_are_not_repaired(body: str, words: str) -> None:
    (found,) = parsed(PYTHON, body)
    assert isinstance(found, MalformedCall) and words in found.problem, found


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('call:read{path:"a"}', "no value"),
        ('call:read{path:<|"|>a}', "not closed"),
        ('call:read{path:<|"|>a<|"|>', "expected"),
        ("read{}", "names no tool"),
        ("call:read{path:True}", "no value at `True}`"),
    ],
)
def test_gemma_calls_are_not_repaired(body: str, words: str) -> None:
    (found,) = parsed(GEMMA, body)
    assert isinstance(found, MalformedCall) and words in found.problem, found


def test_a_broken_call_in_a_list_is_told_from_the_whole_ones() -> None:
    body = '[{"name": "read", "arguments": {"path": "a"}}, {"name": read}]'
    first, second = parsed(MISTRAL_LIST, body)
    assert isinstance(first, ToolCall) and isinstance(second, MalformedCall)


# Several calls stand in one section; elsewhere each call has a section of its own.
SHARED_SECTIONS = frozenset(
    "python-calls mistral-list kimi deepseek deepseek-r1 json-lines json-tool-calls nemotron "
    "granite command apertus hunyuan seed minimax dsml-function_calls dsml-tool_calls".split()
)


@each_format
def test_a_forced_call_is_one_call(call_format: CallFormat) -> None:
    """Where one tool must be called, no second call is written behind it."""
    forced = GrammarMachine(call_grammar(call_format, [LIST], string_limit=50, most=1))
    free = GrammarMachine(call_grammar(call_format, [LIST], string_limit=50))
    most = 0
    for seed in range(40):
        assert len(call_format.split(forced.sentence(random.Random(seed)))) == 1
        body = free.sentence(random.Random(seed))
        number = len(call_format.split(body))
        assert forced.matches(body) is (number == 1), body
        most = max(most, number)
    assert (most > 1) is (call_format.name in SHARED_SECTIONS)
