"""Settings of a conversation are the reference's, by its names, and never break an opening."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.sessions.settings import (
    Origin,
    SessionSettings,
    carried_over,
    decode_settings,
    encode_settings,
    lasting,
    restored,
)

OF_THE_REFERENCE = {
    "thinkingLevel": "high",
    "verboseLevel": "full",
    "elevatedLevel": "ask",
    "execSecurity": "allowlist",
    "execAsk": "on-miss",
    "groupActivation": "always",
    "sendPolicy": "deny",
    "queueMode": "steer-backlog",
    "queueDebounceMs": 500,
    "queueCap": 5,
    "queueDrop": "summarize",
    "inputTokens": 10,
    "totalTokens": 12000,
    "compactionCount": 2,
    "memoryFlushCompactionCount": 0,
    "lastThreadId": 42,
    "chatType": "group",
    "abortedLastRun": True,
    "origin": {"label": "Family", "from": "telegram:42", "surface": "telegram", "new": 1},
    "skillsSnapshot": {"prompt": "…"},
}


def test_an_entry_of_the_reference_is_read_and_written_back():
    held = decode_settings(OF_THE_REFERENCE)
    assert (held.think, held.queue_cap, held.total_tokens) == ("high", 5, 12000)
    assert (held.last_thread_id, held.memory_flush_compaction_count) == ("42", 0)
    assert held.origin == Origin("Family", "", "telegram", sender="telegram:42", other={"new": 1})
    assert encode_settings(held) == {**OF_THE_REFERENCE, "lastThreadId": "42"}


def test_a_value_that_cannot_be_right_counts_as_not_set_and_stays():
    wrong = {"thinkingLevel": "very", "queueCap": -1, "abortedLastRun": "no", "origin": []}
    held = decode_settings(wrong)
    assert replace(held, other={}) == SessionSettings()
    assert encode_settings(held) == wrong
    assert encode_settings(replace(held, think="low"))["thinkingLevel"] == "low"


def test_a_fresh_conversation_thinks_as_the_old_one_and_counts_anew():
    fresh = carried_over(replace(decode_settings(OF_THE_REFERENCE), label="Plans", archived_at=1))
    assert (fresh.think, fresh.chat_type, fresh.origin.label) == ("high", "group", "Family")
    assert (fresh.label, fresh.total_tokens, fresh.compaction_count) == ("", 0, 0)
    assert (fresh.archived_at, fresh.memory_flush_compaction_count) == (None, None)
    assert not fresh.aborted_last_run


def test_what_lasts_comes_back_and_counts_stay():
    held = decode_settings(OF_THE_REFERENCE)
    kept = lasting(replace(held, label="Plans"))
    assert "totalTokens" not in kept
    assert "skillsSnapshot" not in kept
    assert restored(replace(held, think="off"), kept) == replace(held, label="Plans")


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
NESTED = st.recursive(VALUES, lambda v: st.lists(v) | st.dictionaries(st.text(max_size=3), v))


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from([*OF_THE_REFERENCE, "x", ""]), NESTED))
def test_any_entry_is_kept_as_it_is(raw):
    held = decode_settings(raw)
    once = encode_settings(held)
    assert decode_settings(once) == held or "nan" in repr(raw)
    assert once.keys() >= decode_settings(raw).other.keys()
