"""The contract of channels, passed by Slack against a Web API and socket mode on loopback."""

from __future__ import annotations

import asyncio
import html
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.extensions.slack.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post, Program, program, until
from tests.fakes.slack_server import APP_TOKEN, BOT_TOKEN, ME, ROOM, Fault, SlackServer

PLUGIN = "moltbot_desktop.extensions.slack"
MESSAGES = int(os.environ.get("MOLTBOT_CHANNEL_MESSAGES", "60"))
_EMOJI = {"eyes": "👀", "+1": "👍"}


@dataclass
class Slack:
    """Implements `channel_contract.Platform`."""

    channel: str = "slack"
    capabilities: Capabilities = CAPABILITIES
    owner: str = "U42"
    stranger: str = "U66"
    group: str = ROOM
    there: SlackServer = field(default_factory=SlackServer)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"slack": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        token = BOT_TOKEN if token_is_right else "xoxb-no"
        return {"botToken": token, "appToken": APP_TOKEN, "apiRoot": self.there.root}

    async def start(self) -> None:
        await self.there.start()

    async def stop(self) -> None:
        await self.there.stop()

    async def hold(self) -> None:
        await self.there.hold()

    def own_id(self, message_id: str) -> str:
        return f"{1_760_000_000 + int(message_id)}.000001"

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
        words = html.escape(text, quote=False)
        more: dict[str, Any] = {}
        if mentioned:
            words = f"<@{ME}> {words}"
        if file is not None:
            self.there.files[f"F{message_id}"] = file
            about = {"id": f"F{message_id}", "name": file[0], "mimetype": file[1]}
            more = {"files": [{**about, "size": len(file[2])}], "subtype": "file_share"}
        if answers:
            more["thread_ts"] = answers if answers in self.there.posts else self.own_id(answers)
        for _ in range(times):
            ts = self.own_id(message_id)
            self.there.write(ts, words, user=sender, room=group, **more)

    def posts(self, to: str) -> Sequence[Post]:
        room = to if to.startswith("C") else f"D{to[1:]}"
        return [
            Post(one.ts, to, html.unescape(one.texts[-1]), files=tuple(one.files))
            for one in self.there.posts.values()
            if one.room == room
        ]

    def versions(self, post_id: str) -> Sequence[str]:
        return [html.unescape(one) for one in self.there.posts[post_id].texts]

    def reactions(self, message_id: str) -> Sequence[str]:
        names = self.there.reactions.get(self.own_id(message_id), ())
        return [_EMOJI[one] for one in names]


