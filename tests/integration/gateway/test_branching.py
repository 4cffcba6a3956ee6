"""A person gets another answer, says something else, and finds the way back, all by words."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId, SessionId
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.branching import Branching, BranchPorts
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.transcript import Transcript, create_transcript

KEY = main_session_key(DEFAULT_AGENT)


class Room:
    """A conversation whose runs are ended by `settle`, and what was told of it."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.told: list[str] = []
        self.running = ""
        self.branching = Branching(BranchPorts(lambda _: transcript, self.settle, self.show))

    async def settle(self, key: str) -> None:
        self.told.append("settled")
        if self.running:
            cancelled = RunOutcome(OutcomeKind.CANCELLED, "", "stopped")
            self.transcript.append_outcome(RunId(self.running), cancelled)
            self.running = ""

    def show(self, key: str) -> None:
        self.told.append("shown")

    def asked(self, text: str) -> None:
        self.transcript.append_user(text, RunId(text))
        self.running = text

    def said(self, *texts: str) -> None:
        for text in texts:
            self.asked(text)
            answer = ChatMessage(Role.ASSISTANT, text.upper())
            self.transcript.append_assistant(answer, RunId(text))
            self.transcript.append_outcome(RunId(text), RunOutcome(OutcomeKind.ANSWERED, "ok"))
            self.running = ""

    def typed(
        self, name: str, rest: str = "", language: Language = Language.ENGLISH
    ) -> CommandReply:
        return asyncio.run(self.branching.answer(CommandCall(name, rest, KEY, language)))

    def words(self) -> str:
        return " ".join(message.content for message in self.transcript.messages())


@pytest.fixture
def room(tmp_path) -> Room:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    return Room(create_transcript(tmp_path / "s.jsonl", SessionId("s"), KEY, "/", clock))


def test_the_last_message_is_answered_again(room):
    room.said("one", "two")
    reply = room.typed("regenerate")
    assert reply.turn == "two"
    assert room.words() == "one ONE"
    assert room.told == ["settled", "shown"]


def test_an_answer_that_is_being_written_is_stopped_first(room):
    room.said("one")
    room.asked("two")
    assert room.typed("edit", "other").turn == "other"
    assert room.words() == "one ONE"


def test_branches_are_listed_and_turned_to(room):
    room.said("one", "two")
    assert room.typed("branch").text.startswith("This conversation went one way")
    room.typed("edit", "other")
    room.said("other")
    listed = room.typed("branch").text.splitlines()
    assert listed[1:] == [
        "1. two (2 messages)",
        "2. other (2 messages) ← here",
        "/branch 1 turns to that one.",
    ]
    assert room.typed("branch", "1").text == "We are back at: two"
    assert room.words() == "one ONE two TWO"
    assert room.typed("branch", "1").text == "That is where we are."


def test_an_earlier_message_can_be_said_differently(room):
    room.said("one", "two")
    first = room.transcript.entries()[0].id
    saying = room.branching.say_instead(KEY, "uno", Language.ENGLISH, first)
    assert asyncio.run(saying).turn == "uno"
    assert room.words() == ""


def test_files_of_a_message_stay_with_it(room):
    line = "[media attached: media/inbound/1-plan.pdf (application/pdf)]"
    room.said(f"read this\n{line}")
    assert room.typed("edit", "sum this up").turn == f"sum this up\n{line}"
    room.said(f"sum this up\n{line}")
    assert room.typed("regenerate").turn == f"sum this up\n{line}"


@pytest.mark.parametrize(
    ("name", "rest"),
    [("regenerate", ""), ("edit", "x"), ("edit", " "), ("branch", "7"), ("branch", "²")],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(room, name, rest):
    for language in Language:
        reply = room.typed(name, rest, language)
        assert not reply.ok
        assert not reply.turn
    assert room.transcript.entries() == ()
