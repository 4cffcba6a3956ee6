"""Which messages get a mark, when the sign for typing begins, and drafts that change in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import ChannelRateLimited, ChannelRefused, DiskFull
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.drafts import Drafts
from moltbot_desktop.gateway.incoming_files import safe_name
from moltbot_desktop.gateway.signs import TypingMode, sign_rules
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits
from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Sender,
)

HERE = DeliveryTarget("sun", peer=Peer(PeerKind.DM, "ada"))
RUN = RunId("r")
DM = Envelope("sun", "1", Sender("ada"), "hi", datetime.now(UTC), peer=HERE.peer)
GROUP = replace(DM, peer=Peer(PeerKind.GROUP, "club"))


@pytest.mark.parametrize(
    ("scope", "marked"),
    [
        ("all", (True, True, True)),
        ("direct", (True, False, False)),
        ("group-all", (False, True, True)),
        ("group-mentions", (False, True, False)),
    ],
)
def test_the_scope_says_what_is_marked(
    tmp_path: Path, scope: str, marked: tuple[bool, ...]
) -> None:
    (tmp_path / "moltbot.json").write_text(f'{{"messages": {{"ackReactionScope": "{scope}"}}}}')
    config = load_config(tmp_path).config
    messages = (DM, replace(GROUP, mentioned=True), replace(GROUP, mentioned=False))
    assert tuple(bool(sign_rules(config, one, "main").ack) for one in messages) == marked


def test_typing_begins_at_once_where_somebody_waits(tmp_path: Path) -> None:
    config = load_config(tmp_path).config
    named, unnamed = replace(GROUP, mentioned=True), replace(GROUP, mentioned=False)
    modes = [sign_rules(config, one, "main").typing for one in (DM, named, unnamed)]
    assert modes == [TypingMode.INSTANT, TypingMode.INSTANT, TypingMode.MESSAGE]


@dataclass
class Changing:
    """A channel that can change messages; `refuses` are what its next edits raise."""

    capabilities: Capabilities = field(
        default_factory=lambda: Capabilities(edit=EditLimits(0.001, most=3))
    )
    said: list[str] = field(default_factory=list)
    refuses: list[Exception] = field(default_factory=list)

    async def send(self, message: OutboundMessage, _key: str) -> str:
        self.said.append(message.text)
        return "p1"

    async def edit(self, _message_id: str, message: OutboundMessage) -> None:
        if self.refuses:
            raise self.refuses.pop(0)
        self.said.append(message.text)


async def free(_: DeliveryTarget) -> bool:
    return True


@dataclass
class Notes:
    """Implements `drafts.DraftNotes`."""

    at: dict[RunId, str] = field(default_factory=dict)
    broken: bool = False

    async def drafted(self, run_id: RunId, platform_id: str) -> None:
        self.at[run_id] = platform_id

    async def draft(self, run_id: RunId) -> str:
        if self.broken:
            raise DiskFull("no room")
        return self.at.get(run_id, "")


def shown(
    channel: Changing, story: Callable[[Drafts], Awaitable[str]], notes: Notes | None = None
) -> str:
    async def scene() -> str:
        drafts = Drafts(lambda *_: channel, free, notes or Notes())  # type: ignore[arg-type, return-value]
        try:
            async with asyncio.timeout(30):
                return await story(drafts)
        finally:
            drafts.close()

    return asyncio.run(scene())


async def becomes(true: Callable[[], object]) -> None:
    while not true():
        await asyncio.sleep(0.001)


def grows(drafts: Drafts, text: str) -> None:
    drafts.show(RUN, HERE, lambda: OutboundMessage(HERE, text))


def test_the_last_change_is_left_for_the_answer() -> None:
    channel = Changing()

    async def story(drafts: Drafts) -> str:
        for number, text in enumerate(("a", "ab", "abc")):
            grows(drafts, text)
            await becomes(lambda number=number: len(channel.said) > number)  # type: ignore[misc]
        grows(drafts, "abcd")
        for _ in range(50):
            await asyncio.sleep(0)
        return await drafts.ended(RUN)

    assert shown(channel, story) == "p1"
    assert channel.said == ["a", "ab", "abc"]


@pytest.mark.expect_log("is not known: no room")
def test_the_next_try_of_a_run_goes_on_where_the_last_one_was_broken_off() -> None:
    channel, notes = Changing(), Notes()

    async def begins(drafts: Drafts) -> str:
        grows(drafts, "a")
        await becomes(lambda: notes.at)
        return ""  # and the program ends

    async def goes_on(drafts: Drafts) -> str:
        grows(drafts, "other words")
        await becomes(lambda: len(channel.said) > 1)
        return await drafts.ended(RUN, again=True)

    async def only_answers(drafts: Drafts) -> str:
        assert not await drafts.ended(RUN)
        return await drafts.ended(RUN, again=True)

    shown(channel, begins, notes)
    assert shown(channel, goes_on, notes) == "p1"
    assert shown(channel, only_answers, notes) == "p1"
    assert shown(channel, only_answers, Notes(notes.at, broken=True)) == ""
    assert channel.said == ["a", "other words"]


@pytest.mark.parametrize("problem", [ChannelRateLimited("slow", retry_after=0.01), None])
def test_a_platform_that_is_in_no_hurry_is_obeyed(problem: Exception | None) -> None:
    channel = Changing(refuses=[problem] if problem else [])

    async def story(drafts: Drafts) -> str:
        grows(drafts, "a")
        await becomes(lambda: channel.said)
        grows(drafts, "ab")
        await becomes(lambda: problem is None or not channel.refuses)
        grows(drafts, "abc")
        await becomes(lambda: channel.said[-1] == "abc")
        return await drafts.ended(RUN)

    assert shown(channel, story) == "p1"


def test_a_draft_that_cannot_be_changed_is_let_be() -> None:
    channel = Changing(refuses=[ChannelRefused("too old")])

    async def story(drafts: Drafts) -> str:
        grows(drafts, "a")
        await becomes(lambda: channel.said)
        grows(drafts, "ab")
        await becomes(lambda: not channel.refuses)
        return await drafts.ended(RUN)

    assert shown(channel, story) == "p1" and channel.said == ["a"]


def test_nothing_that_was_never_shown_is_replaced() -> None:
    async def story(drafts: Drafts) -> str:
        return await drafts.ended(RUN)

    assert shown(Changing(), story) == ""


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\pho to.png", "pho_to.png"),
        ("图片.png", "图片.png"),
        ("..", "file"),
        (".bashrc", "bashrc"),
        ("a" * 300 + ".pdf", "a" * 76 + ".pdf"),
    ],
)
def test_a_name_that_somebody_chose_is_only_a_name(name: str, kept: str) -> None:
    assert safe_name(name) == kept
