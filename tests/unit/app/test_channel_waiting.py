"""A file made for the reference is taken over: what does nothing here waits, and is told once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import moltbot_desktop
from moltbot_desktop.app.channel_kinds import ChannelKind, account_settings
from moltbot_desktop.app.channel_waiting import OF_EVERY_CHANNEL, near, waiting_settings, without
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_settings_check import plugin_problems
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.manifest import ChannelConfig, read_manifest
from moltbot_desktop.sdk.plugins import PluginChannel

EXTENSIONS = Path(moltbot_desktop.__file__).parent / "extensions"
COMMON: dict[str, Any] = {
    "name": "Mine",
    "enabled": True,
    "capabilities": ["inlineButtons"],
    "markdown": {"tables": "code"},
    "commands": {"native": "auto"},
    "configWrites": False,
    "dmPolicy": "pairing",
    "groupPolicy": "allowlist",
    "allowFrom": ["7", 8],
    "groupAllowFrom": ["7"],
    "historyLimit": 20,
    "dmHistoryLimit": 5,
    "dms": {"7": {"historyLimit": 1}},
    "textChunkLimit": 2000,
    "chunkMode": "newline",
    "blockStreaming": True,
    "blockStreamingCoalesce": {"idleMs": 500},
    "replyToMode": "first",
    "retry": {"attempts": 3},
    "actions": {"reactions": True},
    "heartbeat": {"showOk": False},
    "reactionNotifications": "own",
}
OWN: dict[str, dict[str, Any]] = {
    "telegram": {
        "botToken": "1:x",
        "tokenFile": "/run/token",
        "customCommands": [{"command": "tea", "description": "Make tea"}],
        "streamMode": "partial",
        "draftChunk": {"minChars": 200},
        "timeoutSeconds": 60,
        "network": {"autoSelectFamily": False},
        "webhookUrl": "https://a.example/x",
        "webhookSecret": "s",
        "webhookPath": "/x",
        "reactionLevel": "ack",
        "linkPreview": False,
        "groups": {"*": {"requireMention": True, "systemPrompt": "Short.", "topics": {"9": {}}}},
    },
    "discord": {
        "token": "x",
        "allowBots": False,
        "maxLinesPerMessage": 17,
        "dm": {"enabled": True, "policy": "pairing", "groupEnabled": False, "groupChannels": []},
        "guilds": {
            "9": {
                "slug": "friends",
                "requireMention": True,
                "tools": {"deny": ["exec"]},
                "reactionNotifications": "own",
                "users": ["7"],
                "channels": {
                    "5": {
                        "allow": True,
                        "skills": [],
                        "tools": {"deny": ["exec"]},
                        "systemPrompt": "Short.",
                        "autoThread": True,
                    }
                },
            }
        },
        "execApprovals": {"enabled": False},
        "intents": {"presence": False},
    },
    "slack": {
        "botToken": "xoxb-1",
        "appToken": "xapp-1",
        "mode": "socket",
        "signingSecret": "s",
        "webhookPath": "/slack/events",
        "userToken": "xoxp-1",
        "userTokenReadOnly": True,
        "allowBots": False,
        "requireMention": True,
        "reactionAllowlist": ["7"],
        "replyToModeByChatType": {"direct": "off"},
        "thread": {"historyScope": "thread", "inheritParent": False},
        "slashCommand": {"enabled": True, "name": "clawd"},
        "dm": {"enabled": True, "policy": "pairing", "allowFrom": ["7"], "replyToMode": "all"},
        "channels": {"C1": {"allow": True, "users": ["7"], "systemPrompt": "Short."}},
    },
    "matrix": {
        "homeserver": "https://a.example",
        "accessToken": "syt_x",
        "userId": "@m:a.example",
        "initialSyncLimit": 10,
        "allowlistOnly": True,
        "encryption": False,
        "rooms": {"!a:a.example": {"enabled": True, "users": ["@a:a.example"]}},
        "dm": {"enabled": True, "policy": "pairing"},
    },
    "dingtalk": {
        "clientId": "ding1",
        "clientSecret": "s",
        "robotCode": "ding1",
        "agentId": 4130113796,
        "corpId": "ding9f50",
        "messageType": "card",
        "cardTemplateId": "x.schema",
        "ackReaction": "off",
        "debug": False,
        "keepAlive": True,
        "maxConnectionAttempts": 10,
        "proactivePermissionHint": {"enabled": True, "cooldownHours": 24},
        "groups": {"*": {"requireMention": True, "systemPrompt": "Short.", "groupAllowFrom": []}},
    },
    "mattermost": {
        "botToken": "x",
        "baseUrl": "https://chat.example.com",
        "chatmode": "onchar",
        "oncharPrefixes": [">", "!"],
        "requireMention": True,
        "responsePrefix": "",
    },
}


def config_of(channel: str) -> ChannelConfig:
    return read_manifest(EXTENSIONS / channel / "moltbot.plugin.json").channel_configs[channel]


@pytest.mark.parametrize("channel", sorted(OWN))
def test_a_whole_account_of_the_reference_is_taken(channel: str) -> None:
    """src/config/zod-schema.providers-core.ts of moltbot, January 2026, has these names."""
    written = {**COMMON, **OWN[channel]}
    checked = account_settings(config_of(channel), written, Language.ENGLISH)
    assert checked.mistakes == ()
    assert {"capabilities", "dms", "historyLimit"} <= set(checked.waiting)
    tops = {place.partition(".")[0] for place in checked.waiting}
    assert not tops & {"allowFrom", "dmPolicy", "botToken", "token", "homeserver"}
    for place in checked.waiting:
        assert "." in place or place not in checked.value


@pytest.mark.parametrize("channel", ["irc", "xmpp", *sorted(OWN)])
def test_what_the_reference_has_everywhere_waits_on_each_of_our_channels(channel: str) -> None:
    needed = {"irc": {"host": "a.example"}, "xmpp": {"jid": "m@a.example", "password": "x"}}
    written = {**COMMON, **needed.get(channel, OWN.get(channel, {}))}
    assert account_settings(config_of(channel), written, Language.ENGLISH).mistakes == ()


@pytest.mark.parametrize(
    ("written", "meant"),
    [("bottoken", "botToken"), ("alowFrom", "allowFrom"), ("customComands", "customCommands")],
)
def test_a_name_that_nobody_knows_is_refused_with_the_one_that_was_meant(
    written: str, meant: str
) -> None:
    channel = PluginChannel("telegram", lambda _: pytest.fail("opened"))
    kind = ChannelKind(channel, config_of("telegram"), dict)
    with pytest.raises(ChannelRefused, match=f"{written}.*“{meant}”"):
        kind.settings({"botToken": "1:x", written: "x"}, Language.ENGLISH)
    with pytest.raises(ChannelRefused, match=f"{written}.*“{meant}”"):
        kind.settings({"botToken": "1:x", written: "x"}, Language.CHINESE)


def test_a_name_that_is_near_nothing_has_no_suggestion() -> None:
    checked = account_settings(config_of("irc"), {"host": "h", "qqq": 1}, Language.ENGLISH)
    [mistake] = checked.mistakes
    assert mistake.path == "qqq" and "perhaps" not in mistake.message


def test_what_a_schema_has_no_list_puts_off() -> None:
    schema = {"type": "object", "properties": {"historyLimit": {"type": "integer"}}}
    checked = account_settings(ChannelConfig(schema), {"historyLimit": 5}, Language.ENGLISH)
    assert (checked.value, checked.waiting) == ({"historyLimit": 5}, ())


def test_places_with_free_names_are_found_and_taken_out() -> None:
    written = {"guilds": {"9": {"slug": "a", "users": []}, "8": {}}, "mode": "http"}
    found = waiting_settings(written, ("guilds.*.slug", "mode", "thread.*"), {})
    assert found == (("guilds", "9", "slug"), ("mode",))
    assert without(written, found) == {"guilds": {"9": {"users": []}, "8": {}}}
    assert near("SLUGG", ("slug", "mode")) == "slug"


def test_config_validate_tells_them_and_takes_them_for_no_fault(tmp_path: Path) -> None:
    home = tmp_path / ".moltbot"
    home.mkdir()
    settings = {
        "plugins": {"entries": {"telegram": {"enabled": True}}},
        "channels": {"telegram": {"botToken": "1:x", "customCommands": [], "dms": {}}},
    }
    (home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")
    paths = Paths(home, tmp_path, EXTENSIONS.parents[1])
    [problem] = plugin_problems(paths, load_config(home), Language.ENGLISH)
    assert not problem.serious and "channels.telegram.customCommands" in problem.message
    assert "channels.telegram.dms" in problem.message


NAMES = st.sampled_from(["groups", "topics", "*", "dm", "dms", "systemPrompt", "9", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, max_size=5))
def test_whatever_is_written_only_what_waits_is_taken_out(written: dict[str, Any]) -> None:
    found = waiting_settings(written, OF_EVERY_CHANNEL, {})
    left = without(written, found)
    assert waiting_settings(left, OF_EVERY_CHANNEL, {}) == ()
    assert without(left, found) == left
    if not found:
        assert left == written
