"""The suite of all channels against a real platform, for whoever has accounts there.

    class TestMatrix(LiveContract):
        @pytest.fixture
        def platform(self) -> Platform: ...          # people with real accounts

What needs a server that can be stopped is left out, and said; so is what needs a stranger where
there is no third account. A platform on which no program may write as a person has `LiveAccount`:
what can be seen without one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import ChannelContract, Platform, Post, program

NOT_OURS = "the platform's servers are not ours to stop"
NO_STRANGER = "there is no third account: {names}"


def from_environment(*names: str) -> Mapping[str, str]:
    """The values of those variables; the test is skipped where one is missing."""
    missing = [one for one in names if not os.environ.get(one)]
    if missing:
        pytest.skip(f"not set: {', '.join(missing)}; see docs/CHANNELS.md, “Live”")
    return {one: os.environ[one] for one in names}


class LiveContract(ChannelContract):
    """Inherit it as `ChannelContract`."""

    stranger_variables: tuple[str, ...] = ()

    @pytest.fixture(autouse=True)
    def _has_a_stranger(self, request: pytest.FixtureRequest, platform: Platform) -> None:
        needs = ("stranger", "group", "a_picture_that_came", "what_a_message_answers")
        if not platform.stranger and any(one in request.node.name for one in needs):
            pytest.skip(NO_STRANGER.format(names=", ".join(self.stranger_variables)))

    @pytest.mark.skip(reason=NOT_OURS)
    def test_nothing_is_lost_doubled_or_reordered(self, tmp_path: Path, platform: Platform) -> None:
        """Its server is restarted in the middle."""

    @pytest.mark.skip(reason=NOT_OURS)
    def test_a_server_that_is_gone_is_waited_for(self, tmp_path: Path, platform: Platform) -> None:
        """Its server is stopped."""

    @pytest.mark.skip(reason=NOT_OURS)
    def test_it_ends_whatever_it_waits_for(self, tmp_path: Path, platform: Platform) -> None:
        """Its server is held."""

    @pytest.mark.skip(reason=NOT_OURS)
    def test_it_ends_while_nobody_lets_it_in(self, tmp_path: Path, platform: Platform) -> None:
        """Its server is held."""


@dataclass
class Alone:
    """A platform with our account and nobody else: `channel_contract.Platform` as far as one can
    be connected, and no further."""

    channel: str
    right: Mapping[str, object]
    wrong: Mapping[str, object]
    capabilities: Capabilities = field(default_factory=Capabilities)
    owner: str = "nobody"
    stranger: str = ""
    group: str = ""

    def prepare(self, home: Path) -> Mapping[str, object]:
        del home
        return {"plugins": {"entries": {self.channel: {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        return self.right if token_is_right else {**self.right, **self.wrong}

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def hold(self) -> None: ...

    async def say(self, message_id: str, text: str, **_: object) -> None:
        raise NotImplementedError("nobody is there to write")

    def posts(self, to: str) -> Sequence[Post]:
        return ()

    def versions(self, post_id: str) -> Sequence[str]:
        return ()

    def reactions(self, message_id: str) -> Sequence[str]:
        return ()


class LiveAccount:
    """What can be seen of an account alone. Inherit it and give the fixture `platform`.

    Attributes:
        reason: why the suite cannot be played there by a program.
    """

    reason = ""

    @pytest.mark.expect_log
    def test_it_comes_online_and_says_who_it_is(self, tmp_path: Path, platform: Alone) -> None:
        async def scene() -> None:
            accounts = {"main": platform.account()}
            async with program(tmp_path / ".moltbot", platform, accounts) as running:
                await running.stands(platform.channel, "main", "online")
                row = (await running.accounts(platform.channel, probe=True))["main"]
                assert row["probe"]["ok"] is True and row["probe"]["as"]

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_a_wrong_token_says_so(self, tmp_path: Path, platform: Alone) -> None:
        async def scene() -> None:
            accounts = {"bad": platform.account(token_is_right=False)}
            async with program(tmp_path / ".moltbot", platform, accounts) as running:
                row = await running.stands(platform.channel, "bad", "failed")
                assert len(str(row["lastError"])) > 10

        asyncio.run(scene())

    def test_messages_are_seen_by_a_person_alone(self) -> None:
        pytest.skip(self.reason)
