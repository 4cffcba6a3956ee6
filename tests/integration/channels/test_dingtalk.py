"""One connection to DingTalk without the rest of the program: what it acknowledges and refuses.

`ASSUMED` of the fake names what is believed of the platform, where that is written, and the test
here that holds the channel to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
    StorageError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.dingtalk import channel as dingtalk
from moltbot_desktop.extensions.dingtalk.channel import DingTalkChannel
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
from tests.fakes.dingtalk_server import (
    ASSUMED,
    CLIENT_ID,
    CLIENT_SECRET,
    ROOM,
    SESSION_SECONDS,
    DingTalkServer,
    Fault,
)

ADA = DeliveryTarget("dingtalk", "main", Peer(PeerKind.DM, "0147"))
TEAM = DeliveryTarget("dingtalk", "main", Peer(PeerKind.GROUP, ROOM))
OPEN = "/v1.0/gateway/connections/open"
TOKEN = "/v1.0/oauth2/accessToken"
PEOPLE = "/v1.0/robot/oToMessages/batchSend"
SESSION = "/robot/sendBySession"


@dataclass
class Clock(SystemClock):
    """Goes ahead of the system's by `ahead`."""

    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class Desk:
    """The program's side of it; `fails` is raised by the next message."""

    there: DingTalkServer = field(default_factory=DingTalkServer)
    clock: Clock = field(default_factory=Clock)
    kept: list[Envelope] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)
    fails: list[StorageError] = field(default_factory=list)
    answered_meanwhile: list[int] = field(default_factory=list)
    online: int = 0

    async def receive(self, envelopes: Sequence[Envelope]) -> None:
        self.answered_meanwhile.append(len(self.there.answers))
        if self.fails:
            raise self.fails.pop()
        self.kept.extend(envelopes)

    def is_online(self) -> None:
        self.online += 1


def account(desk: Desk, secret: str = CLIENT_SECRET) -> ChannelAccount:
    keys: JsonObject = {"clientId": CLIENT_ID, "clientSecret": secret}
    given: JsonObject = {**keys, "apiRoot": desk.there.root, "mediaMaxMb": 1}
    return ChannelAccount(
        given, desk.receive, desk.is_online, desk.told.append, reaches=desk.reached.append
    )


def play(story: Callable[[Desk, DingTalkChannel], Awaitable[None]]) -> None:
    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        channel = DingTalkChannel(account(desk), desk.clock, Language.ENGLISH)
        running = asyncio.create_task(channel.run())
        try:
            await until(lambda: desk.online)
            await story(desk, channel)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await desk.there.drop()
            await desk.there.stop()

    asyncio.run(scene())


async def fails(desk: Desk, secret: str = CLIENT_SECRET) -> ChannelError:
    """What a connection raises that cannot be made."""
    channel = DingTalkChannel(account(desk, secret), desk.clock, Language.ENGLISH)
    with pytest.raises(ChannelError) as caught:
        await channel.run()
    assert caught.value.__cause__ is None and "canary" not in str(caught.value)
    return caught.value


async def wrote(desk: Desk, message_id: str = "msg1", **more: Any) -> None:
    """Somebody opens a session."""
    before = len(desk.kept)
    desk.there.write(message_id, "hello", **more)
    await until(lambda: len(desk.kept) > before)


def test_each_assumption_has_its_test() -> None:
    for what, (address, name) in ASSUMED.items():
        assert address.startswith("https://"), what
        assert callable(globals().get(name)), f"{what}: {name}"


def test_a_message_is_acknowledged_once_it_is_kept() -> None:
    """https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol"""

    async def story(desk: Desk, _: DingTalkChannel) -> None:
        desk.there.write("msg1", "hello")
        await until(lambda: desk.there.answers)
        [(name, code, data)] = desk.there.answers
        assert name.startswith("push-msg1") and code == 200 and data == '{"response": null}'
        assert desk.answered_meanwhile == [0] and [one.text for one in desk.kept] == ["hello"]

    play(story)


def test_a_message_that_could_not_be_kept_is_not_acknowledged() -> None:
    """Told once all the same: the platform's page calls it fire and forget.
    https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol"""

    async def story(desk: Desk, _: DingTalkChannel) -> None:
        desk.fails.append(StorageError("the disk is full"))
        desk.there.write("msg1", "hello")
        desk.there.write("msg2", "again")
        await until(lambda: len(desk.there.answers) == 2)
        assert [code for _, code, _ in desk.there.answers] == [500, 200]
        assert [one.message_id for one in desk.kept] == ["msg2"]

    play(story)


