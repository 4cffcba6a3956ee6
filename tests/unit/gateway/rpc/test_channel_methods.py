"""`channels.status`: a row for each account, in the reference's shape."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from moltbot_desktop.gateway.rpc.channel_methods import (
    ChannelMethods,
    ChannelState,
    Probed,
)
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.sdk.channel_abilities import ChannelTraffic
from moltbot_desktop.sdk.channels import ChannelLife

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


async def tried(channel: str, _account: str) -> Probed | None:
    return {"telegram": Probed(problem="no token"), "pipe": None}.get(channel, Probed("@me"))


async def waits() -> dict[tuple[str, str], int]:
    return {("matrix", "a"): 3}


def of(states: Sequence[ChannelState]) -> Methods:
    return Methods(
        ChannelMethods(lambda: states, lambda: NOON, waits, tried).methods(), Repeats(lambda: 0.0)
    )


def test_what_an_account_did_and_what_came_of_trying_it_is_told() -> None:
    traffic = ChannelTraffic(NOON, None, "It was cut.", NOON, 2)
    states = (
        ChannelState("matrix", "a", True, True, True, life=ChannelLife.ONLINE, traffic=traffic),
        ChannelState("telegram", "b", True, True, False, life=ChannelLife.FAILED),
        ChannelState("pipe", "c", True, True, True, life=ChannelLife.ONLINE),
    )
    told: Any = asyncio.run(of(states).call("channels.status", {"probe": True}))
    rows = told["channelAccounts"]
    [matrix], [telegram], [pipe] = rows["matrix"], rows["telegram"], rows["pipe"]
    assert matrix["probe"] == {"ok": True, "as": "@me"}
    assert (matrix["waiting"], matrix["connections"]) == (3, 2)
    assert matrix["lastInboundAt"] == matrix["stateSince"] == 1_767_614_400_000
    assert matrix["lastProblem"] == "It was cut." and "lastOutboundAt" not in matrix
    assert telegram["probe"] == {"ok": False, "error": "no token"}
    assert "probe" not in pipe


def test_accounts_are_told_under_their_channel() -> None:
    states = (
        ChannelState("pipe", "build", True, True, True, life=ChannelLife.ONLINE),
        ChannelState("pipe", "old", False, True, False),
        ChannelState("telegram", "default", True, False, False, "There is none."),
    )
    methods = of(states)
    assert asyncio.run(methods.call("channels.status", {})) == {
        "ts": 1_767_614_400_000,
        "channelOrder": ["pipe", "telegram"],
        "channels": {
            "pipe": {"configured": True, "running": True},
            "telegram": {"configured": False, "running": False},
        },
        "channelAccounts": {
            "pipe": [
                {
                    "accountId": "build",
                    "enabled": True,
                    "configured": True,
                    "running": True,
                    "state": "online",
                },
                {
                    "accountId": "old",
                    "enabled": False,
                    "configured": True,
                    "running": False,
                    "state": "stopped",
                },
            ],
            "telegram": [
                {
                    "accountId": "default",
                    "enabled": True,
                    "configured": False,
                    "running": False,
                    "state": "stopped",
                    "lastError": "There is none.",
                }
            ],
        },
        "channelDefaultAccountId": {"pipe": "build", "telegram": "default"},
    }
