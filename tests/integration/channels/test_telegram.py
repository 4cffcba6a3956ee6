"""Telegram's channel against a Bot API on loopback that keeps to the documents, and misbehaves."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
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
from moltbot_desktop.extensions.telegram.channel import TelegramChannel, probe, whoami
from moltbot_desktop.extensions.telegram.client import opened, settings_from
from moltbot_desktop.extensions.telegram.polling import Polling
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
from tests.fakes.telegram_server import ADA, BOT, CLUB, TOKEN, Fault, TelegramServer

PATIENCE_SECONDS = 30.0
TO_ADA = DeliveryTarget("telegram", peer=Peer(PeerKind.DM, "42"))
TO_CLUB = DeliveryTarget("telegram", peer=Peer(PeerKind.GROUP, str(CLUB)))


def settings(there: TelegramServer, **more: Any) -> dict[str, Any]:
    usual = {
        "botToken": TOKEN,
        "apiRoot": there.root,
        "proxy": "",
        "mediaMaxMb": 1,
        "replaceWebhook": False,
    }
    return {**usual, **more}


@dataclass
class Desk:
    """What the program keeps of an account; `doors` closed means that nothing is kept yet."""

    kept: list[Envelope] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    doors: asyncio.Event = field(default_factory=asyncio.Event)
    refuses: int = 0
    knocks: int = 0
    stands: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self, envelopes: Sequence[Envelope]) -> None:
        self.knocks += 1
        await self.doors.wait()
        if self.refuses:
            self.refuses -= 1
            raise StorageError("The disk is full.")
        self.kept.extend(envelopes)

    def account(self, raw: dict[str, Any]) -> ChannelAccount:
        cursor = self.kept[-1].cursor if self.kept else ""
        return ChannelAccount(
            raw, self.receive, self.stands.set, self.problems.append, "default", cursor
        )


async def until(true: Any) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():
            await asyncio.sleep(0.01)


@dataclass
class Scene:
    there: TelegramServer
    desk: Desk
    channel: TelegramChannel
    running: asyncio.Task[None]

    async def ended(self) -> ChannelError:
        """What the connection ended with."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            with pytest.raises(ChannelError) as found:
                await self.running
        return found.value


@asynccontextmanager
async def server() -> AsyncIterator[TelegramServer]:
    there = TelegramServer()
    await there.start()
    try:
        yield there
    finally:
        await there.stop()


@asynccontextmanager
async def connected(
    there: TelegramServer, desk: Desk | None = None, **more: Any
) -> AsyncIterator[Scene]:
    desk = desk or Desk()
    desk.doors.set()
    account = desk.account(settings(there, **more))
    channel = TelegramChannel(account, SystemClock(), Language.ENGLISH)
    running = asyncio.get_running_loop().create_task(channel.run())
    try:
        await until(lambda: desk.stands.is_set() or running.done())
        yield Scene(there, desk, channel, running)
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError, ChannelError, StorageError):
            await running


def test_telegram_is_told_only_when_it_is_on_the_disk() -> None:
    """The next offset is what confirms: https://core.telegram.org/bots/api#getupdates"""

    async def scene() -> None:
        async with server() as there:
            there.write(1, "hello")
            desk = Desk()
            async with connected(there, desk) as _:
                await until(lambda: desk.kept and not there.updates)
                desk.doors.clear()
                there.write(2, "keep me")
                await until(lambda: desk.knocks == 2)
                before = len(there.offsets)
                await asyncio.sleep(0.1)  # nothing is asked while it is not kept
                assert len(there.offsets) == before
                assert [one["message"]["text"] for one in there.updates] == ["keep me"]
                desk.doors.set()
                await until(lambda: not there.updates)
            assert [one.text for one in desk.kept] == ["hello", "keep me"]

    asyncio.run(scene())


def test_what_was_not_kept_comes_again() -> None:
    async def scene() -> None:
        async with server() as there:
            there.write(1, "hello")
            desk = Desk(refuses=1)
            async with connected(there, desk) as first:
                with pytest.raises(StorageError):
                    await asyncio.wait_for(first.running, PATIENCE_SECONDS)
            async with connected(there, desk):
                await until(lambda: desk.kept)
                await until(lambda: not there.updates)
            assert [one.text for one in desk.kept] == ["hello"]

    asyncio.run(scene())


