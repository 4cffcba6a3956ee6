"""One connection to Mattermost without the rest of the program: what it sends, fetches, refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.errors import ChannelError, ChannelNotFound, ChannelRefused, StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.mattermost.channel import MattermostChannel
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    RemoteFile,
)
from moltbot_desktop.sdk.plugins import ChannelAccount
from tests.fakes.channel_contract import until
from tests.fakes.mattermost_server import ADA, EVE, ME, ROOM, TOKEN, Fault, MattermostServer, ident

TO_ADA = DeliveryTarget("mattermost", "main", Peer(PeerKind.DM, ADA))
TO_ROOM = DeliveryTarget("mattermost", "main", Peer(PeerKind.CHANNEL, ROOM))


@dataclass
class Desk:
    """The program's side of it; `fails` is raised by the next message."""

    there: MattermostServer = field(default_factory=MattermostServer)
    kept: list[Envelope] = field(default_factory=list)
    fails: list[StorageError] = field(default_factory=list)
    online: int = 0

    async def receive(self, envelopes: Sequence[Envelope]) -> None:
        if self.fails:
            raise self.fails.pop()
        self.kept.extend(envelopes)

    def is_online(self) -> None:
        self.online += 1


def play(
    story: Callable[[Desk, MattermostChannel, asyncio.Task[None]], Awaitable[None]],
) -> None:
    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        own: JsonObject = {
            "botToken": TOKEN,
            "baseUrl": desk.there.base,
            "mediaMaxMb": 0.001,
            "proxy": "",
        }
        account = ChannelAccount(own, desk.receive, desk.is_online, lambda _: None)
        channel = MattermostChannel(account, SystemClock(), Language.ENGLISH, {})
        running = asyncio.create_task(channel.run())
        try:
            await until(lambda: desk.online)
            await story(desk, channel, running)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await desk.there.stop()

    asyncio.run(scene())


def test_a_message_that_could_not_be_kept_ends_the_connection() -> None:
    """The next one finds it in the room: the cursor has not moved."""

    async def story(desk: Desk, _: MattermostChannel, running: asyncio.Task[None]) -> None:
        desk.fails.append(StorageError("the disk is full"))
        desk.there.write("hello")
        with pytest.raises(StorageError):
            await running
        assert not desk.kept

    play(story)


def test_what_others_wrote_is_never_changed() -> None:
    """Whatever the bot may do there: nobody asks the server to."""

    async def story(desk: Desk, channel: MattermostChannel, _: asyncio.Task[None]) -> None:
        theirs = desk.there.write("hers", user=EVE, room=ROOM)
        with pytest.raises(ChannelRefused, match="own"):
            await channel.edit(theirs.id, OutboundMessage(TO_ROOM, "mine"))
        with pytest.raises(ChannelRefused, match="own"):
            await channel.delete(TO_ROOM, theirs.id)
        asked = [call for call, _ in desk.there.calls]
        assert not any(one.startswith(("PUT", "DELETE")) for one in asked)
        # One of ours from before is ours, and what is gone is gone.
        before = desk.there.write("of yesterday", user=ME, room=ROOM)
        await channel.edit(before.id, OutboundMessage(TO_ROOM, "of today @here"))
        assert "@here" not in before.texts[-1] and "of today" in before.texts[-1]
        await channel.delete(TO_ROOM, before.id)
        await channel.delete(TO_ROOM, before.id)
        for gone in (ident("nothing"), "../users/me"):
            with pytest.raises(ChannelNotFound):
                await channel.edit(gone, OutboundMessage(TO_ROOM, "x"))

    play(story)


def test_a_message_goes_where_it_belongs(tmp_path: Path) -> None:
    """https://api.mattermost.com/#tag/files/operation/UploadFile"""
    file = tmp_path / "茶 & tea.txt"
    file.write_bytes(b"words")

    async def story(desk: Desk, channel: MattermostChannel, _: asyncio.Task[None]) -> None:
        there = desk.there
        begun = there.write("tea?", room=ROOM)
        thread = DeliveryTarget("mattermost", "main", TO_ROOM.peer, begun.id)
        attached = (Attachment(file, file.name, "text/plain"),)
        sent = await channel.send(OutboundMessage(thread, "", attachments=attached), "k1")
        assert there.posts[sent].root == begun.id
        assert there.files[there.posts[sent].files[0]][0::2] == (file.name, b"words")
        for number in range(2):
            await channel.send(OutboundMessage(TO_ADA, f"m{number}"), f"d{number}")
        asked = [call for call, _ in there.calls]
        assert asked.count("POST /channels/direct") == 1
        assert asked.count(f"GET /channels/{there.direct(ADA)}/posts") == 1
        await channel.show_typing(TO_ADA)
        nowhere = DeliveryTarget("mattermost", "main", Peer(PeerKind.CHANNEL, "town-square"))
        with pytest.raises(ChannelRefused, match="town-square"):
            await channel.send(OutboundMessage(nowhere, "x"), "k2")
        missing = (Attachment(tmp_path / "b.txt", "b.txt"),)
        with pytest.raises(ChannelRefused, match=r"b\.txt"):
            await channel.send(OutboundMessage(TO_ADA, "", attachments=missing), "k3")

    play(story)


def test_reactions_are_names() -> None:
    """https://api.mattermost.com/#tag/reactions/operation/SaveReaction"""

    async def story(desk: Desk, channel: MattermostChannel, _: asyncio.Task[None]) -> None:
        post = desk.there.write("hello", room=ROOM)
        for _again in range(2):
            await channel.react(TO_ROOM, post.id, "👍")
        assert desk.there.reactions[post.id] == ["+1"]
        for _again in range(2):
            await channel.react(TO_ROOM, post.id, "👍", remove=True)
        assert desk.there.reactions[post.id] == []
        for unknown in ("🛞", ":nobody-knows:"):
            with pytest.raises(ChannelRefused, match="no reaction"):
                await channel.react(TO_ROOM, post.id, unknown)

    play(story)


def test_files_are_fetched_with_care() -> None:
    """https://api.mattermost.com/#tag/files/operation/GetFile"""

    async def story(desk: Desk, channel: MattermostChannel, _: asyncio.Task[None]) -> None:
        there = desk.there

        async def loaded(file_id: str) -> bytes:
            return b"".join([one async for one in channel.fetch(RemoteFile(file_id, "a"))])

        there.files[ident("f1")] = ("a.bin", "application/octet-stream", b"x" * 900)
        there.files[ident("f2")] = ("a.bin", "application/octet-stream", b"x" * 1_001)
        assert await loaded(ident("f1")) == b"x" * 900
        with pytest.raises(ChannelRefused, match="mediaMaxMb"):
            await loaded(ident("f2"))
        for gone in (ident("f3"), "../users/me"):
            with pytest.raises(ChannelNotFound):
                await loaded(gone)

    play(story)


def test_what_cannot_be_read_says_so_without_a_token() -> None:
    async def story(desk: Desk, channel: MattermostChannel, _: asyncio.Task[None]) -> None:
        desk.there.faults += [Fault("POST /posts"), Fault("POST /posts", 302)]
        for number in range(2):
            with pytest.raises(ChannelError) as caught:
                await channel.send(OutboundMessage(TO_ADA, "x"), f"k{number}")
            error = caught.value
            assert TOKEN not in f"{error} {error.hint} {error.__cause__}"

    play(story)
