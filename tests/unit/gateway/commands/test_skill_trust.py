"""/skill trust is the owner's own word: typed in the window, never sent, piped or scheduled."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply, SkillName
from moltbot_desktop.gateway.commands.registry import Who
from moltbot_desktop.gateway.decisions import RunCommand, by_hand
from moltbot_desktop.sdk.channels import Envelope, Sender
from tests.fakes.commands import NOW, FakeSkills, fake_ports

WAITING = FakeSkills(
    (SkillName("garden", "Log", "its files have changed", waits=True), SkillName("notes", "Notes"))
)
TRUST = CommandCall("skill", "trust garden", SessionKey("agent:main:main"), Language.ENGLISH)


def answer(call: CommandCall) -> CommandReply:
    return asyncio.run(CommandDesk(replace(fake_ports(), skills=WAITING)).answer(call))


@pytest.mark.parametrize("rest", ["trust garden", "Trust  garden", "信任 garden"])
def test_what_changed_is_shown_and_asked_for_once_more(rest: str) -> None:
    reply = answer(replace(TRUST, rest=rest))
    assert reply.ok
    assert "/skill trust garden anyway" in reply.text
    assert "+new line" in reply.text
    assert not reply.turn
    reply = answer(replace(TRUST, rest=f"{rest} anyway"))
    assert reply.ok
    assert "You trust the skill garden" in reply.text


@pytest.mark.parametrize("word", ["anyway", "仍然"])
def test_what_looks_dangerous_is_shown_and_asked_for_once_more(word: str) -> None:
    reply = answer(replace(TRUST, rest="trust shed"))
    assert not reply.ok
    assert "SKILL.md:3: it pipes to a shell" in reply.text
    assert "/skill trust shed anyway" in reply.text
    reply = answer(replace(TRUST, rest=f"trust shed {word}"))
    assert reply.ok
    assert "shed" in reply.text


def test_without_a_name_those_that_wait_are_listed() -> None:
    reply = answer(replace(TRUST, rest="trust"))
    assert "garden: its files have changed" in reply.text
    assert "notes" not in reply.text


def test_a_skill_that_does_not_wait_is_told() -> None:
    reply = answer(replace(TRUST, rest="trust notes"))
    assert not reply.ok
    assert "/skill trust" in reply.text


def test_nobody_says_it_over_a_channel() -> None:
    envelope = Envelope("pipe", "1", Sender("7"), "x", NOW)
    for call in (replace(TRUST, envelope=envelope), replace(TRUST, who=Who.CONTACT)):
        reply = answer(call)
        assert not reply.ok
        assert "+new line" not in reply.text


@pytest.mark.parametrize("rest", ["trust garden", "TRUST x", "信任 x", "trust"])
def test_no_program_says_it(rest: str) -> None:
    assert by_hand(RunCommand("skill", rest)) == "skill trust"
    assert by_hand(RunCommand("skill", "garden trust")) == ""


@pytest.mark.parametrize("rest", ["untrust garden", "Untrust  garden", "取消信任 garden"])
def test_one_word_takes_it_back(rest: str) -> None:
    reply = answer(replace(TRUST, rest=rest))
    assert reply.ok
    assert "garden no more" in reply.text
    assert not answer(replace(TRUST, rest="untrust notes")).ok
    assert not answer(replace(TRUST, rest=rest, who=Who.CONTACT)).ok
    assert by_hand(RunCommand("skill", rest)) == "skill untrust"
