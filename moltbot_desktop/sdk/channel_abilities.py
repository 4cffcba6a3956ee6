"""What a channel can do besides `send`: its capabilities, and the methods that go with them.

    PIGEON = Capabilities(text_limit=140, unit=TextUnit.BYTES, react=True, typing_seconds=5)

    class Pigeon:                                  # a `RunningChannel`
        async def react(self, target, message_id, emoji, *, remove=False): ...
        async def show_typing(self, target): ...

    PluginChannel("pigeon", Pigeon, PIGEON)

What is not declared is not there: the program then sends plain text, whole answers, nothing that
is tied to another message, and says so where somebody asks for more. What is declared needs its
method. Methods are called on the account's own loop, with frozen values, beside `run` and `send`;
they raise what `send` raises.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    OutboundMessage,
    Outgoing,
    PeerKind,
    RemoteFile,
)


class TextUnit(StrEnum):
    """In what a platform counts the length of a message."""

    CHARACTERS = "characters"
    """Code points, as Python's ``len``."""
    UTF16 = "utf16"
    """Two for an emoji."""
    BYTES = "bytes"
    """Of UTF-8; three for a Chinese character."""

    def size(self, text: str) -> int:
        """How long `text` is; half a character counts as a whole one."""
        match self:
            case TextUnit.UTF16:
                return len(text.encode("utf-16-le", "surrogatepass")) // 2
            case TextUnit.BYTES:
                return len(text.encode("utf-8", "surrogatepass"))
            case _:
                return len(text)


class Markup(StrEnum):
    """The form in which a platform takes text; `sdk.markup` makes it of Markdown."""

    PLAIN = "plain"
    MARKDOWN = "markdown"
    """CommonMark with tables, as the assistant wrote it."""
    TELEGRAM_HTML = "telegram_html"
    SLACK_MRKDWN = "slack_mrkdwn"
    MATRIX_HTML = "matrix_html"
    DISCORD = "discord"
    IRC = "irc"
    """mIRC's control codes for bold, italic and monospace."""


@dataclass(frozen=True)
class EditLimits:
    """How often a message may be changed: at most once in `seconds`, `most` times (0: any)."""

    seconds: float = 1.0
    most: int = 0


@dataclass(frozen=True)
class Capabilities:
    """Attributes:
    kinds: whom a message can be written to.
    text_limit: of one message, in `unit`; longer answers are cut in pieces.
    reply: a message can be tied to another (`OutboundMessage.reply_to`).
    quotes_in: what a message answers comes with it or is looked up (`Envelope.quoted`).
    threads: a target may have a `thread_id`.
    edit: needs `Editing`; answers are then shown while they are written.
    delete: needs `Deleting`.
    react: needs `Reacting`.
    typing_seconds: how long a sign that we write stays; needs `Typing`, 0 for none.
    media_in, media_out: largest file in bytes; `media_in` needs `Fetching`, 0 for none.
    idempotent: the platform knows an idempotency key again, so that no crash shows a message twice.
    """

    kinds: frozenset[PeerKind] = frozenset({PeerKind.DM})
    text_limit: int = 4_000
    unit: TextUnit = TextUnit.CHARACTERS
    markup: Markup = Markup.PLAIN
    reply: bool = False
    threads: bool = False
    edit: EditLimits | None = None
    delete: bool = False
    react: bool = False
    typing_seconds: float = 0.0
    media_in: int = 0
    media_out: int = 0
    idempotent: bool = False
    quotes_in: bool = False


@runtime_checkable
class Editing(Protocol):
    """Changes what was sent."""

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """Put `message` in the place of one of ours. That it says so already is no error.

        Raises:
            ChannelNotFound: it is gone, or too old to be changed.
            ChannelError: as in `Outgoing.send`.
        """
        ...


@runtime_checkable
class Deleting(Protocol):
    """Takes back what was sent."""

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """Take back a message of ours; that it is gone already is no error."""
        ...


@runtime_checkable
class Reacting(Protocol):
    """Sets emoji under messages."""

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """Set a reaction under a message, or take ours away. That it is so already is no error."""
        ...


@runtime_checkable
class Typing(Protocol):
    """Shows that we write."""

    async def show_typing(self, target: DeliveryTarget) -> None:
        """Show once that we write; called again while the answer is made."""
        ...


@runtime_checkable
class Fetching(Protocol):
    """Brings files that came with messages."""

    def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """The bytes of a file. The program ends it when they are more than `media_in`; a web page
        in place of a file is a ChannelRefused, not the file."""
        ...


class ChannelActions(Outgoing, Protocol):
    """A channel with all that can be asked of one: what the program's own parts see of it, on the
    agent's event loop. What it cannot do raises ChannelRefused with a sentence for the person."""

    @property
    def capabilities(self) -> Capabilities: ...

    async def edit(self, message_id: str, message: OutboundMessage) -> None: ...

    async def delete(self, target: DeliveryTarget, message_id: str) -> None: ...

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None: ...

    async def show_typing(self, target: DeliveryTarget) -> None: ...

    async def fetch(self, file: RemoteFile, into: Path, most: int) -> None:
        """Write a file of at most `most` bytes to the new path `into`; nothing is left there when
        it fails."""
        ...


@dataclass(frozen=True)
class ChannelTraffic:
    """What an account did since the program began; times are aware, None for never.

    Attributes:
        last_in: when the platform was last heard, an answer to a ping too.
        last_error: the last problem, also one that is over; "" for none.
        since: when it came to stand as it stands.
        connections: how often one was made.
    """

    last_in: datetime | None = None
    last_out: datetime | None = None
    last_error: str = ""
    since: datetime | None = None
    connections: int = 0
