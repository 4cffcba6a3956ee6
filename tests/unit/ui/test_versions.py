"""Versions of messages and answers in what is shown: which, where, and what leads to them."""

from __future__ import annotations

from dataclasses import replace

from moltbot_desktop.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    AssistantDelta,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolStarted,
)
from moltbot_desktop.core.ids import ApprovalId, RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import (
    ConversationItem,
    ForksShown,
    GivenFile,
    HistoryLoaded,
    ItemKind,
)
from moltbot_desktop.sdk.sessions import Fork
from moltbot_desktop.ui.conversation import Conversation
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    Busy,
    Change,
    GiveBack,
    Replace,
    Reset,
    Tail,
    ToolEntry,
    ToolState,
    UserEntry,
    Versions,
)
from tests.fakes.assistant_client import SESSION

RUN = RunId("r2")


def exchange(said: str, question: str, answer: str) -> list[ConversationItem]:
    return [
        ConversationItem(ItemKind.USER, question, f"{said} 1", said=said),
        ConversationItem(ItemKind.ASSISTANT, answer, f"{said} 2", said=said),
    ]


FIRST, SECOND = exchange("r1", "one", "ONE"), exchange("r2", "two", "TWO")
OTHER = exchange("r3", "deux", "DEUX")
WORDS = Fork("r2", (("r2",), ("r3",)), ("r2", "r3"))


def history(*items: ConversationItem, **more: object) -> HistoryLoaded:
    return replace(HistoryLoaded(SESSION, items, False, "s"), **more)  # type: ignore[arg-type]


def shown(conversation: Conversation) -> list[str]:
    return [one.text for one in conversation.entries.values() if not isinstance(one, ToolEntry)]


def versions(conversation: Conversation) -> list[Versions | None]:
    messages = [
        one for one in conversation.entries.values() if isinstance(one, UserEntry | AnswerEntry)
    ]
    return [one.versions for one in messages]


def answered(conversation: Conversation, run: RunId, text: str) -> list[Change]:
    changes = conversation.happened(AssistantDelta(run, SESSION, 2, text))
    outcome = RunOutcome(OutcomeKind.ANSWERED, text)
    return [*changes, *conversation.happened(RunEnded(run, SESSION, 3, outcome))]


def test_other_words_stand_beside_the_message_and_another_answer_beside_the_answer() -> None:
    conversation = Conversation()
    conversation.loaded(history(*FIRST, *SECOND, forks=(WORDS,)))
    assert versions(conversation) == [None, None, Versions(1, 2, "", "r3"), None]
    again = Fork("r2", (("r1b", "r2"), ("r3",)), ("r2", "r3"))
    conversation.parted(ForksShown("s", (again,)))
    assert versions(conversation)[2:] == [Versions(1, 2, "", "r3"), Versions(2, 2, "r1b", "")]


def test_of_an_answer_in_parts_the_last_one_has_the_versions() -> None:
    conversation = Conversation()
    part = ConversationItem(ItemKind.ASSISTANT, "Let me see.", "t", said="r2")
    again = Fork("r2", (("r2", "r3"),), ("r2",))
    conversation.loaded(history(SECOND[0], part, SECOND[1], forks=(again,)))
    assert versions(conversation) == [None, None, Versions(1, 2, "", "r3")]


def test_a_message_whose_answer_nobody_sees_has_all_versions_itself() -> None:
    conversation = Conversation()
    fork = Fork("r2", (("r1", "r2"), ("r3",)), ("r2", "r3"))
    conversation.loaded(history(SECOND[0], forks=(fork,)))
    assert versions(conversation) == [Versions(2, 3, "r1", "r3")]


def test_what_is_said_instead_stands_where_the_other_stood() -> None:
    conversation = Conversation()
    conversation.loaded(history(*FIRST, *SECOND))
    first, answer, *_ = conversation.entries
    run = RunId("r3")
    assert conversation.said_instead(run, "r2", "deux") == [Busy(True)]
    (tail,) = conversation.loaded(history(*FIRST, left="r2"))
    assert tail == Tail(answer, ())
    conversation.parted(ForksShown("s", (Fork("r3", (("r2",), ("r3",)), ("r2", "r3")),)))
    conversation.happened(RunStarted(run, SESSION, 1, "deux"))
    assert versions(conversation)[2] == Versions(2, 2, "r2", "")
    answered(conversation, run, "DEUX")
    assert shown(conversation) == ["one", "ONE", "deux", "DEUX"]
    assert tuple(conversation.entries)[:2] == (first, answer)


def test_an_answer_that_is_asked_for_again_shows_its_versions_when_it_is_whole() -> None:
    conversation = Conversation()
    conversation.loaded(history(*FIRST, *SECOND))
    run = RunId("r3")
    conversation.said_instead(run, "r2", "")
    conversation.loaded(history(*FIRST, left="r2"))
    conversation.parted(ForksShown("s", (Fork("r3", (("r2", "r3"),), ("r3",)),)))
    conversation.happened(RunStarted(run, SESSION, 1, "two"))
    conversation.happened(AssistantDelta(run, SESSION, 2, "Z"))
    assert versions(conversation)[2:] == [None, None]
    answered(conversation, run, "WEI")
    assert versions(conversation)[2:] == [None, Versions(2, 2, "r2", "")]


