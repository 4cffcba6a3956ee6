"""Discord keeps what every channel promises, and knows what is its own."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.extensions.discord.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post, Program, program, until

pytest.importorskip("discord", reason="the extra “discord” is not installed")

from moltbot_desktop.extensions.discord import line
from tests.fakes.discord_server import (
    BOB,
    EVE,
    ME,
    OTHER_BOT,
    ROLE,
    ROOM,
    THREAD,
    TOKEN,
    DiscordServer,
    Fault,
    pointed_at,
)

MESSAGES = int(os.environ.get("MOLTBOT_CHANNEL_MESSAGES", "60"))


@dataclass
class Discord:
    """Implements `channel_contract.Platform`; Discord gives messages ids of its own."""

    there: DiscordServer
    channel: str = "discord"
    capabilities: Capabilities = CAPABILITIES
    owner: str = BOB
    stranger: str = EVE
    group: str = ROOM
    _ids: dict[str, str] = field(default_factory=dict)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"discord": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {"token": TOKEN if token_is_right else "another"}

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
        words = f"<@{ME}> {text}" if mentioned else text
        more = self.there.answering(self._ids.get(answers, answers)) if answers else {}
        told = self.there.say(words, author=sender, room=group, times=times, file=file, **more)
        self._ids[message_id] = told["id"]

    def own_id(self, message_id: str) -> str:
        return self._ids[message_id]

    def posts(self, to: str) -> Sequence[Post]:
        back = {own: given for given, own in self._ids.items()}
        return [
            Post(
                one["id"],
                to,
                one["content"],
                back.get(str(one.get("message_reference", {}).get("message_id")), ""),
                tuple(self.there.sent_files[one["id"]]),
            )
            for one in self.there.posts(to)
        ]

    def versions(self, post_id: str) -> Sequence[str]:
        return self.there.versions[post_id]

    def reactions(self, message_id: str) -> Sequence[str]:
        return self.there.reactions.get(self._ids[message_id], [])


@pytest.fixture
def platform() -> Iterator[Discord]:
    server = DiscordServer()
    with pointed_at(server):
        yield Discord(server)


class TestDiscord(ChannelContract):
    """The suite holds for it."""

    def test_a_short_cut_is_resumed_and_what_was_missed_is_told_again(
        self, tmp_path: Path, platform: Discord, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Cut, told to connect anew, without an answer to heartbeats: the session goes on."""
        there = platform.there

        async def story(_: Program) -> None:
            there.say("first")
            await until(lambda: len(there.posts(BOB)) == 1)
            for number, end in enumerate((there.cut, lambda: there.tell(7), there.go_mute), 1):
                end()
                there.say(f"missed {number}.", times=2)
                await until(lambda n=number: len(there.posts(BOB)) == n + 1)  # type: ignore[misc]
                assert there.resumes >= number and there.identifies == 1
            assert [one["content"] for one in there.posts(BOB)] == [
                "first",
                "missed 1.",
                "missed 2.",
                "missed 3.",
            ]

        there.heartbeat_ms = 200
        monkeypatch.setattr(line, "ZOMBIE_SECONDS", 0.5)
        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_a_session_that_is_none_any_more_costs_no_message(
        self, tmp_path: Path, platform: Discord
    ) -> None:
        there = platform.there

        async def story(_: Program) -> None:
            there.say("first")
            await until(lambda: len(there.posts(BOB)) == 1)
            there.forget_sessions_and_cut()
            there.say("missed")
            there.say(f"<@{ME}> missed here", room=ROOM)
            await until(lambda: there.identifies == 2 and there.posts(ROOM))
            there.event("MESSAGE_CREATE", {"id": "no number"})  # and one that cannot be read
            there.say("then")
            await until(lambda: len(there.posts(BOB)) == 3)
            assert [one["content"] for one in there.posts(BOB)] == ["first", "missed", "then"]

        self.play(tmp_path, platform, story)

    def test_who_was_away_reads_what_was_written_meanwhile(
        self, tmp_path: Path, platform: Discord
    ) -> None:
        there, home = platform.there, tmp_path / ".moltbot"

        async def scene() -> None:
            await there.start()
            accounts = {"main": platform.account()}
            async with program(home, platform, accounts) as running:
                await running.stands("discord", "main", "online")
                there.say("first")
                await until(lambda: there.posts(BOB))
            there.say("while you were away 1.")
            there.say(f"<@{ME}> and here", room=THREAD)
            there.say("while you were away 2.")
            async with program(home, platform, accounts):
                await until(lambda: len(there.posts(BOB)) == 3 and there.posts(THREAD))
            told = [one["content"] for one in there.posts(BOB)]
            assert told == ["first", "while you were away 1.", "while you were away 2."]
            await there.stop()

        asyncio.run(scene())

    def test_on_a_server_it_knows_when_it_is_meant(self, tmp_path: Path, platform: Discord) -> None:
        there = platform.there

        async def story(_: Program) -> None:
            there.say("among ourselves", room=ROOM)
            there.say("@everyone look", room=ROOM, mention_everyone=True)
            there.say(f"<@{ME}> by another bot", room=ROOM, author=OTHER_BOT)
            there.say(f"<@{ME}> by a webhook", room=ROOM, webhook_id="5")
            there.say(f"<@&{ROLE}> by the role", room=ROOM)
            await until(lambda: len(there.posts(ROOM)) == 1)
            ours = there.posts(ROOM)[0]
            tie = {"message_id": ours["id"], "channel_id": ROOM, "guild_id": "500"}
            there.say(
                "as an answer", room=ROOM, type=19, message_reference=tie, referenced_message=ours
            )
            await until(lambda: len(there.posts(ROOM)) == 2)
            there.say(f"<@{ME}> /help", room=THREAD)
            await until(lambda: there.posts(THREAD))
            told = [one["content"] for one in there.posts(ROOM)]
            assert "by the role" in told[0] and "as an answer" in told[1] and len(told) == 2
            assert "/commands" in there.posts(THREAD)[0]["content"]  # a command, behind the name
            for one in there.posts(ROOM):  # nobody is called, nothing is loaded
                assert one["allowed_mentions"]["parse"] == [] and one["flags"] == 4

        self.play(tmp_path, platform, story)

    def test_an_answer_is_there_once_whatever_becomes_of_the_request(
        self, tmp_path: Path, platform: Discord
    ) -> None:
        """429 with a pause; carried out, and the answer to it lost on the way."""
        there = platform.there
        pause = {"message": "You are being rate limited.", "retry_after": 0.1, "global": False}
        there.faults += [
            Fault("POST", "/messages", 429, pause, {"Via": "1.1 google"}),
            Fault("POST", "/messages", 503, before_doing=False),  # the library gives up at once
        ]

        async def story(_: Program) -> None:
            there.say("well?")
            await until(lambda: len([1 for c in there.calls if c[1].endswith("/messages")]) == 3)
            there.say("and?")
            await until(lambda: any("and?" in one["content"] for one in there.posts(BOB)))
            assert [one["content"] for one in there.posts(BOB)] == ["well?", "and?"]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    @pytest.mark.parametrize(("code", "words"), [(4004, "token"), (4014, "Message Content Intent")])
    def test_what_only_the_person_can_mend_is_said_and_not_tried_again(
        self, tmp_path: Path, platform: Discord, code: int, words: str
    ) -> None:
        there = platform.there
        there.close_with = code

        async def scene() -> None:
            await there.start()
            async with program(tmp_path, platform, {"main": platform.account()}) as running:
                row = await running.stands("discord", "main", "failed")
                assert words in str(row["lastError"]) and there.identifies == 1
                there.application_flags = 0
                row = (await running.accounts("discord", probe=True))["main"]
                assert "Message Content Intent" in row["probe"]["error"]
                there.application_flags = 1 << 19
                row = (await running.accounts("discord", probe=True))["main"]
                assert row["probe"] == {"ok": True, "as": "molt"}
            await there.stop()

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_the_token_is_told_to_nobody(
        self, tmp_path: Path, platform: Discord, caplog: pytest.LogCaptureFixture
    ) -> None:
        there, home = platform.there, tmp_path / ".moltbot"
        caplog.set_level("DEBUG")
        there.faults.append(Fault("POST", "/messages", 403, {"message": "No", "code": 50_013}))

        async def story(running: Program) -> None:
            there.say("hello", file=("a.txt", "text/plain", b"x"))
            await until(lambda: not there.faults)
            there.tell(9, False)
            await there.stop()
            await running.stands("discord", "main", "backoff")
            assert TOKEN not in str((await running.accounts("discord"))["main"])
            assert TOKEN not in str(running.told)

        self.play(tmp_path, platform, story)
        assert TOKEN not in caplog.text
        kept = [one for one in home.rglob("*") if one.is_file() and one.name != "moltbot.json"]
        assert kept and not any(TOKEN.encode() in one.read_bytes() for one in kept)

    def test_it_ends_in_the_middle_of_a_file(self, tmp_path: Path, platform: Discord) -> None:
        there = platform.there
        there.stalls = True

        async def story(_: Program) -> None:
            there.say("look", file=("a.png", "image/png", bytes(1_000_000)))
            await until(lambda: there.stalled)

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_a_crowd_of_messages_is_answered_in_its_order(
        self, tmp_path: Path, platform: Discord
    ) -> None:
        """Each told three times, the third in any order; lines that are cut, and a new server."""
        there, count = platform.there, MESSAGES
        order = random.Random(7)

        async def story(running: Program) -> None:
            there.say("m0.")  # Discord tells of no private room that nobody has written in
            await until(lambda: there.posts(BOB))
            for number in range(1, count):
                told = there.say(f"m{number}.", times=2)
                older = order.choice(there.history[told["channel_id"]])
                there.event("MESSAGE_CREATE", {**older, "channel_type": 1})
                if number % 20 == 19:
                    there.cut()
                if number == count // 2:
                    await there.stop()
                    await running.stands("discord", "main", "backoff")
                    await there.start()
            for number in range(count):  # each within the usual patience of the one before
                await until(lambda n=number: len(there.posts(BOB)) > n)  # type: ignore[misc]
            assert [one["content"] for one in there.posts(BOB)] == [f"m{n}." for n in range(count)]

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_without_its_library_it_says_how_to_get_it(
        self, tmp_path: Path, platform: Discord, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        own = "moltbot_desktop.extensions.discord."
        for name in [one for one in sys.modules if one.startswith(own)]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "discord", None)

        async def scene() -> None:
            async with program(tmp_path, platform, {"main": platform.account()}) as running:
                row = await running.stands("discord", "main", "failed")
                assert "moltbot-desktop[discord]" in str(row["lastError"])

        asyncio.run(scene())
