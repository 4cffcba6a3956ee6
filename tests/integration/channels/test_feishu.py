"""One connection to Feishu without the rest of the program: what it acknowledges and refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
    StorageError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.feishu.channel import FeishuChannel
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
from tests.fakes.feishu_server import APP_ID, APP_SECRET, Fault, FeishuServer

ADA = DeliveryTarget("feishu", "main", Peer(PeerKind.DM, "ou_42"))


@dataclass
class Desk:
    """The program's side of it; `fails` is raised by the next message."""

    there: FeishuServer = field(default_factory=FeishuServer)
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


def account(desk: Desk) -> ChannelAccount:
    keys: JsonObject = {"appId": APP_ID, "appSecret": APP_SECRET}
    given: JsonObject = {**keys, "apiRoot": desk.there.root, "mediaMaxMb": 1}
    return ChannelAccount(given, desk.receive, desk.is_online, desk.told.append)


def play(story: Callable[[Desk, FeishuChannel], Awaitable[None]]) -> None:
    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        channel = FeishuChannel(account(desk), SystemClock(), Language.ENGLISH)
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
    async def story(desk: Desk, _: FeishuChannel) -> None:
        desk.there.write("om_1", "hello")
        await until(lambda: not desk.there.pending)
        assert desk.pending_meanwhile == [1] and [one.text for one in desk.kept] == ["hello"]
        assert desk.there.pings[0] == 33

    play(story)


def test_a_message_that_could_not_be_kept_is_not_acknowledged() -> None:
    async def story(desk: Desk, _: FeishuChannel) -> None:
        desk.fails.append(StorageError("the disk is full"))
        desk.there.write("om_1", "hello")
        await until(lambda: desk.there.answers)
        assert desk.there.answers[0][1] == 500 and desk.there.pending and not desk.kept

    play(story)


def test_an_event_in_parts_is_one_message() -> None:
    """The last part comes first here."""

    async def story(desk: Desk, _: FeishuChannel) -> None:
        desk.there.parts = 3
        desk.there.write("om_1", "你好，世界" * 50)
        await until(lambda: not desk.there.pending)
        assert [one.text for one in desk.kept] == ["你好，世界" * 50]

    play(story)


def test_what_is_no_message_is_acknowledged_too() -> None:
    async def story(desk: Desk, _: FeishuChannel) -> None:
        desk.there.write("om_1", "beep", sender_type="app")
        desk.there.happen("im.chat.updated_v1", {"chat_id": "oc_1"})
        desk.there.write("om_2", "hello")
        await until(lambda: not desk.there.pending)
        assert [one.text for one in desk.kept] == ["hello"]

    play(story)


def test_a_message_with_one_key_is_shown_once() -> None:
    """https://open.feishu.cn/document/server-docs/im-v1/message/create (`uuid`)"""

    async def story(desk: Desk, channel: FeishuChannel) -> None:
        first = await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        assert await channel.send(OutboundMessage(ADA, "hi"), "run-1:0") == first
        assert await channel.send(OutboundMessage(ADA, "hi"), "run-1:1") != first
        assert len(desk.there.posts) == 2

    play(story)


def test_an_answer_to_what_was_taken_back_stands_alone() -> None:
    async def story(desk: Desk, channel: FeishuChannel) -> None:
        await channel.send(OutboundMessage(ADA, "hi", reply_to="om_gone"), "run-1:0")
        [sent] = desk.there.posts.values()
        assert sent.to == "ou_42" and not sent.answers

    play(story)


def test_a_reaction_is_taken_away_again() -> None:
    async def story(desk: Desk, channel: FeishuChannel) -> None:
        await channel.react(ADA, "om_1", "👀")
        await channel.react(ADA, "om_1", "👍")
        await channel.react(ADA, "om_1", "👀", remove=True)
        await channel.react(ADA, "om_1", "👀", remove=True)
        assert list(desk.there.reactions["om_1"].values()) == ["THUMBSUP"]
        with pytest.raises(ChannelRefused):
            await channel.react(ADA, "om_1", "🛞")

    play(story)


def test_after_twenty_edits_a_message_is_sent_anew() -> None:
    """https://open.feishu.cn/document/server-docs/im-v1/message/update"""

    async def story(_: Desk, channel: FeishuChannel) -> None:
        sent = await channel.send(OutboundMessage(ADA, "0"), "run-1:0")
        for number in range(20):
            await channel.edit(sent, OutboundMessage(ADA, str(number)))
        with pytest.raises(ChannelNotFound):
            await channel.edit(sent, OutboundMessage(ADA, "too often"))
        await channel.delete(ADA, sent)
        await channel.delete(ADA, sent)

    play(story)


def test_files_go_both_ways_within_their_limits(tmp_path: Path) -> None:
    async def story(desk: Desk, channel: FeishuChannel) -> None:
        (tmp_path / "a").write_bytes(b"data")
        paper = Attachment(tmp_path / "a", "茶.pdf")
        await channel.send(OutboundMessage(ADA, "", attachments=(paper,)), "run-1:0")
        [sent] = desk.there.posts.values()
        assert sent.kind == "file" and sent.files[0][1] == b"data"
        desk.there.files["om_1/f_1"] = ("file", b"x" * 1_000_001)
        with pytest.raises(ChannelRefused, match="mediaMaxMb"):
            [one async for one in channel.fetch(RemoteFile("om_1/file/f_1", "a"))]
        with pytest.raises(ChannelRefused, match="234003"):
            [one async for one in channel.fetch(RemoteFile("om_1/image/f_1", "a"))]
        with pytest.raises(ChannelNotFound):
            [one async for one in channel.fetch(RemoteFile("om_1/file/../x", "a"))]

    play(story)


@pytest.mark.parametrize("place", ["", "Ada", "ou_/../x", "on_42"])
def test_a_place_that_is_none_is_refused(place: str) -> None:
    async def story(_: Desk, channel: FeishuChannel) -> None:
        target = DeliveryTarget("feishu", "main", Peer(PeerKind.DM, place))
        with pytest.raises(ChannelRefused, match="none"):
            await channel.send(OutboundMessage(target, "hi"), "run-1:0")

    play(story)


@pytest.mark.parametrize(
    ("handshake", "fault", "error"),
    [
        (("1000040350", "too many"), None, ChannelError),
        (("514", "auth"), None, ChannelAuthFailed),
        (None, Fault("POST", "/callback/ws/endpoint", 1, 200), ChannelError),
        (None, Fault("POST", "/callback/ws/endpoint", 424242, 200), ChannelRefused),
    ],
)
def test_a_line_that_is_refused_says_why(
    handshake: tuple[str, str] | None, fault: Fault | None, error: type[ChannelError]
) -> None:
    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        try:
            desk.there.handshake = handshake
            desk.there.faults += [fault] if fault is not None else []
            channel = FeishuChannel(account(desk), SystemClock(), Language.ENGLISH)
            with pytest.raises(ChannelError) as caught:
                await channel.run()
            assert type(caught.value) is error and "ticket" not in str(caught.value)
            assert not desk.online
        finally:
            await desk.there.stop()

    asyncio.run(scene())
