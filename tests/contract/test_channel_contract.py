"""The contract of channels, passed by the smallest one that can do everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup, TextUnit
from moltbot_desktop.sdk.channels import PeerKind
from tests.fakes.channel_contract import ChannelContract, Post, Program, until
from tests.fakes.pigeon_platform import TOKEN, PigeonPlatform, add_plugin

CAN = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP}),
    text_limit=300,
    unit=TextUnit.BYTES,
    markup=Markup.PLAIN,
    reply=True,
    edit=EditLimits(0.01),
    delete=True,
    react=True,
    typing_seconds=5.0,
    media_in=1_000_000,
    media_out=1_000_000,
    idempotent=True,
)


@dataclass
class Pigeons:
    """Implements `channel_contract.Platform`."""

    channel: str = "pigeon"
    capabilities: Capabilities = CAN
    owner: str = "ada"
    stranger: str = "eve"
    group: str = "club"
    there: PigeonPlatform = field(default_factory=PigeonPlatform)

    def prepare(self, home: Path) -> Mapping[str, object]:
        add_plugin(home)
        return {"plugins": {"entries": {"pigeon": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return {"port": self.there.port, "token": TOKEN if token_is_right else "hoo"}

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
    ) -> None:
        await self.there.say(
            message_id,
            text,
            sender=sender,
            group=group,
            mentioned=mentioned,
            file=file,
            times=times,
        )

    def posts(self, to: str) -> Sequence[Post]:
        return [one for one in self.there.posts.values() if one.to == to]

    def versions(self, post_id: str) -> Sequence[str]:
        return self.there.history[post_id]

    def reactions(self, message_id: str) -> Sequence[str]:
        return sorted(self.there.reactions.get(message_id, ()))


class TestPigeons(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self) -> Pigeons:
        return Pigeons()

    @pytest.mark.expect_log
    def test_its_settings_can_be_tried(self, tmp_path: Path, platform: Pigeons) -> None:
        async def story(running: Program) -> None:
            row = (await running.accounts("pigeon", probe=True))["main"]
            assert row["probe"] == {"ok": True, "as": "@pigeon"}
            assert row["connections"] == 1 and row["lastInboundAt"] > 0
            await platform.stop()
            row = (await running.accounts("pigeon", probe=True))["main"]
            assert "do not answer" in row["probe"]["error"]

        self.play(tmp_path, platform, story)

    def test_it_shows_that_it_writes(self, tmp_path: Path, platform: Pigeons) -> None:
        async def story(_: Program) -> None:
            await platform.say("1", "hello", sender="ada")
            await until(lambda: platform.there.typing)
            assert set(platform.there.typing) == {"ada"}

        self.play(tmp_path, platform, story)
