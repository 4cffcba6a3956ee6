"""Every entry survives being written and read; nothing that is read can raise."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.sessions.entries import (
    CUT_MARK,
    MAX_TEXT_CHARACTERS,
    AssistantEntry,
    CompactionEntry,
    LabelsEntry,
    MemoriesEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    TranscriptHeader,
    UserEntry,
    decode_entry,
    decode_header,
    encode_entry,
    encode_header,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def json_values(*, infinity: bool) -> st.SearchStrategy[JsonValue]:
    floats = st.floats(allow_nan=False, allow_infinity=infinity)
    return st.recursive(
        st.none() | st.booleans() | st.integers() | floats | TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=8,
    )


JSON = json_values(infinity=True)
BASE = {"id": TEXT, "parent_id": TEXT, "time": TEXT}
CALLS = st.builds(
    ToolCall,
    id=TEXT,
    name=TEXT,
    # Infinity is no JSON: it is kept as text and does not come back as it was.
    arguments=st.dictionaries(TEXT, json_values(infinity=False), max_size=3),
    confidence=st.floats(0, 1),
    unseen_arguments=st.lists(TEXT, max_size=2).map(tuple),
)
ENTRIES: st.SearchStrategy[TranscriptEntry] = st.one_of(
    st.builds(UserEntry, **BASE, run_id=TEXT, text=TEXT),
    st.builds(UserEntry, **BASE, run_id=TEXT, text=TEXT).flatmap(
        lambda one: TEXT.map(lambda above: replace(one, text=above + one.text, before=above))
    ),
    st.builds(
        AssistantEntry,
        **BASE,
        run_id=TEXT,
        message=st.builds(
            ChatMessage,
            role=st.just(Role.ASSISTANT),
            content=TEXT,
            tool_calls=st.lists(CALLS, max_size=2).map(tuple),
            thinking=TEXT,
            tool_call_id=st.just(""),
            tool_name=st.just(""),
        ),
        unfinished=st.booleans(),
    ),
    st.builds(
        ToolResultEntry,
        **BASE,
        run_id=TEXT,
        message=st.builds(
            ChatMessage,
            role=st.just(Role.TOOL),
            content=TEXT,
            tool_calls=st.just(()),
            thinking=st.just(""),
            tool_call_id=TEXT,
            tool_name=TEXT,
        ),
        ok=st.booleans(),
        display=TEXT,
    ),
    st.builds(
        CompactionEntry,
        **BASE,
        summary=TEXT,
        first_kept_entry_id=TEXT,
        tokens_before=st.integers(0, 10**9),
        read_files=st.lists(TEXT, max_size=2).map(tuple),
        changed_files=st.lists(TEXT, max_size=2).map(tuple),
    ),
    st.builds(
        OutcomeEntry,
        **BASE,
        run_id=TEXT,
        outcome=st.builds(
            RunOutcome,
            kind=st.sampled_from(OutcomeKind),
            text=TEXT,
            reason=TEXT,
            usage=st.builds(Usage, *[st.integers(0, 10**9)] * 3),
            seconds=st.floats(0, 1e6),
        ),
        unfinished_entry=TEXT,
    ),
    st.builds(
        MemoriesEntry,
        **BASE,
        run_id=TEXT,
        memories=st.lists(
            st.builds(
                UsedMemory,
                path=TEXT.filter(bool),
                start_line=st.integers(1, 10**6),
                end_line=st.integers(1, 10**6),
                score=st.floats(0, 1),
                digest=TEXT,
                use=st.sampled_from(Use),
            ),
            max_size=3,
        ).map(tuple),
    ),
    st.builds(LabelsEntry, **BASE, labels=st.dictionaries(TEXT, st.booleans(), max_size=3)),
)


@settings(max_examples=200)
@given(ENTRIES)
def test_an_entry_survives_its_line(entry):
    line = json.dumps(encode_entry(entry))
    assert decode_entry(json.loads(line)) == entry


@settings(max_examples=200)
@given(st.dictionaries(TEXT, JSON, max_size=6))
def test_any_object_is_an_entry_that_can_be_written_again(record):
    entry = decode_entry(record)
    assert isinstance(entry, TranscriptEntry)
    assert decode_header(record) is None or record["type"] == "session"


@settings(max_examples=200)
@given(
    st.sampled_from(["message", "custom"]),
    st.sampled_from(["user", "assistant", "toolResult", "system", None]),
    st.sampled_from(["outcome", "labels", "memories", "mine", None]),
    st.one_of(JSON, st.lists(st.fixed_dictionaries({"type": st.just("toolCall"), "x": JSON}))),
    JSON,
)
def test_wrong_shapes_inside_an_entry_never_raise(kind, role, custom, content, other):
    """The outer shape is right, everything inside may be anything."""
    call = {"type": "toolCall", "id": other, "name": other, "arguments": other, "confidence": other}
    for inner in (content, [call, content], [{"type": "text", "text": other}]):
        decode_entry(
            {
                "type": kind,
                "id": other,
                "customType": custom,
                "runId": other,
                "message": {"role": role, "content": inner, "isError": other, "details": other},
                "data": {
                    "kind": "answered",
                    "text": other,
                    "usage": other,
                    "seconds": other,
                    "memories": [{"path": "a.md", "use": "found", "startLine": other}, inner],
                },
            }
        )
        decode_entry({"type": kind, "message": other, "customType": custom, "data": other})


def test_what_the_reference_writes_is_understood():
    entry = decode_entry(
        {
            "type": "message",
            "id": "a1",
            "parentId": None,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"role": "user", "content": "plain text", "timestamp": 1},
        }
    )
    assert entry == UserEntry("a1", "", "2026-01-01T00:00:00.000Z", RunId(""), "plain text")
    summary = {"type": "compaction", "id": "c", "summary": "…", "tokensBefore": 3}
    assert decode_entry(summary) == CompactionEntry("c", "", "", "…", "", 3)


def test_the_header_names_the_conversation():
    header = TranscriptHeader(SessionId("s1"), SessionKey("agent:main:main"), "now", "/home")
    record = encode_header(header)
    assert (record["type"], record["version"], record["id"]) == ("session", 3, "s1")
    assert decode_header(record) == header


def test_a_runaway_text_is_cut_and_says_so():
    entry = UserEntry("a", "", "", RunId("r"), "x" * (MAX_TEXT_CHARACTERS + 5))
    kept = decode_entry(encode_entry(entry))
    assert isinstance(kept, UserEntry)
    assert len(kept.text) == MAX_TEXT_CHARACTERS
    assert kept.text.endswith(CUT_MARK)


def test_a_number_too_large_for_any_machine_is_zero():
    data = {"kind": "failed", "usage": {"input": 10**400}, "seconds": float("inf")}
    entry = decode_entry({"type": "custom", "customType": "outcome", "data": data})
    assert isinstance(entry, OutcomeEntry)
    assert entry.outcome.usage.prompt_tokens == 0
    assert entry.outcome.seconds == 0.0


def test_half_a_surrogate_pair_becomes_text_that_can_be_shown():
    entry = decode_entry({"type": "message", "message": {"role": "user", "content": "a\ud800b"}})
    assert isinstance(entry, UserEntry)
    assert entry.text == "a?b"
