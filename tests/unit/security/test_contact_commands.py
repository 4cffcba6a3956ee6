"""What people on channels may do with commands: see and steer their own conversation, and nothing
of the owner's."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.access import AccessRules, GroupRules
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.ports import CommandCall
from moltbot_desktop.gateway.commands.registry import COMMANDS, SIMPLE, Who
from moltbot_desktop.gateway.decisions import (
    AgentTurn,
    DecisionContext,
    Deny,
    Ignore,
    RunCommand,
    decide,
)
from moltbot_desktop.sdk.channels import Peer, PeerKind
from tests.fakes.commands import fake_ports
from tests.fakes.mail import envelope

KEY = SessionKey("agent:main:pipe:dm:7")
ALLOWED = DecisionContext(
    switches=frozenset({"config", "debug", "bash"}),
    access=AccessRules("allowlist", ("7",), "open", groups={"*": GroupRules()}),
    model_known=lambda _: True,
)
OWNERS = (
    "/context", "/memory", "/memory dentist", "/inbox", "/keep 1", "/no 1", "/unforget",
    "/erase x", "/cron", "/cron remove 1", "/subagents", "/approve yes", "/allowlist",
    "/elevated full", "/exec security=full", "/config show", "/config set a=1", "/debug show",
    "/bash ls", "/restart", "/send off", "/model large", "/models",
)  # fmt: skip


@pytest.mark.parametrize("text", OWNERS)
@pytest.mark.parametrize("shape", ["{}", " {} ", "{}\n", "{}\nhello", "please {} now"])
def test_the_owners_commands_are_for_nobody_else(text: str, shape: str) -> None:
    decision = decide(envelope("1", shape.format(text)), ALLOWED)
    if isinstance(decision, AgentTurn):
        assert not decision.trusted and not decision.directives.model
        assert not decision.directives.elevated and set(decision.simple) <= SIMPLE
    else:
        assert isinstance(decision, Deny), decision


@pytest.mark.parametrize("text", OWNERS)
def test_in_a_group_they_are_passed_over(text: str) -> None:
    in_group = replace(envelope("1", text), peer=Peer(PeerKind.GROUP, "g"), mentioned=True)
    assert isinstance(decide(in_group, ALLOWED), Ignore | AgentTurn)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_who_shares_the_owners_conversation_only_looks(name: str) -> None:
    decision = decide(envelope("1", f"/{name}"), replace(ALLOWED, owners=True))
    may = isinstance(decision, RunCommand) and decision.name in SIMPLE
    assert may or isinstance(decision, Deny)


@pytest.mark.parametrize("text", ["stop", "abort", "/think high", "/queue collect"])
def test_nor_do_they_stop_or_set_anything_there(text: str) -> None:
    assert isinstance(decide(envelope("1", text), replace(ALLOWED, owners=True)), Deny)


def test_status_tells_others_nothing_of_memory_and_plans() -> None:
    made = fake_ports()
    call = CommandCall("status", "", KEY, Language.ENGLISH, Who.CONTACT, envelope=envelope("1"))
    text = asyncio.run(CommandDesk(made).answer(call)).text
    assert text.startswith("I am here.")
    assert not any(word in text for word in ("Memory", "files", "Planned", "search"))
