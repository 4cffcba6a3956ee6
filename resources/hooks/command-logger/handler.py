"""Writes each command to a log of its own."""

from __future__ import annotations

import json

from moltbot_desktop.sdk.internal_hooks import InternalEvent


async def handle(event: InternalEvent) -> None:
    line = {
        "timestamp": event.time.isoformat(),
        "action": event.action,
        "sessionKey": event.session,
        "senderId": event.sender or "owner",
        "source": event.source,
    }
    logs = event.home / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    with (logs / "commands.log").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
