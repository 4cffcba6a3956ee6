"""One app: `RunningChannel` and all that stands beside it.

    PluginChannel("feishu", lambda account: FeishuChannel(account, clock, language), CAN)

A message is acknowledged to the platform once it is kept; what was not acknowledged in three
seconds it tells again. https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
    MoltbotError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.feishu.client import FeishuClient, Line, opened
from moltbot_desktop.extensions.feishu.emoji import name_of
from moltbot_desktop.extensions.feishu.events import SAFE_ID, Me, quoted_message, read_event
from moltbot_desktop.extensions.feishu.frames import DATA, Frame, Parts, ping, read_frame, written
from moltbot_desktop.extensions.feishu.settings import settings_from
from moltbot_desktop.extensions.feishu.words import say
from moltbot_desktop.extensions.feishu.writing import is_picture, key, post
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    OutboundMessage,
    Quoted,
    RemoteFile,
)
from moltbot_desktop.sdk.foreign_json import group, read_object, rows, text
from moltbot_desktop.sdk.plugins import ChannelAccount

_LONGEST_NAME = 120
_QUOTE_SECONDS = 1.0
"""Within three an event has to be acknowledged."""
_MESSAGES = "/open-apis/im/v1/messages"


async def whoami(client: FeishuClient) -> Me:
    """The app's bot.

    Raises:
        ChannelAuthFailed: the app's id and secret are not taken.
        ChannelRefused: it has none.
    """
    bot = group((await client.call("GET", "/open-apis/bot/v3/info")).get("bot"))
    return Me(text(bot.get("open_id")), text(bot.get("app_name")))


async def probe(settings: JsonObject, language: Language) -> str:
    """The bot's name.

    Raises:
        ChannelError: as in `FeishuClient.call`.
    """
    async with opened(settings_from(settings), language) as client:
        return (await whoami(client)).name


class FeishuChannel:
    """Lives on the account's loop."""

    def __init__(self, account: ChannelAccount, clock: Clock, language: Language) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings)
        self._client: FeishuClient | None = None

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        async with opened(self._settings, self._language) as client:
            self._account.reaches(self._settings.host)
            me = await whoami(client)
            self._client = client
            async with client.line() as line:
                self._account.online()
                pinging = asyncio.create_task(_ping(line))
                try:
                    await self._follow(line.socket, me)
                finally:
                    pinging.cancel()
                    await asyncio.gather(pinging, return_exceptions=True)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. The platform knows a key again for an hour."""
        sent = ""
        if message.text.strip() or not message.attachments:
            words = message.text if message.text.strip() else message.markdown
            sent = await self._said(message, "post", post(words), idempotency_key)
        for number, file in enumerate(message.attachments):
            kind, content = await self._uploaded(file)
            sent = await self._said(message, kind, content, f"{idempotency_key}/{number}") or sent
        return sent

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`."""
        words = message.text if message.text.strip() else message.markdown
        body = {"msg_type": "post", "content": post(words)}
        await self._connected().call("PUT", self._path(message_id), body=body)

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        with contextlib.suppress(ChannelNotFound):
            await self._connected().call("DELETE", self._path(message_id))

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`."""
        name = name_of(emoji)
        if name is None:
            raise ChannelRefused(
                say("reaction", self._language, emoji=emoji[:20]),
                hint=say("reaction_hint", self._language),
            )
        client, path = self._connected(), f"{self._path(message_id)}/reactions"
        if not remove:
            await client.call("POST", path, body={"reaction_type": {"emoji_type": name}})
            return
        there = await client.call("GET", path, params={"reaction_type": name, "page_size": "50"})
        for one in rows(group(there.get("data")).get("items")):
            whose, found = group(one.get("operator")), text(one.get("reaction_id"))
            ours = text(whose.get("operator_id")) == self._settings.app_id
            if ours and SAFE_ID.fullmatch(found.replace("=", "-")):
                await client.call("DELETE", f"{path}/{found}")

    def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        message_id, kind, file_key = (*file.ref.split("/"), "", "")[:3]
        path = f"{self._path(message_id)}/resources/{self._safe(file_key)}"
        return self._connected().download(path, {"type": kind})

    # ------------------------------------------------------------ what comes

    async def _follow(self, line: aiohttp.ClientWebSocketResponse, me: Me) -> None:
        """Hand over what comes.

        Raises:
            ChannelError: the line ended.
        """
        parts = Parts()
        async for message in line:
            self._account.heard()
            if message.type is aiohttp.WSMsgType.PING:
                await line.pong(message.data)
            if message.type is not aiohttp.WSMsgType.BINARY:
                continue
            frame = read_frame(message.data)
            if frame is None or frame.method != DATA:
                continue
            whole = parts.whole(frame)
            if whole is None:
                continue
            kept = frame.header("type") != "event" or await self._kept(whole, me)
            await line.send_bytes(_answer(frame, 200 if kept else 500))
        raise ChannelError(say("ended", self._language))

    async def _kept(self, payload: bytes, me: Me) -> bool:
        """Whether the platform need not tell it again."""
        envelope = read_event(read_object(payload) or {}, me, self._clock.now())
        if envelope is None:
            return True
        if envelope.reply_to:
            envelope = replace(envelope, quoted=await self._answered(envelope.reply_to, me))
        try:
            await self._account.receive([envelope])
        except ChannelError:
            raise  # we are at our end
        except MoltbotError:
            return False  # the program has told why
        return True

    async def _answered(self, message_id: str, me: Me) -> Quoted | None:
        """What a message answers, where it can be looked up quickly: it is a courtesy."""
        try:
            async with asyncio.timeout(_QUOTE_SECONDS):
                answer = await self._connected().call("GET", self._path(message_id))
        except (TimeoutError, ChannelError):
            return None
        return quoted_message(answer, me, self._settings.app_id)

    # ------------------------------------------------------------ what goes

    async def _said(self, message: OutboundMessage, kind: str, content: str, once: str) -> str:
        """A message sent, tied to another where it can be; its id."""
        client, thread = self._connected(), message.target.thread_id
        body: dict[str, JsonValue] = {"msg_type": kind, "content": content, "uuid": key(once)}
        if thread or message.reply_to:
            more: JsonObject = {**body, "reply_in_thread": True} if thread else body
            path = f"{self._path(message.reply_to or thread)}/reply"
            try:
                return _id(await client.call("POST", path, body=more))
            except ChannelNotFound:
                if thread:
                    raise  # in the room it would stand among other words
        place = message.target.peer.id if message.target.peer is not None else ""
        sort = {"ou_": "open_id", "oc_": "chat_id"}.get(place[:3])
        if sort is None or not SAFE_ID.fullmatch(place):
            raise ChannelRefused(say("nowhere", self._language, place=place[:40]))
        where = {"receive_id_type": sort}
        whole: JsonObject = {**body, "receive_id": place}
        return _id(await client.call("POST", _MESSAGES, params=where, body=whole))

    async def _uploaded(self, file: Attachment) -> tuple[str, str]:
        """The kind of message and its content, for a file that lies with the platform now.
        https://open.feishu.cn/document/server-docs/im-v1/file/create"""
        name = file.name[-_LONGEST_NAME:] or "file"
        try:
            content = file.path.open("rb")
        except OSError as error:
            raise ChannelRefused(say("unread", self._language, name=name)) from error
        with content:
            form = aiohttp.FormData()
            picture = is_picture(name, os.fstat(content.fileno()).st_size)
            if picture:
                form.add_field("image_type", "message")
                form.add_field("image", content, filename=name)
            else:
                form.add_field("file_type", "stream")
                form.add_field("file_name", name)
                form.add_field("file", content, filename=name)
            path = "/open-apis/im/v1/images" if picture else "/open-apis/im/v1/files"
            data = group((await self._connected().call("POST", path, body=form)).get("data"))
        field = "image_key" if picture else "file_key"
        return ("image" if picture else "file"), json.dumps({field: text(data.get(field))})

    def _path(self, message_id: str) -> str:
        return f"{_MESSAGES}/{self._safe(message_id)}"

    def _safe(self, found: str) -> str:
        """Raises ChannelNotFound for what is no id: nothing else gets into an address."""
        if not SAFE_ID.fullmatch(found):
            raise ChannelNotFound(say("gone", self._language, reason=found[:40]))
        return found

    def _connected(self) -> FeishuClient:
        if self._client is None:
            raise ChannelError(say("ended", self._language))
        return self._client


async def _ping(line: Line) -> None:
    """Until cancelled: the platform closes a line of which it does not hear."""
    with contextlib.suppress(OSError, aiohttp.ClientError):  # whoever reads the line sees its end
        while True:
            await line.socket.send_bytes(ping(line.service))
            await asyncio.sleep(line.ping_seconds)


def _answer(frame: Frame, code: int) -> bytes:
    """The same frame, with what became of it."""
    return written(replace(frame, payload=json.dumps({"code": code}).encode()))


def _id(answer: JsonObject) -> str:
    return text(group(answer.get("data")).get("message_id"))
