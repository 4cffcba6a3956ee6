"""Whose word counts when messages queue: the message's, the conversation's, the settings'."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moltbot_desktop.agent.queueing import DropPolicy, QueueMode, QueueRules
from moltbot_desktop.config.messages import MessagesConfig, QueueConfig
from moltbot_desktop.config.session import SendMatch, SendPolicyConfig, SendRule, SessionConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.channel_rules import decision_context, desk_rules, queue_rules
from moltbot_desktop.gateway.commands.options import QueueOptions
from moltbot_desktop.gateway.decisions import (
    AgentTurn,
    Ignore,
    InboundDecision,
    Reason,
    RunCommand,
    decide,
)
from moltbot_desktop.gateway.routing import RouteInput, RoutingRules, resolve_route
from moltbot_desktop.sdk.channels import Peer, PeerKind
from moltbot_desktop.sessions.settings import SessionSettings
from tests.fakes.mail import envelope

NOTHING, UNSET = SessionSettings(), QueueOptions()


def config(**queue: object) -> Config:
    return replace(
        Config(), messages=replace(MessagesConfig(), queue=replace(QueueConfig(), **queue))
    )


def test_without_any_word_it_is_as_in_the_reference() -> None:
    rules = queue_rules(Config(), NOTHING, UNSET, "pipe", one_request=False)
    assert rules == QueueRules(QueueMode.COLLECT, 1.0, 20, DropPolicy.SUMMARIZE)


def test_the_nearest_word_counts() -> None:
    settings = config(
        mode="followup", by_channel={"pipe": "steer"}, debounce_ms_by_channel={"pipe": 500}
    )
    session = SessionSettings(queue_mode="interrupt", queue_cap=3, queue_drop="old")
    inline = QueueOptions(mode="collect", debounce_ms=0, cap=5, drop="new")

    def mode(channel: str, session: SessionSettings, inline: QueueOptions) -> QueueMode:
        return queue_rules(settings, session, inline, channel, one_request=False).mode

    assert mode("other", NOTHING, UNSET) is QueueMode.FOLLOWUP
    assert mode("pipe", NOTHING, UNSET) is QueueMode.STEER
    assert mode("pipe", session, UNSET) is QueueMode.INTERRUPT
    assert mode("pipe", session, inline) is QueueMode.COLLECT
    of_session = queue_rules(settings, session, UNSET, "pipe", one_request=False)
    assert (of_session.debounce, of_session.cap, of_session.drop) == (0.5, 3, DropPolicy.OLD)
    of_message = queue_rules(settings, session, inline, "pipe", one_request=False)
    assert (of_message.debounce, of_message.cap, of_message.drop) == (0.0, 5, DropPolicy.NEW)


@pytest.mark.parametrize("mode", ["collect", "steer", "steer-backlog"])
def test_a_model_that_reads_one_request_gets_one(mode: str) -> None:
    session = SessionSettings(queue_mode=mode)
    assert (
        queue_rules(Config(), session, UNSET, "pipe", one_request=True).mode is QueueMode.FOLLOWUP
    )
    assert desk_rules(session, UNSET, one_request=True).mode is QueueMode.FOLLOWUP


def test_interrupting_works_with_any_model() -> None:
    session = SessionSettings(queue_mode="interrupt")
    assert desk_rules(session, UNSET, one_request=True).mode is QueueMode.INTERRUPT


def test_who_sits_at_the_desk_is_never_kept_waiting() -> None:
    assert desk_rules(NOTHING, UNSET, one_request=False) == QueueRules(
        QueueMode.FOLLOWUP, 0.0, 0, DropPolicy.SUMMARIZE
    )
    chosen = desk_rules(SessionSettings(queue_mode="collect"), UNSET, one_request=False)
    assert (chosen.mode, chosen.debounce) == (QueueMode.COLLECT, 0.0)


def test_what_was_set_with_queue_holds_at_the_desk_too() -> None:
    kept = SessionSettings(queue_mode="collect", queue_debounce_ms=2_000, queue_cap=3)
    rules = desk_rules(kept, UNSET, one_request=False)
    assert rules == QueueRules(QueueMode.COLLECT, 2.0, 3, DropPolicy.SUMMARIZE)
    inline = QueueOptions(mode="steer", drop="new")
    rules = desk_rules(kept, inline, one_request=False)
    assert rules == QueueRules(QueueMode.STEER, 2.0, 3, DropPolicy.NEW)


def test_one_message_goes_back_to_what_the_settings_say() -> None:
    kept = SessionSettings(queue_mode="interrupt", queue_cap=3)
    back = QueueOptions(default=True, cap=5)
    rules = queue_rules(config(mode="followup"), kept, back, "pipe", one_request=False)
    assert (rules.mode, rules.cap) == (QueueMode.FOLLOWUP, 5)
    assert desk_rules(kept, back, one_request=False).mode is QueueMode.FOLLOWUP


def may_send(policy: SendPolicyConfig, settings: SessionSettings, kind: PeerKind) -> bool:
    made = replace(Config(), session=replace(SessionConfig(), send_policy=policy))
    route = resolve_route(RoutingRules(), RouteInput("pipe", peer=Peer(kind, "7")))
    return decision_context(made, settings, envelope("1"), route, {}, frozenset()).may_send


def test_a_rule_that_denies_fits_by_channel_kind_and_key() -> None:
    for match in (
        SendMatch(channel="Pipe"),
        SendMatch(chat_type="direct"),
        SendMatch(key_prefix="pipe:dm:"),
        SendMatch(key_prefix="agent:main:pipe"),
    ):
        policy = SendPolicyConfig("allow", (SendRule("deny", match),))
        assert not may_send(policy, NOTHING, PeerKind.DM), match
        assert may_send(policy, SessionSettings(send_policy="allow"), PeerKind.DM), match
    groups = SendPolicyConfig("allow", (SendRule("deny", SendMatch(chat_type="group")),))
    assert may_send(groups, NOTHING, PeerKind.DM)
    assert not may_send(groups, NOTHING, PeerKind.GROUP)


def decided(text: str, channel: JsonObject) -> InboundDecision:
    """What becomes of words in a group where the assistant must be called."""
    said = replace(envelope("1", text), peer=Peer(PeerKind.GROUP, "g"), account="one")
    route = resolve_route(RoutingRules(), RouteInput("pipe", "one", said.peer))
    context = decision_context(Config(), NOTHING, said, route, channel, frozenset())
    return decide(said, context)


@pytest.mark.parametrize("own", [{"username": "clerk"}, {"username": "@Clerk"}])
def test_the_assistants_user_name_calls_it_and_stands_behind_its_commands(
    own: dict[str, JsonValue],
) -> None:
    open_to_all: dict[str, JsonValue] = {"groupPolicy": "open", "groups": {"*": {}}}
    for channel in (
        {**open_to_all, **own},
        {**open_to_all, "username": "other", "accounts": {"one": own}},
    ):
        channel["groupAllowFrom"] = ["7"]
        assert isinstance(decided("@clerk, who is free?", channel), AgentTurn)
        assert decided("@clerks who is free?", channel) == Ignore(Reason.NOT_MENTIONED, True)
        assert decided("who is free?", channel) == Ignore(Reason.NOT_MENTIONED, True)
        named = decided("/status@Clerk", channel)
        assert isinstance(named, RunCommand) and named.name == "status"
        assert not isinstance(decided("/status@somebody", channel), RunCommand)
