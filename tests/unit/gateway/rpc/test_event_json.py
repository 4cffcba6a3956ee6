"""Every event that goes over the socket comes out as it went in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core import events
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.permissions import Offer, Term
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.gateway.client import HistoryLoaded, Notice, NoticeKind, ReminderDue
from moltbot_desktop.gateway.rpc.event_json import UnknownEvent, decode_event, encode_event
from moltbot_desktop.gateway.rpc.frames import Event, decode, encode

HEAD = (RunId("r1"), SessionKey("agent:main:main"), 4)
MEMORY = UsedMemory("memory/2026-01-05.md", 3, 4, 0.875, "0011223344556677", Use.FOUND)
OUTCOME = RunOutcome(OutcomeKind.NEEDS_YOU, "Wann?", "an argument is missing", Usage(9, 4, 2), 1.25)

EVENTS = [
    events.RunStarted(*HEAD, "hi"),
    events.RunStarted(*HEAD, "/status", command=True),
    events.PromptProgress(*HEAD, 1, 20, 3),
    events.AssistantDelta(*HEAD, "你", thinking=True),
    events.AssistantDelta(*HEAD, "", thinking=False),
    events.AssistantRetracted(*HEAD),
    events.ToolStarted(*HEAD, "c1", "read", {"path": "a.txt", "lines": [1, 2]}),
    events.ToolEnded(*HEAD, "c1", "read", True, "ok", "2 lines", 0.5),
    events.ToolUpdated(*HEAD, "c1", "read", "page 2"),
    events.CompactionStarted(*HEAD, 7_000),
    events.CompactionEnded(*HEAD, 12, 7_000, 900, 2, will_retry=True),
    events.ApprovalRequested(*HEAD, ApprovalId("a1"), "write", {"path": "x"}, "write x", "why"),
    events.ApprovalRequested(
        *(*HEAD, ApprovalId("a2"), "exec", {"command": "ls"}, "run ls", "why"),
        Offer((Term.ONCE, Term.RUN, Term.HOUR), "ls, in notes", "--- a\n+++ b", "batch-1"),
    ),
    events.ApprovalResolved(*HEAD, ApprovalId("a1"), False, "timeout"),
    events.MemoriesUsed(*HEAD, (MEMORY,)),
    events.RunEnded(*HEAD, OUTCOME),
    events.RunEnded(*HEAD, OUTCOME, RunId("next")),
    Notice("The disk is full.", "Make room.", serious=True),
    Notice("All well.", kind=NoticeKind.NEWS, title="backup"),
    ReminderDue(3, "tea", "2026-01-05 12:00", missed=False),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_out_as_it_went_in(event: object) -> None:
    coded = encode_event(event)
    assert coded is not None
    frame = decode(encode(Event(*coded, 1)))
    assert isinstance(frame, Event)
    assert decode_event(frame.event, frame.payload) == event


def test_every_kind_of_run_event_is_told() -> None:
    """A new kind must say here whether it goes over the socket."""
    known = {type(event) for event in EVENTS}
    assert set(events.RunEvent.__subclasses__()) <= known


def test_what_is_for_windows_stays_there() -> None:
    assert encode_event(HistoryLoaded(HEAD[1], (), more=False)) is None


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
@given(st.data())
def test_an_event_that_lacks_something_is_unknown_and_no_crash(
    event: object, data: st.DataObject
) -> None:
    coded = encode_event(event)
    assert coded is not None
    name, payload = coded[0], json.loads(json.dumps(coded[1]))
    group = payload["data"] if name == "agent" and data.draw(st.booleans()) else payload
    names = [key for key in group if key != "retracted"]
    if not names:
        return
    key = data.draw(st.sampled_from(names))
    if data.draw(st.booleans()):
        del group[key]
    else:
        group[key] = data.draw(st.none() | st.lists(st.integers(), max_size=2) | st.just({}))
    try:
        decode_event(name, payload)
    except UnknownEvent as unknown:
        assert str(unknown)
