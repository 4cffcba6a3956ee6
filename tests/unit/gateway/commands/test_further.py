"""Commands of plugins and skills: found before the table's, refused like them, listed last."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.command import Command, Topic, Who
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.detection import MISTYPED
from moltbot_desktop.gateway.commands.further import Further, found_in
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.gateway.decisions import (
    AgentTurn,
    DecisionContext,
    Deny,
    Reason,
    RunCommand,
    decide_text,
)
from tests.fakes.commands import fake_ports

WEATHER = Command("weather", Topic.EXTENSIONS, "the weather", "天气", arguments="PLACE")
PING = Command("ping", Topic.EXTENSIONS, "answers", "应答")
NOTE = Command("note", Topic.EXTENSIONS, "a note", "记下", arguments="TEXT", lines=True)
FURTHER = {
    "weather": Further(WEATHER),
    "ping": Further(PING, everybody=True),
    "note": Further(NOTE),
}
CONTEXT = DecisionContext(further=FURTHER)


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("/weather Beijing", "weather", "Beijing"),
        ("/Weather:  北京 ", "weather", "北京"),
        ("／weather 北京", "weather", "北京"),
        ("/weather@MyBot Rome", "weather", "Rome"),
        ("/weather Rome\nand Paris", "weather", "Rome"),
        ("/note one\ntwo", "note", "one\ntwo"),
        ("/ping", "ping", ""),
    ],
)
def test_a_further_command_is_found(text: str, name: str, rest: str) -> None:
    found = found_in(text, FURTHER, "mybot")
    assert found is not None
    assert (found[0].command.name, found[1]) == (name, rest)
    assert decide_text(text, Who.OWNER, replace(CONTEXT, bot="mybot")) == RunCommand(name, rest)


@pytest.mark.parametrize("text", ["/ping me", "weather Rome", "/weather@other Rome"])
def test_other_words_are_for_the_agent(text: str) -> None:
    assert found_in(text, FURTHER, "mybot") is None
    assert isinstance(decide_text(text, Who.OWNER, CONTEXT), AgentTurn)


def test_a_slip_of_the_fingers_is_told() -> None:
    assert found_in("/weathers", FURTHER) is None
    assert decide_text("/weathers", Who.OWNER, CONTEXT) == RunCommand(MISTYPED, "/weathers")


def test_who_has_no_right_to_commands_gets_those_for_everybody_only() -> None:
    assert decide_text("/weather Rome", None, CONTEXT) == Deny(Reason.NOT_ALLOWED, "weather")
    assert decide_text("/ping", None, CONTEXT) == RunCommand("ping", "", Who.CONTACT)


class _Added:
    def __init__(self, names: Mapping[str, Further]) -> None:
        self.names = names

    def commands(self) -> Mapping[str, Further]:
        return self.names

    async def answer(self, call: CommandCall) -> CommandReply:
        return CommandReply(f"{call.name}: {call.rest}")


def _said(name: str, rest: str, names: Mapping[str, Further]) -> str:
    ports = replace(fake_ports(), further=_Added(names))
    call = CommandCall(name, rest, SessionKey("agent:main:main"), Language.ENGLISH)
    return asyncio.run(CommandDesk(ports).answer(call)).text


def test_the_desk_hands_it_to_whoever_has_it() -> None:
    assert _said("weather", "Rome", FURTHER) == "weather: Rome"


def test_one_that_went_away_meanwhile_is_told() -> None:
    assert "/weather" in _said("weather", "Rome", {})


def test_they_stand_in_the_list_of_commands() -> None:
    told = _said("commands", "", FURTHER)
    assert "Of plugins and skills\n/weather PLACE — the weather\n/ping — answers" in told
