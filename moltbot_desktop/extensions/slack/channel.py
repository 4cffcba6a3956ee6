"""One app in one workspace: `RunningChannel` and all that stands beside it.

    PluginChannel("slack", lambda account: SlackChannel(account, clock, language), CAN)

A message is acknowledged to Slack once it is kept; what was not acknowledged Slack tells again, on
the next line too. Slack renews lines every few hours: that is no end of the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator

import aiohttp

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
    MoltbotError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.slack.client import SlackClient, opened
from moltbot_desktop.extensions.slack.events import (
    Began,
    Goodbye,
    Hello,
    Me,
    Said,
    Told,
    began_with,
    envelope_of,
    read_command,
    read_event,
    read_frame,
)
from moltbot_desktop.extensions.slack.people import NAME_SECONDS, People
from moltbot_desktop.extensions.slack.refusals import Refusal
from moltbot_desktop.extensions.slack.settings import settings_from
from moltbot_desktop.extensions.slack.words import say
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    OutboundMessage,
    PeerKind,
    RemoteFile,
)
from moltbot_desktop.sdk.emoji_names import name_of
from moltbot_desktop.sdk.foreign_json import text
from moltbot_desktop.sdk.plugins import ChannelAccount

_LONGEST_NAME = 120
_MOST_THREADS = 5_000


async def whoami(client: SlackClient) -> Me:
    """Who the bot's token belongs to.

    Raises:
        ChannelAuthFailed: nobody.
    """
    found = await client.call("auth.test")
    return Me(*(text(found.get(one)) for one in ("user_id", "user", "team_id")))


async def probe(settings: JsonObject, language: Language) -> str:
    """Our name; the line is tried, too, without a message being taken from it.

    Raises:
        ChannelError: as in `SlackClient.call`.
    """
    async with opened(settings_from(settings), language) as client:
        me = await whoami(client)
        await client.call("apps.connections.open", by_app=True)
        return f"@{me.name}"


class SlackChannel:
    """Lives on the account's loop."""

    def __init__(self, account: ChannelAccount, clock: Clock, language: Language) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings)
        self._client: SlackClient | None = None
        self._people: People | None = None
        self._lacks: set[str] = set()
        self._threads: set[tuple[str, str]] = set()

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        async with opened(self._settings, self._language) as client:
            self._account.reaches(self._settings.host)
            me = await whoami(client)
            self._client, self._people = client, People(client)
            while True:
                async with client.line() as line:
                    await self._follow(line, me, self._people)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`. Slack knows no keys: a crash may show a message twice."""
        room = await self._room(message.target)
        sent = ""
        if message.text.strip() or not message.attachments:
            thread = {"thread_ts": message.target.thread_id or None}
            sent = text((await self._said("chat.postMessage", room, message, thread)).get("ts"))
        for file in message.attachments:
            await self._with_file(file, room, message.target.thread_id)
        return sent

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`."""
        room = await self._room(message.target)
        await self._said("chat.update", room, message, {"ts": message_id})

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        room = await self._room(target)
        with contextlib.suppress(ChannelNotFound):
            await self._asked("chat.delete", {"channel": room, "ts": message_id})

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`."""
        name = name_of(emoji)
        unknown = ChannelRefused(
            say("reaction", self._language, emoji=emoji[:20]),
            hint=say("reaction_hint", self._language),
        )
        if name is None:
            raise unknown
        where = {"channel": await self._room(target), "timestamp": message_id, "name": name}
        method = "reactions.remove" if remove else "reactions.add"
        reply = await self._connected().ask(method, where)
        if isinstance(reply, Refusal):
            if reply.error in ("already_reacted", "no_reaction"):
                return
            if reply.error == "invalid_name":
                raise unknown
            raise self._refused(reply)

    def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        return self._connected().download(file.ref)

    # ------------------------------------------------------------ what comes

    async def _follow(self, line: aiohttp.ClientWebSocketResponse, me: Me, people: People) -> None:
        """Hand over what comes, until Slack wants another line.

        Raises:
            ChannelRefused: socket mode is switched off.
            ChannelError: the line broke, or never stood.
        """
        stands = False
        async for frame in line:
            self._account.heard()
            if frame.type is aiohttp.WSMsgType.PING:
                await line.pong(frame.data)
                continue
            if frame.type is not aiohttp.WSMsgType.TEXT:
                continue
            match read_frame(frame.data):
                case Hello():
                    stands = True
                    self._account.online()
                case Goodbye("link_disabled"):
                    hint = say("socket_mode_hint", self._language)
                    raise ChannelRefused(say("socket_mode", self._language), hint=hint)
                case Goodbye("too_many_websockets"):
                    raise ChannelError(say("too_many", self._language))
                case Goodbye() if stands:
                    return
                case Told() as told:
                    if await self._kept(told, me, people):
                        await line.send_str(json.dumps({"envelope_id": told.id}))
        raise ChannelError(say("ended", self._language))

    async def _kept(self, told: Told, me: Me, people: People) -> bool:
        """Whether Slack need not tell it again."""
        said: Said | None = None
        if told.kind == "events_api":
            said = read_event(told.payload, me)
        elif told.kind == "slash_commands":
            said = read_command(told.payload)
        if said is None:
            return True
        if said.direct:
            people.writes_from(said.user, said.room)
        began = await self._began(said, me)
        named = said.people | (began.people if began is not None else frozenset())
        names = await people.names(named - {me.user})
        try:
            await self._account.receive([envelope_of(said, me, names, self._clock.now(), began)])
        except ChannelError:
            raise  # we are at our end
        except MoltbotError:
            return False  # the program has told why
        return True

    async def _began(self, said: Said, me: Me) -> Began | None:
        """What a thread began with, the first time that somebody writes in it: to write in a
        thread is Slack's way to answer. Without the right to look there is none."""
        place = (said.room, said.thread)
        if not said.thread or place in self._threads:
            return None
        if len(self._threads) >= _MOST_THREADS:
            self._threads.clear()
        self._threads.add(place)
        asked: JsonObject = {"channel": said.room, "ts": said.thread, "limit": 1, "inclusive": True}
        try:
            async with asyncio.timeout(NAME_SECONDS):
                reply = await self._connected().ask("conversations.replies", asked)
        except (TimeoutError, ChannelError):
            return None
        return None if isinstance(reply, Refusal) else began_with(reply, said, me)

    # ------------------------------------------------------------ what goes

    async def _said(
        self, method: str, room: str, message: OutboundMessage, more: JsonObject
    ) -> JsonObject:
        """A text sent or changed. Slack loads nothing that stands in it: no previews of links."""
        words = message.text if message.text.strip() else message.markdown
        still = {"unfurl_links": False, "unfurl_media": False}
        params = {"channel": room, "text": words, **still, **more}
        reply = await self._connected().ask(method, params)
        if isinstance(reply, Refusal):
            error = reply.as_error(self._language)
            if reply.is_scope:  # without this one nothing can be said at all
                raise ChannelAuthFailed(str(error), hint=error.hint)
            raise error
        return reply

    async def _with_file(self, file: Attachment, room: str, thread: str) -> None:
        """https://docs.slack.dev/messaging/working-with-files#uploading_files"""
        name = file.name[-_LONGEST_NAME:]
        try:
            content = file.path.open("rb")
        except OSError as error:
            said = say("unread", self._language, name=name)
            raise ChannelRefused(said) from error
        with content:
            length = os.fstat(content.fileno()).st_size
            file_id = await self._connected().upload(name, length, content)
        files = json.dumps([{"id": file_id, "title": name}], ensure_ascii=False)
        where = {"channel_id": room, "thread_ts": thread or None, "files": files}
        await self._asked("files.completeUploadExternal", where)

    async def _room(self, target: DeliveryTarget) -> str:
        """The id of the conversation: a person's is asked for.

        Raises:
            ChannelRefused: it is none of Slack's.
        """
        place = target.peer.id if target.peer is not None else ""
        if not place.isascii() or not place.isalnum():
            raise ChannelRefused(say("nowhere", self._language, place=place[:40]))
        is_person = target.peer is not None and target.peer.kind is PeerKind.DM
        if is_person and not place.startswith("D") and self._people is not None:
            return await self._people.room(place)
        return place

    async def _asked(self, method: str, params: JsonObject) -> JsonObject:
        reply = await self._connected().ask(method, params)
        if isinstance(reply, Refusal):
            raise self._refused(reply)
        return reply

    def _refused(self, reply: Refusal) -> ChannelError:
        """The error; a permission that is missing is told once, while the rest goes on."""
        error = reply.as_error(self._language)
        if reply.is_scope and reply.needed not in self._lacks:
            self._lacks.add(reply.needed)
            self._account.problem(f"{error} {error.hint}")
        return error

    def _connected(self) -> SlackClient:
        if self._client is None:
            raise ChannelError(say("ended", self._language))
        return self._client
