"""Older names mean what they meant, and what has the new name wins."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.legacy import Moved, migrated
from moltbot_desktop.config.strangers import unknown_keys


def test_the_old_routing_goes_where_it_belongs_today():
    raw = {
        "routing": {
            "allowFrom": ["+1"],
            "agents": {"work": {"workspace": "/w"}, "home": {}},
            "defaultAgentId": "home",
            "bindings": [{"agentId": "work", "match": {"provider": "x", "accountID": "biz"}}],
            "queue": {"mode": "steer", "byProvider": {"telegram": "collect"}},
            "agentToAgent": {"enabled": True},
            "groupChat": {"mentionPatterns": ["@m"], "requireMention": False},
            "transcribeAudio": {"command": ["whisper"]},
        }
    }
    found = migrated(raw)
    assert found.raw == {
        "agents": {"list": [{"id": "work", "workspace": "/w"}, {"id": "home", "default": True}]},
        "bindings": [{"agentId": "work", "match": {"channel": "x", "accountId": "biz"}}],
        "messages": {
            "queue": {"mode": "steer", "byChannel": {"telegram": "collect"}},
            "groupChat": {"mentionPatterns": ["@m"]},
        },
        "channels": {"whatsapp": {"allowFrom": ["+1"], "groups": {"*": {"requireMention": False}}}},
        "tools": {
            "agentToAgent": {"enabled": True},
            "media": {"audio": {"models": {"command": ["whisper"]}}},
        },
    }
    assert Moved("routing.queue", "messages.queue") in found.moved
    assert "routing" in raw
    assert unknown_keys(found.raw) == ()


def test_the_one_agent_becomes_the_defaults_of_all():
    found = migrated(
        {
            "identity": {"name": "Molty"},
            "agent": {
                "model": "a/b",
                "modelFallbacks": ["c/d"],
                "timeoutSeconds": 5,
                "tools": {"allow": ["read"]},
                "bash": {"timeoutSec": 3},
            },
        }
    )
    assert found.raw == {
        "agents": {
            "list": [{"id": "main", "default": True, "identity": {"name": "Molty"}}],
            "defaults": {"model": {"primary": "a/b", "fallbacks": ["c/d"]}, "timeoutSeconds": 5},
        },
        "tools": {"allow": ["read"], "exec": {"timeoutSec": 3}},
    }


def test_the_new_name_wins_where_both_are_written():
    found = migrated(
        {
            "agent": {"timeoutSeconds": 5, "maxConcurrent": 1},
            "agents": {"defaults": {"timeoutSeconds": 9}},
        }
    )
    assert found.raw == {"agents": {"defaults": {"timeoutSeconds": 9, "maxConcurrent": 1}}}


def test_an_old_pause_alone_means_no_daily_start():
    assert migrated({"session": {"idleMinutes": 30}}).raw == {
        "session": {"reset": {"mode": "idle", "idleMinutes": 30}}
    }
    beside = migrated({"session": {"idleMinutes": 30, "reset": {"mode": "daily"}}})
    assert beside.raw == {"session": {"reset": {"mode": "daily", "idleMinutes": 30}}}


def test_a_file_of_today_stays_as_it_is():
    raw = {"agents": {"list": [{"id": "a"}]}, "bindings": [], "ui": {"theme": "dark"}}
    assert migrated(raw).raw == raw
    assert migrated(raw).moved == ()


OLD = st.sampled_from(
    "routing agent identity session bindings agents messages queue match provider model "
    "modelFallbacks tools list defaults idleMinutes telegram id".split()
)


@settings(max_examples=150)
@given(
    st.dictionaries(
        OLD,
        st.recursive(
            st.none() | st.integers() | st.text(max_size=3),
            lambda inner: st.lists(inner, max_size=2) | st.dictionaries(OLD, inner, max_size=3),
            max_leaves=10,
        ),
        max_size=5,
    )
)
def test_any_file_is_migrated_without_failing_and_only_once(raw):
    once = migrated(raw)
    assert migrated(once.raw).raw == once.raw or migrated(once.raw).moved
