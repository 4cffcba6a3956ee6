"""What `status` and `health` say of the running assistant."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.client import AssistantStatus
from moltbot_desktop.gateway.rpc.channel_methods import ChannelState
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.gateway.rpc.status_methods import StatusMethods
from moltbot_desktop.sdk.channels import ChannelLife
from moltbot_desktop.sdk.memory import MemoryStatus

WELL = StatusMethods(
    version="1.2.3",
    process=4711,
    home="/home/anna/.moltbot",
    age=lambda: 61.9,
    assistant=lambda: AssistantStatus(
        "tiny", 5_000_000, 8_192, SessionKey("agent:main:main"), "", 2, busy=True
    ),
    memory=lambda: MemoryStatus(3, 40, True, "model", "/index", note="Words only."),
    runs=lambda: (1, 4),
    channels=lambda: (ChannelState("pipe", "build", True, True, True, life=ChannelLife.ONLINE),),
    problem=lambda: "",
)


def asked(methods: StatusMethods, name: str) -> JsonValue:
    return asyncio.run(Methods(methods.methods(), Repeats(lambda: 0.0)).call(name, {}))


def test_status_tells_what_goes_on() -> None:
    assert asked(WELL, "status") == {
        "version": "1.2.3",
        "pid": 4711,
        "home": "/home/anna/.moltbot",
        "uptimeSeconds": 61,
        "model": {"name": "tiny", "bytes": 5_000_000, "contextTokens": 8_192},
        "session": "agent:main:main",
        "runs": {"running": 1, "waiting": 4},
        "memory": {"files": 3, "note": "Words only."},
        "reminders": 2,
        "channels": [
            {
                "channel": "pipe",
                "accountId": "build",
                "enabled": True,
                "configured": True,
                "running": True,
                "state": "online",
            }
        ],
    }


def test_health_names_what_somebody_must_see_to() -> None:
    assert asked(WELL, "health") == {"ok": True, "problem": ""}
    full = replace(WELL, problem=lambda: "The disk is full.")
    assert asked(full, "health") == {"ok": False, "problem": "The disk is full."}
