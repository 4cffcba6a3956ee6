"""The channels over the local socket: which are set up, which run, what is wrong with them.

    channels.status  {}  → {ts, channelOrder, channels, channelAccounts, channelDefaultAccountId}

`channelAccounts` has a row for each account: {accountId, enabled, configured, running, state,
lastError?, putAside?}; `state` is one of `sdk.channels.ChannelLife`.
Fields are the reference's; a channel that only the reference has is told with the reason why it
does not run here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.methods import Given, Method
from moltbot_desktop.sdk.channels import ChannelLife


@dataclass(frozen=True)
class ChannelState:
    """One account of a channel of the settings.

    Attributes:
        enabled: the settings do not switch it off.
        configured: they say all that it needs.
        running: this process reads and writes it, and its connection stands.
        problem: why it does not work, one sentence in the person's language; "" when it does.
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


@dataclass(frozen=True)
class ChannelMethods:
    states: Callable[[], Sequence[ChannelState]]
    now: Callable[[], datetime]

    def methods(self) -> tuple[Method, ...]:
        return (Method("channels.status", self._status),)

    async def _status(self, _: Given) -> JsonValue:
        accounts: dict[str, list[JsonValue]] = {}
        states = self.states()
        for one in states:
            accounts.setdefault(one.channel, []).append(account_json(one))
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
    if one.put_aside:
        told["putAside"] = one.put_aside
    return told


def _summary(channel: str, states: Sequence[ChannelState]) -> JsonObject:
    own = [one for one in states if one.channel == channel]
    return {
        "configured": any(one.configured for one in own),
        "running": any(one.running for one in own),
    }
