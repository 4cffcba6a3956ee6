"""One bot: what the program asks of it, as calls of the Bot API. `sdk.channel_abilities`.

    PluginChannel("telegram", lambda account: TelegramChannel(account, clock, language), CAN)

Messages come by `Polling`; everything else is a call. A group that became a supergroup has another
number from then on: what goes to the old one goes there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from urllib.parse import urlsplit

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.telegram.client import (
    Result,
    TelegramClient,
    Upload,
    opened,
    settings_from,
)
from moltbot_desktop.extensions.telegram.outgoing import (
    caption,
    menu,
    method_for,
    place,
    reaction,
    tied,
    wording,
)
from moltbot_desktop.extensions.telegram.polling import Polling
from moltbot_desktop.extensions.telegram.refusals import Refusal
from moltbot_desktop.extensions.telegram.updates import plain_id
from moltbot_desktop.extensions.telegram.values import group, identity, number, text
from moltbot_desktop.extensions.telegram.wording import Me
from moltbot_desktop.extensions.telegram.words import say
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, OutboundMessage, RemoteFile
from moltbot_desktop.sdk.plugins import ChannelAccount


async def whoami(client: TelegramClient) -> Me:
    """Who the token belongs to.

    Raises:
        ChannelAuthFailed: nobody.
    """
    found = group(await client.call("getMe"))
    return Me(number(found.get("id")) or 0, text(found.get("username")))


async def probe(settings: JsonObject, language: Language) -> str:
    """The bot's name; nothing is changed and no message fetched.

    Raises:
        ChannelRefused: its messages go somewhere else.
        ChannelError: as in `TelegramClient.call`.
    """
    own = settings_from(settings)
    async with opened(own, language) as client:
        me = await whoami(client)
        hook = group(await client.call("getWebhookInfo"))
        if text(hook.get("url")) and not own.replace_webhook:
            raise Refusal(409, "webhook").as_error(language)
        return f"@{me.username}"


class TelegramChannel:
    """Implements `RunningChannel` and all that stands beside it; lives on the account's loop."""

    def __init__(self, account: ChannelAccount, clock: Clock, language: Language) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings)
        self._client: TelegramClient | None = None
        self._moved: dict[int, int] = {}

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        async with opened(self._settings, self._language) as client:
            me = await whoami(client)
            self._client = client
            self._account.online()
            self._account.reaches(urlsplit(self._settings.root).hostname or "")
            # A courtesy: without it commands work as well.
            await client.ask("setMyCommands", menu(self._account.commands))
            await Polling(
                client,
                me,
                self._account,
                self._clock,
                self._settings.replace_webhook,
                self._has_moved,
                lambda refusal: refusal.as_error(self._language),
            ).run()

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. Telegram knows no keys: a crash may show a message twice."""
        if message.attachments:
            return await self._with_files(message)
        params = {**self._place(message.target), **tied(message)}
        return _message_id(await self._said("sendMessage", params, message))

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`."""
        params = {**self._place(message.target), "message_id": self._number(message_id)}
        await self._said("editMessageText", params, message)

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        params = {**self._place(target), "message_id": self._number(message_id)}
        reply = await self._asked("deleteMessage", params)
        if isinstance(reply, Refusal) and "message to delete not found" not in reply.reason:
            raise reply.as_error(self._language)

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`."""
        where = {**self._place(target), "message_id": self._number(message_id)}
        reply = await self._asked("setMessageReaction", {**where, **reaction(emoji, remove=remove)})
        if not isinstance(reply, Refusal):
            return
        if "REACTION_INVALID" in reply.reason:
            said = say("reaction", self._language, emoji=emoji[:20])
            raise ChannelRefused(said, hint=say("reaction_hint", self._language))
        raise reply.as_error(self._language)

    async def show_typing(self, target: DeliveryTarget) -> None:
        """See `Typing.show_typing`."""
        where = self._place(target, typing=True)
        await self._taken("sendChatAction", {**where, "action": "typing"})

    def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        return self._connected().download(file.ref)

    async def _said(
        self, method: str, params: Mapping[str, JsonValue], message: OutboundMessage
    ) -> JsonValue:
        """A text sent or changed. Tags that Telegram cannot read are left away: better bare words
        than none."""
        reply = await self._asked(method, {**params, **wording(message, as_html=True)})
        if isinstance(reply, Refusal) and reply.is_markup:
            reply = await self._asked(method, {**params, **wording(message, as_html=False)})
        if isinstance(reply, Refusal) and not reply.is_unchanged:
            raise reply.as_error(self._language)
        return reply.value if isinstance(reply, Result) else None

    async def _with_files(self, message: OutboundMessage) -> str:
        """Its words under the first file, or before it where they are too many."""
        params = {**self._place(message.target), **tied(message)}
        words, first = caption(message), ""
        if words is None:
            first = _message_id(await self._said("sendMessage", params, message))
        for file in message.attachments:
            under = {"caption": words} if words and not first else {}
            sent = _message_id(await self._file_sent(file, {**params, **under}))
            first = first or sent
        return first

    async def _file_sent(self, file: Attachment, params: JsonObject) -> JsonValue:
        method, kind = method_for(file)
        reply = await self._uploaded(file, method, kind, params)
        if isinstance(reply, Refusal) and method == "sendPhoto" and reply.is_picture:
            reply = await self._uploaded(file, "sendDocument", "document", params)
        if isinstance(reply, Refusal):
            raise reply.as_error(self._language)
        return reply.value

    async def _uploaded(
        self, file: Attachment, method: str, kind: str, params: JsonObject
    ) -> Result | Refusal:
        try:
            content = file.path.open("rb")
        except OSError as error:
            raise ChannelRefused(say("unread", self._language, name=file.name[:80])) from error
        with content:
            return await self._asked(method, params, Upload(kind, file.name, content))

    async def _taken(self, method: str, params: JsonObject) -> JsonValue:
        """The result of a call that also goes where a group has moved to."""
        reply = await self._asked(method, params)
        if isinstance(reply, Refusal):
            raise reply.as_error(self._language)
        return reply.value

    async def _asked(
        self, method: str, params: JsonObject, upload: Upload | None = None
    ) -> Result | Refusal:
        chat = number(params.get("chat_id")) or 0
        now = self._moved.get(chat, chat)
        client = self._connected()
        reply = await client.ask(method, {**params, "chat_id": now}, upload=upload)
        if isinstance(reply, Refusal) and reply.moved_to:
            self._has_moved(str(now), reply.moved_to)
            if upload is not None:
                upload.content.seek(0)
            params = {**params, "chat_id": int(reply.moved_to)}
            reply = await client.ask(method, params, upload=upload)
        return reply

    def _has_moved(self, old: str, new: str) -> None:
        """A group has another number. Where the settings name the old one, nobody there is heard
        any more, which only the person can set right."""
        self._moved[int(old)] = int(new)
        if old in group(self._account.settings.get("groups")):
            said = (say(one, self._language, old=old, new=new) for one in ("moved", "moved_hint"))
            self._account.problem(" ".join(said))

    def _place(self, target: DeliveryTarget, *, typing: bool = False) -> JsonObject:
        found = place(target, typing=typing)
        if found is None:
            chat = target.peer.id if target.peer is not None else ""
            raise ChannelRefused(say("nowhere", self._language, chat=chat[:40]))
        return found

    def _number(self, message_id: str) -> int:
        found = plain_id(message_id)
        if found is None:
            raise ChannelNotFound(say("gone", self._language, reason="message not found"))
        return found

    def _connected(self) -> TelegramClient:
        if self._client is None:
            raise ChannelError(say("ended", self._language))
        return self._client


def _message_id(answer: JsonValue) -> str:
    return identity(group(answer).get("message_id"))