def test_a_new_connection_goes_on_where_the_last_one_was() -> None:
    async def scene() -> None:
        async with server() as there:
            desk = Desk()
            async with connected(there, desk):
                there.write(1, "hello")
                await until(lambda: desk.kept)
            there.write(2, "while you were away")
            there.offsets.clear()
            async with connected(there, desk):
                await until(lambda: len(desk.kept) == 2)
            assert there.offsets[0] == 7001

    asyncio.run(scene())


def test_an_album_is_one_message_also_when_it_comes_in_two_parts() -> None:
    """https://core.telegram.org/bots/api#message (media_group_id)"""

    async def scene() -> None:
        async with server() as there:
            async with connected(there) as now:

                def part(number: int, **more: Any) -> None:
                    photo = [{"file_id": f"p{number}", "width": 9}]
                    there.write(number, photo=photo, media_group_id="g", **more)

                def later() -> None:
                    there.at_a_look = lambda: None
                    part(3)

                there.at_a_look = later
                there.write(1, "first")
                part(2, caption="the garden")
                await until(lambda: len(now.desk.kept) == 2)
                there.write(4, "last")
                await until(lambda: len(now.desk.kept) == 3)
            said = [(one.text, len(one.files)) for one in now.desk.kept]
            assert said == [("first", 0), ("the garden", 2), ("last", 0)]

    asyncio.run(scene())


def test_an_edit_is_a_message_where_the_words_changed() -> None:
    """An update may come where nothing that we see has changed:
    https://core.telegram.org/bots/api#update (edited_message)"""

    async def scene() -> None:
        async with server() as there:
            async with connected(there) as now:
                there.write(1, "two and too")
                await until(lambda: now.desk.kept)
                chat = {"id": 42, "type": "private"}
                base = {"message_id": 1, "date": 1, "chat": chat, "from": ADA, "edit_date": 5}
                there.push("edited_message", {**base, "text": "two and too"})
                there.push("edited_message", {**base, "text": "two and two", "edit_date": 6})
                there.write(2, "end")
                await until(lambda: now.desk.kept[-1].text == "end")
            assert [(one.message_id, one.text) for one in now.desk.kept] == [
                ("1", "two and too"),
                ("1e6", "two and two"),
                ("2", "end"),
            ]

    asyncio.run(scene())


def test_trouble_that_goes_by_ends_no_connection() -> None:
    async def scene() -> None:
        async with server() as there:
            there.faults += [
                Fault("getUpdates", 502, "Bad Gateway"),
                Fault("getUpdates", 0),
                Fault("getUpdates", 200, body=b'{"ok": true, "result": [7, {"update_id": "x"}]}'),
                Fault("getUpdates", 429, "Too Many Requests", retry_after=1),
                Fault("getUpdates", 200, body=b"<html>a page of the hotel</html>"),
            ]
            there.push("message", {"message_id": [], "text": 7})
            there.push("poll", {"id": "1"})
            async with connected(there) as now:
                there.write(1, "still there?")
                await until(lambda: not there.faults)
                await until(lambda: now.desk.kept or now.running.done())
                assert not now.running.done()
                await until(lambda: not there.updates)
            assert [one.text for one in now.desk.kept] == ["still there?"]

    asyncio.run(scene())


def test_a_token_that_is_taken_away_ends_the_connection_for_good() -> None:
    async def scene() -> None:
        async with server() as there, connected(there) as now:
            there.token = "another"
            there.write(1, "so that the poll ends")
            assert isinstance(await now.ended(), ChannelAuthFailed)

    asyncio.run(scene())


def test_another_program_with_the_same_bot_is_told() -> None:
    """Who asked last is served, the other one gets 409:
    https://core.telegram.org/bots/api#getupdates"""

    async def scene() -> None:
        async with server() as there:
            desk = Desk()
            desk.doors.set()
            raw = settings(there)
            async with opened(settings_from(raw), Language.ENGLISH) as client:
                me = await whoami(client)

                def polling() -> Polling:
                    return Polling(
                        client,
                        me,
                        desk.account(raw),
                        SystemClock(),
                        replace_webhook=False,
                        moved=lambda _old, _new: None,
                        refused=lambda refusal: refusal.as_error(Language.ENGLISH),
                        conflict_seconds=0.01,
                    )

                async with asyncio.timeout(PATIENCE_SECONDS):
                    with pytest.raises(ChannelRefused, match="Another program"):
                        await asyncio.gather(polling().run(), polling().run())

    asyncio.run(scene())


