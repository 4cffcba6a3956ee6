"""The contract of channels, passed by Signal against a signal-cli on loopback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.extensions.signal.plugin import CAPABILITIES
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Post
from tests.fakes.signal_cli import ADA, EVE, NUMBER, OWN_UUID, ROOM, SignalCli

_BEGAN = 1_760_000_000_000


@dataclass
class Signal:
    """Implements `channel_contract.Platform`."""

    channel: str = "signal"
    capabilities: Capabilities = CAPABILITIES
    owner: str = ADA
    stranger: str = EVE
    group: str = ROOM
    there: SignalCli = field(default_factory=SignalCli)
    _said: dict[str, tuple[str, str]] = field(default_factory=dict)

    def prepare(self, home: Path) -> Mapping[str, object]:
        return {"plugins": {"entries": {"signal": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        number = NUMBER if token_is_right else "+15559999999"
        return {"account": number, "httpUrl": self.there.root}

    async def start(self) -> None:
        await self.there.start()

    async def stop(self) -> None:
        await self.there.stop()

    async def hold(self) -> None:
        await self.there.hold()

    def at(self, message_id: str) -> int:
        return _BEGAN + int(message_id)

    def own_id(self, message_id: str) -> str:
        return f"{self.at(message_id)}:{ADA}"

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
            text = f"😀 \ufffc {text}"
            more["mentions"] = [{"uuid": OWN_UUID, "number": None, "start": 3, "length": 1}]
        if file is not None:
            name, kind, data = file
            self.there.files[f"a{message_id}"] = data
            about = {"id": f"a{message_id}", "filename": name, "contentType": kind}
            more["attachments"] = [{**about, "size": len(data)}]
        if answers in self._said:
            who, told = self._said[answers]
            more["quote"] = {"id": self.at(answers), "authorUuid": who, "text": told}
        elif answers:  # whoever quotes may have their program say anything
            more["quote"] = {"id": int(answers), "authorUuid": OWN_UUID, "text": "I said no such"}
        self._said[message_id] = (sender, text)
        for _ in range(times):
            self.there.write(self.at(message_id), text, sender=sender, room=group, **more)

    def posts(self, to: str) -> Sequence[Post]:
        return [
            Post(
                str(one.at),
                to,
                one.texts[-1],
                str(one.given["quoteTimestamp"] - _BEGAN) if "quoteTimestamp" in one.given else "",
                tuple(one.files),
            )
            for one in self.there.posts.values()
            if one.to == to
        ]

    def versions(self, post_id: str) -> Sequence[str]:
        return self.there.posts[int(post_id)].texts

    def reactions(self, message_id: str) -> Sequence[str]:
        return self.there.reactions.get(self.at(message_id), [])


class TestSignal(ChannelContract):
    """The suite holds for it."""

    @pytest.fixture
    def platform(self) -> Signal:
        return Signal()
