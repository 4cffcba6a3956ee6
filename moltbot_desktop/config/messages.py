"""How messages are taken and answered: `messages`, `commands` and `broadcast`.

messages: { queue: { mode: "collect", byChannel: { telegram: "steer" } },
            groupChat: { mentionPatterns: ["@?molt"], historyLimit: 50 } }
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import (
    AutoOrFlag,
    Choice,
    Flag,
    Line,
    ListOf,
    Optional,
    Text,
    WholeNumber,
    Word,
)
from moltbot_desktop.config.structures import GroupOf, MapOf, no_names

QUEUE_MODES = ("collect", "followup", "steer", "steer-backlog", "interrupt")
_QUEUE_MODE = Word(
    QUEUE_MODES,
    MappingProxyType(
        {
            "queue": "steer",
            "queued": "steer",
            "abort": "interrupt",
            "coalesce": "collect",
            "steer+backlog": "steer-backlog",
            "follow-up": "followup",
            "followups": "followup",
        }
    ),
)
_MILLISECONDS = WholeNumber(0, 600_000)


@dataclass(frozen=True)
class QueueConfig(Section):
    """Messages that come while the one before is being answered."""

    mode: str = setting(
        "mode",
        _QUEUE_MODE,
        "collect",
        "collect answers them together, followup one after the other, steer tells the model at "
        "once, steer-backlog both, interrupt stops what is being done.",
    )
    by_channel: Mapping[str, str] = setting(
        "byChannel", MapOf(_QUEUE_MODE), no_names(), "Another mode for a channel."
    )
    debounce_ms: int = setting(
        "debounceMs", _MILLISECONDS, 1_000, "Milliseconds of quiet before they are taken."
    )
    debounce_ms_by_channel: Mapping[str, int] = setting(
        "debounceMsByChannel", MapOf(_MILLISECONDS), no_names(), "The same for a channel."
    )
    cap: int = setting("cap", WholeNumber(1, 10_000), 20, "How many wait at most.")
    drop: str = setting(
        "drop",
        Choice(("old", "new", "summarize")),
        "summarize",
        "What happens to more: the oldest go, new ones are refused, or the oldest are told in "
        "a line each.",
    )


@dataclass(frozen=True)
class InboundConfig(Section):
    debounce_ms: int = setting(
        "debounceMs",
        _MILLISECONDS,
        0,
        "Wait so many milliseconds for more of the same person and take it as one message.",
    )
    by_channel: Mapping[str, int] = setting(
        "byChannel", MapOf(_MILLISECONDS), no_names(), "The same for a channel."
    )
    per_minute: int = setting(
        "maxPerMinute",
        WholeNumber(0, 100_000),
        30,
        "Messages a minute that are read of somebody who is on no list by their id; 0 is all.",
    )
    characters: int = setting(
        "maxCharacters",
        WholeNumber(100, 1_000_000),
        50_000,
        "Characters of a message that are read; the rest is cut.",
    )


@dataclass(frozen=True)
class GroupChatConfig(Section):
    """None is what holds for all agents; where nothing does, see `MessagesConfig`."""

    mention_patterns: tuple[str, ...] | None = setting(
        "mentionPatterns",
        Optional(ListOf(Text())),
        None,
        "Regular expressions that count as being spoken to; null is the agent's name.",
    )
    history_limit: int | None = setting(
        "historyLimit",
        Optional(WholeNumber(0, 10_000)),
        None,
        "How many messages that were not for the assistant it reads before one that is; null "
        "is 50.",
    )


@dataclass(frozen=True)
class MessagesConfig(Section):
    message_prefix: str | None = setting(
        "messagePrefix", Optional(Line()), None, "Put before messages that come in."
    )
    response_prefix: str | None = setting(
        "responsePrefix",
        Optional(Line()),
        None,
        "Put before answers; {model}, {modelFull}, {provider}, {thinkingLevel} and "
        '{identity.name} are filled in, "auto" is the agent\'s name in brackets.',
    )
    group_chat: GroupChatConfig = setting(
        "groupChat", GroupOf(GroupChatConfig()), GroupChatConfig(), "Groups."
    )
    queue: QueueConfig = setting(
        "queue", GroupOf(QueueConfig()), QueueConfig(), "What waits while an answer is made."
    )
    inbound: InboundConfig = setting(
        "inbound", GroupOf(InboundConfig()), InboundConfig(), "Messages as they come in."
    )
    ack_reaction: str | None = setting(
        "ackReaction",
        Optional(Line()),
        None,
        'Emoji that says a message was seen; null is the agent\'s, "" none.',
    )
    ack_reaction_scope: str = setting(
        "ackReactionScope",
        Choice(("group-mentions", "group-all", "direct", "all")),
        "group-mentions",
        "Which messages get it.",
    )
    remove_ack_after_reply: bool = setting(
        "removeAckAfterReply", Flag(), False, "Take it away when the answer is there."
    )


@dataclass(frozen=True)
class CommandsConfig(Section):
    """Messages that begin with a slash. None of `native` leaves it to the channel."""

    native: bool | None = setting(
        "native", AutoOrFlag(), None, "Show them in the menus of channels that have such."
    )
    native_skills: bool | None = setting("nativeSkills", AutoOrFlag(), None, "Skills, too.")
    text: bool = setting("text", Flag(), True, "Understand them in what is written.")
    bash: bool = setting("bash", Flag(), False, "Allow /bash and !, which run a command.")
    bash_foreground_ms: int = setting(
        "bashForegroundMs",
        WholeNumber(0, 30_000),
        2_000,
        "Milliseconds after which such a command goes on in the background.",
    )
    config: bool = setting("config", Flag(), False, "Allow /config, which changes this file.")
    debug: bool = setting(
        "debug", Flag(), False, "Allow /debug, which changes settings until the next start."
    )
    restart: bool = setting("restart", Flag(), False, "Allow /restart.")
    use_access_groups: bool = setting(
        "useAccessGroups",
        Flag(),
        True,
        "Only people on a channel's list may use them; false lets everybody who may chat.",
    )
