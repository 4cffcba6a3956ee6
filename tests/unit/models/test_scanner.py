"""The scanner promises: however a text is cut, the same events; no marker is ever shown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.models.formats.function_xml import FunctionXmlFormat
from moltbot_desktop.models.formats.hermes import HermesFormat
from moltbot_desktop.models.scanner import (
    CallClosed,
    CallCut,
    CallOpened,
    ScanEvent,
    StopReached,
    StreamScanner,
    Text,
    Thinking,
)

HERMES, XML = HermesFormat(), FunctionXmlFormat()
CALL = '<tool_call>\n{"name": "t", "arguments": {"a": "b"}}\n</tool_call>'
XML_CALL = (
    "<tool_call>\n<function=t>\n<parameter=a>\n"
    "x </tool_call> y\n</parameter>\n</function>\n</tool_call>"
)


def scanned(
    pieces: Sequence[str],
    call_format: CallFormat | None = HERMES,
    stops: Sequence[str] = (),
    in_thinking: bool = False,
) -> list[ScanEvent]:
    """All events, neighbours of one kind joined and `rest` (which depends on the cut) dropped."""
    scanner = StreamScanner(call_format, stops=stops, in_thinking=in_thinking)
    events = [event for piece in pieces for event in scanner.feed(piece)]
    joined: list[ScanEvent] = []
    for event in [*events, *scanner.finish()]:
        last = joined[-1] if joined else None
        if isinstance(event, Text) and isinstance(last, Text):
            joined[-1] = Text(last.text + event.text)
        elif isinstance(event, Thinking) and isinstance(last, Thinking):
            joined[-1] = Thinking(last.text + event.text)
        else:
            joined.append(CallOpened("") if isinstance(event, CallOpened) else event)
    return joined


fragments = st.sampled_from(
    [
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "<",
        "<tool",
        "_call>",
        "</",
        ">",
        "\n",
        CALL,
        XML_CALL,
        '{"a": "',
        '\\"',
        "\\",
        '"}',
        "<function=t>\n",
        "<parameter=a>",
        "\n",
        "</parameter>",
        "\n</parameter>\n",
        "</function>\n",
        "<|im_end|>",
        "<|im",
        "hello ",
        "你好",
    ]
)


@settings(max_examples=200)
@given(
    st.lists(fragments, max_size=12).map("".join),
    st.sampled_from([HERMES, XML, None]),
    st.sampled_from([(), ("<|im_end|>",), ("ll", "llo", "<t")]),
    st.booleans(),
    st.data(),
)
def test_the_cut_does_not_matter(
    text: str,
    call_format: CallFormat | None,
    stops: tuple[str, ...],
    in_thinking: bool,
    data: st.DataObject,
) -> None:
    whole = scanned([text], call_format, stops, in_thinking)
    assert scanned(list(text), call_format, stops, in_thinking) == whole
    cut = data.draw(st.integers(0, len(text)))
    assert scanned([text[:cut], text[cut:]], call_format, stops, in_thinking) == whole


@given(st.lists(fragments, max_size=12).map("".join))
def test_without_markers_every_character_comes_out(text: str) -> None:
    text = text.replace("<think>", "")
    assert "".join(e.text for e in scanned(list(text), None) if isinstance(e, Text)) == text


def test_a_call_between_texts() -> None:
    body = CALL.removeprefix("<tool_call>").removesuffix("</tool_call>")
    assert scanned(list(f"I look.\n{CALL}\nDone")) == [
        Text("I look.\n"),
        CallOpened(""),
        CallClosed(body),
        Text("\nDone"),
    ]


def test_several_calls_follow_each_other() -> None:
    kinds = [type(event) for event in scanned([CALL + "\n" + CALL])]
    assert kinds == [CallOpened, CallClosed, Text, CallOpened, CallClosed]


def test_text_is_told_at_once_and_only_a_possible_marker_held_back() -> None:
    scanner = StreamScanner(HERMES)
    assert scanner.feed("see a < b and <to") == [Text("see a < b and ")]
    assert scanner.feed("ol") == []
    assert scanner.feed("s>") == [Text("<tools>")]


def test_what_was_held_back_is_told_at_the_end() -> None:
    assert scanned(["a <tool_ca"]) == [Text("a <tool_ca")]


def test_rest_is_what_stood_behind_the_marker() -> None:
    assert StreamScanner(HERMES).feed("x<tool_call>\n{") == [Text("x"), CallOpened("\n{")]


def test_a_restarted_call_forgets_the_rest() -> None:
    scanner = StreamScanner(HERMES)
    scanner.feed('<tool_call>\n{"nam')
    scanner.restart_call()
    assert scanner.feed("\n{}\n</tool_call>") == [CallClosed("\n{}\n")]


def test_a_marker_inside_a_value_does_not_end_the_call() -> None:
    hermes = '<tool_call>\n{"name": "t", "arguments": {"a": "</tool_call> \\" b"}}\n</tool_call>'
    for call_format, text in ((HERMES, hermes), (XML, XML_CALL)):
        events = scanned(list(text), call_format)
        assert [type(event) for event in events] == [CallOpened, CallClosed], call_format.name


@pytest.mark.parametrize(
    ("call_format", "body"),
    [
        (HERMES, '\n{"name": "t", "arguments": {"a": "b\n</tool_call>'),
        (XML, "\n<function=t>\n<parameter=a>\nb\n</function>\n</tool_call>"),
        (XML, "no function at all</tool_call>"),
    ],
)
def test_a_broken_call_ends_too(call_format: CallFormat, body: str) -> None:
    events = scanned(list(f"<tool_call>{body}after"), call_format)
    assert [type(event) for event in events] == [CallOpened, CallClosed, Text]


def test_a_piece_that_ends_in_a_backslash_does_not_end_the_string() -> None:
    first, second = '<tool_call>\n{"a": "</tool_call>\\', '"b"}\n</tool_call>'
    assert scanned([first, second]) == scanned([first + second])
    assert [type(event) for event in scanned([first, second])] == [CallOpened, CallClosed]


def test_the_end_of_a_call_inside_a_value_ends_it_however_it_is_cut() -> None:
    text = f"<tool_call>\n<function=t>\n<parameter=a>\nb\n</function>\n</tool_call>{XML_CALL}"
    assert scanned([text], XML) == scanned(list(text), XML)


def test_a_call_cut_off_is_never_a_whole_one() -> None:
    assert scanned(list(CALL[:-1])) == [CallOpened(""), CallCut(CALL[11:-1])]


def test_thinking_is_apart_and_the_blank_after_it_dropped() -> None:
    text = "<think>\nhm <tool_call> or not</think>\n\nHello  there"
    assert scanned(list(text)) == [
        Thinking("\nhm <tool_call> or not"),
        Text("Hello  there"),
    ]


def test_an_answer_that_speaks_of_thinking_is_shown_whole() -> None:
    text = "Qwen3 writes <think> and </think> around what it thinks."
    assert scanned(list(text)) == [Text(text)]
    assert scanned(list(f"<think>hm</think>{text}")) == [Thinking("hm"), Text(text)]


def test_after_a_call_thinking_may_begin_again() -> None:
    kinds = [type(event) for event in scanned(list(f"Wait. {CALL}\n<think>hm</think>Done"))]
    assert kinds == [Text, CallOpened, CallClosed, Text, Thinking, Text]


def test_a_prompt_that_opens_thinking_begins_inside_it() -> None:
    assert scanned(["hm</think>Yes"], in_thinking=True) == [Thinking("hm"), Text("Yes")]


def test_a_stop_ends_everything() -> None:
    assert scanned(list("Yes<|im_end|>\n<|im_start|>user"), stops=["<|im_end|>"]) == [
        Text("Yes"),
        StopReached("<|im_end|>"),
    ]


def test_without_tools_a_call_marker_is_text() -> None:
    assert scanned([CALL], call_format=None) == [Text(CALL)]
