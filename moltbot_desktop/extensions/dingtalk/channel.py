"""One app: `RunningChannel` and all that stands beside it.

    PluginChannel("dingtalk", lambda account: DingTalkChannel(account, clock, language), CAN)

A message is acknowledged once it is kept; the platform tells none twice, whatever it is answered.
So before it closes a line, which it announces, another one stands, and both are read until the old
one is gone. https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator

import aiohttp

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
    MoltbotError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.dingtalk.client import DingTalkClient, Line, opened
from moltbot_desktop.extensions.dingtalk.events import SAFE_ID, SEALED, read_message
from moltbot_desktop.extensions.dingtalk.frames import (
    CALLBACK,
    ROBOT,
    Push,
    acknowledged,
    read_push,
)
from moltbot_desktop.extensions.dingtalk.sessions import Sessions
from moltbot_desktop.extensions.dingtalk.settings import settings_from
from moltbot_desktop.extensions.dingtalk.words import say
from moltbot_desktop.extensions.dingtalk.writing import (
    LONGEST_PARAM,
    file,
    in_session,
    is_picture,
    markdown,
    picture,
)
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    OutboundMessage,
    Peer,
    PeerKind,
    RemoteFile,
)
from moltbot_desktop.sdk.foreign_json import group, read_object, text
from moltbot_desktop.sdk.plugins import ChannelAccount

LEAVING_SECONDS = 20.0
"""The platform closes a line ten seconds after its goodbye."""
RENEWAL_SECONDS = 1.0
"""Lines are not opened more often than this."""
_LONGEST_NAME = 120
_SHORTER = 2_500
_FLOW_SECONDS = 60.0


async def probe(settings: JsonObject, language: Language) -> str:
    """The robot's code; a stream is asked for and not opened.

    Raises:
        ChannelError: as in `DingTalkClient.ticket`.
    """
    found = settings_from(settings)
    async with opened(found, language) as client:
        await client.check()
        await client.ticket()
        return found.robot


class DingTalkChannel:
    """Lives on the account's loop."""

    def __init__(self, account: ChannelAccount, clock: Clock, language: Language) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings)
        self._sessions = Sessions()
        self._client: DingTalkClient | None = None

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        async with opened(self._settings, self._language, self._account.reaches) as client:
            await client.check()
            self._client = client
            await self._keep_a_line(client)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. The platform knows no key again. What is said within a session has
        no id."""
        sent = ""
        if message.text.strip() or not message.attachments:
            sent = await self._said(
                message, message.text if message.text.strip() else message.markdown
            )
        for one in message.attachments:
            sent = await self._by_the_api(message.target, *await self._uploaded(one)) or sent
        return sent

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`.
        https://open.dingtalk.com/document/development/batch-message-recall-chat"""
        if not message_id:
            raise ChannelNotFound(say("in_session", self._language))
        peer = self._place(target)
        body: dict[str, JsonValue] = {
            "robotCode": self._settings.robot,
            "processQueryKeys": [message_id],
        }
        path = "/v1.0/robot/otoMessages/batchRecall"
        if peer.kind is not PeerKind.DM:
            body["openConversationId"] = peer.id
            path = "/v1.0/robot/groupMessages/recall"
        answer = await self._connected().call(path, body)
        failed = group(answer.get("failedResult"))
        if message_id in failed:
            reason = text(failed.get(message_id))[:_LONGEST_NAME]
            raise ChannelNotFound(say("gone", self._language, reason=reason))

    def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        return self._connected().download(file.ref)

    # ------------------------------------------------------------ what comes

    async def _keep_a_line(self, client: DingTalkClient) -> None:
        """Lines, each one open before its forerunner is closed.

        Raises:
            ChannelError: one broke, or cannot be opened.
        """
        loop = asyncio.get_running_loop()
        lines: set[asyncio.Task[None]] = set()
        try:
            while True:
                started = loop.time()
                leaves = asyncio.Event()
                lines.add(loop.create_task(self._on_a_line(client, leaves)))
                await self._until(leaves, lines)
                # It was the only one, or the platform says goodbye to each as soon as it stands.
                if sum(not one.done() for one in lines) > 1:
                    raise ChannelError(say("restless", self._language))
                await asyncio.sleep(max(started + RENEWAL_SECONDS - loop.time(), 0.0))
        finally:
            for one in lines:
                one.cancel()
            await asyncio.gather(*lines, return_exceptions=True)

    async def _until(self, leaves: asyncio.Event, lines: set[asyncio.Task[None]]) -> None:
        """Wait for the goodbye of the newest line; a line that broke is an error of ours."""
        waiting = asyncio.create_task(leaves.wait())
        try:
            while not leaves.is_set():
                done, _ = await asyncio.wait({waiting, *lines}, return_when=asyncio.FIRST_COMPLETED)
                for one in done & lines:
                    lines.discard(one)
                    one.result()
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    async def _on_a_line(self, client: DingTalkClient, leaves: asyncio.Event) -> None:
        """One line from its opening to its end, which is quiet if it was announced.

        Raises:
            ChannelError: it broke.
        """
        async with client.line() as line:
            self._account.online()
            await self._follow(line, leaves)
            if not leaves.is_set():
                raise ChannelError(say("ended", self._language))
            with contextlib.suppress(OSError, aiohttp.ClientError):  # it was to end
                async with asyncio.timeout(LEAVING_SECONDS):
                    await self._follow(line, leaves)

    async def _follow(self, line: Line, leaves: asyncio.Event) -> None:
        """Hand over what comes, to the line's end or its first goodbye."""
        async for message in line.socket:
            self._account.heard()
            if message.type is aiohttp.WSMsgType.PING:
                await line.socket.pong(message.data)
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            push = read_push(message.data)
            if push is None:
                continue
            if push.is_goodbye:
                if leaves.is_set():
                    continue
                leaves.set()
                return
            kept = await self._kept(push, line.host)
            await line.socket.send_str(acknowledged(push, kept=kept))

    async def _kept(self, push: Push, host: str) -> bool:
        """Whether what was told is done with: messages are, once they lie on the disk."""
        if (push.kind, push.topic) != (CALLBACK, ROBOT):
            return True
        told = read_message(read_object(push.data) or {}, self._clock.now())
        if told is None:
            return True
        if told.session is not None and told.envelope.peer is not None:
            self._sessions.keep(told.envelope.peer, told.session)
        self._account.reaches(host)
        try:
            await self._account.receive([told.envelope])
        except ChannelError:
            raise  # we are at our end
        except MoltbotError:
            return False  # the program has told why
        return True

    # ------------------------------------------------------------ what goes

    async def _said(self, message: OutboundMessage, words: str) -> str:
        """Said within the session where one is open, by the API otherwise; its id."""
        kind, param = markdown(words)
        if len(param.encode("utf-8", "replace")) > LONGEST_PARAM:
            raise ChannelTooLong(say("long", self._language), limit=_SHORTER)
        peer = self._place(message.target)
        session = self._sessions.of(peer, self._clock.now())
        if session:
            if await self._connected().answer(session, in_session(words)):
                return ""
            self._sessions.forget(peer)
        return await self._by_the_api(message.target, kind, param)

    async def _by_the_api(self, target: DeliveryTarget, kind: str, param: str) -> str:
        """https://open.dingtalk.com/document/development/the-robot-sends-a-group-message
        https://open.dingtalk.com/document/development/chatbots-send-one-on-one-chat-messages-in-batches"""
        peer = self._place(target)
        body: dict[str, JsonValue] = {
            "robotCode": self._settings.robot,
            "msgKey": kind,
            "msgParam": param,
        }
        if peer.kind is not PeerKind.DM:
            body["openConversationId"] = peer.id
            answer = await self._connected().call("/v1.0/robot/groupMessages/send", body)
            return text(answer.get("processQueryKey"))
        if peer.id.startswith(SEALED):
            raise self._nowhere(peer.id)
        body["userIds"] = [peer.id]
        answer = await self._connected().call("/v1.0/robot/oToMessages/batchSend", body)
        if _names(answer.get("invalidStaffIdList"), peer.id):
            raise self._nowhere(peer.id)
        if _names(answer.get("flowControlledStaffIdList"), peer.id):
            raise ChannelRateLimited(say("wait", self._language), retry_after=_FLOW_SECONDS)
        return text(answer.get("processQueryKey"))

    async def _uploaded(self, given: Attachment) -> tuple[str, str]:
        """The kind of message and its parameters, for a file that lies with the platform now."""
        name = given.name[-_LONGEST_NAME:] or "file"
        try:
            content = given.path.open("rb")
        except OSError as error:
            raise ChannelRefused(say("unread", self._language, name=name)) from error
        with content:
            shown = is_picture(name) and os.fstat(content.fileno()).st_size > 0
            form = aiohttp.FormData()
            form.add_field("media", content, filename=name)
            media_id = await self._connected().upload("image" if shown else "file", form)
        return picture(media_id) if shown else file(name, media_id)

    def _place(self, target: DeliveryTarget) -> Peer:
        """Raises ChannelRefused for what is no id of a person or a group."""
        peer = target.peer
        if peer is None or not SAFE_ID.fullmatch(peer.id):
            raise self._nowhere(peer.id if peer is not None else "")
        return peer

    def _nowhere(self, place: str) -> ChannelRefused:
        return ChannelRefused(say("nowhere", self._language, place=place[:40]))

    def _connected(self) -> DingTalkClient:
        if self._client is None:
            raise ChannelError(say("ended", self._language))
        return self._client


def _names(value: JsonValue, wanted: str) -> bool:
    return isinstance(value, list) and wanted in value
