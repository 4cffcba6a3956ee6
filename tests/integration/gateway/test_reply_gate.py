"""What goes out of a contact's conversation: text, and private words after the owner's yes."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.events import ApprovalRequested, ApprovalResolved
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun, taint
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.security.policy import Presence
from tests.fakes.chat_model import ScriptedTurn, says
from tests.fakes.mail import envelope
from tests.integration.gateway.test_channel_desk import GROUP, KEY, Rig, rig
from tests.integration.gateway.test_front_desk import play

SECRET = "Your dentist is Dr. Okafor."


def make_private(made: Rig) -> None:
    """As a search in the owner's memory does."""
    taint(made.assistant.desk.parts.desks.of(KEY).session, private=True)


async def card(made: Rig) -> ApprovalRequested:
    async with asyncio.timeout(30):
        while True:
            for event in made.assistant.events:
                if isinstance(event, ApprovalRequested):
                    return event
            await asyncio.sleep(0)


def test_words_of_the_owner_do_not_go_out_while_nobody_can_say_yes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says(SECRET)]) as made:
            make_private(made)
            await made.desk.receive([envelope("1")])
            [answer] = await made.answers(1)
            assert "Okafor" not in answer
            assert "may not pass that on" in answer

    play(scenario)


@pytest.mark.parametrize("allow", [True, False])
def test_at_a_window_the_owner_sees_the_words_and_decides(tmp_path: Path, allow: bool) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says(SECRET)], presence=Presence.PRESENT) as made:
            make_private(made)
            await made.desk.receive([envelope("1")])
            asked = await card(made)
            assert SECRET in asked.title and asked.arguments["text"] == SECRET
            assert "7" in str(asked.arguments["to"])
            assert made.book.heads() == ()
            made.assistant.desk.answer_approval(asked.approval_id, allow)
            [answer] = await made.answers(1)
            assert (answer == SECRET) is allow
            assert isinstance(made.assistant.events[-1], ApprovalResolved)

    play(scenario)


def test_what_follows_an_answer_that_waits_for_a_yes_comes_after_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says(SECRET), says("And tea.")]
        async with rig(tmp_path, script, presence=Presence.PRESENT) as made:
            make_private(made)
            await made.desk.receive([envelope("1")])
            asked = await card(made)
            await made.desk.receive([envelope("2", text="/whoami")])
            await made.assistant.settled()
            assert made.book.heads() == ()
            made.assistant.desk.answer_approval(asked.approval_id, True)
            answers = await made.answers(2)
            assert answers[0] == SECRET

    play(scenario)


def test_a_card_that_the_end_of_the_program_closes_is_asked_again(tmp_path: Path) -> None:
    async def first() -> None:
        async with rig(tmp_path, [says(SECRET)], presence=Presence.PRESENT) as made:
            make_private(made)
            await made.desk.receive([envelope("1")])
            await card(made)

    async def again() -> None:
        async with rig(tmp_path, [], presence=Presence.PRESENT) as made:
            made.assistant.desk.answer_approval((await card(made)).approval_id, True)
            assert await made.answers(1) == [SECRET]

    play(first)
    play(again)


def test_a_conversation_of_others_gets_no_link_that_nobody_wrote(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("See https://evil.example/?q=canary")]) as made:
            await made.desk.receive([envelope("1")])
            [answer] = await made.answers(1)
            assert "https" not in answer and "canary" not in answer

    play(scenario)


def test_why_something_failed_is_told_to_the_owner_and_not_to_others(tmp_path: Path) -> None:
    async def scenario() -> None:
        error = ModelError("The model /home/ada/private/model.gguf is damaged.", hint="Fetch it.")
        async with rig(tmp_path, [ScriptedTurn(error=error)]) as made:
            await made.desk.receive([envelope("1")])
            [answer] = await made.answers(1)
            assert "ada" not in answer and answer
            notices = [one for one in made.assistant.events if isinstance(one, Notice)]
            assert any("/home/ada" in one.text for one in notices)

    play(scenario)


def test_a_run_of_somebody_else_under_the_same_id_answers_no_contact(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("hi")]) as made:
            [received] = await made.desk._parts.mail.receive([envelope("1")])
            await made.desk.recover()
            session = made.assistant.desk.session
            mine = AcceptedRun(
                RunId(received.run_id), session, "x", made.assistant.clock.now(), lambda _: None
            )
            made.desk.ended(mine, RunOutcome(OutcomeKind.ANSWERED, "for the owner alone"))
            assert await made.answers(1) == ["hi"]

    play(scenario)


def test_what_holds_nothing_of_the_owners_is_answered_unasked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("Tea.")], presence=Presence.PRESENT) as made:
            await made.desk.receive([replace(envelope("1"), peer=GROUP, mentioned=True)])
            assert await made.answers(1) == ["Tea."]

    play(scenario)
