"""Whatever stands in the log, its replay is a state; the state is what the events say."""

from __future__ import annotations

import json
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.memory.inbox_log import (
    State,
    decided,
    placed,
    proposed,
    replay,
    shortened,
    without,
)
from moltbot_desktop.memory.long_term import Kept, Struck
from moltbot_desktop.sdk.inbox import Proposal

TIME = "2026-01-05T12:00:00+00:00"
KEPT = Kept(
    "MEMORY.md",
    '- Tea <!-- from: 2026-01-05 12:00; quote: "Tea" -->',
    "## Remembered\n\n",
    7,
    "abc",
    True,
    (Struck("memory/2026-01-04.md", "- 09:00 · ~~Milk and sugar~~ (until 2026-01-05)"),),
)


def proposal(number: int, text: str = "I love tea") -> JsonObject:
    made = Proposal(str(number), text, "fact", text, TIME, SessionKey("k"), "Milk and sugar")
    return proposed(made)


def event(kind: int, number: int) -> JsonObject:
    return (
        proposal(number, f"I love tea number {number}"),
        placed(State.KEPT, str(number), TIME, f"I love tea number {number}", "MEMORY.md", KEPT),
        placed(State.STORED, str(number), TIME, f"I love tea number {number}", "x.md", None),
        decided("rejected", str(number), TIME),
        decided("undone", str(number), TIME),
    )[kind]


EVENTS = st.lists(st.builds(event, st.integers(0, 4), st.integers(1, 5)), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
NAMES = st.sampled_from(["event", "id", "time", "text", "kept", "path", "quote", "replaces"])
KINDS = st.sampled_from(["proposed", "kept", "stored", "rejected", "undone", "1", "2"])


def through_json(record: JsonObject) -> JsonObject:
    return cast(JsonObject, json.loads(json.dumps(record)))


def test_what_was_kept_comes_back_from_the_log_as_it_was() -> None:
    records = [proposal(3), placed(State.KEPT, "3", TIME, "Tea", "MEMORY.md", KEPT)]
    entry = replay(map(through_json, records)).entries["3"]
    assert entry.kept == KEPT
    assert entry.change().replaced == ("Milk and sugar",)


@given(st.lists(st.dictionaries(NAMES, KINDS | VALUES), max_size=12))
@settings(max_examples=100, deadline=None)
def test_no_record_breaks_the_replay(records: list[JsonObject]) -> None:
    ledger = replay(records)
    assert len({one.id for one in ledger.open}) == len(ledger.open)
    for entry in ledger.decided:
        entry.change()
    without(records, "some words")


@given(EVENTS)
@settings(max_examples=100, deadline=None)
def test_a_fact_waits_or_is_decided_and_a_shorter_log_says_the_same(
    records: list[JsonObject],
) -> None:
    ledger = replay(records)
    waiting, settled = {one.id for one in ledger.open}, {one.id for one in ledger.decided}
    assert not waiting & settled
    again = replay(shortened(records))
    assert again.open == ledger.open
    assert [one.change() for one in again.decided] == [one.change() for one in ledger.decided]
    assert again.last_number == ledger.last_number


@given(EVENTS, st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_a_forgotten_fact_stands_nowhere_in_the_log(records: list[JsonObject], number: int) -> None:
    rest, _ = without(records, f"i LOVE tea number {number}")
    assert f"number {number}" not in json.dumps(rest)
    rest, count = without(records, "~~Milk and sugar~~ (until 2026-01-05)")
    assert count == 0
    assert "Milk" not in json.dumps(rest)
    assert [one.text for one in replay(rest).open] == [one.text for one in replay(records).open]
