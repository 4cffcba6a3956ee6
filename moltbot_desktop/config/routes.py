"""Who answers whom: `bindings` and `broadcast`.

bindings: [{ agentId: "work", match: { channel: "telegram", peer: { kind: "group", id: "-1" } } }],
broadcast: { strategy: "parallel", "120363@g.us": ["main", "work"] }
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from moltbot_desktop.config.declaration import Section, required, setting
from moltbot_desktop.config.kinds import (
    Choice,
    Identifier,
    Line,
    ListOf,
    Optional,
    Text,
    WrongInside,
    WrongValue,
)
from moltbot_desktop.config.structures import GroupOf, MapOf
from moltbot_desktop.core.json import JsonObject, JsonValue

PEER_KINDS = ("dm", "group", "channel")
STRATEGIES = ("parallel", "sequential")


@dataclass(frozen=True)
class PeerMatch(Section):
    kind: str = required("kind", Choice(PEER_KINDS), "dm", "A person, a group or a channel.")
    id: str = required("id", Identifier(), "", "Its name on that service.")


@dataclass(frozen=True)
class BindingMatch(Section):
    """`account_id` as it is written: "" fits the default account only, "*" every one."""

    channel: str = required("channel", Text(), "", "The channel, e.g. telegram.")
    account_id: str = setting(
        "accountId", Line(), "", 'Which of its accounts; none is "default", * is any.'
    )
    peer: PeerMatch | None = setting(
        "peer", Optional(GroupOf(PeerMatch())), None, "The person, group or channel."
    )
    guild_id: str | None = setting("guildId", Optional(Identifier()), None, "A Discord server.")
    team_id: str | None = setting("teamId", Optional(Identifier()), None, "A Slack workspace.")


@dataclass(frozen=True)
class Binding(Section):
    agent_id: str = required("agentId", Text(), "", "The agent that answers.")
    match: BindingMatch = required(
        "match", GroupOf(BindingMatch()), BindingMatch(), "Which messages."
    )


@dataclass(frozen=True)
class BroadcastConfig:
    """Groups in which several agents answer.

    Attributes:
        peers: id of the person, group or channel -> agents, in the order they are written.
    """

    strategy: str = "parallel"
    peers: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Broadcast:
    """The kind of `broadcast`: free names beside `strategy`."""

    def check(self, value: JsonValue) -> BroadcastConfig:
        if not isinstance(value, Mapping):
            raise WrongValue("group")
        strategy = value.get("strategy", "parallel")
        try:
            checked = Choice(STRATEGIES).check(strategy)
        except WrongValue as wrong:
            raise WrongInside(wrong, ".strategy", strategy) from wrong
        peers = {name: agents for name, agents in value.items() if name != "strategy"}
        return BroadcastConfig(checked, MapOf(ListOf(Text())).check(peers))

    def schema(self) -> JsonObject:
        return {
            "type": "object",
            "properties": {"strategy": Choice(STRATEGIES).schema()},
            "additionalProperties": ListOf(Text()).schema(),
        }
