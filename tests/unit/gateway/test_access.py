"""Who is heard on a channel: only ids count, and what is not set is strict."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.access import (
    Admission,
    access_rules,
    admitted,
    may_command,
    wrong_policies,
)
from moltbot_desktop.sdk.channels import Envelope, Peer, PeerKind, Sender

DM = Envelope("x", "1", Sender("7", "Ada", "ada"), "hi", datetime(2026, 1, 5, tzinfo=UTC))
GROUP = replace(DM, peer=Peer(PeerKind.GROUP, "g"))


@pytest.mark.parametrize(
    ("written", "admission"),
    [
        ({}, Admission.STRANGER),
        ({"allowFrom": ["7"]}, Admission.YES),
        ({"allowFrom": [7]}, Admission.YES),
        ({"allowFrom": ["Ada", "ada", "@ada"]}, Admission.STRANGER),
        ({"allowFrom": ["*"]}, Admission.STRANGER),
        ({"dmPolicy": "open"}, Admission.STRANGER),
        ({"dmPolicy": "open", "allowFrom": ["*"]}, Admission.YES),
        ({"dm": {"policy": "open", "allowFrom": ["*"]}}, Admission.YES),
        ({"dmPolicy": "disabled", "allowFrom": ["7"]}, Admission.CLOSED),
        ({"dmPolicy": "nonsense", "allowFrom": ["7"]}, Admission.CLOSED),
        ({"dmPolicy": 7, "allowFrom": ["7"]}, Admission.CLOSED),
        ({"dmPolicy": None, "allowFrom": ["7"]}, Admission.YES),
        ({"allowFrom": "7"}, Admission.STRANGER),
        ({"accounts": {"default": {"allowFrom": ["7"]}}}, Admission.YES),
        ({"allowFrom": ["7"], "accounts": {"default": {"allowFrom": []}}}, Admission.STRANGER),
    ],
)
def test_direct_messages(written: JsonObject, admission: Admission) -> None:
    assert admitted(DM, access_rules(written)) is admission


@pytest.mark.parametrize(
    ("written", "admission"),
    [
        ({}, Admission.CLOSED),
        ({"allowFrom": ["7"]}, Admission.YES),
        ({"allowFrom": ["7"], "groupAllowFrom": []}, Admission.CLOSED),
        ({"groupAllowFrom": ["7"], "groups": {"other": {}}}, Admission.CLOSED),
        ({"groupAllowFrom": ["7"], "groups": {"*": {}}}, Admission.YES),
        ({"groupPolicy": "open"}, Admission.YES),
        ({"groupPolicy": "open", "groups": {"g": {"enabled": False}}}, Admission.CLOSED),
        ({"groupPolicy": "open", "groups": {"g": {"allowFrom": ["8"]}}}, Admission.CLOSED),
        ({"groupPolicy": "disabled", "allowFrom": ["7"]}, Admission.CLOSED),
        ({"groupPolicy": "opne", "allowFrom": ["7"]}, Admission.CLOSED),
    ],
)
def test_groups(written: JsonObject, admission: Admission) -> None:
    assert admitted(GROUP, access_rules(written)) is admission


ROOM = replace(DM, peer=Peer(PeerKind.CHANNEL, "r"), guild_id="s")


@pytest.mark.parametrize(
    ("guilds", "admission"),
    [
        ({}, Admission.CLOSED),
        ({"s": {}}, Admission.YES),
        ({"*": {}}, Admission.YES),
        ({"other": {}}, Admission.CLOSED),
        ({"s": {"enabled": False}, "*": {}}, Admission.CLOSED),
        ({"s": {"channels": {}}}, Admission.YES),
        ({"s": {"channels": {"r": {}}}}, Admission.YES),
        ({"s": {"channels": {"other": {}}}}, Admission.CLOSED),
        ({"s": {"channels": {"*": {}, "r": {"allow": False}}}}, Admission.CLOSED),
        ({"s": {"channels": "r"}}, Admission.CLOSED),
        ({"s": {"users": ["8"]}}, Admission.CLOSED),
        ({"s": {"users": ["8"], "channels": {"r": {"users": [7]}}}}, Admission.YES),
        ({"s": {"users": ["7"], "channels": {"r": {"users": ["8"]}}}}, Admission.CLOSED),
    ],
)
def test_rooms_of_servers(guilds: JsonValue, admission: Admission) -> None:
    rules = access_rules({"groupPolicy": "open", "guilds": guilds})
    assert admitted(ROOM, rules) is admission
    assert admitted(GROUP, rules) is Admission.YES  # of no server: `guilds` says nothing of it


def test_a_room_that_groups_names_is_as_they_say() -> None:
    written = {"groupPolicy": "open", "guilds": {}, "groups": {"r": {}, "*": {}}}
    assert admitted(ROOM, access_rules(written)) is Admission.YES
    other = replace(ROOM, peer=Peer(PeerKind.CHANNEL, "q"))
    assert admitted(other, access_rules(written)) is Admission.CLOSED


def test_a_room_takes_what_it_does_not_say_from_its_server() -> None:
    room = {"r": {}, "q": {"requireMention": True}}
    rules = access_rules({"guilds": {"s": {"requireMention": False, "channels": room}}})
    found = rules.group(ROOM)
    assert found is not None and found.require_mention is False
    found = rules.group(replace(ROOM, peer=Peer(PeerKind.CHANNEL, "q")))
    assert found is not None and found.require_mention is True


def test_somebody_without_an_id_is_nobody() -> None:
    nobody = replace(DM, sender=Sender(" ", "Ada"))
    rules = access_rules({"dmPolicy": "open", "allowFrom": ["*"]})
    assert admitted(nobody, rules) is Admission.CLOSED
    assert not may_command(nobody, rules, use_access_groups=True)


def test_a_paired_sender_is_heard_and_may_command() -> None:
    rules = access_rules({}, paired=frozenset({"7"}))
    assert admitted(DM, rules) is Admission.YES
    assert may_command(DM, rules, use_access_groups=True)


def test_commands_need_a_list_that_names_the_sender() -> None:
    rules = access_rules({"groupPolicy": "open"})
    assert admitted(GROUP, rules) is Admission.YES
    assert not may_command(GROUP, rules, use_access_groups=True)
    assert may_command(GROUP, rules, use_access_groups=False)


def test_a_group_takes_what_it_does_not_say_from_all_groups() -> None:
    rules = access_rules({"groups": {"*": {"requireMention": False, "allowFrom": ["7"]}, "g": {}}})
    group = rules.group(GROUP)
    assert group is not None
    assert (group.require_mention, group.allow_from) == (False, ("7",))


VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
KEYS = "dmPolicy allowFrom groupPolicy groupAllowFrom groups guilds dm accounts".split()


@settings(max_examples=100)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_whatever_is_written_no_stranger_is_let_in_by_mistake(written: JsonObject) -> None:
    rules = access_rules(written)
    if admitted(DM, rules) is Admission.YES:
        assert "7" in rules.allow_from or (rules.dm_policy, "*" in rules.allow_from) == (
            "open",
            True,
        )
    admitted(GROUP, rules)


def test_policies_that_are_none_are_named_with_what_there_is() -> None:
    assert wrong_policies({"dmPolicy": "open", "groupPolicy": "allowlist"}) == {}
    assert wrong_policies({"dmPolicy": None}) == {}
    wrong = wrong_policies({"dm": {"policy": "pairng"}, "groupPolicy": ["open"]})
    assert list(wrong) == ["dmPolicy", "groupPolicy"] and "pairing" in wrong["dmPolicy"]


@pytest.mark.parametrize(
    ("channel", "written", "known"),
    [
        ("telegram", "tg:42", "42"),
        ("telegram", "Telegram:42", "42"),
        ("telegram", " TG: 42 ", "42"),
        ("discord", "user:42", "42"),
        ("discord", "discord:42", "42"),
        ("slack", "slack:U1", "U1"),
        ("pigeon", "pigeon:ada", "ada"),
        ("discord", "tg:42", "tg:42"),
        ("matrix", "@ada:matrix.example", "@ada:matrix.example"),
        ("telegram", "tg:", "tg:"),
    ],
)
def test_an_id_may_have_its_channel_before_it(channel: str, written: str, known: str) -> None:
    whole = {"allowFrom": [written], "groups": {"g": {"allowFrom": [written]}}}
    rules = access_rules(whole, name=channel)
    assert rules.allow_from == (known,)
    assert rules.groups is not None and rules.groups["g"].allow_from == (known,)


def test_without_the_name_of_the_channel_an_id_stays_as_it_is_written() -> None:
    assert access_rules({"allowFrom": ["tg:42"]}).allow_from == ("tg:42",)


@pytest.mark.parametrize("name", ["channels", "rooms"])
def test_groups_may_stand_where_the_reference_has_them(name: str) -> None:
    written = {"groupPolicy": "open", name: {"g": {"users": ["7"]}, "off": {"enabled": False}}}
    rules = access_rules(written)
    assert rules.groups is not None and rules.groups["g"].allow_from == ("7",)
    assert not rules.groups["off"].enabled
    assert access_rules({name: ["#tea"]}).groups is None  # names of rooms to join, on IRC and XMPP


def test_what_makes_the_rules_stricter_is_never_left_out() -> None:
    assert access_rules({"dm": {"enabled": False}, "dmPolicy": "open"}).dm_policy == "disabled"
    only = {"allowlistOnly": True}
    rules = access_rules({**only, "dmPolicy": "open", "groupPolicy": "open"})
    assert (rules.dm_policy, rules.group_policy) == ("allowlist", "allowlist")
    rules = access_rules({**only, "dmPolicy": "disabled", "groupPolicy": "disabled"})
    assert (rules.dm_policy, rules.group_policy) == ("disabled", "disabled")
