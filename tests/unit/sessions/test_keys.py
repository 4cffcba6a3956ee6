"""Session keys follow the reference's grammar; the tables were obtained by running it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sessions.keys import (
    DmScope,
    KeyKind,
    ParsedSessionKey,
    agent_of,
    dm_key,
    job_key,
    main_session_key,
    normalise_account_id,
    normalise_agent_id,
    parse_session_key,
    room_key,
    stored_session_key,
    thread_key,
    thread_parent,
)


@pytest.mark.parametrize(
    ("given_id", "expected"),
    [
        ("", "main"),
        ("--a--", "a"),
        ("a" * 70, "a" * 64),
        ("_x", "_x"),
        ("My Agent!", "my-agent"),
        ("OPS", "ops"),
        ("助手", "main"),
    ],
)
def test_agent_ids_are_normalised(given_id, expected):
    assert normalise_agent_id(given_id) == expected


def test_account_ids_are_normalised():
    assert normalise_account_id("Biz Acc") == "biz-acc"
    assert normalise_account_id("  ") == "default"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("agent:main:main", ParsedSessionKey(AgentId("main"), "main")),
        ("agent::main:x", ParsedSessionKey(AgentId("main"), "x")),
        ("agent:a:telegram:dm:7", ParsedSessionKey(AgentId("a"), "telegram:dm:7")),
        ("subagent:1", None),
        ("agent:main", None),
        ("", None),
    ],
)
def test_a_key_is_taken_apart(text, expected):
    assert parse_session_key(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "agent:work:main"),
        ("main", "agent:work:main"),
        ("agent:X:Y", "agent:x:y"),
        ("cron:J1", "agent:work:cron:j1"),
        ("subagent:AB", "agent:work:subagent:ab"),
    ],
)
def test_a_short_name_becomes_the_stored_key(text, expected):
    assert stored_session_key(text, AgentId("Work")) == expected


def test_threads_hang_under_their_conversation():
    base = SessionKey("agent:main:discord:channel:1")
    assert thread_key(base, "T9") == "agent:main:discord:channel:1:thread:t9"
    assert thread_key(SessionKey("k"), "  ") == "k"
    assert thread_parent(thread_key(base, "9")) == base
    topic = SessionKey("agent:main:telegram:group:-1:topic:4")
    assert thread_parent(topic) == "agent:main:telegram:group:-1"
    assert thread_parent(SessionKey("agent:main:main")) is None


def test_the_main_key_belongs_to_its_agent():
    key = main_session_key(AgentId("Work"))
    assert key == "agent:work:main"
    assert agent_of(key) == "work"
    parsed = parse_session_key(key)
    assert parsed is not None
    assert parsed.rest == "main"


@pytest.mark.parametrize("text", ["", "main", "agent:../..:main", "agent:A/B:main", "agent:a\0:b"])
def test_a_key_that_could_leave_its_folder_is_refused(text):
    with pytest.raises(UserInputInvalid):
        agent_of(SessionKey(text))


@given(st.text())
def test_any_text_gives_a_usable_agent_and_key(text):
    agent = normalise_agent_id(text)
    assert agent_of(main_session_key(agent)) == agent
    assert normalise_agent_id(agent) == agent


MAIN = AgentId("main")


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        (main_session_key(MAIN), KeyKind.MAIN),
        (thread_key(main_session_key(MAIN), "3"), KeyKind.MAIN),
        (dm_key(MAIN, DmScope.PER_PEER, "telegram", "", "Ada"), KeyKind.DM),
        (dm_key(MAIN, DmScope.PER_CHANNEL_PEER, "telegram", "", "7"), KeyKind.DM),
        (dm_key(MAIN, DmScope.PER_ACCOUNT_CHANNEL_PEER, "telegram", "B z", "7"), KeyKind.DM),
        (room_key(MAIN, "telegram", PeerKind.GROUP, "-1:topic:4"), KeyKind.GROUP),
        (thread_key(room_key(MAIN, "slack", PeerKind.CHANNEL, "C1"), "17.5"), KeyKind.CHANNEL),
        (job_key(MAIN, KeyKind.CRON, "J1"), KeyKind.CRON),
        (job_key(MAIN, KeyKind.SUBAGENT, "ab"), KeyKind.SUBAGENT),
        ("agent:main:discord:slash:7", KeyKind.SLASH),
        ("agent:main:hook:ab", KeyKind.HOOK),
        ("agent:main:acp:ab", KeyKind.ACP),
        ("agent:main:cli", KeyKind.OTHER),
        ("agent:main:main:more", KeyKind.OTHER),
    ],
)
def test_a_key_says_what_sort_of_conversation_it_is(key, kind):
    parsed = parse_session_key(key)
    assert parsed is not None
    assert parsed.kind is kind


def test_without_a_peer_a_direct_message_is_the_main_conversation():
    for scope in DmScope:
        assert dm_key(MAIN, scope, "telegram", "", "  ") == "agent:main:main"


SPOKEN = st.text(max_size=8) | st.sampled_from(
    ["main", "cron", "hook", "dm", "group", "thread", ":", "main:thread", "cron:x", "dm:", "a:dm:b"]
)


@given(
    scope=st.sampled_from([scope for scope in DmScope if scope is not DmScope.MAIN]),
    channel=SPOKEN,
    account=SPOKEN,
    peer=SPOKEN,
    thread=SPOKEN,
    kind=st.sampled_from([PeerKind.GROUP, PeerKind.CHANNEL]),
)
def test_whatever_ids_a_channel_has_its_conversations_never_pass_for_the_owners_own(
    scope, channel, account, peer, thread, kind
):
    keys = [room_key(MAIN, channel, kind, peer)]
    if peer.strip():
        keys.append(dm_key(MAIN, scope, channel, account, peer))
    for key in keys:
        parsed = parse_session_key(thread_key(key, thread))
        assert parsed is not None
        named_by_a_person = parsed.kind is KeyKind.OTHER and ":" not in parsed.rest
        assert parsed.kind not in (KeyKind.MAIN, *JOBS)
        assert not named_by_a_person


JOBS = (KeyKind.CRON, KeyKind.HOOK, KeyKind.SUBAGENT, KeyKind.ACP)
