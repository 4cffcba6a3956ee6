"""The contract of channels, passed by Telegram against a Bot API that keeps to the documents."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.extensions.telegram.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post, Program, program, until
from tests.fakes.telegram_server import ADA, BOT, CLUB, EVE, TOKEN, Fault, TelegramServer, entities

PLUGIN = "moltbot_desktop.extensions.telegram"
MESSAGES = int(os.environ.get("MOLTBOT_CHANNEL_MESSAGES", "60"))


@dataclass
class Telegram:
    """Implements `channel_contract.Platform`."""

    channel: str = "telegram"
    capabilities: Capabilities = CAPABILITIES
    owner: str = "42"
    stranger: str = "66"
    group: str = str(CLUB)
    there: TelegramServer = field(default_factory=TelegramServer)
    _said: dict[str, dict[str, object]] = field(default_factory=dict)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"telegram": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {"botToken": TOKEN if token_is_right else "1:no", "apiRoot": self.there.root}

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
        more: dict[str, object] = {}
        if mentioned:
            text = f"@molt_bot {text}"
            more["entities"] = entities(text, "mention", "@molt_bot")
        if file is not None:
            self.there.files[f"f{message_id}"] = file[2]
            document = {"file_id": f"f{message_id}", "file_name": file[0], "mime_type": file[1]}
            more |= {"document": {**document, "file_size": len(file[2])}, "caption": text}
        if answers:
            more["reply_to_message"] = self._message(answers)
        who = ADA if sender == self.owner else EVE
        self._said[message_id] = {"message_id": int(message_id), "from": who, "text": text}
        self.there.write(
            int(message_id),
            text,
            sender=who,
            chat=self.there.club() if group else None,
            times=times,
            **more,
        )

    def _message(self, message_id: str) -> dict[str, object]:
        """https://core.telegram.org/bots/api#message: ``reply_to_message`` is one itself."""
        if message_id in self._said:
            return self._said[message_id]
        post = next(one for one in self.there.sent.values() if str(one.id) == message_id)
        me = {"id": BOT, "is_bot": True, "first_name": "Molt", "username": "molt_bot"}
        return {"message_id": post.id, "from": me, "text": post.text}

    def posts(self, to: str) -> Sequence[Post]:
        return [
            Post(
                str(one.id),
                to,
                one.text,
                str(one.given.get("reply_parameters", {}).get("message_id", "")),
                tuple(one.files),
            )
            for one in self.there.sent.values()
            if str(one.chat) == to
        ]

    def versions(self, post_id: str) -> Sequence[str]:
        return next(one.texts for one in self.there.sent.values() if str(one.id) == post_id)

    def reactions(self, message_id: str) -> Sequence[str]:
        return self.there.reactions.get(int(message_id), ())


class TestTelegram(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self) -> Telegram:
        return Telegram()

    @pytest.mark.expect_log
    def test_its_settings_can_be_tried(self, tmp_path: Path, platform: Telegram) -> None:
        async def story(running: Program) -> None:
            row = (await running.accounts("telegram", probe=True))["main"]
            assert row["probe"] == {"ok": True, "as": "@molt_bot"}
            platform.there.webhook = "https://elsewhere.example/hook"
            row = (await running.accounts("telegram", probe=True))["main"]
            assert "replaceWebhook" in row["probe"]["error"]

        self.play(tmp_path, platform, story)

    def test_people_are_shown_the_commands_that_are_theirs(
        self, tmp_path: Path, platform: Telegram
    ) -> None:
        async def story(_: Program) -> None:
            await until(lambda: platform.there.menu)
            assert {"help", "status", "new"} <= set(platform.there.menu)
            assert "context" not in platform.there.menu  # the owner's

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_without_its_library_it_says_what_to_install(
        self, tmp_path: Path, platform: Telegram, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in [one for one in sys.modules if one.startswith(f"{PLUGIN}.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "aiohttp", None)

        async def scene() -> None:
            accounts = {"main": platform.account()}
            async with program(tmp_path / ".moltbot", platform, accounts) as running:
                row = await running.stands("telegram", "main", "failed")
                assert "pip install 'moltbot-desktop[server]'" in str(row["lastError"])

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_on_a_bad_day_every_message_is_answered_once_and_in_order(
        self, tmp_path: Path, platform: Telegram
    ) -> None:
        """Each comes twice; lines are cut, Telegram is unwell, asks for pauses, dislikes tags, and
        goes away in the middle. MOLTBOT_CHANNEL_MESSAGES says how many there are."""
        there = platform.there

        async def story(running: Program) -> None:
            for start in range(0, MESSAGES, 10):
                there.faults += _bad_luck(start)
                for number in range(start, min(start + 10, MESSAGES)):
                    await platform.say(str(number), f"m{number}.", sender="42", times=2)
                if start == MESSAGES // 20 * 10:
                    await platform.stop()
                    await running.stands("telegram", "main", "backoff")
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
    that would show a message twice, as Telegram knows no keys."""
    kinds = [
        Fault("getUpdates", 502, "Bad Gateway"),
        Fault("sendMessage", 429, "Too Many Requests", retry_after=0),
        Fault("getUpdates", 0),
        Fault("sendMessage", 500, "Internal Server Error"),
        Fault("getUpdates", 200, body=b"<html>"),
        Fault("sendMessage", 400, "Bad Request: can't parse entities: no"),
    ]
    return [kinds[turn // 10 % len(kinds)]]


def _answered(platform: Telegram) -> list[int]:
    """The messages that were answered, in the order of the answers."""
    texts = [post.text for post in platform.posts("42")]
    return [int(found) for text in texts for found in re.findall(r"m(\d+)\.", text)]
