"""The contract of channels, passed by Telegram against a Bot API that keeps to the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.extensions.telegram.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post, Program
from tests.fakes.telegram_server import ADA, CLUB, EVE, TOKEN, TelegramServer, entities


@dataclass
class Telegram:
    """Implements `channel_contract.Platform`."""

    channel: str = "telegram"
    capabilities: Capabilities = CAPABILITIES
    owner: str = "42"
    stranger: str = "66"
    group: str = str(CLUB)
    there: TelegramServer = field(default_factory=TelegramServer)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"telegram": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {"botToken": TOKEN if token_is_right else "1:no", "apiRoot": self.there.root}

    async def start(self) -> None:
        await self.there.start()

    async def stop(self) -> None:
        await self.there.stop()

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
    ) -> None:
        more: dict[str, object] = {}
        if mentioned:
            text = f"@molt_bot {text}"
            more["entities"] = entities(text, "mention", "@molt_bot")
        if file is not None:
            self.there.files[f"f{message_id}"] = file[2]
            document = {"file_id": f"f{message_id}", "file_name": file[0], "mime_type": file[1]}
            more |= {"document": {**document, "file_size": len(file[2])}, "caption": text}
        self.there.write(
            int(message_id),
            text,
            sender=ADA if sender == self.owner else EVE,
            chat=self.there.club() if group else None,
            times=times,
            **more,
        )

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