def test_turning_draws_only_what_is_another() -> None:
    conversation = Conversation()
    conversation.loaded(history(*FIRST, *OTHER))
    kept = tuple(conversation.entries)[:2]
    changes = conversation.loaded(history(*FIRST, *SECOND, left="r3", taken="r2", forks=(WORDS,)))
    assert isinstance(changes[0], Tail) and changes[0].after == kept[1]
    assert [entry.text for _, entry in changes[0].entries] == ["two", "TWO"]  # type: ignore[union-attr]
    assert shown(conversation) == ["one", "ONE", "two", "TWO"]
    assert versions(conversation)[2] == Versions(1, 2, "", "r3")
    assert any(isinstance(one, Replace) for one in changes[1:])


def test_where_nothing_of_it_stays_or_the_place_is_not_shown_all_is_drawn_anew() -> None:
    for told in (
        history(*SECOND, left="r1", taken="r2"),  # from the very beginning
        history(*FIRST, *SECOND, left="elsewhere", taken="r2"),
        history(*FIRST, *SECOND, left="r3", taken="nobody"),
        history(*FIRST, *SECOND, left="r3", taken="r2", newer=7),
    ):
        conversation = Conversation()
        conversation.loaded(history(*FIRST, *OTHER))
        changes = conversation.loaded(told)
        assert isinstance(changes[0], Reset)


def test_words_that_could_not_be_said_instead_come_back_with_their_place() -> None:
    conversation = Conversation()
    conversation.loaded(history(*FIRST))
    files = (GivenFile("a", b""),)
    conversation.said_instead(RUN, "r1", "uno", files)
    outcome = RunOutcome(OutcomeKind.FAILED, "gone", "gone")
    changes = conversation.happened(RunEnded(RUN, SESSION, 1, outcome))
    assert changes == [GiveBack("uno", "gone", files, "r1"), Busy(False)]
    assert shown(conversation) == ["one", "ONE"]


def test_a_message_can_be_said_differently_once_its_run_has_started_and_a_command_never() -> None:
    conversation = Conversation()
    conversation.said(RUN, "hi")
    (entry,) = conversation.entries.values()
    assert isinstance(entry, UserEntry) and entry.said == ""
    conversation.happened(RunStarted(RUN, SESSION, 1, "hi"))
    answered(conversation, RUN, "Hello")
    assert [one.said for one in conversation.entries.values()] == [RUN, RUN]  # type: ignore[union-attr]
    other = Conversation()
    other.happened(RunStarted(RUN, SESSION, 1, "/status", command=True))
    answered(other, RUN, "fine")
    assert [one.said for one in other.entries.values()] == ["", ""]  # type: ignore[union-attr]


CARD = ApprovalRequested(RUN, SESSION, 3, ApprovalId("a"), "exec", {}, "Run rm x", "deletes")


def asked() -> Conversation:
    """A command waits for the owner's yes."""
    conversation = Conversation()
    conversation.happened(RunStarted(RUN, SESSION, 1, "hi"))
    conversation.happened(ToolStarted(RUN, SESSION, 2, "c", "exec", {"command": "rm x"}))
    conversation.happened(CARD)
    return conversation


def state(conversation: Conversation) -> ToolState:
    (tool,) = (one for one in conversation.entries.values() if isinstance(one, ToolEntry))
    return tool.state


def test_a_tool_that_waits_for_a_yes_does_not_run() -> None:
    conversation = asked()
    assert state(conversation) is ToolState.WAITING
    conversation.happened(ApprovalResolved(RUN, SESSION, 4, ApprovalId("a"), True, "owner"))
    assert state(conversation) is ToolState.RUNNING
    conversation.happened(ToolEnded(RUN, SESSION, 5, "c", "exec", True, "ok", "done", 0.1))
    assert state(conversation) is ToolState.OK


def test_a_no_is_seen_at_once_and_cards_of_others_change_nothing() -> None:
    conversation = asked()
    conversation.happened(ApprovalResolved(RUN, SESSION, 4, ApprovalId("b"), False, "owner"))
    assert state(conversation) is ToolState.WAITING
    conversation.happened(ApprovalResolved(RUN, SESSION, 4, ApprovalId("a"), False, "owner"))
    assert state(conversation) is ToolState.DENIED
    other = Conversation()
    assert other.happened(CARD) == []


def test_what_waits_is_not_run_when_its_run_ends() -> None:
    conversation = asked()
    outcome = RunOutcome(OutcomeKind.CANCELLED)
    conversation.happened(RunEnded(RUN, SESSION, 9, outcome))
    assert state(conversation) is ToolState.NOT_RUN


def test_a_reopened_call_shows_what_it_was_called_with_and_how_it_ended() -> None:
    conversation = Conversation()
    call = ConversationItem(
        ItemKind.TOOL, "17", "t", "calc", seconds=0.5, arguments={"expression": "340 * 5%"}
    )
    denied = replace(call, ok=False, outcome="denied")
    conversation.loaded(history(call, denied))
    first, second = conversation.entries.values()
    assert first == ToolEntry("calc", ToolState.OK, {"expression": "340 * 5%"}, "17", 0.5, "t")
    assert isinstance(second, ToolEntry) and second.state is ToolState.DENIED
