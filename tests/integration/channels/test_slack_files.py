"""What Slack's client does with files and broken answers, against a server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from moltbot_desktop.core.errors import ChannelError, ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.slack.client import SlackClient, opened
from moltbot_desktop.extensions.slack.refusals import Refusal
from moltbot_desktop.extensions.slack.settings import Settings
from tests.fakes.slack_server import APP_TOKEN, BOT_TOKEN, Fault, SlackServer


def play(
    story: Callable[[SlackServer, SlackClient], Awaitable[None]],
    bot_token: str = BOT_TOKEN,
    most: int = 1_000,
) -> None:
    async def scene() -> None:
        there = SlackServer()
        await there.start()
        try:
            own = Settings(bot_token, APP_TOKEN, root=there.root, most=most)
            async with opened(own, Language.ENGLISH) as client:
                await story(there, client)
        finally:
            await there.stop()

    asyncio.run(scene())


async def _loaded(client: SlackClient, file_id: str) -> bytes:
    return b"".join([chunk async for chunk in client.download(file_id)])


def test_a_file_is_fetched() -> None:
    async def story(there: SlackServer, client: SlackClient) -> None:
        there.files["F1"] = ("a.bin", "application/octet-stream", b"x" * 900)
        assert await _loaded(client, "F1") == b"x" * 900
        with pytest.raises(ChannelNotFound):
            await _loaded(client, "F2")

    play(story)


def test_a_page_is_no_picture() -> None:
    """Slack shows a page to whom a file is not given:
    https://docs.slack.dev/reference/objects/file-object"""

    async def story(there: SlackServer, client: SlackClient) -> None:
        there.files["F1"] = ("a.png", "image/png", b"PNG")
        there.refuses_files = True
        with pytest.raises(ChannelRefused, match="web page") as caught:
            await _loaded(client, "F1")
        assert "files:read" in caught.value.hint

    play(story)


def test_a_file_that_is_too_large_is_not_loaded() -> None:
    async def story(there: SlackServer, client: SlackClient) -> None:
        there.files["F1"] = ("a.bin", "application/octet-stream", b"x" * 1_001)
        with pytest.raises(ChannelRefused, match="mediaMaxMb"):
            await _loaded(client, "F1")

    play(story)


def test_what_cannot_be_read_says_so_without_a_token() -> None:
    async def story(there: SlackServer, client: SlackClient) -> None:
        there.faults += [
            Fault("auth.test", "ratelimited", retry_after=7, status=429),
            Fault("auth.test", ""),
        ]
        assert await client.ask("auth.test") == Refusal("ratelimited", retry_after=7.0)
        with pytest.raises(ChannelError) as cut:
            await client.ask("auth.test")
        with pytest.raises(ChannelError) as page:
            await client.ask("nothing/here")
        await there.stop()
        with pytest.raises(ChannelError) as gone:
            await client.ask("auth.test")
        for one in (cut, page, gone):
            assert "canary" not in f"{one.value} {one.value.hint} {one.value.__cause__}"

    play(story)
