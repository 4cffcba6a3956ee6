"""What is noted of runs and calls survives being written and read, and nothing that is read fails;
a transcript of before has none of it and is read as it always was."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.run_facts import (
    NO_FACTS,
    CallFacts,
    PromptPiece,
    Ruling,
    RunFacts,
    text_digest,
)
from moltbot_desktop.sessions.entries import (
    RunEntry,
    ToolResultEntry,
    decode_entry,
    encode_entry,
)
from moltbot_desktop.sessions.fact_lines import decode_call, decode_run, encode_call, encode_run

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
COUNT = st.integers(0, 2**40)
NUMBER = st.floats(0, 1e6, allow_nan=False).map(lambda one: round(one, 4))
PIECES = st.builds(PromptPiece, TEXT.filter(bool), COUNT, TEXT)
RUNS = st.builds(
    RunFacts,
    *(TEXT, COUNT, TEXT, TEXT, NUMBER, TEXT, TEXT, st.lists(PIECES, max_size=5).map(tuple)),
)
CALLS = st.builds(CallFacts, TEXT, st.builds(Ruling, TEXT, TEXT, TEXT), NUMBER, TEXT, TEXT, TEXT)
JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)
NAMES = st.sampled_from(
    "model window style temperature prompt name characters digest call outcome seconds by".split()
)


@given(RUNS, CALLS)
def test_what_is_written_is_read(run: RunFacts, call: CallFacts) -> None:
    assert decode_run(json.loads(json.dumps(encode_run(run)))) == run
    assert decode_call(json.loads(json.dumps(encode_call(call)))) == call


@given(st.dictionaries(NAMES, JSON, max_size=6))
def test_nothing_that_is_read_fails(record: dict[str, JsonValue]) -> None:
    run, call = decode_run(record), decode_call(record)
    assert decode_run(encode_run(run)) == run
    assert decode_call(encode_call(call)) == call


@given(RUNS)
def test_a_run_that_began_is_an_entry_of_its_own(run: RunFacts) -> None:
    record = encode_entry(RunEntry("e", "p", "2026-01-05T12:00:00+00:00", "r", run))  # type: ignore[arg-type]
    assert record["type"] == "custom"  # which an older version keeps unread
    assert decode_entry(record) == RunEntry("e", "p", "2026-01-05T12:00:00+00:00", "r", run)  # type: ignore[arg-type]


def test_a_result_of_before_has_no_facts_and_is_written_as_it_was() -> None:
    old = {
        "type": "message",
        "id": "e",
        "parentId": None,
        "timestamp": "t",
        "runId": "r",
        "message": {
            "role": "toolResult",
            "toolCallId": "c",
            "toolName": "calc",
            "content": [{"type": "text", "text": "4"}],
            "isError": False,
            "details": {"display": "It is 4."},
        },
    }
    entry = decode_entry(old)
    assert isinstance(entry, ToolResultEntry)
    assert entry.facts == NO_FACTS
    assert encode_entry(entry) == old


def test_a_digest_tells_two_texts_apart_and_is_no_text() -> None:
    assert text_digest("Be kind.") != text_digest("Be brief.")
    assert len(text_digest("x" * 100_000)) == 16
    assert text_digest("\ud800") == text_digest("?")  # half a character has a digest too
