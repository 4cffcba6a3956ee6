"""WebChat passes the suite of channels: its own server, and browsers that speak as its page."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.security.seal import Seal
from tests.fakes.channel_contract import (
    MESSAGES,
    ChannelContract,
    Platform,
    Program,
    program,
    until,
)
from tests.fakes.webchat_browsers import WebChatBrowsers


class TestWebChat(ChannelContract):
    """The server is the channel's own: where the suite stops a platform's server, here the lines
    are cut, or the whole program is started anew."""

    @pytest.fixture
    def platform(self) -> WebChatBrowsers:
        return WebChatBrowsers()

    def test_nothing_is_lost_doubled_or_reordered(self, tmp_path: Path, platform: Platform) -> None:
        """Each message twice, the lines cut in the middle, and then the program started anew."""
        third = MESSAGES // 3

        def numbers(first: int, behind: int):  # type: ignore[no-untyped-def]
            async def story(_: Program) -> None:
                owner = platform.owner
                for number in range(first, behind):
                    await platform.say(str(number), f"m{number}.", sender=owner, times=2)
                    if number == first + third // 2:
                        await platform.stop()
                await until(
                    lambda: any(f"m{behind - 1}." in one.text for one in platform.posts(owner))
                )

            return story

        self.play(tmp_path, platform, numbers(0, third))
        self.play(tmp_path, platform, numbers(third, MESSAGES))
        told = [one.text for one in platform.posts(platform.owner)]
        found = [n for text in told for n in range(MESSAGES) if f"m{n}." in text]
        assert found[-third:] == list(range(MESSAGES - third, MESSAGES))
        assert found == list(range(found[0], MESSAGES))  # a page shows the last sixty entries

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
