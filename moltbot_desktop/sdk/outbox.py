"""How a tool writes to somebody on a channel: the port of `message`.

outbox.is_here(session, target)            # the conversation that the call is made in
await outbox.send(session, target, "The draft is ready.")
"""

from __future__ import annotations

from typing import Protocol

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.channels import DeliveryTarget


class Outbox(Protocol):
    """Lives on the event loop."""

    def is_here(self, session: SessionKey, target: DeliveryTarget) -> bool:
        """Whether `target` is who the conversation is with."""
        ...

    async def send(self, session: SessionKey, target: DeliveryTarget, text: str) -> str:
        """Hand `text` over for good; what goes out of it. Once words of others are in the
        conversation, links that stood nowhere in it are left out (policy R6).

        Raises:
            UserInputInvalid: nobody the assistant has a conversation with.
            ChannelRefused: no such channel is set up.
            StorageError: it was not kept.
        """
        ...
