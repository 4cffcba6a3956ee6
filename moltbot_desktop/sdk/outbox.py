"""How a tool writes to somebody on a channel: the port of `message`.

outbox.is_here(session, target)            # the conversation that the call is made in
await outbox.send(session, target, "The draft is ready.")
await outbox.edit(session, target, "The draft is done.")         # the last that it wrote there
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.channels import DeliveryTarget


@dataclass(frozen=True)
class FileOut:
    """A file of a workspace that is to be sent.

    Attributes:
        path: as it was written, relative to `workspace` or absolute.
        mark: of the very file that the owner said yes to; "" where nobody had to.
    """

    workspace: Path
    path: str
    mark: str = ""


def shown_size(size: int) -> str:
    """Bytes for a person to read."""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


class Outbox(Protocol):
    """Lives on the event loop."""

    def is_here(self, session: SessionKey, target: DeliveryTarget) -> bool:
        """Whether `target` is who the conversation is with."""
        ...

    async def send(
        self, session: SessionKey, target: DeliveryTarget, text: str, file: FileOut | None = None
    ) -> str:
        """Hand `text` over for good, and behind it a copy of `file`; what goes out of the text.
        Once words of others are in the conversation, links that stood nowhere in it are left out
        (policy R6).

        Raises:
            UserInputInvalid: nobody the assistant has a conversation with; or no such file.
            ChannelRefused: no such channel is set up, or it takes no such file.
            PathRefused: the file may not be sent.
            StorageError: it was not kept.
        """
        ...

    async def edit(
        self, session: SessionKey, target: DeliveryTarget, text: str, message_id: str = ""
    ) -> str:
        """Put `text` in the place of a message of the assistant's own, the last one there where no
        id is given; what it says now.

        Raises:
            UserInputInvalid: there is no such message, or nobody is known there.
            ChannelRefused: the channel cannot, or is not set up.
            ChannelError: it did not go well just now.
        """
        ...

    async def delete(self, session: SessionKey, target: DeliveryTarget, message_id: str) -> None:
        """Take a message of the assistant's own back. Raises as `edit`."""
        ...

    async def react(
        self,
        session: SessionKey,
        target: DeliveryTarget,
        emoji: str,
        message_id: str = "",
        *,
        remove: bool = False,
    ) -> None:
        """Set a reaction under a message, the last that came from there where no id is given, or
        take it away. Raises as `edit`."""
        ...
