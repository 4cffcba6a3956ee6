"""One bot account on one server: `RunningChannel` and all that stands beside it.

    channel = MattermostChannel(account, clock, language, began={})
    await channel.run()

Mattermost knows a message by its ``pending_post_id`` for half a minute only; a mark in its
properties stays, so that one which was sent just before a crash is found and not shown twice.
https://api.mattermost.com/#tag/posts/operation/CreatePost
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import AsyncIterator

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.mattermost.client import MattermostClient, opened
from moltbot_desktop.extensions.mattermost.events import Me
from moltbot_desktop.extensions.mattermost.history import since_of
from moltbot_desktop.extensions.mattermost.inbox import Inbox
from moltbot_desktop.extensions.mattermost.people import People
from moltbot_desktop.extensions.mattermost.refusals import Refusal
from moltbot_desktop.extensions.mattermost.settings import settings_from
from moltbot_desktop.extensions.mattermost.text import harmless
from moltbot_desktop.extensions.mattermost.values import group, identity, text, texts
from moltbot_desktop.extensions.mattermost.words import say
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    OutboundMessage,
    PeerKind,
    RemoteFile,
)
from moltbot_desktop.sdk.emoji_names import name_of
from moltbot_desktop.sdk.plugins import ChannelAccount

_LONGEST_NAME = 120
_MOST_REMEMBERED = 5_000
_LOOKED_AT = "60"
"""Of the youngest posts of a room, where one of ours is looked for."""
_MARK = "moltbot_desktop_key"
_QUIET: JsonObject = {
    # Links and pictures are shown as text, and the server loads none of them.
    "unsafe_links": "true",
    # Names of groups call nobody.
    "disable_group_highlight": True,
}


async def whoami(client: MattermostClient) -> Me:
    """Who the token belongs to.

    Raises:
        ChannelAuthFailed: nobody.
    """
    found = group(await client.ask("GET", "/users/me"))
    me = Me(identity(found.get("id")), text(found.get("username")))
    if not me.id:
        raise Refusal(404, "users/me").as_error(client.language)
    return me


async def probe(settings: JsonObject, language: Language, clock: Clock) -> str:
    """Our name.

    Raises:
        ChannelError: as in `MattermostClient.ask`.
    """
    async with opened(settings_from(settings), language, clock) as client:
        return f"@{(await whoami(client)).username}"


class MattermostChannel:
    """Lives on the account's loop.

    Args:
        began: when this program first listened, by account; in milliseconds of the server's clock.
    """

    def __init__(
        self, account: ChannelAccount, clock: Clock, language: Language, began: dict[str, int]
    ) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._began = began
        self._settings = settings_from(account.settings)
        self._line: tuple[MattermostClient, Me, People] | None = None
        self._settled: set[DeliveryTarget] = set()
        self._ours: dict[str, None] = {}

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        async with opened(self._settings, self._language, self._clock) as client:
            self._account.reaches(self._settings.host)
            me = await whoami(client)
            people = People(client, me)
            self._line = client, me, people
            now = int((await client.server_time() or self._clock.now().timestamp()) * 1000)
            began = self._began.setdefault(self._account.name, now)
            since = since_of(self._account.cursor, began, now)
            inbox = Inbox(client, people, self._account, self._settings, me, self._language, since)
            async with client.line() as line:
                await inbox.follow(line)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`."""
        client, me, _ = self._connected()
        room = await self._room(message.target)
        mark = hashlib.sha256(f"{me.id} {idempotency_key}".encode()).hexdigest()[:32]
        # Messages to one target keep their order: only the first of a connection, and one behind
        # a failure, may have been sent before.
        if message.target not in self._settled:
            if found := await self._sent(room, mark):
                self._settle(message.target)
                return found
        self._settled.discard(message.target)
        files: list[JsonValue] = [await self._uploaded(one, room) for one in message.attachments]
        words = message.text if message.text.strip() else message.markdown
        post: JsonObject = {
            "channel_id": room,
            "message": "" if files and not words.strip() else harmless(words),
            "root_id": identity(message.target.thread_id),
            "file_ids": files,
            "props": {**_QUIET, _MARK: mark},
            "pending_post_id": f"{me.id}:{mark}",
        }
        sent = identity(group(await client.ask("POST", "/posts", post)).get("id"))
        self._settle(message.target)
        self._remember(sent)
        return sent

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`. What is not said stays: properties would be replaced as a whole."""
        client, _, _ = self._connected()
        await self._must_be_ours(message_id)
        words = message.text if message.text.strip() else message.markdown
        await client.ask("PUT", f"/posts/{message_id}/patch", {"message": harmless(words)})

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        client, _, _ = self._connected()
        with contextlib.suppress(ChannelNotFound):
            await self._must_be_ours(message_id)
            await client.ask("DELETE", f"/posts/{message_id}")

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`."""
        client, me, _ = self._connected()
        post, name = self._post(message_id), name_of(emoji)
        unknown = ChannelRefused(
            say("reaction", self._language, emoji=emoji[:20]),
            hint=say("reaction_hint", self._language),
        )
        if name is None or "'" in name:
            raise unknown
        if remove:
            path = f"/users/{me.id}/posts/{post}/reactions/{name}"
            reply = await client.reply("DELETE", path)
        else:
            reaction = {"user_id": me.id, "post_id": post, "emoji_name": name}
            reply = await client.reply("POST", "/reactions", reaction)
        if isinstance(reply, Refusal):
            if "emoji" in reply.id:
                raise unknown
            raise reply.as_error(self._language)

    async def show_typing(self, target: DeliveryTarget) -> None:
        """See `Typing.show_typing`."""
        client, me, _ = self._connected()
        where = {"channel_id": await self._room(target), "parent_id": identity(target.thread_id)}
        await client.ask("POST", f"/users/{me.id}/typing", where)

    def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        """See `Fetching.fetch`."""
        client, _, _ = self._connected()
        return client.download(file.ref)

    async def _sent(self, room: str, mark: str) -> str:
        """The id of a message of ours that was sent already, "" for none."""
        client, me, _ = self._connected()
        asked = {"page": "0", "per_page": _LOOKED_AT, "skipFetchThreads": "true"}
        answer = group(await client.ask("GET", f"/channels/{room}/posts", params=asked))
        posts = group(answer.get("posts"))
        for one in texts(answer.get("order")):
            post = group(posts.get(one))
            is_it = text(group(post.get("props")).get(_MARK)) == mark
            if is_it and text(post.get("user_id")) == me.id:
                self._remember(one)
                return one
        return ""

    async def _uploaded(self, file: Attachment, room: str) -> str:
        client, _, _ = self._connected()
        name = file.name[-_LONGEST_NAME:]
        try:
            content = file.path.open("rb")
        except OSError as error:
            said = say("unread", self._language, name=name)
            raise ChannelRefused(said) from error
        with content:
            return await client.upload(room, name, content)

    async def _must_be_ours(self, message_id: str) -> None:
        """A bot with many rights could change what others wrote: it never does.

        Raises:
            ChannelNotFound: it is gone.
            ChannelRefused: it is somebody else's.
        """
        client, me, _ = self._connected()
        post_id = self._post(message_id)
        if post_id in self._ours:
            return
        post = group(await client.ask("GET", f"/posts/{post_id}"))
        if text(post.get("user_id")) != me.id:
            raise ChannelRefused(say("foreign", self._language))
        self._remember(post_id)

    def _post(self, message_id: str) -> str:
        """
        Raises:
            ChannelNotFound: it is no id of Mattermost's.
        """
        if not identity(message_id):
            raise Refusal(404, message_id[:40]).as_error(self._language)
        return message_id

    async def _room(self, target: DeliveryTarget) -> str:
        """The id of the conversation: a person's is asked for.

        Raises:
            ChannelRefused: it is none of Mattermost's.
        """
        _, _, people = self._connected()
        place = target.peer.id if target.peer is not None else ""
        if not identity(place):
            raise ChannelRefused(say("nowhere", self._language, place=place[:40]))
        is_person = target.peer is not None and target.peer.kind is PeerKind.DM
        return await people.room(place) if is_person else place

    def _settle(self, target: DeliveryTarget) -> None:
        if len(self._settled) >= _MOST_REMEMBERED:
            self._settled.clear()
        self._settled.add(target)

    def _remember(self, post_id: str) -> None:
        if len(self._ours) >= _MOST_REMEMBERED:
            self._ours.clear()
        self._ours[post_id] = None

    def _connected(self) -> tuple[MattermostClient, Me, People]:
        if self._line is None:
            raise ChannelError(say("ended", self._language))
        return self._line
