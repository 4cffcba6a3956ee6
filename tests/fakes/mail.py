"""Envelopes, and a channel that writes down what it sent.

channel = ScriptedChannel()
channel.answers = [ChannelError("no network")]      # what the next sends say, then all goes well
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Sender,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def envelope(message_id: str, text: str = "hello", **more: Any) -> Envelope:
    more = {"peer": Peer(PeerKind.DM, "7"), **more}
    return Envelope("pipe", message_id, Sender("7", "Ada"), text, NOON, **more)


def outbound(text: str, peer: str = "7", channel: str = "pipe") -> OutboundMessage:
    return OutboundMessage(DeliveryTarget(channel, peer=Peer(PeerKind.DM, peer)), text)


def counting(prefix: str = "run") -> Callable[[], str]:
    def numbers() -> Iterator[str]:
        number = 0
        while True:
            yield f"{prefix}{number}"
            number += 1

    made = numbers()
    return lambda: next(made)


@dataclass
class ScriptedChannel:
    """Implements `sdk.channels.Outgoing`.

    Attributes:
        sent: (idempotency key, text) of all that it took, in order.
        answers: errors that the next sends raise.
        gate: sends wait for it when it is set.
        most: how many sends were going on at once.
    """

    sent: list[tuple[str, str]] = field(default_factory=list)
    answers: list[Exception] = field(default_factory=list)
    gate: asyncio.Event | None = None
    going: int = 0
    most: int = 0

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        self.going += 1
        self.most = max(self.most, self.going)
        try:
            await asyncio.sleep(0)
            if self.gate is not None:
                await self.gate.wait()
            if self.answers:
                raise self.answers.pop(0)
            self.sent.append((idempotency_key, message.text))
            return f"sent-{len(self.sent)}"
        finally:
            self.going -= 1
