"""Discord keeps what every channel promises, and knows what is its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.extensions.discord.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post

pytest.importorskip("discord", reason="the extra “discord” is not installed")

from tests.fakes.discord_server import (
    BOB,
    EVE,
    ME,
    ROOM,
    TOKEN,
    DiscordServer,
    pointed_at,
)


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
        words = f"<@{ME}> {text}" if mentioned else text
        told = self.there.say(words, author=sender, room=group, times=times, file=file)
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