def test_a_ping_has_its_own_data_back() -> None:
    """https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol"""

    async def story(desk: Desk, _: DingTalkChannel) -> None:
        await desk.there.ping("123-dsfs")
        await until(lambda: desk.there.answers)
        [(name, code, data)] = desk.there.answers
        assert name.startswith("ping") and code == 200 and data == '{"opaque": "123-dsfs"}'

    play(story)


def test_what_is_no_message_is_acknowledged_too() -> None:
    async def story(desk: Desk, _: DingTalkChannel) -> None:
        desk.there.write("msg1", "", kind="interactiveCard", content={})
        desk.there.write("msg2", "hello")
        await until(lambda: len(desk.there.answers) == 2)
        assert {code for _, code, _ in desk.there.answers} == {200}
        assert [one.message_id for one in desk.kept] == ["msg2"]

    play(story)


def test_a_line_that_says_goodbye_has_a_successor_before_it_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol"""
    monkeypatch.setattr(dingtalk, "RENEWAL_SECONDS", 0.0)

    async def story(desk: Desk, _: DingTalkChannel) -> None:
        for number in range(3):
            await desk.there.say_goodbye()
            await until(lambda: desk.there.standing == 2)
            await wrote(desk, f"msg{number}")
            await desk.there.close_leaving()
            await until(lambda: desk.there.standing == 1)
        await wrote(desk, "msg9")
        assert [one.message_id for one in desk.kept] == ["msg0", "msg1", "msg2", "msg9"]
        assert not desk.there.lost and desk.there.lines == 4

    play(story)


def test_what_was_on_its_way_on_a_leaving_line_still_counts() -> None:
    async def story(desk: Desk, _: DingTalkChannel) -> None:
        [old] = desk.there._open
        await desk.there.say_goodbye()
        old.leaving = False  # it was not as silent as it had said
        desk.there.write("msg1", "hello")
        old.leaving = True
        await until(lambda: desk.kept and desk.there.standing == 2)
        await until(lambda: desk.there.answers)

    play(story)


def test_every_line_has_a_ticket_of_its_own() -> None:
    """Good once. https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol"""

    async def story(desk: Desk, _: DingTalkChannel) -> None:
        assert desk.there.lines == 1 and not desk.there.tickets
        await desk.there.say_goodbye()
        await until(lambda: desk.there.standing == 2)
        assert desk.there.lines == 2 and not desk.there.tickets

    play(story)


def test_a_platform_that_says_goodbye_at_once_is_left_alone_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The program makes another connection, after pauses that grow."""
    monkeypatch.setattr(dingtalk, "RENEWAL_SECONDS", 0.0)

    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        try:
            failing = asyncio.create_task(fails(desk))
            while not failing.done():
                if desk.there.standing:
                    await desk.there.say_goodbye()
                await asyncio.sleep(0.01)
            error = failing.result()
            assert type(error) is ChannelError and "as soon as" in str(error)
        finally:
            await desk.there.drop()
            await desk.there.stop()

    asyncio.run(scene())


def test_an_answer_goes_within_the_session_while_it_lasts() -> None:
    """https://open.dingtalk.com/document/development/receive-message"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        await wrote(desk)
        assert await channel.send(OutboundMessage(ADA, "hi"), "run-1:0") == ""
        desk.clock.ahead = timedelta(seconds=SESSION_SECONDS)
        assert await channel.send(OutboundMessage(ADA, "later"), "run-1:1")
        assert [one.way for one in desk.there.posts] == ["session", "sampleMarkdown"]
        assert [one.text for one in desk.there.posts] == ["hi", "later"]

    play(story)


def test_a_session_that_is_over_is_told_by_its_number() -> None:
    """https://github.com/agentscope-ai/QwenPaw/issues/2221"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        await wrote(desk)
        desk.there.end_sessions()
        for number in range(2):
            await channel.send(OutboundMessage(ADA, "hi"), f"run-1:{number}")
        assert [one.way for one in desk.there.posts] == ["sampleMarkdown"] * 2
        assert desk.there.calls.count(SESSION) == 1

    play(story)


@pytest.mark.parametrize(
    ("code", "error"), [("460101", ChannelTooLong), ("-1", ChannelError), ("90018", ChannelError)]
)
def test_what_the_api_would_refuse_too_is_not_said_twice(
    code: str, error: type[ChannelError]
) -> None:
    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        await wrote(desk)
        desk.there.faults.append(Fault(SESSION, code))
        with pytest.raises(error):
            await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        assert not desk.there.posts
        desk.there.faults.append(Fault(SESSION, "310000"))  # that it takes nothing here
        assert await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")

    play(story)


