"""The contract of channels, passed by DingTalk against an Open Platform on loopback."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.extensions.dingtalk.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post, Program, program, until
from tests.fakes.dingtalk_server import CLIENT_ID, CLIENT_SECRET, ROOM, DingTalkServer, Fault

PLUGIN = "moltbot_desktop.extensions.dingtalk"
OPEN = "/v1.0/gateway/connections/open"
SESSION = "/robot/sendBySession"


@dataclass
class DingTalk:
    """Implements `channel_contract.Platform`."""

    channel: str = "dingtalk"
    capabilities: Capabilities = CAPABILITIES
    owner: str = "0147"
    stranger: str = "0266"
    group: str = ROOM
    there: DingTalkServer = field(default_factory=DingTalkServer)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"dingtalk": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        secret = CLIENT_SECRET if token_is_right else "no"
        return {"clientId": CLIENT_ID, "clientSecret": secret, "apiRoot": self.there.root}

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
            self.there.files[f"code/{message_id}+="] = file[2]
            picture = {"type": "picture", "downloadCode": f"code/{message_id}+="}
            kind, content = "richText", {"richText": [{"text": text}, picture]}
        for _ in range(times):
            self.there.write(
                message_id,
                text,
                user=sender,
                room=group,
                mentioned=mentioned,
                kind=kind,
                content=content,
            )

    def posts(self, to: str) -> Sequence[Post]:
        return [
            Post(one.id, to, one.text, "", tuple(one.files))
            for one in self.there.posts
            if one.to == to
        ]

    def versions(self, post_id: str) -> Sequence[str]:
        return [one.text for one in self.there.posts if one.id == post_id]

    def reactions(self, message_id: str) -> Sequence[str]:
        return ()


class TestDingTalk(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self) -> DingTalk:
        return DingTalk()

    @pytest.mark.expect_log
    def test_its_settings_can_be_tried(self, tmp_path: Path, platform: DingTalk) -> None:
        async def story(running: Program) -> None:
            row = (await running.accounts("dingtalk", probe=True))["main"]
            assert row["probe"] == {"ok": True, "as": CLIENT_ID}
            platform.there.faults.append(Fault(OPEN, "some.other.thing"))
            row = (await running.accounts("dingtalk", probe=True))["main"]
            assert "opens no connection" in row["probe"]["error"]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_without_its_library_it_says_what_to_install(
        self, tmp_path: Path, platform: DingTalk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [one for one in sys.modules if one.startswith(f"{PLUGIN}.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "aiohttp", None)

        async def scene() -> None:
            accounts = {"main": platform.account()}
            async with program(tmp_path / ".moltbot", platform, accounts) as running:
                row = await running.stands("dingtalk", "main", "failed")
                assert "pip install 'moltbot-desktop[server]'" in str(row["lastError"])

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_a_line_that_breaks_is_made_again(self, tmp_path: Path, platform: DingTalk) -> None:
        there = platform.there

        async def story(_: Program) -> None:
            await there.drop()
            await until(lambda: there.standing)
            await platform.say("1", "m1", sender=platform.owner)
            await until(lambda: len(platform.posts(platform.owner)) == 1)
            assert there.lines == 2 and not there.lost

        self.play(tmp_path, platform, story)

    def test_a_line_that_is_renewed_loses_nothing(self, tmp_path: Path, platform: DingTalk) -> None:
        """The platform closes each line now and then; before, the next one stands."""
        there = platform.there

        async def story(running: Program) -> None:
            await platform.say("1", "m1", sender=platform.owner)
            await there.say_goodbye()
            await until(lambda: there.standing == 2)
            await platform.say("2", "m2", sender=platform.owner)
            await there.close_leaving()
            await platform.say("3", "m3", sender=platform.owner)
            await until(lambda: "m3" in "".join(map(_text, platform.posts(platform.owner))))
            told = "".join(map(_text, platform.posts(platform.owner)))
            assert [told.count(f"m{n}") for n in (1, 2, 3)] == [1, 1, 1] and not there.lost
            row = (await running.accounts("dingtalk"))["main"]
            assert row["state"] == "online" and not row.get("lastError")

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_what_goes_by_is_waited_for(self, tmp_path: Path, platform: DingTalk) -> None:
        there = platform.there
        there.faults += [Fault(SESSION, ""), Fault(SESSION, "-1"), Fault(SESSION, "90018")]

        async def story(_: Program) -> None:
            await platform.say("1", "well?", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            [post] = platform.posts(platform.owner)
            assert "well?" in post.text and not there.faults

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_an_answer_after_a_restart_goes_by_the_api(
        self, tmp_path: Path, platform: DingTalk
    ) -> None:
        """The address of a session lies nowhere but in memory."""
        there = platform.there
        there.faults += [Fault(SESSION, "")] * 2

        async def begins(_: Program) -> None:
            await platform.say("1", "well?", sender=platform.owner)
            await until(lambda: len(there.faults) < 2)

        async def ends(_: Program) -> None:
            await until(lambda: platform.posts(platform.owner))

        self.play(tmp_path, platform, begins)
        there.faults.clear()
        self.play(tmp_path, platform, ends)
        assert [one.way for one in there.posts] == ["sampleMarkdown"]

    @pytest.mark.expect_log
    def test_no_secret_is_kept(self, tmp_path: Path, platform: DingTalk) -> None:
        async def story(running: Program) -> None:
            platform.there.faults += [Fault(OPEN, "system.error", 500), Fault(SESSION, "")]
            await platform.there.drop()
            await until(lambda: platform.there.standing)
            await platform.say("1", "well?", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            kept = [one for one in running.home.rglob("*") if one.is_file()]
            canaries = [one.name for one in kept if b"canary" in one.read_bytes()]
            assert canaries in ([], ["moltbot.json"])

        self.play(tmp_path, platform, story)


def _text(post: Post) -> str:
    return post.text
