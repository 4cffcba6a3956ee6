"""Conversations: `session`.

    session: { dmScope: "per-channel-peer", identityLinks: { alice: ["telegram:123"] },
               reset: { mode: "daily", atHour: 4 }, resetByType: { group: { idleMinutes: 120 } } }

The reference lets all private chats of all channels share one conversation; here each person has
one of their own (`dmScope`).
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.config.declaration import Section, required, setting
from moltbot_desktop.config.kinds import Choice, Identifier, ListOf, Optional, Text, WholeNumber
from moltbot_desktop.config.structures import GroupOf, GroupsOf, MapOf, Part, PartOf, no_names

DM_SCOPES = ("main", "per-peer", "per-channel-peer", "per-account-channel-peer")
_USUAL_IDLE_MINUTES = 60


@dataclass(frozen=True)
class ResetConfig(Section):
    """When a conversation starts afresh; with mode daily and `idle_minutes`, whichever is first."""

    mode: str = setting(
        "mode",
        Choice(("daily", "idle")),
        "daily",
        "daily starts afresh every day, idle after a pause.",
    )
    at_hour: int = setting("atHour", WholeNumber(0, 23), 4, "The hour of the day it does.")
    idle_minutes: int | None = setting(
        "idleMinutes",
        Optional(WholeNumber(1, 5_256_000)),
        None,
        "After a pause of so many minutes; null is 60 with mode idle, else never.",
    )

    @property
    def idle_limit(self) -> int | None:
        """`idle_minutes` with its default filled in; None when a pause starts nothing."""
        if self.idle_minutes is None and self.mode == "idle":
            return _USUAL_IDLE_MINUTES
        return self.idle_minutes


@dataclass(frozen=True)
class SendMatch(Section):
    """Which conversations; None fits all."""

    channel: str | None = setting("channel", Optional(Text()), None, "Of this channel.")
    chat_type: str | None = setting(
        "chatType", Optional(Choice(("direct", "group", "channel"))), None, "Of this kind."
    )
    key_prefix: str | None = setting(
        "keyPrefix", Optional(Text()), None, "Whose key begins with this."
    )


@dataclass(frozen=True)
class SendRule(Section):
    action: str = required("action", Choice(("allow", "deny")), "allow", "What holds for them.")
    match: SendMatch = setting("match", GroupOf(SendMatch()), SendMatch(), "Which conversations.")


@dataclass(frozen=True)
class SendPolicyConfig(Section):
    default: str = setting(
        "default", Choice(("allow", "deny")), "allow", "Where no rule says otherwise."
    )
    rules: tuple[SendRule, ...] = setting(
        "rules", GroupsOf(SendRule()), (), "A rule that denies beats one that allows."
    )


@dataclass(frozen=True)
class SessionConfig(Section):
    scope: str = setting(
        "scope",
        Choice(("per-sender", "global")),
        "per-sender",
        "global has one conversation for everybody.",
    )
    dm_scope: str = setting(
        "dmScope",
        Choice(DM_SCOPES),
        "per-channel-peer",
        "Who shares a conversation in private chats; main is everybody.",
    )
    identity_links: Mapping[str, tuple[str, ...]] = setting(
        "identityLinks",
        MapOf(ListOf(Identifier())),
        no_names(),
        "A person's name -> who they are on the channels, e.g. telegram:123.",
    )
    reset_triggers: tuple[str, ...] = setting(
        "resetTriggers", ListOf(Text()), ("/new", "/reset"), "Messages that start afresh."
    )
    reset: ResetConfig = setting(
        "reset", GroupOf(ResetConfig()), ResetConfig(), "When a conversation starts afresh."
    )
    reset_by_type: Mapping[str, Part[ResetConfig]] = setting(
        "resetByType",
        MapOf(PartOf(ResetConfig())),
        no_names(),
        "What is different for dm, group or thread.",
    )
    reset_by_channel: Mapping[str, Part[ResetConfig]] = setting(
        "resetByChannel",
        MapOf(PartOf(ResetConfig())),
        no_names(),
        "What holds for a channel instead of all of that.",
    )
    send_policy: SendPolicyConfig = setting(
        "sendPolicy",
        GroupOf(SendPolicyConfig()),
        SendPolicyConfig(),
        "Where answers are sent at all.",
    )
    agent_to_agent_max_ping_pong: int = setting(
        "agentToAgent.maxPingPongTurns",
        WholeNumber(0, 5),
        5,
        "How often two agents may answer each other.",
    )

    retention_days: int | None = setting(
        "retention.days",
        Optional(WholeNumber(1, 36_500)),
        None,
        "Conversations in which nothing was said for so many days go to the trash; null keeps all.",
    )
    trash_days: int = setting(
        "retention.trashDays",
        WholeNumber(1, 36_500),
        30,
        "After so many days in the trash a conversation is gone for good.",
    )

    def reset_for(self, kind: str, channel: str = "") -> ResetConfig:
        """When a conversation starts afresh.

        Args:
            kind: dm, group or thread.
            channel: its channel, lower case; what is written for one stands alone.
        """
        for name, part in self.reset_by_channel.items():
            if channel and name.strip().lower() == channel:
                return part.over(ResetConfig())
        part_of_kind = self.reset_by_type.get(kind)
        return part_of_kind.over(self.reset) if part_of_kind else self.reset
