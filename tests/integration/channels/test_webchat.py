"""WebChat passes the suite of channels: its own server, and browsers that speak as its page."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.security.seal import Seal
from tests.fakes.channel_contract import (
    MESSAGES,
    ChannelContract,
    Platform,
    Program,
    all_answered,
    ended_in_time,
    program,
    until,
)
from tests.fakes.channel_tally import Tally, note, tally
from tests.fakes.webchat_browsers import WebChatBrowsers

_UPGRADE = (
    "GET /live HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n"
)


class TestWebChat(ChannelContract):
    """The server is the channel's own: where the suite stops a platform's server, here the lines
    are cut, or the whole program is started anew."""

    @pytest.fixture
    def platform(self) -> WebChatBrowsers:
        return WebChatBrowsers()

    def test_nothing_is_lost_doubled_or_reordered(self, tmp_path: Path, platform: Platform) -> None:
        """Each message twice, the lines cut in the middle, and then the program started anew."""
        assert isinstance(platform, WebChatBrowsers)
        third, begun = MESSAGES // 3, time.monotonic()

        def told() -> list[str]:
            return list(platform.tabs[platform.owner].answers.values())

        def numbers(first: int, behind: int):
            async def story(_: Program) -> None:
                for number in range(first, behind):
                    await platform.say(str(number), f"m{number}.", sender=platform.owner, times=2)
                    if number == first + third // 2:
                        await platform.stop()
                await all_answered(behind, told)

            return story

        self.play(tmp_path, platform, numbers(0, third))
        self.play(tmp_path, platform, numbers(third, MESSAGES))
        found = tally(told(), MESSAGES)
        note(platform.channel, found, time.monotonic() - begun)
        assert found == Tally(MESSAGES, MESSAGES, doubled=0, reordered=0)

    def test_behind_the_seal_it_is_not_connected(self, tmp_path: Path, platform: Platform) -> None:
        """Nothing of it leaves this computer, so the seal does not concern it."""

        async def story(running: Program) -> None:
            with Seal(running.home, SystemClock()) as seal:
                seal.close_it()
                await platform.say("1", "still here?", sender=platform.owner)
                await until(lambda: platform.posts(platform.owner))

        self.play(tmp_path, platform, story)

    def test_a_wrong_token_says_so_and_disturbs_nobody(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        assert isinstance(platform, WebChatBrowsers)

        async def story(_: Program) -> None:
            wrong = await platform.tab("eve")
            wrong.key = "00" * 32
            await until(lambda: wrong.closed)
            assert wrong.closed == 4401 and [one["t"] for one in wrong.frames[:1]] == ["hello"]
            await platform.stop()
            await platform.say("1", "well?", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))

        self.play(tmp_path, platform, story)

    def test_it_ends_while_nobody_lets_it_in(
        self, tmp_path: Path, platform: Platform, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Here others keep it waiting: one with half a request, one who does not say who it is."""
        assert isinstance(platform, WebChatBrowsers)

        async def scene() -> None:
            halves = list[asyncio.StreamWriter]()
            try:
                async with program(tmp_path / ".moltbot", platform, {"main": {"port": 0}}) as it:
                    await it.stands(platform.channel, "main", "online")
                    listening = urlsplit((platform.folder / "listening").read_text())
                    host = f"Host: {listening.netloc}\r\nOrigin: http://{listening.netloc}\r\n"

                    async def begin(request: str) -> asyncio.StreamReader:
                        there = await asyncio.open_connection("127.0.0.1", listening.port)
                        halves.append(there[1])
                        there[1].write(request.encode())
                        return there[0]

                    await begin(f"POST /file/1 HTTP/1.1\r\n{host}Content-Length: 9\r\n\r\nhalf")
                    line = await begin(f"{_UPGRADE}{host}\r\n")
                    assert b"101" in await line.readline()
            finally:
                for half in halves:
                    half.transport.abort()

        asyncio.run(scene())
        ended_in_time(platform, caplog)

    @pytest.mark.expect_log
    def test_a_server_that_is_gone_is_waited_for(self, tmp_path: Path, platform: Platform) -> None:
        """A port that another program has: the account says so, and takes no other one."""

        async def scene() -> None:
            there = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
            port = there.sockets[0].getsockname()[1]
            async with (
                there,
                program(tmp_path / ".moltbot", platform, {"main": {"port": port}}) as it,
            ):
                row = await it.stands(platform.channel, "main", "failed")
                assert str(port) in str(row["lastError"])

        asyncio.run(scene())