def test_a_webhook_is_pushed_aside_only_when_the_settings_say_so() -> None:
    async def scene() -> None:
        async with server() as there:
            there.webhook = "https://elsewhere.example/hook"
            async with connected(there) as now:
                error = await now.ended()
                assert isinstance(error, ChannelRefused) and "replaceWebhook" in error.hint
            with pytest.raises(ChannelRefused):
                await probe(settings(there), Language.ENGLISH)
            assert there.webhook
            there.write(1, "hello")
            async with connected(there, replaceWebhook=True) as now:
                await until(lambda: now.desk.kept)
            assert not there.webhook

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("sendMessage", 429, "Too Many Requests", retry_after=7), ChannelRateLimited),
        (Fault("sendMessage", 403, "Forbidden: bot was blocked by the user"), ChannelRefused),
        (Fault("sendMessage", 400, "Bad Request: message is too long"), ChannelTooLong),
        (Fault("sendMessage", 400, "Bad Request: chat not found"), ChannelNotFound),
        (Fault("sendMessage", 500, "Internal Server Error"), ChannelError),
        (Fault("sendMessage", 200, body=b"no JSON"), ChannelError),
        (Fault("sendMessage", 0), ChannelError),
    ],
    ids=lambda one: str(getattr(one, "status", "")),
)
def test_what_cannot_be_sent_is_told(fault: Fault, kind: type[ChannelError]) -> None:
    async def scene() -> None:
        async with server() as there, connected(there) as now:
            there.faults.append(fault)
            with pytest.raises(ChannelError) as found:
                await now.channel.send(OutboundMessage(TO_ADA, "hi"), "key")
            assert type(found.value) is kind
            if isinstance(found.value, ChannelRateLimited):
                assert found.value.retry_after == 7.0
            assert await now.channel.send(OutboundMessage(TO_ADA, "hi"), "key")

    asyncio.run(scene())


def test_words_go_out_bare_where_telegram_does_not_like_the_tags() -> None:
    """https://core.telegram.org/bots/api#html-style"""

    async def scene() -> None:
        async with server() as there, connected(there) as now:
            message = OutboundMessage(TO_ADA, "<b><odd>hi</odd></b>", markdown="**hi**")
            name = await now.channel.send(message, "key")
            assert there.sent[42, int(name)].text == "hi"
            await now.channel.edit(name, message)  # it says so already: no error
            await now.channel.edit(name, OutboundMessage(TO_ADA, "<i>ho</i>", markdown="*ho*"))
            assert there.sent[42, int(name)].text == "ho"
            await now.channel.delete(TO_ADA, name)
            await now.channel.delete(TO_ADA, name)  # gone already: no error
            with pytest.raises(ChannelNotFound):
                await now.channel.edit(name, message)
            with pytest.raises(ChannelNotFound):
                await now.channel.edit("what?", message)
            name = await now.channel.send(OutboundMessage(TO_ADA, "", markdown="[a]: x"), "key")
            assert there.sent[42, int(name)].text == "[a]: x"
            nowhere = DeliveryTarget("telegram", peer=Peer(PeerKind.DM, "@ada"))
            with pytest.raises(ChannelRefused, match="number of a chat"):
                await now.channel.send(OutboundMessage(nowhere, "hi"), "key")

    asyncio.run(scene())


def test_topics_replies_typing_and_reactions() -> None:
    async def scene() -> None:
        async with server() as there, connected(there) as now:
            topic = DeliveryTarget("telegram", peer=TO_CLUB.peer, thread_id="7")
            name = await now.channel.send(OutboundMessage(topic, "hi", "12"), "key")
            given = there.sent[CLUB, int(name)].given
            assert given["message_thread_id"] == 7
            assert given["reply_parameters"]["message_id"] == 12
            await now.channel.show_typing(topic)
            method, asked = there.calls[-1]
            assert (method, asked["message_thread_id"]) == ("sendChatAction", 7)
            await now.channel.react(TO_ADA, "5e99", "❤️")
            assert there.reactions[5] == ["❤"]
            await now.channel.react(TO_ADA, "5", "❤️", remove=True)
            assert there.reactions[5] == []
            with pytest.raises(ChannelRefused, match="no reaction"):
                await now.channel.react(TO_ADA, "5", "🦞")

    asyncio.run(scene())


