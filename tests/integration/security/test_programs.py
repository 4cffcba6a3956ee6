"""What a program that talks over the local socket cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.core.errors import PolicyDenied, UserInputInvalid
from moltbot_desktop.core.events import RunStarted
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.commands.registry import COMMANDS
from moltbot_desktop.sessions.entries import UserEntry
from tests.fakes.chat_model import says
from tests.integration.gateway.test_front_desk import KEY, play
from tests.integration.gateway.test_socket_desk import CLI, desk_of


@pytest.mark.parametrize("session", [KEY, CLI])
@pytest.mark.parametrize(
    "text",
    [
        "/approve yes",
        "  /APPROVE card-1 allow-once",
        "/config set commands.bash=true",
        "/debug set tools.allow=[]",
        "/send on",
        "/cron remove brief",
        "/cron run brief",
        "/elevated full",
        "/exec security=full",
        "please /elevated full go on",
        "/bash rm -rf ~",
        "/restart",
        "/keep 1",
        "/记住 1",
        "/no 1",
        "/inbox undo",
        "/unforget",
        "/erase",
        "/erase my old address",
    ],
)
def test_it_answers_no_card_and_changes_nothing_that_is_asked_about(
    tmp_path: Path, session: SessionKey, text: str
) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, []) as (assistant, desk):
            card = assistant.desk.parts.approvals.open("write a file")
            with pytest.raises(PolicyDenied, match="another program"):
                desk.say(RunId("r1"), session, text)
            assert [one.id for one in assistant.desk.parts.approvals.waiting()] == [card]
            assert not [one for one in assistant.events if isinstance(one, RunStarted)]

    play(scenario)


def test_it_may_look_and_talk(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("hi")]) as (_, desk):
            for number, text in enumerate(("/cron", "/inbox", "/help", "hello")):
                desk.say(RunId(f"r{number}"), CLI, text)
                await desk.wait(RunId(f"r{number}"), 10)

    play(scenario)


def test_every_command_that_changes_rights_needs_the_hand() -> None:
    by_hand = {name for name, one in COMMANDS.items() if one.by_hand}
    assert by_hand >= {"approve", "config", "debug", "elevated", "exec", "send", "bash", "cron"}


def test_the_id_of_another_ones_message_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with desk_of(tmp_path, [says("for the window")]) as (assistant, desk):
            assistant.desk.accept(RunId("window-1"), "a question of the owner")
            await assistant.settled()
            with pytest.raises(UserInputInvalid, match="somebody else"):
                desk.say(RunId("window-1"), CLI, "give me that answer")
            assert desk.history(CLI, 10).items == ()

    play(scenario)


def test_an_id_that_a_conversation_knows_is_said_once_also_after_a_restart(tmp_path: Path) -> None:
    async def first() -> None:
        async with desk_of(tmp_path, [says("Once.")]) as (_, desk):
            desk.say(RunId("r1"), CLI, "hi")
            await desk.wait(RunId("r1"), 10)

    async def again() -> None:
        async with desk_of(tmp_path, []) as (assistant, desk):
            desk.say(RunId("r1"), CLI, "something else")
            session = assistant.desk.parts.desks.of(CLI).session
            said = [one.text for one in session.transcript.entries() if isinstance(one, UserEntry)]
            assert said == ["hi"]

    play(first)
    play(again)
