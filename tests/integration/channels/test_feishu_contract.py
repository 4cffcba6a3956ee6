"""The contract of channels, passed by Feishu against an Open Platform on loopback."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.extensions.feishu.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post, Program, program, until
from tests.fakes.feishu_server import APP_ID, APP_SECRET, ROOM, Fault, FeishuServer

PLUGIN = "moltbot_desktop.extensions.feishu"
SEND = "/open-apis/im/v1/messages"
_EMOJI = {"GLANCE": "👀", "THUMBSUP": "👍"}


@dataclass
class Feishu:
    """Implements `channel_contract.Platform`."""

    channel: str = "feishu"
    capabilities: Capabilities = CAPABILITIES
    owner: str = "ou_42"
    stranger: str = "ou_66"
    group: str = ROOM
    there: FeishuServer = field(default_factory=FeishuServer)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"feishu": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        secret = APP_SECRET if token_is_right else "no"
        return {"appId": APP_ID, "appSecret": secret, "apiRoot": self.there.root}

    async def start(self) -> None:
        await self.there.start()

    async def stop(self) -> None:
        await self.there.stop()

    async def hold(self) -> None:
        await self.there.hold()

    async def say(
        self,
        message_id: str,
        text: str,
        *,
        sender: str,
        group: str = "",
        mentioned: bool = False,
        file: tuple[str, str, bytes] | None = None,
        times: int = 1,
        answers: str = "",
    ) -> None:
        kind, content = "text", None
        if file is not None:
            # A picture comes with words as rich text.
            self.there.files[f"{message_id}/img_{message_id}"] = ("image", file[2])
            words, picture = {"tag": "text", "text": text}, {"tag": "img"}
            kind = "post"
            lines = [[words], [{**picture, "image_key": f"img_{message_id}"}]]
            content = {"title": "", "content": lines}
        for _ in range(times):
            self.there.write(
                message_id,
                text,
                user=sender,
                room=group,
                mentioned=mentioned,
                kind=kind,
                content=content,
                **({"parent_id": answers, "root_id": answers} if answers else {}),
            )

    def posts(self, to: str) -> Sequence[Post]:
        return [
            Post(one.id, to, one.texts[-1], one.answers, tuple(one.files))
            for one in self.there.posts.values()
            if one.to == to
        ]

    def versions(self, post_id: str) -> Sequence[str]:
        return self.there.posts[post_id].texts

    def reactions(self, message_id: str) -> Sequence[str]:
        return [_EMOJI[one] for one in self.there.reactions.get(message_id, {}).values()]


class TestFeishu(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self) -> Feishu:
        return Feishu()

    @pytest.mark.expect_log
    def test_its_settings_can_be_tried(self, tmp_path: Path, platform: Feishu) -> None:
        async def story(running: Program) -> None:
            row = (await running.accounts("feishu", probe=True))["main"]
            assert row["probe"] == {"ok": True, "as": "molt"}
            platform.there.faults.append(Fault("GET", "/open-apis/bot/v3/info", 11205))
            row = (await running.accounts("feishu", probe=True))["main"]
            assert "no bot" in row["probe"]["error"]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_without_its_library_it_says_what_to_install(
        self, tmp_path: Path, platform: Feishu, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [one for one in sys.modules if one.startswith(f"{PLUGIN}.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "aiohttp", None)

        async def scene() -> None:
            accounts = {"main": platform.account()}
            async with program(tmp_path / ".moltbot", platform, accounts) as running:
                row = await running.stands("feishu", "main", "failed")
                assert "pip install 'moltbot-desktop[server]'" in str(row["lastError"])

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_a_line_that_breaks_loses_nothing(self, tmp_path: Path, platform: Feishu) -> None:
        there = platform.there

        async def story(_: Program) -> None:
            await there.drop()
            await platform.say("1", "m1", sender=platform.owner)
            await until(lambda: len(platform.posts(platform.owner)) == 1)
            await until(lambda: not there.pending)
            assert there.lines == 2

        self.play(tmp_path, platform, story)

    def test_a_topic_is_answered_in_the_topic(self, tmp_path: Path, platform: Feishu) -> None:
        there = platform.there

        async def story(_: Program) -> None:
            named: dict[str, Any] = {"room": ROOM, "mentioned": True, "thread_id": "omt_1"}
            there.write("om_1", "first", **named)
            await until(lambda: len(there.posts) == 1)
            there.write("om_2", "second", root_id="om_1", parent_id="om_1", **named)
            await until(lambda: len(there.posts) == 2)
            assert all(one.in_thread for one in there.posts.values())
            assert "second" in list(there.posts.values())[1].texts[-1]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_what_goes_by_is_waited_for(self, tmp_path: Path, platform: Feishu) -> None:
        there = platform.there
        there.faults += [
            Fault("POST", f"{SEND}/1/reply", 99991400, 429, reset=0),
            Fault("POST", f"{SEND}/1/reply", 0),
            Fault("POST", f"{SEND}/1/reply", 1, 500),
        ]

        async def story(_: Program) -> None:
            there.forget()  # the token was good for two hours, and is not
            await platform.say("1", "well?", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            [post] = platform.posts(platform.owner)
            assert "well?" in post.text and not there.faults

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_no_secret_is_kept(self, tmp_path: Path, platform: Feishu) -> None:
        async def story(running: Program) -> None:
            platform.there.faults.append(Fault("POST", "/callback/ws/endpoint", 1, 200))
            await platform.there.drop()
            await platform.say("1", "well?", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            kept = [one for one in running.home.rglob("*") if one.is_file()]
            canaries = [one.name for one in kept if b"canary" in one.read_bytes()]
            assert canaries in ([], ["moltbot.json"])

        self.play(tmp_path, platform, story)