class TestSlack(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self) -> Slack:
        return Slack()

    @pytest.mark.expect_log
    def test_its_settings_can_be_tried(self, tmp_path: Path, platform: Slack) -> None:
        async def story(running: Program) -> None:
            row = (await running.accounts("slack", probe=True))["main"]
            assert row["probe"] == {"ok": True, "as": "@molt"}
            platform.there.faults.append(Fault("apps.connections.open", "not_allowed_token_type"))
            row = (await running.accounts("slack", probe=True))["main"]
            assert "app token" in row["probe"]["error"]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_without_its_library_it_says_what_to_install(
        self, tmp_path: Path, platform: Slack, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [one for one in sys.modules if one.startswith(f"{PLUGIN}.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "aiohttp", None)

        async def scene() -> None:
            accounts = {"main": platform.account()}
            async with program(tmp_path / ".moltbot", platform, accounts) as running:
                row = await running.stands("slack", "main", "failed")
                assert "pip install 'moltbot-desktop[server]'" in str(row["lastError"])

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_a_line_that_is_renewed_or_breaks_loses_nothing(
        self, tmp_path: Path, platform: Slack
    ) -> None:
        """Slack renews a line without the connection being over; one that breaks is made anew."""
        there = platform.there

        async def story(running: Program) -> None:
            await there.goodbye("refresh_requested")
            await platform.say("1", "m1", sender=platform.owner)
            await until(lambda: len(platform.posts(platform.owner)) == 1)
            await running.stands("slack", "main", "online")
            assert there.lines == 2
            await there.drop()
            await platform.say("2", "m2", sender=platform.owner)
            await until(lambda: len(platform.posts(platform.owner)) == 2)
            assert not there.pending

        self.play(tmp_path, platform, story)

    def test_a_thread_is_answered_in_the_thread(self, tmp_path: Path, platform: Slack) -> None:
        there = platform.there

        async def story(_: Program) -> None:
            there.write("1760000001.1", "there?", room=ROOM, thread_ts="1760000000.1")
            named = {"room": ROOM, "thread_ts": "1760000000.1"}
            there.write("1760000002.1", f"<@{ME}> here", **named)
            there.write("1760000002.1", f"<@{ME}> here", type="app_mention", **named)
            await until(lambda: platform.posts(ROOM))
            # What answers a message of ours is addressed to us.
            there.write("1760000003.1", "more", parent_user_id=ME, **named)
            await until(lambda: len(platform.posts(ROOM)) == 2)
            [first, second] = there.posts.values()
            assert first.thread == second.thread == "1760000000.1"
            assert "@molt here" in first.texts[-1] and "more" in second.texts[-1]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_what_goes_by_is_waited_for(self, tmp_path: Path, platform: Slack) -> None:
        there = platform.there
        there.faults += [
            Fault("chat.postMessage", "ratelimited", retry_after=0, status=429),
            Fault("chat.postMessage", "internal_error"),
            Fault("chat.postMessage", ""),
            Fault("users.info", "missing_scope", needed="users:read"),
        ]

        async def story(_: Program) -> None:
            await platform.say("1", "well?", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            assert "well?" in platform.posts(platform.owner)[0].text

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_a_permission_that_is_missing_is_named(self, tmp_path: Path, platform: Slack) -> None:
        """And no token stands anywhere in what the program keeps."""
        fault = Fault("chat.postMessage", "missing_scope", needed="chat:write")
        platform.there.faults.append(fault)

        async def story(running: Program) -> None:
            await platform.say("1", "well?", sender=platform.owner)
            row = await running.stands("slack", "main", "failed")
            assert "chat:write" in str(row["lastError"])
            kept = [one for one in running.home.rglob("*") if one.is_file()]
            canaries = [one for one in kept if b"canary-token" in one.read_bytes()]
            assert [one.name for one in canaries] in ([], ["moltbot.json"])

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    @pytest.mark.parametrize(
        ("reason", "state"), [("link_disabled", "failed"), ("too_many_websockets", "backoff")]
    )
    def test_slack_says_why_it_ends_a_line(
        self, tmp_path: Path, platform: Slack, reason: str, state: str
    ) -> None:
        async def story(running: Program) -> None:
            await platform.there.goodbye(reason)
            row = await running.stands("slack", "main", state)
            assert row["lastError"]

        self.play(tmp_path, platform, story)

    def test_its_slash_command_is_one_of_ours(self, tmp_path: Path, platform: Slack) -> None:
        payload = {"command": "/molt", "text": "help", "user_id": "U42", "channel_id": "D42"}

        async def story(_: Program) -> None:
            platform.there.happen("slash_commands", {**payload, "trigger_id": "1.2.a"})
            await until(lambda: platform.posts("U42"))
            assert "/commands" in platform.posts("U42")[0].text

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_on_a_bad_day_every_message_is_answered_once_and_in_order(
        self, tmp_path: Path, platform: Slack
    ) -> None:
        """Each comes twice; lines are renewed and break, Slack is unwell, asks for pauses, and goes
        away in the middle. MOLTBOT_CHANNEL_MESSAGES says how many there are."""
        there = platform.there

        async def story(running: Program) -> None:
            for start in range(0, MESSAGES, 10):
                there.faults += _bad_luck(start // 10)
                for number in range(start, min(start + 10, MESSAGES)):
                    await platform.say(str(number), f"m{number}.", sender="U42", times=2)
                    if number % 30 == 5:
                        await there.goodbye("refresh_requested")
                    # Not often: the pause before another line grows when they break at once.
                    if number in (25, 325, 625):
                        await there.drop()
                if start == MESSAGES // 20 * 10:
                    await platform.stop()
                    await running.stands("slack", "main", "backoff")
                    await platform.start()
                answered = min(start + 10, MESSAGES)
                await until(lambda: len(set(_answered(platform))) == answered)  # noqa: B023
            told = _answered(platform)
            assert list(dict.fromkeys(told)) == list(range(MESSAGES))
            # The one that was on its way when the server went may have come twice.
            assert len(told) <= MESSAGES + 1

        self.play(tmp_path, platform, story)


def _bad_luck(turn: int) -> list[Fault]:
    """What a sending is refused with is refused before anybody sees it: a line that is cut after
    that would show a message twice, as Slack knows no keys."""
    kinds = [
        Fault("chat.postMessage", "ratelimited", retry_after=0, status=429),
        Fault("chat.postMessage", ""),
        Fault("chat.postMessage", "internal_error"),
        Fault("users.info", ""),
        Fault("chat.postMessage", "fatal_error", status=500),
    ]
    return [kinds[turn % len(kinds)]]


def _answered(platform: Slack) -> list[int]:
    """The messages that were answered, in the order of the answers."""
    texts = [post.text for post in platform.posts("U42")]
    return [int(found) for text in texts for found in re.findall(r"m(\d+)\.", text)]
