"""One connection to Slack without the rest of the program: what it acknowledges and refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelNotFound,
    ChannelRefused,
    StorageError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.slack.channel import SlackChannel
from moltbot_desktop.sdk.channels import (
    Attachment,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
)
from moltbot_desktop.sdk.plugins import ChannelAccount
from tests.fakes.channel_contract import until
from tests.fakes.slack_server import APP_TOKEN, BOT_TOKEN, ROOM, Fault, SlackServer

ADA = DeliveryTarget("slack", "main", Peer(PeerKind.DM, "U42"))


@dataclass
class Desk:
    """The program's side of it; `fails` is raised by the next message."""

    there: SlackServer = field(default_factory=SlackServer)
    kept: list[Envelope] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    fails: list[StorageError] = field(default_factory=list)
    pending_meanwhile: list[int] = field(default_factory=list)
    online: int = 0

    async def receive(self, envelopes: Sequence[Envelope]) -> None:
        self.pending_meanwhile.append(len(self.there.pending))
        if self.fails:
            raise self.fails.pop()
        self.kept.extend(envelopes)

    def is_online(self) -> None:
        self.online += 1


def play(story: Callable[[Desk, SlackChannel], Awaitable[None]]) -> None:
    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        tokens = {"botToken": BOT_TOKEN, "appToken": APP_TOKEN}
        account = ChannelAccount(
            {**tokens, "apiRoot": desk.there.root, "mediaMaxMb": 1, "proxy": ""},
            desk.receive,
            desk.is_online,
            desk.told.append,
        )
        channel = SlackChannel(account, SystemClock(), Language.ENGLISH)
        running = asyncio.create_task(channel.run())
        try:
            await until(lambda: desk.online)
            await story(desk, channel)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await desk.there.stop()

    asyncio.run(scene())


def test_a_message_is_acknowledged_once_it_is_kept() -> None:
    async def story(desk: Desk, _: SlackChannel) -> None:
        desk.there.write("1760000001.1", "hello")
        await until(lambda: not desk.there.pending)
        assert desk.pending_meanwhile == [1]
        assert [one.text for one in desk.kept] == ["hello"]

    play(story)


def test_a_message_that_could_not_be_kept_is_told_again() -> None:
    async def story(desk: Desk, _: SlackChannel) -> None:
        desk.fails.append(StorageError("the disk is full"))
        desk.there.write("1760000001.1", "hello")
        await until(lambda: desk.pending_meanwhile and not desk.fails)
        assert len(desk.there.pending) == 1 and not desk.kept
        await desk.there.goodbye("refresh_requested")
        await until(lambda: desk.kept)
        await until(lambda: not desk.there.pending)

    play(story)


def test_what_is_no_message_is_acknowledged_too() -> None:
    async def story(desk: Desk, _: SlackChannel) -> None:
        desk.there.write("1760000001.1", "mine", bot_id="B1")
        desk.there.happen("interactive", {"type": "block_actions"})
        desk.there.write("1760000002.1", "hello")
        await until(lambda: not desk.there.pending)
        assert [one.text for one in desk.kept] == ["hello"]

    play(story)


def test_a_permission_that_only_a_part_needs_stops_that_part() -> None:
    async def story(desk: Desk, channel: SlackChannel) -> None:
        lacks = Fault("reactions.add", "missing_scope", needed="reactions:write")
        desk.there.faults += [lacks, lacks]
        for _ in range(2):
            with pytest.raises(ChannelRefused, match="reactions:write") as caught:
                await channel.react(ADA, "1760000001.1", "👀")
            assert not isinstance(caught.value, ChannelAuthFailed)
        assert len(desk.told) == 1 and "reactions:write" in desk.told[0]
        await channel.react(ADA, "1760000001.1", "👀")
        await channel.react(ADA, "1760000001.1", "👀")  # it is there already
        assert desk.there.reactions["1760000001.1"] == ["eyes"]
        await channel.react(ADA, "1760000001.1", "👀", remove=True)
        await channel.react(ADA, "1760000001.1", "👀", remove=True)
        assert desk.there.reactions["1760000001.1"] == []
        with pytest.raises(ChannelRefused, match="no reaction"):
            await channel.react(ADA, "1760000001.1", "🛞")
        with pytest.raises(ChannelRefused, match="no reaction"):
            await channel.react(ADA, "1760000001.1", ":nobody-knows:")

    play(story)


def test_a_message_goes_where_it_belongs(tmp_path: Path) -> None:
    """A person is written to in the conversation with them, which is asked for once."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"words")

    async def story(desk: Desk, channel: SlackChannel) -> None:
        first = await channel.send(OutboundMessage(ADA, "one"), "k1")
        await channel.edit(first, OutboundMessage(ADA, "two"))
        assert desk.there.posts[first].room == "D42"
        assert desk.there.posts[first].texts == ["one", "two"]
        asked = [method for method, _ in desk.there.calls]
        assert asked.count("conversations.open") == 1
        room = DeliveryTarget("slack", "main", Peer(PeerKind.CHANNEL, ROOM), "1760000000.1")
        attached = (Attachment(file, "a.txt", "text/plain"),)
        assert not await channel.send(OutboundMessage(room, "", attachments=attached), "k2")
        _, given = next(one for one in desk.there.calls if one[0].endswith("UploadExternal"))
        assert given["channel_id"] == ROOM and given["thread_ts"] == "1760000000.1"
        await channel.delete(ADA, first)
        await channel.delete(ADA, first)  # it is gone already
        with pytest.raises(ChannelNotFound):
            await channel.edit(first, OutboundMessage(ADA, "three"))
        gone = (Attachment(tmp_path / "b.txt", "b.txt"),)
        with pytest.raises(ChannelRefused, match=r"b\.txt"):
            await channel.send(OutboundMessage(ADA, "", attachments=gone), "k3")
        nowhere = DeliveryTarget("slack", "main", Peer(PeerKind.CHANNEL, "#tea"))
        with pytest.raises(ChannelRefused, match="#tea"):
            await channel.send(OutboundMessage(nowhere, "x"), "k4")

    play(story)