def test_a_group_is_written_to_in_both_ways() -> None:
    """https://open.dingtalk.com/document/development/the-robot-sends-a-group-message"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        await channel.send(OutboundMessage(TEAM, "first"), "run-1:0")
        await wrote(desk, room=ROOM)
        await channel.send(OutboundMessage(TEAM, "second"), "run-1:1")
        assert [(one.to, one.way) for one in desk.there.posts] == [
            (ROOM, "sampleMarkdown"),
            (ROOM, "session"),
        ]

    play(story)


def test_a_session_is_of_one_place() -> None:
    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        await wrote(desk, room=ROOM)
        await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        assert [(one.to, one.way) for one in desk.there.posts] == [("0147", "sampleMarkdown")]

    play(story)


def test_words_are_posted_to_no_other_house() -> None:
    """Whatever a message says of its session."""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        await wrote(desk, sessionWebhook="http://127.0.0.1:9/robot/sendBySession?session=1")
        await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        assert [one.way for one in desk.there.posts] == ["sampleMarkdown"]

    play(story)


def test_a_token_that_is_over_is_asked_for_anew(tmp_path: Path) -> None:
    """https://github.com/satorijs/satori/issues/240 (both numbers)"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        (tmp_path / "a").write_bytes(b"data")
        paper = OutboundMessage(ADA, "", attachments=(Attachment(tmp_path / "a", "茶.pdf"),))
        desk.there.forget()
        assert await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        desk.there.forget()
        with pytest.raises(ChannelError) as caught:  # a file is read once: the program tries again
            await channel.send(paper, "run-1:1")
        assert type(caught.value) is ChannelError
        await channel.send(paper, "run-1:1")
        assert [one.way for one in desk.there.posts] == ["sampleMarkdown", "sampleFile"]

    play(story)


def test_a_wrong_secret_says_so() -> None:
    """https://open.dingtalk.com/document/development/obtain-the-access-token-of-an-internal-app"""

    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        try:
            error = await fails(desk, secret="no")
            assert type(error) is ChannelAuthFailed and "Client Secret" in str(error)
            assert not desk.online and desk.there.calls == [TOKEN]
        finally:
            await desk.there.stop()

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(OPEN, "authFailed", 401), ChannelAuthFailed),
        (Fault(OPEN, "some.thing.else"), ChannelRefused),
        (Fault(OPEN, "system.error", 500), ChannelError),
        (Fault(OPEN, ""), ChannelError),
        (Fault(TOKEN, ""), ChannelError),
    ],
)
def test_a_line_that_is_refused_says_why(fault: Fault, error: type[ChannelError]) -> None:
    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        try:
            desk.there.faults.append(fault)
            found = await fails(desk)
            assert type(found) is error and not desk.online
        finally:
            await desk.there.stop()

    asyncio.run(scene())


def test_a_line_is_refused_that_is_not_the_platforms() -> None:
    async def scene() -> None:
        desk = Desk()
        await desk.there.start()
        try:
            desk.there.endpoint = "wss://dingtalk.com.example/connect"
            assert "not its own" in str(await fails(desk))
        finally:
            await desk.there.stop()

    asyncio.run(scene())


def test_what_is_too_long_is_cut_once_more() -> None:
    """https://open.dingtalk.com/document/development/the-robot-sends-a-group-message"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        with pytest.raises(ChannelTooLong) as caught:
            await channel.send(OutboundMessage(ADA, "\n".join(["x"] * 3_000)), "run-1:0")
        assert caught.value.limit is not None
        assert PEOPLE not in desk.there.calls  # it is known without asking
        whole = "\n".join(['"'] * (caught.value.limit // 2))
        assert await channel.send(OutboundMessage(ADA, whole), "run-1:0")
        assert len(desk.there.posts) == 1

    play(story)


def test_a_person_who_is_not_there_is_refused() -> None:
    """https://open.dingtalk.com/document/development/chatbots-send-one-on-one-chat-messages-in-batches"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        gone = DeliveryTarget("dingtalk", "main", Peer(PeerKind.DM, "9999"))
        with pytest.raises(ChannelRefused, match="9999"):
            await channel.send(OutboundMessage(gone, "hi"), "run-1:0")
        assert not desk.there.posts

    play(story)


def test_somebody_of_another_organisation_is_answered_within_the_session_alone() -> None:
    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        await wrote(desk, senderStaffId="", senderId="$:LWCP_v1:$eve")
        eve = desk.kept[0].reply_target
        await channel.send(OutboundMessage(eve, "hi"), "run-1:0")
        desk.there.end_sessions()
        with pytest.raises(ChannelRefused):
            await channel.send(OutboundMessage(eve, "later"), "run-1:1")
        assert [one.way for one in desk.there.posts] == ["session"]

    play(story)


