"""IRC on real servers, through the whole program."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelNotFound
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.results import Usage
from moltbot_desktop.extensions.irc.connection import IrcChannel, probe
from moltbot_desktop.sdk.channels import DeliveryTarget, OutboundMessage, Peer, PeerKind
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    TextDelta,
)
from moltbot_desktop.sdk.plugins import ChannelAccount
from moltbot_desktop.sdk.tools import CancelToken
from tests.fakes.bare_channel import Bare
from tests.fakes.channel_contract import (
    CODE,
    LONG,
    MESSAGES,
    MOST_AGAIN,
    ChannelContract,
    Platform,
    Program,
    all_answered,
    answers_to_owner,
    until,
)
from tests.fakes.channel_tally import note
from tests.fakes.chat_servers import LINUX_ONLY, inspircd, ngircd
from tests.fakes.irc_people import ASSISTANT, GROUP, PASSWORD, IrcPlatform, Person
from tests.fakes.obedient import ObedientModel

pytestmark = LINUX_ONLY


class LongModel(ObedientModel):
    """Answers “tell me” at length: on IRC nobody can ask in more than one line."""

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        if "tell me" in request.messages[-1].content:
            yield TextDelta(LONG + CODE)
            yield GenerationDone(FinishReason.STOP, Usage())
            return
        async for event in super().generate(request, cancel):
            yield event


class TestIrc(ChannelContract):
    """The suite, on a server that lets in who knows its password. An answer is a post a line."""

    @pytest.fixture
    def platform(self, tmp_path: Path) -> Iterator[IrcPlatform]:
        with inspircd(tmp_path, password=PASSWORD) as server:
            yield IrcPlatform(server, PASSWORD)

    def test_a_long_answer_comes_in_parts_that_fit(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        async def story(_: Program) -> None:
            await platform.say("1", "tell me", sender=platform.owner)
            await until(lambda: "The end." in _whole(platform))
            whole = _whole(platform)
            assert [whole.index(f"value_{n} = {n} * 2\n") for n in range(40)] == sorted(
                whole.index(f"value_{n} = {n} * 2\n") for n in range(40)
            )
            for n in range(12):
                assert f"Paragraph {n}: 你好，世界 😀 and some more words.\n" in whole

        self.play(tmp_path, platform, story, model=LongModel())

    def test_a_group_is_answered_where_the_assistant_is_named(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        async def story(_: Program) -> None:
            await platform.say("1", "among ourselves", sender=platform.owner, group=GROUP)
            await platform.say("2", "hi", sender=platform.owner, group=GROUP, mentioned=True)
            await until(lambda: f"{ASSISTANT}: hi" in _whole(platform, GROUP))
            # What was said before stands in the prompt of the one answer, and had none of its own.
            assert _whole(platform, GROUP).count("among ourselves") == 1

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_nothing_is_lost_doubled_or_reordered(self, tmp_path: Path, platform: Platform) -> None:
        """The server dies while answers are on their way. It says nothing twice, so that what it
        had not yet told us would be gone: all of the first half are ours before it dies. Answers
        that nobody took wait until their reader is back."""
        half = MESSAGES // 2

        async def story(running: Program) -> None:
            owner, begun = platform.owner, time.monotonic()
            for number in range(half):
                await platform.say(str(number), f"m{number}.", sender=owner)
            await until(lambda: _received(running.home) == half)
            await platform.stop()
            await running.stands(platform.channel, "main", "backoff")
            await platform.start()
            await running.stands(platform.channel, "main", "online")
            for number in range(half, MESSAGES):
                await platform.say(str(number), f"m{number}.", sender=owner)
            found = await all_answered(MESSAGES, lambda: answers_to_owner(platform))
            note(platform.channel, found, time.monotonic() - begun)
            assert found.reordered == 0 and found.doubled <= MOST_AGAIN, found

        self.play(tmp_path, platform, story)


def _received(home: Path) -> int:
    # By the library that the program uses: a second one in the process lets go, when it closes, the
    # locks of the first, which then dies on a shared page that is there no more (SIGBUS, seen).
    # https://sqlite.org/howtocorrupt.html, "Multiple copies of SQLite linked into the same app"
    book = apsw.Connection(str(home / "mail.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        [[count]] = book.execute("SELECT count(*) FROM inbox")
    finally:
        book.close()
    return int(count)


def _whole(platform: Platform, to: str = "alice") -> str:
    return "".join(f"{one.text}\n" for one in platform.posts(to))


def test_a_server_without_ircv3_does_as_well(tmp_path: Path) -> None:
    """Ngircd slows everybody down, so that one talk has to do."""

    async def story(_: Program) -> None:
        await platform.say("1", "Grüße, 你好 😀", sender="alice")
        await until(lambda: "Grüße, 你好 😀" in _whole(platform))
        await platform.say("2", "and here", sender="alice", group=GROUP, mentioned=True)
        await until(lambda: "and here" in _whole(platform, GROUP))

    with ngircd(tmp_path) as server:
        platform = IrcPlatform(server)
        ChannelContract().play(tmp_path, platform, story)


NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def _opened(account: ChannelAccount) -> IrcChannel:
    return IrcChannel(account, ManualClock(NOW), Language.ENGLISH)


def test_whoever_takes_a_nick_gets_nothing_of_who_had_it(tmp_path: Path) -> None:
    """Where no server knows accounts, a person is a nick together with an address."""

    async def story(platform: IrcPlatform, bare: Bare, port: int) -> None:
        async with bare.runs(_opened) as channel:
            await platform.say("1", "it is me", sender="alice")
            await until(lambda: bare.kept)
            [said] = bare.kept
            assert said.sender.id == "alice!alice@127.0.0.1" and said.message_id
            answer = OutboundMessage(said.reply_target, "\x02for\x02 you\n" * 9)
            await channel.send(answer, "a:0")
            await until(lambda: len(platform.posts("alice")) == 4)
            assert platform.posts("alice")[0].text == "for you"
            assert platform.posts("alice")[3].text.startswith("… 6 more lines")
            await platform.people["alice"].go()
            platform.people["alice"] = await Person.come("alice", port, user="mallory")
            with pytest.raises(ChannelError, match="alice"):
                await channel.send(answer, "b:0")
            with pytest.raises(ChannelNotFound):
                await channel.send(replace(answer, target=_to("#elsewhere")), "c:0")
            with pytest.raises(ChannelNotFound):
                await channel.send(replace(answer, target=_to("#a,#b")), "d:0")
            assert not platform.posts("alice")

    async def scene(port: int, platform: IrcPlatform) -> None:
        await platform.start()
        settings: dict[str, Any] = {**platform.account(), "identify": "account", "maxLines": 4}
        try:
            await story(platform, Bare(settings), port)
        finally:
            await platform.stop()

    with inspircd(tmp_path) as server:
        asyncio.run(scene(server.port, IrcPlatform(server)))


def _to(place: str) -> DeliveryTarget:
    return DeliveryTarget("irc", "main", Peer(PeerKind.GROUP, place))


def test_settings_are_tried_and_no_password_is_told(tmp_path: Path) -> None:
    async def scene(platform: IrcPlatform) -> None:
        good: dict[str, Any] = dict(platform.account())

        async def tried(**more: Any) -> str:
            return await probe({**good, **more}, ManualClock(NOW), Language.ENGLISH)

        assert await tried() == f"{ASSISTANT} @ 127.0.0.1"
        with pytest.raises(ChannelAuthFailed) as wrong:
            await tried(password="canary-no")
        assert "canary" not in f"{wrong.value} {wrong.value.hint}"
        with pytest.raises(ChannelError):  # the server speaks no TLS at this port
            await tried(tls=True)

    with inspircd(tmp_path, PASSWORD) as server:
        asyncio.run(scene(IrcPlatform(server, PASSWORD)))
