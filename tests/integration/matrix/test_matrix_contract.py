"""The Matrix channel with a real Synapse: the owner's room is encrypted, the others are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.channel_contract import ChannelContract, Program, program, until
from tests.fakes.chat_servers import LINUX_ONLY, ChatServer, synapse
from tests.fakes.matrix_platform import TOKEN, MatrixPlatform, People, people

pytest.importorskip("vodozemac", reason="the extra “matrix” is not installed")
pytestmark = LINUX_ONLY


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatServer]:
    with synapse(tmp_path_factory.mktemp("synapse"), users={}) as one:
        yield one


@pytest.fixture(scope="module")
def them(server: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    with people(server, tmp_path_factory.mktemp("people")) as all_of_them:
        yield all_of_them


class TestMatrix(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self, server: ChatServer, them: People) -> MatrixPlatform:
        return MatrixPlatform(server, them)

    def test_after_a_restart_it_reads_what_was_written_meanwhile(
        self, tmp_path: Path, platform: MatrixPlatform
    ) -> None:
        """In an encrypted room, with the same device, whose keys nobody else may read."""
        home, owner = tmp_path / ".moltbot", platform.owner

        async def scene() -> None:
            await platform.start()
            try:
                accounts = {"main": platform.account()}
                async with program(home, platform, accounts) as running:
                    await running.stands("matrix", "main", "online")
                    await platform.say("1", "first", sender=owner)
                    await until(lambda: len(platform.posts(owner)) == 1)
                await platform.say("2", "while you were away", sender=owner)
                async with program(home, platform, accounts) as running:
                    await running.stands("matrix", "main", "online")
                    await until(lambda: len(platform.posts(owner)) == 2)
                assert "while you were away" in platform.posts(owner)[1].text
            finally:
                await platform.stop()

        asyncio.run(scene())
        assert len(platform.devices()) == 1
        [keys] = home.rglob("@bot*.db")
        assert keys.stat().st_mode & 0o077 == 0

    def test_a_question_in_a_thread_is_answered_there(
        self, tmp_path: Path, platform: MatrixPlatform
    ) -> None:
        async def story(_: Program) -> None:
            await platform.say("1", "hello", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            await platform.say("2", "and here?", sender=platform.owner, thread="1")
            await until(lambda: len(platform.posts(platform.owner)) == 2)
            [last] = [c for c in platform.contents(platform.owner) if "here?" in str(c["body"])][:1]
            assert last["m.relates_to"]["rel_type"] == "m.thread"
            assert last["m.relates_to"]["event_id"] == platform.event("1")

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_a_token_stands_nowhere_but_in_the_settings(
        self, tmp_path: Path, platform: MatrixPlatform, caplog: pytest.LogCaptureFixture
    ) -> None:
        home = tmp_path / ".moltbot"

        async def scene() -> None:
            await platform.start()
            try:
                bad = {"bad": platform.account(token_is_right=False)}
                async with program(home, platform, bad) as running:
                    row = await running.stands("matrix", "bad", "failed")
                    assert TOKEN not in str(row)
            finally:
                await platform.stop()

        asyncio.run(scene())
        assert TOKEN not in caplog.text
        files = [one for one in home.rglob("*") if one.is_file() and one.name != "moltbot.json"]
        assert files and not any(TOKEN.encode() in one.read_bytes() for one in files)

    @pytest.mark.expect_log
    def test_where_devices_are_listed_no_other_is_heard(
        self, tmp_path: Path, platform: MatrixPlatform
    ) -> None:
        home, owner = tmp_path / ".moltbot", platform.owner

        async def scene() -> None:
            await platform.start()
            try:
                strict = {"main": {**platform.account(), "trustedDevices": ["another key"]}}
                async with program(home, platform, strict) as running:
                    await running.stands("matrix", "main", "online")
                    await platform.say("1", "first", sender=owner)
                    row = await running.stands("matrix", "main", "degraded")
                    assert "trustedDevices" in str(row["lastError"])
                key = platform.them.session_key(owner)
                listed = {"main": {**platform.account(), "trustedDevices": [key]}}
                async with program(home, platform, listed) as running:
                    await running.stands("matrix", "main", "online")
                    await platform.say("2", "second", sender=owner)
                    await until(lambda: platform.posts(owner))
                assert ["second" in one.text for one in platform.posts(owner)] == [True]
            finally:
                await platform.stop()

        asyncio.run(scene())