def test_a_group_with_a_new_number_is_found_again() -> None:
    """https://core.telegram.org/bots/api#responseparameters (migrate_to_chat_id)"""

    async def scene() -> None:
        async with server() as there:
            groups = {str(CLUB): {"requireMention": True}}
            async with connected(there, groups=groups) as now:
                fault = "Bad Request: group chat was upgraded to a supergroup chat"
                there.faults.append(Fault("sendMessage", 400, fault, moved_to=-1009))
                first = await now.channel.send(OutboundMessage(TO_CLUB, "hi"), "key")
                second = await now.channel.send(OutboundMessage(TO_CLUB, "again"), "key2")
                assert {(-1009, int(first)), (-1009, int(second))} == set(there.sent)
                [problem] = now.desk.problems
                assert str(CLUB) in problem and "-1009" in problem
                # The group says so itself, too.
                there.write(9, chat=there.club(), migrate_to_chat_id=-1010)
                await until(lambda: not there.updates)
                third = await now.channel.send(OutboundMessage(TO_CLUB, "and again"), "key3")
                assert (-1010, int(third)) in there.sent

    asyncio.run(scene())


def test_files_go_out(tmp_path: Path) -> None:
    async def scene() -> None:
        async with server() as there, connected(there) as now:

            def file(name: str, kind: str = "") -> Attachment:
                (tmp_path / name).write_bytes(name.encode() * 100)
                return Attachment(tmp_path / name, name, kind)

            both = (file("图 1.png", "image/png"), file("plan.pdf"))
            message = OutboundMessage(TO_ADA, "<b>hi</b>", "3", both, markdown="**hi**")
            name = await now.channel.send(message, "key")
            first, second = there.sent.values()
            assert (str(first.id), first.method, first.text) == (name, "sendPhoto", "hi")
            assert first.files == [("图 1.png", "图 1.png".encode() * 100)]
            assert first.given["reply_parameters"]["message_id"] == 3
            assert (second.method, second.text) == ("sendDocument", "")
            # A picture that Telegram does not take as one is a file.
            there.faults.append(Fault("sendPhoto", 400, "Bad Request: PHOTO_INVALID_DIMENSIONS"))
            await now.channel.send(OutboundMessage(TO_ADA, "", "", both[:1]), "key")
            third = list(there.sent.values())[-1]
            assert (third.method, third.files) == ("sendDocument", first.files)
            # Too many words for a file go before it.
            long = OutboundMessage(TO_ADA, "x" * 2_000, "", (file("a.ogg"),), markdown="x" * 2_000)
            await now.channel.send(long, "key")
            assert [one.method for one in list(there.sent.values())[-2:]] == [
                "sendMessage",
                "sendVoice",
            ]
            gone = Attachment(tmp_path / "gone.pdf", "gone.pdf")
            with pytest.raises(ChannelRefused, match=r"gone\.pdf"):
                await now.channel.send(OutboundMessage(TO_ADA, "", "", (gone,)), "key")

    asyncio.run(scene())


async def loaded(channel: TelegramChannel, ref: str) -> bytes:
    return b"".join([chunk async for chunk in channel.fetch(RemoteFile(ref, "a"))])


def test_files_come_in_up_to_their_limit() -> None:
    async def scene() -> None:
        async with server() as there, connected(there) as now:
            there.files |= {"small": b"s" * 200_000, "large": bytes(1_000_001)}
            assert await loaded(now.channel, "small") == b"s" * 200_000
            with pytest.raises(ChannelRefused, match="mediaMaxMb"):
                await loaded(now.channel, "large")
            with pytest.raises(ChannelNotFound):
                await loaded(now.channel, "gone")
            lie = b'{"ok": true, "result": {"file_path": "photos/large", "file_size": 3}}'
            there.faults.append(Fault("getFile", 200, body=lie))
            with pytest.raises(ChannelRefused, match="mediaMaxMb"):
                await loaded(now.channel, "large")
            there.file_type = "text/html"
            with pytest.raises(ChannelRefused, match="web page"):
                await loaded(now.channel, "small")

    asyncio.run(scene())


