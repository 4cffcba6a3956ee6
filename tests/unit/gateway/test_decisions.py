"""What becomes of a message."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.gateway.access import AccessRules, GroupRules
from moltbot_desktop.gateway.commands.detection import MISTYPED
from moltbot_desktop.gateway.commands.directives import Directives
from moltbot_desktop.gateway.commands.registry import COMMANDS, SWITCHES, Who
from moltbot_desktop.gateway.decisions import (
    AgentTurn,
    DecisionContext,
    Deny,
    Ignore,
    InboundDecision,
    Reason,
    RunCommand,
    checked_message,
    decide,
    decide_text,
    sending_allowed,
)
from moltbot_desktop.gateway.mentions import mention_matcher
from moltbot_desktop.sdk.channels import DESKTOP, Envelope, Peer, PeerKind, Sender

NOW = datetime(2026, 1, 5, tzinfo=UTC)
ADA, EVE = Sender("7", "Ada"), Sender("8", "Ada")
ROOM = Peer(PeerKind.GROUP, "g")
CONTEXT = DecisionContext(
    access=AccessRules(allow_from=("7",), groups={"g": GroupRules()}, group_policy="open"),
    mentions=mention_matcher(None, None, name="Molty"),
    model_known=lambda name: name == "qwen",
)


def typed_by_owner(text: str, context: DecisionContext = CONTEXT) -> InboundDecision:
    return decide(Envelope(DESKTOP, "", Sender("owner"), text, NOW), context)


def in_chat(text: str, sender: Sender = ADA, context: DecisionContext = CONTEXT) -> InboundDecision:
    return decide(Envelope("x", "1", sender, text, NOW), context)


def in_group(
    text: str, sender: Sender = ADA, context: DecisionContext = CONTEXT
) -> InboundDecision:
    return decide(Envelope("x", "1", sender, text, NOW, peer=ROOM), context)


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("hello", AgentTurn("hello")),
        ("/new hello", RunCommand("new", "hello")),
        ("停", RunCommand("stop")),
        ("/think", RunCommand("think")),
        ("/think banana", RunCommand("think", "banana")),
        ("/queue cap:many", RunCommand("queue", "cap:many")),
        ("/think high", RunCommand("", directives=Directives(think="high"))),
        ("/think high why?", AgentTurn("why?", Directives(think="high"))),
        ("why? /status", AgentTurn("why?", Directives(status=True), ("status",))),
        ("/model qwen", RunCommand("", directives=Directives(model="qwen"))),
        ("/model gpt", RunCommand("model", "gpt")),
        ("/staus", RunCommand(MISTYPED, "/staus")),
        ("/staus please", AgentTurn("/staus please")),
        ("/etc/hosts", AgentTurn("/etc/hosts")),
        ("/config show", RunCommand("config", "show")),
        ("/bash ls", RunCommand("bash", "ls")),
        ("", Ignore(Reason.EMPTY)),
    ],
)
def test_the_owner(text: str, decision: InboundDecision) -> None:
    assert typed_by_owner(text) == decision


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("start over", RunCommand("new")),
        ("Start over  what is 2+2?", RunCommand("new", "what is 2+2?")),
        ("重来", RunCommand("new")),
        ("start overnight", AgentTurn("start overnight")),
        ("please start over", AgentTurn("please start over")),
        ("/status", RunCommand("status")),
    ],
)
def test_words_of_the_settings_start_afresh(text: str, decision: InboundDecision) -> None:
    context = replace(CONTEXT, reset_words=("/new", "start over", " ", "重来"))
    assert typed_by_owner(text, context) == decision
    assert not isinstance(in_chat(text, EVE, context), RunCommand)


def test_only_commands_that_are_shown_are_what_a_slip_meant() -> None:
    assert typed_by_owner("/confg") == AgentTurn("/confg")
    shown = replace(CONTEXT, switches=SWITCHES)
    assert typed_by_owner("/confg", shown) == RunCommand(MISTYPED, "/confg")


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("hello", AgentTurn("hello", trusted=False)),
        ("/new", RunCommand("new", who=Who.CONTACT)),
        ("stop", RunCommand("stop", who=Who.CONTACT)),
        ("/memory secrets", Deny(Reason.NOT_ALLOWED, "memory")),
        ("/elevated full", Deny(Reason.NOT_ALLOWED, "elevated")),
        ("/elevated", Deny(Reason.NOT_ALLOWED, "elevated")),
        ("/elevated full do it", AgentTurn("/elevated full do it", trusted=False)),
        ("/think high hm", AgentTurn("hm", Directives(think="high"), trusted=False)),
    ],
)
def test_a_contact_may_what_is_a_contacts(text: str, decision: InboundDecision) -> None:
    assert in_chat(text) == decision


def test_a_stranger_starts_nothing_whatever_name_they_take() -> None:
    for text in ("hello", "/status", "stop", "/think high"):
        assert in_chat(text, EVE) == Deny(Reason.STRANGER)


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("hello all", Ignore(Reason.NOT_MENTIONED, remember=True)),
        ("hey Molty", AgentTurn("hey Molty", trusted=False)),
        ("@Molty /status", RunCommand("status", who=Who.CONTACT)),
        ("/status", RunCommand("status", who=Who.CONTACT)),
        ("/memory", Ignore(Reason.NOT_ALLOWED)),
        ("/think high", RunCommand("", who=Who.CONTACT, directives=Directives(think="high"))),
    ],
)
def test_in_a_group(text: str, decision: InboundDecision) -> None:
    assert in_group(text) == decision


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("/status", Ignore(Reason.NOT_ALLOWED)),
        ("stop", Ignore(Reason.NOT_ALLOWED)),
        ("/think high", Ignore(Reason.NOT_ALLOWED)),
        ("molty /think high", Ignore(Reason.NOT_ALLOWED)),
        ("molty, /think high why", AgentTurn("molty, /think high why", trusted=False)),
        ("molty hi", AgentTurn("molty hi", trusted=False)),
    ],
)
def test_somebody_in_a_group_without_the_right(text: str, decision: InboundDecision) -> None:
    assert in_group(text, EVE) == decision


def test_a_group_can_be_answered_without_being_named() -> None:
    always = replace(CONTEXT, activation="always")
    assert in_group("hello all", context=always) == AgentTurn("hello all", trusted=False)
    rules = replace(CONTEXT.access, groups={"g": GroupRules(require_mention=False)})
    settled = replace(CONTEXT, access=rules)
    assert isinstance(in_group("hello all", context=settled), AgentTurn)
    again = replace(settled, activation="mention")
    assert in_group("hello all", context=again) == Ignore(Reason.NOT_MENTIONED, remember=True)


def test_where_sending_is_off_only_commands_are_answered() -> None:
    silent = replace(CONTEXT, may_send=False)
    assert in_chat("hello", context=silent) == Ignore(Reason.SENDING_OFF)
    assert in_chat("/status", context=silent) == RunCommand("status", who=Who.CONTACT)
    assert typed_by_owner("hello", silent) == AgentTurn("hello")


@pytest.mark.parametrize(
    ("chosen", "default", "rules", "allowed"),
    [
        ("", "allow", (), True),
        ("", "deny", (), False),
        ("", "deny", (("allow", True),), True),
        ("", "allow", (("allow", True), ("deny", True)), False),
        ("", "allow", (("deny", False),), True),
        ("allow", "deny", (("deny", True),), True),
        ("deny", "allow", (("allow", True),), False),
    ],
)
def test_whether_answers_may_be_sent(
    chosen: str, default: str, rules: tuple[tuple[str, bool], ...], allowed: bool
) -> None:
    assert sending_allowed(chosen=chosen, default=default, rules=rules) is allowed


TEXTS = st.lists(
    st.sampled_from(
        [f"/{name}" for name in COMMANDS] + [" ", "\n", "high", "stop", "molty", "@", ":"]
    )
    | st.text(max_size=6),
    max_size=6,
).map("".join)
OWNERS = frozenset(name for name, one in COMMANDS.items() if one.who is Who.OWNER)


@settings(max_examples=200)
@given(TEXTS)
def test_nobody_gets_a_right_by_how_they_write(text: str) -> None:
    for decision in (in_chat(text), in_group(text), in_group(text, EVE), in_chat(text, EVE)):
        if isinstance(decision, RunCommand):
            assert decision.who is Who.CONTACT
            assert decision.name not in OWNERS
        if isinstance(decision, AgentTurn):
            assert not decision.trusted
        if isinstance(decision, RunCommand | AgentTurn):
            assert not decision.directives.elevated
            assert decision.directives.exec == Directives().exec
    assert in_chat(text, EVE) in (Deny(Reason.STRANGER), Ignore(Reason.EMPTY))
    assert not isinstance(in_group(text, EVE), RunCommand)


@pytest.mark.parametrize("name", sorted(OWNERS))
def test_who_was_let_in_with_a_code_is_no_owner(name: str) -> None:
    let_in = replace(CONTEXT, access=replace(CONTEXT.access, paired=frozenset({"8"})))
    assert isinstance(in_chat("hello", EVE, let_in), AgentTurn)
    decision = in_chat(f"/{name}", EVE, let_in)
    assert not isinstance(decision, RunCommand)
    assert not (isinstance(decision, AgentTurn) and decision.trusted)


@settings(max_examples=100)
@given(TEXTS)
def test_the_owner_is_never_refused(text: str) -> None:
    decision = typed_by_owner(text)
    assert isinstance(decision, RunCommand | AgentTurn) or not text.strip()
    if isinstance(decision, AgentTurn):
        assert decision.text


@pytest.mark.parametrize("text", ["", " \n\t", "a\0b", "x" * 1_000_001])
def test_unusable_messages_say_what_to_do(text: str) -> None:
    with pytest.raises(UserInputInvalid) as refused:
        checked_message(text)
    assert refused.value.hint


@given(st.text(max_size=300))
def test_any_text_is_refused_or_decided(text: str) -> None:
    try:
        checked = checked_message(text)
    except UserInputInvalid:
        return
    assert checked == text.strip()
    decide_text(checked, Who.OWNER, CONTEXT)


def test_an_unknown_slash_word_is_told_where_the_model_knows_commands_only() -> None:
    """It would be taken for a file to open, or a picture to take."""
    small = DecisionContext(commands_only=True)
    for text in ("/crash", "/crash die"):
        assert decide_text(text, Who.OWNER, small) == RunCommand(MISTYPED, "/crash")
        assert isinstance(decide_text(text, Who.OWNER, DecisionContext()), AgentTurn)
    for text in ("/tmp/x", "/status now", "what is in /tmp"):
        assert isinstance(decide_text(text, Who.OWNER, small), AgentTurn)
