"""The channels over the local socket: which are set up, which run, what is wrong with them.

    channels.status  {probe?, channel?}  → {ts, channelOrder, channels, channelAccounts,
                                  channelDefaultAccountId}

`channelAccounts` has a row for each account: {accountId, enabled, configured, running, state,
lastError?, notUsed?, putAside?, waiting?, lastInboundAt?, lastOutboundAt?, stateSince?,
connections?, lastProblem?, probe?};
`state` is one of `sdk.channels.ChannelLife`, times are milliseconds, `waiting` are messages that
are not sent yet. With `channel` only that one is told; with `probe` each account's settings are
tried: {ok, as?, error?}.
Fields are the reference's; a channel that only the reference has is told with the reason why it
does not run here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.methods import Given, Method
from moltbot_desktop.sdk.channel_abilities import ChannelTraffic
from moltbot_desktop.sdk.channels import ChannelLife


@dataclass(frozen=True)
class ChannelState:
    """One account of a channel of the settings.

    Attributes:
        enabled: the settings do not switch it off.
        configured: they say all that it needs.
        running: this process reads and writes it, and its connection stands.
        problem: why it does not work, one sentence in the person's language; "" when it does.
        not_used: places in its settings that are known and do nothing yet.
        put_aside: messages that are kept and not tried again, because they break the program.
    """

    channel: str
    account: str
    enabled: bool
    configured: bool
    running: bool
    problem: str = ""
    put_aside: int = 0
    life: ChannelLife = ChannelLife.STOPPED
    traffic: ChannelTraffic | None = None
    not_used: tuple[str, ...] = ()


@dataclass(frozen=True)
class Probed:
    """What came of trying an account: who we are there, or why it does not work; both "" where
    its channel has no way of trying."""

    name: str = ""
    problem: str = ""


Probe = Callable[[str, str], Awaitable[Probed | None]]
"""Tries (channel, account) without side effects; None where that cannot be done."""
Waiting = Callable[[], Awaitable[Mapping[tuple[str, str], int]]]
"""How many messages wait to be sent, by channel and account."""


@dataclass(frozen=True)
class ChannelMethods:
    states: Callable[[], Sequence[ChannelState]]
    now: Callable[[], datetime]
    waiting: Waiting
    probe: Probe

    def methods(self) -> tuple[Method, ...]:
        properties: Mapping[str, JsonObject] = {
            "probe": {"type": "boolean"},
            "channel": {"type": "string"},
        }
        return (Method("channels.status", self._status, properties),)

    async def _status(self, given: Given) -> JsonValue:
        accounts: dict[str, list[JsonValue]] = {}
        only = given.params.get("channel", "")
        states = [one for one in self.states() if only in ("", one.channel)]
        waiting = await self.waiting()
        probing = given.params.get("probe") is True
        tried = await asyncio.gather(
            *(self.probe(one.channel, one.account) for one in states if probing)
        )
        for number, one in enumerate(states):
            row = {**account_json(one)}
            if ahead := waiting.get((one.channel, one.account), 0):
                row["waiting"] = ahead
            if probing and (found := tried[number]) is not None:
                row["probe"] = _probed_json(found)
            accounts.setdefault(one.channel, []).append(row)
        return {
            "ts": int(self.now().timestamp() * 1000),
            "channelOrder": list(accounts),
            "channels": {name: _summary(name, states) for name in accounts},
            "channelAccounts": accounts,
            "channelDefaultAccountId": {
                name: next(one.account for one in states if one.channel == name)
                for name in accounts
            },
        }


def account_json(one: ChannelState) -> JsonObject:
    told: dict[str, JsonValue] = {
        "accountId": one.account,
        "enabled": one.enabled,
        "configured": one.configured,
        "running": one.running,
        "state": one.life.value,
    }
    if one.problem:
        told["lastError"] = one.problem
    if one.not_used:
        told["notUsed"] = list(one.not_used)
    if one.put_aside:
        told["putAside"] = one.put_aside
    if one.traffic is not None:
        told |= _traffic_json(one.traffic)
    return told


def _traffic_json(one: ChannelTraffic) -> dict[str, JsonValue]:
    times = {
        "lastInboundAt": one.last_in,
        "lastOutboundAt": one.last_out,
        "stateSince": one.since,
    }
    told: dict[str, JsonValue] = {
        name: int(time.timestamp() * 1000) for name, time in times.items() if time is not None
    }
    told["connections"] = one.connections
    if one.last_error:
        told["lastProblem"] = one.last_error
    return told


def _probed_json(one: Probed) -> JsonObject:
    if one.problem:
        return {"ok": False, "error": one.problem}
    return {"ok": True, "as": one.name}


def _summary(channel: str, states: Sequence[ChannelState]) -> JsonObject:
    own = [one for one in states if one.channel == channel]
    return {
        "configured": any(one.configured for one in own),
        "running": any(one.running for one in own),
    }