def test_a_proxy_stands_between() -> None:
    """It is told the whole address; where it is not there, that is said."""

    async def scene() -> None:
        async with server() as there:
            root = "http://localhost:9"  # where nobody listens
            found = await probe(settings(there, apiRoot=root, proxy=there.root), Language.ENGLISH)
            assert found == "@molt_bot"
            with pytest.raises(ChannelError, match="proxy"):
                await probe(settings(there, proxy="http://127.0.0.1:9"), Language.ENGLISH)

    asyncio.run(scene())


def test_nobody_else_is_shown_the_token() -> None:
    async def scene() -> None:
        async with server() as there, server() as other, connected(there) as now:
            away = f"{other.root}/bot{TOKEN}/sendMessage"
            there.faults.append(Fault("sendMessage", 307, location=away))
            with pytest.raises(ChannelError):
                await now.channel.send(OutboundMessage(TO_ADA, "hi"), "key")
            assert not other.calls

    asyncio.run(scene())


@pytest.mark.expect_log
def test_the_token_is_in_no_error_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    """It is part of every address that is asked."""
    errors: list[BaseException] = []
    shown: list[str] = []

    async def scene() -> None:
        async with server() as there:
            async with connected(there) as now:
                message = OutboundMessage(TO_ADA, "hi")
                for fault in (
                    Fault("sendMessage", 0),
                    Fault("sendMessage", 401, "Unauthorized"),
                    Fault("sendMessage", 200, body=b"{"),
                    Fault("sendMessage", 302, body=b"elsewhere"),
                    Fault("sendMessage", 503, body=b"\x00"),
                ):
                    there.faults.append(fault)
                    with pytest.raises(ChannelError) as found:
                        await now.channel.send(message, "key")
                    errors.append(found.value)
                async with opened(settings_from(settings(there)), Language.ENGLISH) as client:
                    with pytest.raises(ChannelError, match="in time") as found:
                        await client.ask("getUpdates", {"timeout": 20}, seconds=0.05)
                    errors.append(found.value)
                await there.stop()
                errors.append(await now.ended())
            for root in (
                "http://localhost:9",
                "https://[",
                "http://\x00",
                "http://127.0.0.1:99999",
            ):
                with pytest.raises(ChannelError) as found:
                    await probe(settings(there, apiRoot=root), Language.ENGLISH)
                errors.append(found.value)
            shown.append(repr(vars(now.channel)))

    with caplog.at_level(logging.DEBUG):
        asyncio.run(scene(), debug=True)
    told = ["".join(traceback.format_exception(one)) + repr(one) for one in errors]
    assert len(told) == 11
    for text in (*told, *shown, caplog.text):
        assert "canary" not in text


def test_it_ends_in_the_middle_of_whatever_it_does() -> None:
    async def scene() -> None:
        async with server() as there:
            there.files["f"] = bytes(900_000)
            async with connected(there) as now:
                await until(lambda: there.polls == 1)
                source = now.channel.fetch(RemoteFile("f", "f")).__aiter__()
                await source.__anext__()
                now.running.cancel()
                async with asyncio.timeout(PATIENCE_SECONDS):
                    with pytest.raises(asyncio.CancelledError):
                        await now.running
                with pytest.raises(ChannelError, match="ended"):
                    await now.channel.send(OutboundMessage(TO_ADA, "hi"), "key")
                with contextlib.suppress(ChannelError):
                    async for _ in source:
                        pass
                await until(lambda: there.polls == 0)

    asyncio.run(scene())


def test_the_bot_does_not_hear_itself() -> None:
    async def scene() -> None:
        async with server() as there:
            me = {"id": BOT, "is_bot": True, "first_name": "Molt"}
            async with connected(there) as now:
                there.write(1, "my own words", sender=me)
                there.write(2, "hello")
                await until(lambda: now.desk.kept)
            assert [one.text for one in now.desk.kept] == ["hello"]

    asyncio.run(scene())
