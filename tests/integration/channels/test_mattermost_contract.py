"""The contract of channels, passed by Mattermost against a REST API and WebSocket on loopback."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.extensions.mattermost.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post, Program, program, until
from tests.fakes.mattermost_server import (
    ADA,
    EVE,
    ME,
    OTHER_BOT,
    ROOM,
    TOKEN,
    Fault,
    MattermostServer,
    ident,
)

PLUGIN = "moltbot_desktop.extensions.mattermost"
MESSAGES = int(os.environ.get("MOLTBOT_CHANNEL_MESSAGES", "60"))
_EMOJI = {"eyes": "👀", "+1": "👍"}


@dataclass
class Mattermost:
    """Implements `channel_contract.Platform`."""

    channel: str = "mattermost"
    capabilities: Capabilities = CAPABILITIES
    owner: str = ADA
    stranger: str = EVE
    group: str = ROOM
    there: MattermostServer = field(default_factory=MattermostServer)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"mattermost": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {"botToken": TOKEN if token_is_right else "no", "baseUrl": self.there.base}

    async def start(self) -> None:
        await self.there.start()

    async def stop(self) -> None:
        await self.there.stop()

    async def hold(self) -> None:
        await self.there.hold()

    def own_id(self, message_id: str) -> str:
        return ident(f"m{message_id}")

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
        files: tuple[str, ...] = ()
        if file is not None:
            files = (ident(f"f{message_id}"),)
            self.there.files[files[0]] = file
        words = f"@molt {text}" if mentioned else text
        root = answers if answers in self.there.posts or not answers else self.own_id(answers)
        own = self.own_id(message_id)
        post = self.there.write(words, user=sender, room=group, post_id=own, root=root, files=files)
        for _ in range(times - 1):
            self.there.tell(post)

    def posts(self, to: str) -> Sequence[Post]:
        room = to if to == ROOM else self.there.direct(to)
        return [
            Post(
                one.id,
                to,
                one.texts[-1],
                files=tuple((self.there.files[f][0], self.there.files[f][2]) for f in one.files),
            )
            for one in self.there.own
            if one.room == room
        ]

    def versions(self, post_id: str) -> Sequence[str]:
        return self.there.posts[post_id].texts

    def reactions(self, message_id: str) -> Sequence[str]:
        names = self.there.reactions.get(self.own_id(message_id), ())
        return [_EMOJI[one] for one in names]


class TestMattermost(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self) -> Mattermost:
        return Mattermost()

    @pytest.mark.expect_log
    def test_its_settings_can_be_tried(self, tmp_path: Path, platform: Mattermost) -> None:
        async def story(running: Program) -> None:
            row = (await running.accounts("mattermost", probe=True))["main"]
            assert row["probe"] == {"ok": True, "as": "@molt"}
            platform.there.faults.append(Fault("GET /users/me", 401))
            row = (await running.accounts("mattermost", probe=True))["main"]
            assert "token" in row["probe"]["error"]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_without_its_library_it_says_what_to_install(
        self, tmp_path: Path, platform: Mattermost, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [one for one in sys.modules if one.startswith(f"{PLUGIN}.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "aiohttp", None)

        async def scene() -> None:
            accounts = {"main": {**platform.account(), "baseUrl": "http://127.0.0.1:1"}}
            async with program(tmp_path / ".moltbot", platform, accounts) as running:
                row = await running.stands("mattermost", "main", "failed")
                assert "pip install 'moltbot-desktop[server]'" in str(row["lastError"])

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_what_was_written_while_the_server_or_the_line_was_away_is_answered_once_in_order(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        """Also what began a room that was not there before, and in the room's own place."""
        there = platform.there

        async def story(running: Program) -> None:
            await platform.say("1", "m1.", sender=ADA)
            await until(lambda: len(platform.posts(ADA)) == 1)
            await platform.stop()
            await running.stands("mattermost", "main", "backoff")
            for number in range(2, 5):
                await platform.say(str(number), f"m{number}.", sender=ADA)
            await platform.say("9", "in the room", sender=ADA, group=ROOM, mentioned=True)
            await platform.start()
            await until(lambda: len(platform.posts(ADA)) == 4)
            await until(lambda: len(platform.posts(ROOM)) == 1)
            there.drop()
            await platform.say("5", "m5.", sender=ADA)
            await until(lambda: len(platform.posts(ADA)) == 5)
            assert _answered(platform) == [1, 2, 3, 4, 5]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_what_was_written_while_the_program_was_away_is_answered(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        async def first(_: Program) -> None:
            await platform.say("1", "m1.", sender=ADA)
            await until(lambda: len(platform.posts(ADA)) == 1)

        async def second(_: Program) -> None:
            await until(lambda: len(platform.posts(ADA)) == 2)
            await platform.say("3", "m3.", sender=ADA)
            await until(lambda: len(platform.posts(ADA)) == 3)
            assert _answered(platform) == [1, 2, 3]

        self.play(tmp_path, platform, first)
        asyncio.run(platform.say("2", "m2.", sender=ADA))
        self.play(tmp_path, platform, second)

    def test_what_was_there_before_the_first_time_is_not_answered(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        platform.there.write("long ago").at -= 3_600_000

        async def story(_: Program) -> None:
            await platform.say("1", "m1.", sender=ADA)
            await until(lambda: platform.posts(ADA))
            assert _answered(platform) == [1] and len(platform.posts(ADA)) == 1

        self.play(tmp_path, platform, story)

    def test_an_event_that_was_lost_is_found_in_the_room(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        async def story(_: Program) -> None:
            platform.there.swallows = 1
            await platform.say("1", "m1.", sender=ADA)
            await platform.say("2", "m2.", sender=ADA)
            await until(lambda: len(platform.posts(ADA)) == 2)
            assert _answered(platform) == [1, 2]
            assert platform.there.logins == 1

        self.play(tmp_path, platform, story)

    def test_a_thread_is_answered_in_the_thread(self, tmp_path: Path, platform: Mattermost) -> None:
        there = platform.there

        async def story(_: Program) -> None:
            begun = there.write("tea?", room=ROOM)
            there.write("not you", room=ROOM, root=begun.id)
            there.write("@molt here", room=ROOM, root=begun.id)
            await until(lambda: platform.posts(ROOM))
            [first] = there.own
            assert first.root == begun.id and "@molt here" in first.texts[-1]
            there.write("@molt say", room=ROOM)
            await until(lambda: len(there.own) == 2)
            ours = there.own[1]
            assert not ours.root
            # What answers a message of ours is addressed to us.
            there.write("more", room=ROOM, root=ours.id)
            await until(lambda: len(there.own) == 3)
            assert there.own[2].root == ours.id and "more" in there.own[2].texts[-1]

        self.play(tmp_path, platform, story)

    def test_who_is_no_person_and_who_calls_everybody_gets_no_answer(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        there = platform.there

        async def story(_: Program) -> None:
            there.write("@molt as a bot", user=OTHER_BOT, room=ROOM)
            there.write("@molt as a hook", room=ROOM, props={"from_webhook": "true"})
            there.write("@molt joined", room=ROOM, type_="system_join_channel")
            there.write("@molt as myself", user=ME, room=ROOM)
            there.write("@all come", room=ROOM)
            there.write("@moltke is another", room=ROOM)
            there.write("@molt, you there", room=ROOM)
            await until(lambda: len(platform.posts(ROOM)) == 2)
            assert there.own[0].texts[-1] == "@molt as myself"
            assert "you there" in there.own[1].texts[-1]

        self.play(tmp_path, platform, story)

    def test_an_answer_calls_nobody_and_loads_nothing(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        async def story(_: Program) -> None:
            await platform.say("1", "@all @Channel, @here! x@all.com", sender=ADA)
            await until(lambda: platform.posts(ADA))
            [post] = platform.there.own
            assert not re.search(r"(?<!x)@(all|channel|here)", post.texts[-1], re.IGNORECASE)
            assert "x@all.com" in post.texts[-1]
            assert post.props["unsafe_links"] == "true"

        self.play(tmp_path, platform, story)

    def test_a_command_of_ours_stands_behind_our_name(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        """Mattermost keeps what begins with a slash for itself."""

        async def story(_: Program) -> None:
            platform.there.write(" /help")
            await until(lambda: len(platform.posts(ADA)) == 1)
            platform.there.write("@molt /help")
            await until(lambda: len(platform.posts(ADA)) == 2)
            assert all("/commands" in one.text for one in platform.posts(ADA))

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    @pytest.mark.parametrize("forgets", [False, True])
    def test_what_the_server_took_and_did_not_confirm_is_not_shown_twice(
        self, tmp_path: Path, platform: Mattermost, forgets: bool
    ) -> None:
        """By its key, and when that is forgotten, by the mark that stays in the post."""
        platform.there.forgets_keys = forgets
        platform.there.faults.append(Fault("POST /posts", done=True))

        async def story(_: Program) -> None:
            await platform.say("1", "m1.", sender=ADA)
            await until(lambda: platform.posts(ADA))
            await platform.say("2", "m2.", sender=ADA)
            await until(lambda: len(platform.posts(ADA)) >= 2)
            assert _answered(platform) == [1, 2]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_what_goes_by_is_waited_for(self, tmp_path: Path, platform: Mattermost) -> None:
        platform.there.faults += [
            Fault("POST /posts", 429, wait="0"),
            Fault("POST /posts", 500, "api.post.deduplicate_create_post.pending"),
            Fault("POST /posts"),
            Fault("POST /users/ids", 500),
        ]

        async def story(_: Program) -> None:
            await platform.say("1", "well?", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            assert "well?" in platform.posts(platform.owner)[0].text

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_a_token_that_is_taken_back_is_told_and_stands_nowhere(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        platform.there.faults.append(Fault("POST /posts", 401))

        async def story(running: Program) -> None:
            await platform.say("1", "well?", sender=platform.owner)
            row = await running.stands("mattermost", "main", "failed")
            assert "token" in str(row["lastError"])
            kept = [one for one in running.home.rglob("*") if one.is_file()]
            canaries = [one for one in kept if TOKEN.encode() in one.read_bytes()]
            assert [one.name for one in canaries] in ([], ["moltbot.json"])

        self.play(tmp_path, platform, story)

    def test_a_room_is_answered_as_its_mode_says(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        async def scene() -> None:
            await platform.start()
            try:
                accounts = {"main": {**platform.account(), "chatmode": "onchar"}}
                async with program(tmp_path / ".moltbot", platform, accounts) as running:
                    await running.stands("mattermost", "main", "online")
                    for words in ("!one", "two", "@molt three"):
                        platform.there.write(words, room=ROOM)
                    await until(lambda: len(platform.posts(ROOM)) == 2)
                    first, second = platform.posts(ROOM)
                    assert "one" in first.text and "!one" not in first.text
                    assert "@molt three" in second.text
            finally:
                await platform.stop()

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_on_a_bad_day_every_message_is_answered_once_and_in_order(
        self, tmp_path: Path, platform: Mattermost
    ) -> None:
        """Each comes twice; lines break, Mattermost is unwell, asks for pauses, and goes away in
        the middle. MOLTBOT_CHANNEL_MESSAGES says how many there are."""
        there = platform.there

        async def story(running: Program) -> None:
            for start in range(0, MESSAGES, 10):
                there.faults.append(_BAD_LUCK[start // 10 % len(_BAD_LUCK)])
                for number in range(start, min(start + 10, MESSAGES)):
                    await platform.say(str(number), f"m{number}.", sender=ADA, times=2)
                    # Not often: the pause before another line grows when they break at once.
                    if number in (25, 325, 625):
                        there.drop()
                if start == MESSAGES // 20 * 10:
                    await platform.stop()
                    await running.stands("mattermost", "main", "backoff")
                    await platform.start()
                answered = min(start + 10, MESSAGES)
                await until(lambda: len(set(_answered(platform))) == answered)  # noqa: B023
            assert _answered(platform) == list(range(MESSAGES))

        self.play(tmp_path, platform, story)


_BAD_LUCK = (
    Fault("POST /posts", 429, wait="0"),
    Fault("POST /posts"),
    Fault("POST /posts", done=True),
    Fault("POST /users/ids"),
    Fault("POST /posts", 503),
)


def _answered(platform: Mattermost) -> list[int]:
    """The messages that were answered, in the order of the answers."""
    texts = [post.text for post in platform.posts(ADA)]
    return [int(found) for text in texts for found in re.findall(r"m(\d+)\.", text)]