@pytest.mark.parametrize("place", ["", "A da", "x" * 300, "零"])
def test_a_place_that_is_none_is_refused(place: str) -> None:
    async def story(_: Desk, channel: DingTalkChannel) -> None:
        target = DeliveryTarget("dingtalk", "main", Peer(PeerKind.DM, place))
        with pytest.raises(ChannelRefused, match="none"):
            await channel.send(OutboundMessage(target, "hi"), "run-1:0")

    play(story)


def test_what_is_limited_says_how_long() -> None:
    """https://open.dingtalk.com/document/development/how-to-process-api-throttling-on-the-dingtalk-server"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        second = "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi"
        desk.there.faults.append(Fault(PEOPLE, second, 403))
        with pytest.raises(ChannelRateLimited) as caught:
            await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        assert caught.value.retry_after == 1.0
        month = "Forbidden.AccessDenied.ApiCountLimitForOrg"
        desk.there.faults.append(Fault(PEOPLE, month, 403))
        with pytest.raises(ChannelRefused, match="month"):
            await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        await wrote(desk)
        desk.there.faults.append(Fault(SESSION, "130101"))
        with pytest.raises(ChannelRateLimited) as caught:
            await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        assert caught.value.retry_after == 60.0 and not desk.there.posts

    play(story)


def test_what_the_api_sent_is_taken_back() -> None:
    """https://open.dingtalk.com/document/development/batch-message-recall-chat"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        for target in (ADA, TEAM):
            sent = await channel.send(OutboundMessage(target, "hi"), "run-1:0")
            await channel.delete(target, sent)
            assert not desk.there.posts
            with pytest.raises(ChannelNotFound):
                await channel.delete(target, sent)
        await wrote(desk)
        within = await channel.send(OutboundMessage(ADA, "hi"), "run-1:1")
        with pytest.raises(ChannelNotFound, match="number"):
            await channel.delete(ADA, within)
        assert len(desk.there.posts) == 1

    play(story)


def test_files_go_as_pictures_and_as_files(tmp_path: Path) -> None:
    """https://open.dingtalk.com/document/development/upload-media-files"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        (tmp_path / "a").write_bytes(b"data")
        await wrote(desk)  # within a session there are words alone
        for name in ("茶.pdf", "a.PNG"):
            one = Attachment(tmp_path / "a", name)
            assert await channel.send(OutboundMessage(ADA, "", attachments=(one,)), "run-1:0")
        other = Attachment(tmp_path / "a", "a.exe")
        with pytest.raises(ChannelRefused, match="kind") as caught:
            await channel.send(OutboundMessage(ADA, "", attachments=(other,)), "run-1:1")
        assert "docx" in caught.value.hint
        gone = Attachment(tmp_path / "gone", "a.pdf")
        with pytest.raises(ChannelRefused, match="read"):
            await channel.send(OutboundMessage(ADA, "", attachments=(gone,)), "run-1:2")
        paper, picture = desk.there.posts
        assert (paper.way, picture.way) == ("sampleFile", "sampleImageMsg")
        assert (paper.param["fileName"], paper.param["fileType"]) == ("茶.pdf", "pdf")
        assert paper.files[0][1] == b"data" and picture.files == [("a.PNG", b"data")]

    play(story)


def test_files_come_within_their_limits() -> None:
    """https://open.dingtalk.com/document/development/download-the-file-content-of-the-robot-receiving-message"""

    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        async def fetched(code: str) -> bytes:
            return b"".join([one async for one in channel.fetch(RemoteFile(code, "a"))])

        desk.there.files |= {"mIof/6+=": b"x" * 1_000_000, "large": b"x" * 1_000_001}
        assert await fetched("mIof/6+=") == b"x" * 1_000_000
        with pytest.raises(ChannelRefused, match="mediaMaxMb"):
            await fetched("large")
        with pytest.raises(ChannelNotFound):
            await fetched("gone")
        desk.there.file_host = "http://127.0.0.1:9"
        with pytest.raises(ChannelRefused, match="not its own"):
            await fetched("large")

    play(story)


def test_the_owner_is_told_where_words_and_files_went() -> None:
    async def story(desk: Desk, channel: DingTalkChannel) -> None:
        desk.reached.clear()
        await wrote(desk)
        await channel.send(OutboundMessage(ADA, "hi"), "run-1:0")
        await channel.send(OutboundMessage(TEAM, "hi"), "run-1:1")
        desk.there.files["a"] = b"data"
        [one async for one in channel.fetch(RemoteFile("a", "a"))]
        # The line, the session, the API, the API once more for the address, the store.
        assert desk.reached == ["127.0.0.1"] * 5

    play(story)
