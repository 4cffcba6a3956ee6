"""The settings form of a plugin's channel, made of its manifest: ``channels.<id>``.

    schema = channel_schema(manifest.channel_configs["sun"], language)
    hints = channel_hints(manifest.channel_configs["sun"])

Settings may stand for the whole channel or in one of its accounts, so nothing is required here:
what an account lacks is told by ``status``.
"""

from __future__ import annotations

from collections.abc import Mapping

from moltbot_desktop.app.nested_schema import nested
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.plugins.manifest import ChannelConfig

_ACCOUNT = "#/$defs/account"
_PHRASES = Phrases(
    english={
        "enabled": "Switched on",
        "dmPolicy": "Who may write directly",
        "allowFrom": "Ids that may write",
        "accounts": "Accounts",
        "accounts_help": "What stands in an account goes over what stands above.",
    },
    chinese={
        "enabled": "已打开",
        "dmPolicy": "谁可以私聊",
        "allowFrom": "允许的 id",
        "accounts": "账号",
        "accounts_help": "账号里写的优先于上面写的。",
    },
)


def channel_schema(config: ChannelConfig, language: Language) -> JsonObject:
    """Of ``channels.<id>``: what every channel has, what this one has, and its accounts."""

    def say(phrase: str) -> str:
        return _PHRASES.say(phrase, language)

    own = nested(config.schema, _ACCOUNT)
    declared = own.get("properties")
    properties = declared if isinstance(declared, Mapping) else {}
    common: JsonObject = {
        "enabled": {"type": "boolean", "title": say("enabled"), "default": True},
        "dmPolicy": {
            "enum": ["pairing", "allowlist", "open", "disabled"],
            "title": say("dmPolicy"),
            "default": "pairing",
        },
        "allowFrom": {"type": "array", "items": {"type": "string"}, "title": say("allowFrom")},
    }
    account: JsonObject = {
        "type": "object",
        "properties": {"enabled": common["enabled"], **properties},
    }
    return {
        "type": "object",
        "$defs": {"account": own},
        "properties": {
            **common,
            **properties,
            "accounts": {
                "type": "object",
                "title": say("accounts"),
                "description": say("accounts_help"),
                "additionalProperties": account,
            },
        },
    }


def channel_hints(config: ChannelConfig) -> JsonObject:
    """By place, for the channel and for each of its accounts."""
    return {
        **config.ui_hints,
        **{f"accounts.*.{place}": hint for place, hint in config.ui_hints.items()},
    }
