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
        "skills": "Skills it may use there, by name",
        "skills_help": "Nothing set: all of them. An empty list: none.",
        "groups": "Groups",
        "groups_help": "By id; * stands for all others. Once one stands here, groups that "
        "do not are not answered.",
        "requireMention": "Answers only when it is mentioned",
        "topics": "Topics",
        "topics_help": "By number. What is set for a topic goes before its group.",
        "accounts": "Accounts",
        "accounts_help": "What stands in an account goes over what stands above.",
    },
    chinese={
        "enabled": "已打开",
        "dmPolicy": "谁可以私聊",
        "allowFrom": "允许的 id",
        "skills": "那里可以使用的技能（名称）",
        "skills_help": "不设置：全部可用。空列表：一个也不用。",
        "groups": "群组",
        "groups_help": "按 id 填写；* 代表其余所有群组。只要写了一个，没写的群组就不再回答。",
        "requireMention": "只在被提及时回答",
        "topics": "话题",
        "topics_help": "按编号填写。话题里的设置优先于所在的群组。",
        "accounts": "账号",
        "accounts_help": "账号里写的优先于上面写的。",
    },
)


def channel_schema(config: ChannelConfig, language: Language) -> JsonObject:
    """Of ``channels.<id>``: what every channel has, what this one has, and its accounts."""

    def say(phrase: str) -> str:
        return _PHRASES.say(phrase, language)

    def settable(kind: str, phrase: str) -> JsonObject:
        """What may be set or not, which is something else than empty."""
        return {"type": [kind, "null"], "default": None, "title": say(phrase)}

    names: JsonObject = {"items": {"type": "string"}}
    skills = {**settable("array", "skills"), **names, "description": say("skills_help")}
    topics: JsonObject = {
        "title": say("topics"),
        "description": say("topics_help"),
        "type": "object",
        "additionalProperties": {"type": "object", "properties": {"skills": skills}},
    }
    group: JsonObject = {
        "type": "object",
        "properties": {
            "enabled": {"type": "boolean", "title": say("enabled"), "default": True},
            "requireMention": settable("boolean", "requireMention"),
            "allowFrom": {**settable("array", "allowFrom"), **names},
            "skills": skills,
            "topics": topics,
        },
    }
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
        "skills": skills,
        "groups": {
            "type": "object",
            "title": say("groups"),
            "description": say("groups_help"),
            "additionalProperties": group,
        },
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
