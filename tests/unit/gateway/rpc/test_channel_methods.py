"""`channels.status`: a row for each account, in the reference's shape."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from moltbot_desktop.gateway.rpc.channel_methods import ChannelMethods, ChannelState
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.sdk.channels import ChannelLife

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


def test_accounts_are_told_under_their_channel() -> None:
    states = (
        ChannelState("pipe", "build", True, True, True, life=ChannelLife.ONLINE),
        ChannelState("pipe", "old", False, True, False),
        ChannelState("telegram", "default", True, False, False, "There is none."),
    )
    methods = Methods(ChannelMethods(lambda: states, lambda: NOON).methods(), Repeats(lambda: 0.0))
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
