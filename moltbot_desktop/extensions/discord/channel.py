"""One bot: what the program asks of it, done by the library. `sdk.channel_abilities`.

    PluginChannel("discord", lambda account: DiscordChannel(account, clock, language, began), CAN)

Messages come by `Inbox`; everything else is a call. Nobody is called by what the assistant writes,
and Discord loads no page for it: mentions and previews are off.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import zlib
from collections.abc import AsyncIterator, Coroutine, MutableMapping, Sequence
from urllib.parse import urlsplit

import discord

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, ChannelRefused, ChannelTooLong
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.discord.cursor import snowflake_at
from moltbot_desktop.extensions.discord.inbox import Inbox
from moltbot_desktop.extensions.discord.line import Line
from moltbot_desktop.extensions.discord.media import downloaded
from moltbot_desktop.extensions.discord.refusals import SAFE_LIMIT, no_intent, told
from moltbot_desktop.extensions.discord.settings import settings_from
from moltbot_desktop.extensions.discord.words import say
from moltbot_desktop.sdk.channel_abilities import TextUnit
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    OutboundMessage,
    PeerKind,
    RemoteFile,
)
from moltbot_desktop.sdk.plugins import ChannelAccount

TEXT_LIMIT = 2_000
_FILES_IN_ONE = 10
# What the library stumbles over when an event has not the form that is documented.
_MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, zlib.error)
_log = logging.getLogger(__name__)


async def probe(settings: JsonObject, language: Language) -> str:
    """The bot's name; it is not connected.

    Raises:
        ChannelRefused: it may not read what people write.
        ChannelError: as in `RunningChannel.run`.
    """
    own = settings_from(settings)
    line = Line(_nothing, _nothing, own.proxy)
    try:
        with told(language):
            await line.login(own.token)
            refused = no_intent(line.application_flags, language)
            if refused is not None:
                raise refused
            return str(line.user or "")
    finally:
        await line.shut()


class DiscordChannel:
    """Implements `RunningChannel` and all that stands beside it; lives on the account's loop."""

    def __init__(
        self,
        account: ChannelAccount,
        clock: Clock,
        language: Language,
        began: MutableMapping[str, int],
    ) -> None:
        """`began`: for each account the id at which it first listened; it outlives connections."""
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings)
        self._began = began
        self._line: Line | None = None

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        account = self._account
        now = snowflake_at(self._clock.now().timestamp())
        began = self._began.setdefault(account.name, now)
        line = Line(account.heard, account.online, self._settings.proxy)
        try:
            with told(self._language):
                account.reaches(urlsplit(discord.http.Route.BASE).hostname or "")
                await line.login(self._settings.token)
                self._line = line
                inbox = Inbox(line, account, self._clock, self._language, began)
                await _first_of(inbox.run(), self._listening(line))
            raise ChannelError(say("ended", self._language))
        finally:
            self._line = None
            await line.shut()

    async def _listening(self, line: Line) -> None:
        try:
            await line.connect(reconnect=False)
        except _MALFORMED as error:
            _log.info("discord: an event that cannot be read", exc_info=error)
            raise ChannelError(say("broken", self._language)) from None

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. The key is known again for some minutes, longer than a crash."""
        self._check_length(_words(message))
        with told(self._language):
            room = await self._room(message.target)
            first, *more = _batches(message.attachments)
            sent = await self._posted(room, message, first, idempotency_key)
            for number, files in enumerate(more, 1):
                bare = OutboundMessage(message.target, "")
                await self._posted(room, bare, files, f"{idempotency_key}+{number}")
            return str(sent.id)

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`."""
        self._check_length(_words(message))
        with told(self._language):
            post = await self._post(message.target, message_id)
            await post.edit(
                content=_words(message), allowed_mentions=discord.AllowedMentions.none()
            )

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        with told(self._language):
            post = await self._post(target, message_id)
            try:
                await post.delete()
            except discord.NotFound:
                return

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`."""
        with told(self._language):
            post = await self._post(target, message_id)
            if not remove:
                await post.add_reaction(emoji)
                return
            me = self._connected().user
            if me is not None:
                await post.remove_reaction(emoji, me)

    async def show_typing(self, target: DeliveryTarget) -> None:
        """See `Typing.show_typing`."""
        with told(self._language):
            await (await self._room(target)).typing()

    def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        return downloaded(self._connected(), file, self._settings, self._language)

    async def _posted(
        self,
        room: discord.PartialMessageable,
        message: OutboundMessage,
        attachments: Sequence[Attachment],
        key: str,
    ) -> discord.Message:
        files = [self._opened(one) for one in attachments]
        words = _words(message) or None
        answered = _number(message.reply_to)
        if answered is None:
            return await room.send(words, files=files, nonce=nonce_of(key), suppress_embeds=True)
        tied = discord.MessageReference(
            message_id=answered, channel_id=room.id, fail_if_not_exists=False
        )
        return await room.send(
            words, files=files, nonce=nonce_of(key), suppress_embeds=True, reference=tied
        )

    def _opened(self, file: Attachment) -> discord.File:
        try:
            return discord.File(file.path, filename=file.name)
        except OSError as error:
            raise ChannelRefused(say("unread", self._language, name=file.name[:80])) from error

    async def _post(self, target: DeliveryTarget, message_id: str) -> discord.PartialMessage:
        number = _number(message_id)
        if number is None:
            raise self._nowhere(message_id)
        return (await self._room(target)).get_partial_message(number)

    async def _room(self, target: DeliveryTarget) -> discord.PartialMessageable:
        """Where it is written: the thread, the room, or the private room with a person."""
        line, peer = self._connected(), target.peer
        written = target.thread_id or (peer.id if peer is not None else "")
        number = _number(written)
        if number is None:
            raise self._nowhere(written)
        if peer is not None and peer.kind is PeerKind.DM:
            number = (await line.create_dm(discord.Object(number))).id
            return line.get_partial_messageable(number, type=discord.ChannelType.private)
        return line.get_partial_messageable(number)

    def _check_length(self, text: str) -> None:
        if TextUnit.UTF16.size(text) > TEXT_LIMIT:
            raise ChannelTooLong(say("long", self._language), limit=SAFE_LIMIT)

    def _nowhere(self, place: str) -> ChannelRefused:
        return ChannelRefused(say("nowhere", self._language, place=place[:40]))

    def _connected(self) -> Line:
        if self._line is None:
            raise ChannelError(say("ended", self._language))
        return self._line


def _words(message: OutboundMessage) -> str:
    """What is shown; as the assistant wrote it where nothing is left of that in Discord's form."""
    return message.text if message.text.strip() else message.markdown


def nonce_of(key: str) -> str:
    """`key` in the 25 characters that Discord takes."""
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _batches(files: Sequence[Attachment]) -> list[Sequence[Attachment]]:
    """As many as go with one message; at least one batch, which may be empty."""
    count = max(1, len(files))
    return [files[at : at + _FILES_IN_ONE] for at in range(0, count, _FILES_IN_ONE)]


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else None


def _nothing() -> None:
    """Nobody listens to a bot that is only tried."""


async def _first_of(*jobs: Coroutine[None, None, None]) -> None:
    """Until one of them ends, with what it raised; the others end with it."""
    tasks = [asyncio.ensure_future(one) for one in jobs]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for one in done:
            one.result()
    finally:
        for one in tasks:
            one.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
