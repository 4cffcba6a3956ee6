"""What a run tells, as an editor shows it; its cards, and what the answers mean.

https://agentclientprotocol.com/protocol/prompt-turn, /tool-calls
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

from moltbot_desktop.core.events import (
    ApprovalRequested,
    AssistantDelta,
    AssistantRetracted,
    CompactionStarted,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.permissions import Offer, Term
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.gateway.acp.cards import answered, asked
from moltbot_desktop.gateway.acp.telling import (
    RunTelling,
    edits_of,
    history,
    kind_of,
    locations_of,
    stop_reason,
    usage_of,
)
from moltbot_desktop.gateway.client import ConversationItem, ItemKind

HEAD = (RunId("r"), SessionKey("agent:main:acp:1"), 1)
ROOM = Path("/home/ada/room")
READ: dict[str, JsonValue] = {"path": "a.py"}


def told(*events: RunEvent) -> list[dict[str, Any]]:
    telling = RunTelling("r", ROOM, Language.ENGLISH)
    return [coded(update) for event in events for update in telling.updates(event)]


def coded(update: Any) -> dict[str, Any]:
    shown: dict[str, Any] = update.model_dump(by_alias=True, exclude_none=True)
    return shown


def words(updates: list[dict[str, Any]]) -> str:
    return "".join(
        one["content"]["text"] for one in updates if one["sessionUpdate"] == "agent_message_chunk"
    )


def ended(kind: OutcomeKind, text: str = "", reason: str = "") -> RunEnded:
    return RunEnded(*HEAD, RunOutcome(kind, text, reason))


def test_what_was_streamed_is_not_told_twice() -> None:
    said = told(
        RunStarted(*HEAD, "hi"),
        AssistantDelta(*HEAD, "Hmm.", thinking=True),
        AssistantDelta(*HEAD, "Hello"),
        AssistantDelta(*HEAD, " there!"),
        ended(OutcomeKind.ANSWERED, "Hello there!"),
    )
    assert words(said) == "Hello there!"
    assert said[0]["sessionUpdate"] == "agent_thought_chunk"


def test_what_is_taken_back_stands_apart() -> None:
    said = told(
        AssistantDelta(*HEAD, "I will"),
        AssistantRetracted(*HEAD),
        AssistantDelta(*HEAD, "Four."),
        ended(OutcomeKind.ANSWERED, "Four."),
    )
    assert words(said) == "I will\n\nFour."


@pytest.mark.parametrize(
    ("kind", "text", "reason", "wanted"),
    [
        (OutcomeKind.ANSWERED, "Done.", "", "Done."),
        (OutcomeKind.NEEDS_YOU, "", "You said no.", "You said no."),
        (OutcomeKind.TIMED_OUT, "", "It took too long.", "It took too long."),
        (OutcomeKind.CANCELLED, "", "stopped", ""),
        (OutcomeKind.SILENT, "", "", ""),
    ],
)
def test_an_end_says_what_was_not_streamed(
    kind: OutcomeKind, text: str, reason: str, wanted: str
) -> None:
    assert words(told(ended(kind, text, reason))) == wanted


def test_calls_of_one_name_are_told_apart_and_have_an_end() -> None:
    call = ToolStarted(*HEAD, "c", "read", READ)
    done = ToolEnded(*HEAD, "c", "read", True, "ok", "text ![x](http://a)", 0.1)
    first, last, again, left = told(
        call, done, call, ended(OutcomeKind.CANCELLED, reason="stopped")
    )
    assert (first["sessionUpdate"], first["status"], first["kind"]) == (
        *("tool_call", "in_progress", "read"),
    )
    assert first["locations"] == [{"path": "/home/ada/room/a.py"}]
    assert (last["toolCallId"], last["status"]) == (first["toolCallId"], "completed")
    assert last["content"][0]["content"]["text"] == "```\ntext ![x](http://a)\n```"
    assert again["toolCallId"] != first["toolCallId"]
    assert (left["toolCallId"], left["status"]) == (again["toolCallId"], "failed")


def test_a_slow_call_says_how_far_it_is() -> None:
    _, update = told(
        ToolStarted(*HEAD, "c", "read", READ), ToolUpdated(*HEAD, "c", "read", "page 3\nof 9")
    )
    assert update["title"].endswith(": page 3 of 9")
    assert told(ToolUpdated(*HEAD, "x", "read", "page 3")) == []
    assert told(ToolEnded(*HEAD, "x", "read", True, "ok", "", 0.1)) == []


def test_a_summary_is_a_thought() -> None:
    (one,) = told(CompactionStarted(*HEAD, 9))
    assert one["sessionUpdate"] == "agent_thought_chunk"


def test_an_edit_is_shown_as_one() -> None:
    given: dict[str, JsonValue] = {"path": "/x/a.py", "oldText": "3", "newText": "4"}
    (one,) = map(coded, edits_of("edit", given, ROOM))
    assert one == {"type": "diff", "path": "/x/a.py", "oldText": "3", "newText": "4"}
    assert edits_of("write", given, ROOM) == edits_of("edit", {"path": 7}, ROOM) == []


@pytest.mark.parametrize("value", ["", " ", "a\0b", "result:1", 7, None, ["a"]])
def test_what_is_no_path_is_no_place(value: JsonValue) -> None:
    assert locations_of({"path": value}, ROOM) == []


def test_every_tool_has_a_kind() -> None:
    assert (kind_of("exec"), kind_of("mcp__x__y")) == ("execute", "other")


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (OutcomeKind.ANSWERED, "end_turn"),
        (OutcomeKind.SILENT, "end_turn"),
        (OutcomeKind.NEEDS_YOU, "end_turn"),
        (OutcomeKind.CANCELLED, "cancelled"),
        (OutcomeKind.OUT_OF_BUDGET, "max_turn_requests"),
        (OutcomeKind.TIMED_OUT, "max_turn_requests"),
    ],
)
def test_how_it_ended(kind: OutcomeKind, wanted: str) -> None:
    outcome = RunOutcome(kind, "", "", Usage(10, 4, 3))
    assert stop_reason(outcome) == wanted
    used = usage_of(outcome)
    assert (used.total_tokens, used.input_tokens, used.cached_read_tokens) == (13, 10, 4)


def test_a_conversation_is_told_again_as_it_was() -> None:
    items = (
        ConversationItem(ItemKind.USER, "read it", ""),
        ConversationItem(ItemKind.TOOL, "BEDS = 3", "", "read", ok=False),
        ConversationItem(ItemKind.ASSISTANT, "![x](http://a)", "", unfinished=True),
        ConversationItem(ItemKind.NOTICE, "stopped", ""),
    )
    user, tool, answer, notice = map(coded, history(items, Language.ENGLISH))
    assert user["content"]["text"] == "read it"
    assert (tool["status"], tool["kind"]) == ("failed", "read")
    assert answer["content"]["text"] == "&#33;[x](http://a) (unfinished)"
    assert notice["sessionUpdate"] == "agent_message_chunk"


# ------------------------------------------------------------------------------- cards


def card(*terms: Term, changes: str = "", **arguments: JsonValue) -> ApprovalRequested:
    offer = Offer(terms or (Term.ONCE,), "read /tmp", changes)
    return ApprovalRequested(
        *HEAD, ApprovalId("c"), "exec", arguments, "run “rm x”", "This needs a yes.", offer
    )


def text_of(one: ApprovalRequested) -> str:
    (content,) = asked(one, "r-1", Language.ENGLISH).call.content or []
    return str(coded(content)["content"]["text"])


def test_the_whole_card_is_shown() -> None:
    long = "line\n" * 500 + "the end ``` \u202e"
    shown = text_of(card(Term.ONCE, Term.RUN, command="rm x", script=long))
    assert shown.startswith("```\nrun “rm x”\n```")
    assert "the end ``` \\u202e" in shown and "\n````\n" in shown
    assert "holds for: read /tmp" in shown and "This needs a yes." in shown
    assert "command:" not in shown.replace("“rm x”", ""), shown  # whole in the title
    assert "-old\n+new" in text_of(card(changes="-old\n+new"))


def test_only_what_was_offered_and_ends_with_the_answer_can_be_chosen() -> None:
    everything = card(*Term)
    options = asked(everything, "r-1", Language.ENGLISH).options
    assert [(one.option_id, one.kind) for one in options] == [
        ("once", "allow_once"),
        ("run", "allow_always"),
        ("no", "reject_once"),
    ]
    assert [one.option_id for one in asked(card(), "r", Language.CHINESE).options] == ["once", "no"]


@pytest.mark.parametrize(
    ("option", "terms", "wanted"),
    [
        ("once", (Term.ONCE,), (True, Term.ONCE)),
        ("run", (Term.ONCE, Term.RUN), (True, Term.RUN)),
        ("run", (Term.ONCE,), (False, Term.ONCE)),
        ("always", tuple(Term), (False, Term.ONCE)),
        ("no", tuple(Term), (False, Term.ONCE)),
        ("", tuple(Term), (False, Term.ONCE)),
        ("ONCE", tuple(Term), (False, Term.ONCE)),
    ],
)
def test_what_is_no_clear_yes_is_a_no(
    option: str, terms: tuple[Term, ...], wanted: tuple[bool, Term]
) -> None:
    outcome = AllowedOutcome(outcome="selected", option_id=option)
    assert answered(RequestPermissionResponse(outcome=outcome), Offer(terms)) == wanted


def test_a_cancelled_card_is_a_no() -> None:
    response = RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
    assert answered(response, Offer(tuple(Term))) == (False, Term.ONCE)


def test_a_card_is_of_the_call_it_asks_about() -> None:
    telling = RunTelling("r", ROOM, Language.ENGLISH)
    (begun,) = map(coded, telling.updates(ToolStarted(*HEAD, "c", "exec", {"command": "rm x"})))
    assert telling.card_call(card(command="rm x")) == (begun["toolCallId"], None)
    number, start = telling.card_call(card(command="rm y"))  # shown before its call, with others
    assert start is not None and coded(start)["status"] == "pending"
    (later,) = map(coded, telling.updates(ToolStarted(*HEAD, "d", "exec", {"command": "rm y"})))
    assert (later["sessionUpdate"], later["toolCallId"]) == ("tool_call_update", number)
    telling.card_call(card(command="rm z"))
    closed = [coded(one) for one in telling.updates(ended(OutcomeKind.CANCELLED))]
    assert [one["status"] for one in closed] == ["failed"] * 3
