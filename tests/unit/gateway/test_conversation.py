"""A transcript as a person reads it."""

from __future__ import annotations

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.core.run_facts import CallFacts
from moltbot_desktop.gateway.client import ItemKind
from moltbot_desktop.gateway.conversation import conversation_items
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    LabelsEntry,
    MemoriesEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
)

RUN, AT = RunId("r"), "2026-01-05T12:00:00+00:00"


def outcome(kind: OutcomeKind, text: str = "", reason: str = "") -> OutcomeEntry:
    return OutcomeEntry("o", "", AT, RUN, RunOutcome(kind, text, reason))


def said(
    text: str, *, unfinished: bool = False, calls: tuple[ToolCall, ...] = ()
) -> AssistantEntry:
    message = ChatMessage(Role.ASSISTANT, text, calls)
    return AssistantEntry("a", "", AT, RUN, message, unfinished)


def kinds(*entries: TranscriptEntry) -> list[tuple[ItemKind, str]]:
    return [(item.kind, item.text) for item in conversation_items(entries)]


def test_a_turn_with_a_tool() -> None:
    result = ChatMessage(Role.TOOL, "{}", tool_call_id="1", tool_name="calc")
    assert kinds(
        UserEntry("u", "", AT, RUN, "6*7?"),
        said("", calls=(ToolCall("1", "calc"),)),
        ToolResultEntry("t", "", AT, RUN, result, True, "42"),
        LabelsEntry("l", "", AT, {"private": True}),
        said("It is 42."),
        outcome(OutcomeKind.ANSWERED, "It is 42."),
    ) == [(ItemKind.USER, "6*7?"), (ItemKind.TOOL, "42"), (ItemKind.ASSISTANT, "It is 42.")]


def test_a_failed_run_says_why() -> None:
    assert kinds(
        UserEntry("u", "", AT, RUN, "hi"), outcome(OutcomeKind.FAILED, "", "no model")
    ) == [
        (ItemKind.USER, "hi"),
        (ItemKind.NOTICE, "no model"),
    ]


def test_a_failure_told_as_the_answer_is_not_told_twice() -> None:
    assert kinds(said("No model."), outcome(OutcomeKind.FAILED, "No model.", "no model")) == [
        (ItemKind.ASSISTANT, "No model.")
    ]


def test_half_answers_stay_marked() -> None:
    items = conversation_items([said("half", unfinished=True)])
    assert items[0].unfinished


def test_memories_belong_to_the_last_words_of_their_run() -> None:
    used = UsedMemory("MEMORY.md", 12, 12, 0.9, "abc", Use.RECALLED)
    before = AssistantEntry("b", "", AT, RUN, ChatMessage(Role.ASSISTANT, "Let me look."))
    items = conversation_items(
        [
            UserEntry("u", "", AT, RUN, "hi"),
            before,
            said("It is Dr. Okafor."),
            MemoriesEntry("m", "", AT, RUN, (used,)),
            outcome(OutcomeKind.ANSWERED, "It is Dr. Okafor."),
        ]
    )
    assert [item.memories for item in items] == [(), (), (used,)]


def test_a_call_is_shown_with_what_it_was_called_with_and_how_it_ended() -> None:
    """The same words as while it ran, when the conversation is opened again."""
    first, second = (ToolCall("1", "calc", {"expression": one}) for one in ("6*7", "1/0"))
    results = [
        ToolResultEntry(
            *("t", "", AT, RUN, ChatMessage(Role.TOOL, "{}", tool_call_id=number), ok, "told"),
            CallFacts(outcome, seconds=0.5),
        )
        for number, ok, outcome in (("1", True, "ok"), ("2", False, "denied"))
    ]
    calls = said("", calls=(first, ToolCall("2", "calc", {"expression": "1/0"})))
    shown = conversation_items([calls, *results])
    assert [(one.arguments, one.outcome, one.seconds) for one in shown] == [
        (first.arguments, "ok", 0.5),
        (second.arguments, "denied", 0.5),
    ]


def test_messages_and_answers_say_what_can_be_said_in_their_place() -> None:
    nameless = RunId("")
    shown = conversation_items(
        [
            UserEntry("u", "", AT, RUN, "6*7?"),
            said("It is 42."),
            UserEntry("v", "", AT, nameless, "from another program"),
            AssistantEntry("b", "", AT, nameless, ChatMessage(Role.ASSISTANT, "answered there")),
        ]
    )
    assert [one.said for one in shown] == [RUN, RUN, "v", "v"]
