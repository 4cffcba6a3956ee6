"""What every channel promises, played through the whole program: a suite to inherit.

    class TestPigeon(ChannelContract):
        @pytest.fixture
        def platform(self) -> Iterator[Platform]:
            yield MyPlatform()            # a server on loopback; see `Platform`

The assistant is the real one, with a model that answers a message with itself (`obedient`); the
platform is a real server or a faithful fake. A test that a channel cannot pass because its platform
has no such thing looks at the channel's capabilities and is skipped with the reason.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch

import pytest

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.channels import supervised
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.results import Usage
from moltbot_desktop.gateway.client import AssistantClient, ClientEvent, Notice
from moltbot_desktop.gateway.pairing_book import PairingBook
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.door import socket_path
from moltbot_desktop.sdk.channel_abilities import Capabilities
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    TextDelta,
)
from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.sdk.tools import CancelToken
from moltbot_desktop.security.seal import Seal
from tests.fakes.channel_page import says_what_to_do, shown
from tests.fakes.channel_tally import Tally, note, tally
from tests.fakes.held import connecting
from tests.fakes.obedient import ObedientModel, obedient

PATIENCE_SECONDS = 30.0
MESSAGES = int(os.environ.get("MOLTBOT_CHANNEL_MESSAGES", "60"))
"""Of the test that nothing is lost; `dev.py bench channels_each` plays it with 1,000."""
MOST_AGAIN = 1
"""Of the answers, where the platform knows no keys: the one that was on its way when the server
went; they go one by one."""
_CHECKOUT = Path(__file__).resolve().parents[2]
LONG = "A long answer.\n\n" + "\n\n".join(
    f"Paragraph {n}: 你好，世界 😀 and some more words." for n in range(12)
)
HALVES = ("This is the beginning of an answer, ", "and the rest of it comes at the end.")
CODE = "\n\n```py\n" + "\n".join(f"value_{n} = {n} * 2" for n in range(40)) + "\n```\n\nThe end."


@dataclass(frozen=True)
class Post:
    """Something the assistant wrote: to whom, and (name, bytes) of each file."""

    id: str
    to: str
    text: str
    reply_to: str = ""
    files: tuple[tuple[str, bytes], ...] = ()


class Platform(Protocol):
    """The other end. It lives on the test's event loop; ids are given by the test. One that gives
    ids of its own says by `own_id(message_id)` which it gave.

    Attributes:
        channel: its id.
        capabilities: as its `PluginChannel` declares them.
        owner, stranger: ids of two persons.
        group: id of a group that both are in, "" where there are none.
    """

    channel: str
    capabilities: Capabilities
    owner: str
    stranger: str
    group: str

    def prepare(self, home: Path) -> Mapping[str, object]:
        """What the settings need beside the account, such as the plugin that is switched on."""
        ...

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        """The settings of one account; with a wrong token nobody is let in."""
        ...

    async def start(self) -> None: ...

    async def stop(self) -> None:
        """The server goes; what was not acknowledged it delivers again after `start`."""
        ...

    async def hold(self) -> None:
        """The server answers nothing any more and lets nobody go, until `stop`: `held.hold_web`,
        `ChatServer.hold`."""
        ...

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
        """Somebody writes; delivered `times` times. `file`: name, media type, bytes. `answers`: the
        id of somebody's message or of a post; where the channel has `quotes_in`."""
        ...

    def posts(self, to: str) -> Sequence[Post]:
        """What the assistant has written there, as it stands now, in order."""
        ...

    def versions(self, post_id: str) -> Sequence[str]:
        """Each text that a post had."""
        ...

    def reactions(self, message_id: str) -> Sequence[str]: ...


@dataclass
class Program:
    """The assistant that runs; `told` is what the windows hear, `window` one of them."""

    home: Path
    told: list[ClientEvent]
    window: AssistantClient

    async def card(self, number: int = 0) -> ApprovalRequested:
        """The card of that number, once it is shown."""

        def cards() -> list[ApprovalRequested]:
            return [one for one in self.told if isinstance(one, ApprovalRequested)]

        await until(lambda: len(cards()) > number)
        return cards()[number]

    async def accounts(self, channel: str, *, probe: bool = False) -> dict[str, Mapping[str, Any]]:
        """The rows of ``channels.status``."""
        async with connected(socket_path(self.home)) as assistant:
            answer: Any = await assistant.call("channels.status", {"probe": probe})
        return {row["accountId"]: row for row in answer["channelAccounts"].get(channel, [])}

    async def stands(self, channel: str, account: str, *states: str) -> Mapping[str, Any]:
        """Wait until the account stands so."""
        row: Mapping[str, Any] = {}
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while True:
                    row = (await self.accounts(channel)).get(account, {})
                    if row.get("state") in states:
                        return row
                    await asyncio.sleep(0.02)
        except TimeoutError as error:
            raise TimeoutError(f"{channel} {account} is not {states}: {row}") from error


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not true():
            await asyncio.sleep(0.01)


@dataclass
class SlowModel(ObedientModel):
    """Says the first half of `HALVES` to “slowly”, and the second when `goes_on` is set."""

    begun: bool = False
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        if request.messages[-1].content.strip().startswith("slowly"):
            self.begun = True
            yield TextDelta(HALVES[0])
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self.goes_on.wait()
            yield TextDelta(HALVES[1])
            yield GenerationDone(FinishReason.STOP, Usage())
            return
        async for event in super().generate(request, cancel):
            yield event


@asynccontextmanager
async def program(
    home: Path,
    platform: Platform,
    accounts: Mapping[str, object],
    channel_settings: Mapping[str, object] | None = None,
    messages: Mapping[str, object] | None = None,
    model: ObedientModel | None = None,
) -> AsyncIterator[Program]:
    """The assistant with these accounts of the platform's channel; the owner may write."""
    home.mkdir(parents=True, exist_ok=True)
    channel = {
        "dmPolicy": "allowlist",
        "allowFrom": [platform.owner],
        "groupPolicy": "open",
        "groups": {"*": {"requireMention": True}},
        "accounts": accounts,
    }
    settings = {
        "agents": {
            "defaults": {
                "memorySearch": {"enabled": False},
                "envelopeTimestamp": "off",
                "envelopeElapsed": "off",
            }
        },
        "session": {
            "reset": {"mode": "idle", "idleMinutes": 100_000},
            "dmScope": "per-channel-peer",
        },
        "messages": {
            "queue": {"debounceMs": 0, "cap": 10_000, "mode": "followup"},
            "inbound": {"debounceMs": 0, "maxPerMinute": 100_000},
            "ackReaction": "",
            **(messages or {}),
        },
        **platform.prepare(home),
        "channels": {platform.channel: {**channel, **(channel_settings or {})}},
    }
    (home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")
    options = AssistantOptions(Language.ENGLISH, stays=True)
    paths, told = Paths(home, home.parent, _CHECKOUT), list[ClientEvent]()
    with obedient() as models:
        models["obedient"] = model or ObedientModel()
        async with open_assistant(paths, load_config(home), SystemClock(), options) as client:
            client.subscribe(told.append)
            yield Program(home, told, client)


class ChannelContract:
    """Inherit it and give the fixture `platform`."""

    def play(
        self,
        tmp_path: Path,
        platform: Platform,
        story: Callable[[Program], Coroutine[Any, Any, None]],
        messages: Mapping[str, object] | None = None,
        model: ObedientModel | None = None,
    ) -> None:
        """`story` with one account, ``main``, that is connected."""

        async def scene() -> None:
            await platform.start()
            try:
                accounts = {"main": platform.account()}
                home = tmp_path / ".moltbot"
                opened = program(home, platform, accounts, messages=messages, model=model)
                async with opened as running:
                    await running.stands(platform.channel, "main", "online")
                    await story(running)
            finally:
                await platform.stop()

        asyncio.run(scene())

    def test_words_come_back_as_they_were(self, tmp_path: Path, platform: Platform) -> None:
        said = "Grüße, 你好，世界 😀 👨‍👩‍👧 & <b>no tag</b>"

        async def story(_: Program) -> None:
            await platform.say("1", said, sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            [post] = platform.posts(platform.owner)
            assert said in post.text
            if platform.capabilities.reply:
                assert post.reply_to == "1"

        self.play(tmp_path, platform, story)

    def test_a_long_answer_comes_in_parts_that_fit(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        async def story(_: Program) -> None:
            await platform.say("1", LONG + CODE, sender=platform.owner)
            await until(lambda: "The end." in "".join(map(_text, platform.posts(platform.owner))))
            whole = "".join(map(_text, platform.posts(platform.owner)))
            assert all(f"value_{n} = {n} * 2" in whole for n in range(40))
            assert [whole.index(f"Paragraph {n}:") for n in range(12)] == sorted(
                whole.index(f"Paragraph {n}:") for n in range(12)
            )
            # Markup comes on top of the words that were measured.
            can = platform.capabilities
            for post in platform.posts(platform.owner):
                assert can.unit.size(post.text) <= can.text_limit * 2

        self.play(tmp_path, platform, story)

    def test_an_answer_is_seen_while_it_is_written(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        if platform.capabilities.edit is None:
            pytest.skip("the platform cannot change a message")
        model = SlowModel()

        async def story(_: Program) -> None:
            await platform.say("1", "slowly", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            [begun] = platform.posts(platform.owner)
            assert "beginning" in begun.text and "end" not in begun.text
            model.goes_on.set()
            await until(lambda: "the end." in platform.posts(platform.owner)[0].text)
            [whole] = platform.posts(platform.owner)
            assert whole.id == begun.id and len(platform.versions(whole.id)) > 1
            await platform.say("2", "and then?", sender=platform.owner)
            await until(lambda: len(platform.posts(platform.owner)) == 2)

        self.play(tmp_path, platform, story, model=model)

    def test_an_answer_that_was_broken_off_goes_on_in_its_place(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        """The program ends in the middle of an answer, and the next one writes it."""
        if platform.capabilities.edit is None:
            pytest.skip("the platform cannot change a message")
        goes_on = SlowModel()
        goes_on.goes_on.set()

        async def begins(_: Program) -> None:
            await platform.say("1", "slowly", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))

        async def ends(_: Program) -> None:
            await until(lambda: "the end." in platform.posts(platform.owner)[0].text)
            await platform.say("2", "and then?", sender=platform.owner)
            await until(lambda: "and then?" in platform.posts(platform.owner)[-1].text)
            assert len(platform.posts(platform.owner)) == 2

        self.play(tmp_path, platform, begins, model=SlowModel())
        self.play(tmp_path, platform, ends, model=goes_on)

    def test_a_picture_that_came_is_there_for_the_agent(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        if not platform.capabilities.media_in:
            pytest.skip("the platform brings no files")
        picture = ("a/../pho to.png", "image/png", b"\x89PNG" + bytes(2_000))

        async def story(running: Program) -> None:
            await platform.say("1", "look", sender=platform.owner, file=picture)
            await platform.say("2", "and?", sender=platform.owner)
            await until(lambda: len(platform.posts(platform.owner)) == 2)
            assert "media/inbound/" in platform.posts(platform.owner)[0].text
            [kept] = (running.home / "workspace" / "media" / "inbound").iterdir()
            assert kept.read_bytes() == picture[2]
            await platform.say("3", "see", sender=platform.stranger, file=picture)
            await platform.say("4", "still there?", sender=platform.owner)
            await until(lambda: len(platform.posts(platform.owner)) == 3)
            assert list(kept.parent.iterdir()) == [kept]

        self.play(tmp_path, platform, story)

    def test_a_picture_goes_out_that_the_owner_said_yes_to(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        """By an answer that names it, and by the owner's order at the window; each with a card."""
        if not platform.capabilities.media_out:
            pytest.skip("the platform takes no files")
        picture = b"\x89PNG" + bytes(range(256)) * 8

        async def story(running: Program) -> None:
            def files() -> list[tuple[str, bytes]]:
                return [file for one in platform.posts(platform.owner) for file in one.files]

            (running.home / "workspace" / "tea 茶.png").write_bytes(picture)
            await platform.say("1", "Look:\nMEDIA: tea 茶.png", sender=platform.owner)
            card = await running.card()
            assert "tea" in card.title and "kB" in card.title and not files()
            running.window.answer_approval(card.approval_id, allow=True)
            await until(files)
            place = {"channel": platform.channel, "accountId": "main", "target": platform.owner}
            order = {**place, "message": "once more", "path": "tea 茶.png"}
            running.window.send(f"message {json.dumps(order, ensure_ascii=False)}")
            card = await running.card(1)
            running.window.answer_approval(card.approval_id, allow=True)
            await until(lambda: len(files()) == 2)
            assert [data for _, data in files()] == [picture, picture]
            assert all(name.endswith(".png") for name, _ in files())
            told = "".join(map(_text, platform.posts(platform.owner)))
            assert "Look:" in told and "once more" in told and "MEDIA" not in told

        self.play(tmp_path, platform, story)

    def test_what_was_sent_can_be_changed_and_taken_back(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        """By the tool `message`, which knows the last message of each side."""
        can = platform.capabilities
        if can.edit is None or not can.delete or not can.react:
            pytest.skip("the platform cannot do all of it")

        own_id = getattr(platform, "own_id", str)

        def order(action: str, **more: str) -> str:
            given = {"channel": platform.channel, "accountId": "main", "target": platform.owner}
            return f"message {json.dumps({'action': action, **given, **more})}"

        async def story(_: Program) -> None:
            async def asks(message_id: str, text: str) -> Post:
                before = {one.id for one in platform.posts(platform.owner)}
                await platform.say(message_id, text, sender=platform.owner)
                await until(lambda: {p.id for p in platform.posts(platform.owner)} - before)
                return next(p for p in platform.posts(platform.owner) if p.id not in before)

            first = await asks("1", "hello")
            await asks("2", order("react", emoji="👍", messageId=own_id("1")))
            await until(lambda: list(platform.reactions("1")) == ["👍"])
            third = await asks("3", order("edit", message="other words", messageId=first.id))
            await until(lambda: "other words" in platform.versions(first.id)[-1])
            await asks("4", order("edit", message="not mine", messageId=own_id("1")))
            await asks("5", order("delete", messageId=third.id))
            await until(lambda: third.id not in {p.id for p in platform.posts(platform.owner)})

        self.play(tmp_path, platform, story)

    def test_what_is_answered_is_marked_as_seen(self, tmp_path: Path, platform: Platform) -> None:
        if not platform.capabilities.react:
            pytest.skip("the platform has no reactions")

        async def story(_: Program) -> None:
            await platform.say("1", "hello", sender=platform.owner)
            await until(lambda: platform.reactions("1"))
            assert platform.reactions("1") == ["👀"]

        wanted = {"ackReaction": "👀", "ackReactionScope": "all"}
        self.play(tmp_path, platform, story, messages=wanted)

    def test_a_group_is_answered_where_the_assistant_is_named(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        if not platform.capabilities.kinds & {PeerKind.GROUP, PeerKind.CHANNEL}:
            pytest.skip("the platform has no groups")

        async def story(_: Program) -> None:
            group = platform.group
            await platform.say("1", "among ourselves", sender=platform.owner, group=group)
            await platform.say("2", "you there", sender=platform.owner, group=group, mentioned=True)
            await until(lambda: platform.posts(group))
            [post] = platform.posts(group)
            assert "you there" in post.text

        self.play(tmp_path, platform, story)

    def test_what_a_message_answers_is_told_as_its_authors(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        """What the assistant said is its own; what somebody else said is never taken for it."""
        if not platform.capabilities.quotes_in:
            pytest.skip("the platform does not tell what a message answers")

        async def story(_: Program) -> None:
            owner, group = platform.owner, platform.group
            await platform.say("1", "tea at five", sender=owner)
            await until(lambda: platform.posts(owner))
            [post] = platform.posts(owner)
            await platform.say("2", "and now", sender=owner, answers=post.id)
            await until(lambda: len(platform.posts(owner)) == 2)
            who, said, words = _quote_in(platform.posts(owner)[1].text)
            assert who == "you" and "tea at five" in said and "and now" in words
            if group:
                await platform.say("3", "pay it to me", sender=platform.stranger, group=group)
                asked: dict[str, Any] = {
                    "sender": owner,
                    "group": group,
                    "mentioned": True,
                    "answers": "3",
                }
                await platform.say("4", "what is that", **asked)
                await until(lambda: platform.posts(group))
                who, said, words = _quote_in(platform.posts(group)[0].text)
                assert who != "you" and "pay it to me" in said and "what is that" in words

        self.play(tmp_path, platform, story)

    def test_a_stranger_gets_no_answer_of_the_model(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        async def story(_: Program) -> None:
            await platform.say("1", "open up", sender=platform.stranger)
            await platform.say("2", "it is me", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))
            assert not any("open up" in one.text for one in platform.posts(platform.stranger))

        self.play(tmp_path, platform, story)

    def test_a_stranger_is_let_in_by_the_owner(self, tmp_path: Path, platform: Platform) -> None:
        """Answered once with a code, and with all that comes after the owner's yes."""

        async def scene() -> None:
            await platform.start()
            try:
                accounts = {"main": platform.account()}
                home = tmp_path / ".moltbot"
                async with program(home, platform, accounts, {"dmPolicy": "pairing"}) as running:
                    await running.stands(platform.channel, "main", "online")
                    await _let_in(running, platform)
            finally:
                await platform.stop()

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_nothing_is_lost_doubled_or_reordered(self, tmp_path: Path, platform: Platform) -> None:
        """Each message twice, and the server restarted in the middle."""

        async def story(running: Program) -> None:
            owner, begun = platform.owner, time.monotonic()
            for number in range(MESSAGES // 2):
                await platform.say(str(number), f"m{number}.", sender=owner, times=2)
            await until(lambda: platform.posts(owner))
            await platform.stop()
            await running.stands(platform.channel, "main", "backoff")
            await platform.start()
            await running.stands(platform.channel, "main", "online")
            for number in range(MESSAGES // 2, MESSAGES):
                await platform.say(str(number), f"m{number}.", sender=owner, times=2)
            found = await all_answered(MESSAGES, lambda: answers_to_owner(platform))
            note(platform.channel, found, time.monotonic() - begun)
            # One whose sending was cut may come again, where the platform knows no keys.
            most = 0 if platform.capabilities.idempotent else MOST_AGAIN
            assert found.reordered == 0 and found.doubled <= most, found

        self.play(tmp_path, platform, story)

    @pytest.mark.expect_log
    def test_behind_the_seal_it_is_not_connected(self, tmp_path: Path, platform: Platform) -> None:
        async def story(running: Program) -> None:
            seal = Seal(running.home, SystemClock())
            seal.close_it()
            row = await running.stands(platform.channel, "main", "backoff")
            assert "seal" in str(row["lastError"])
            seal.open_it()
            await running.stands(platform.channel, "main", "online")
            seal.close()

        self.play(tmp_path, platform, story)

    def test_it_ends_whatever_it_waits_for(
        self, tmp_path: Path, platform: Platform, caplog: pytest.LogCaptureFixture
    ) -> None:
        """In the middle of a poll and of an answer, at a server that says nothing any more: its
        thread ends by itself in the time that the host gives it."""
        model = SlowModel()

        async def story(_: Program) -> None:
            assert _threads(platform.channel)
            await platform.say("1", "slowly", sender=platform.owner)
            await until(lambda: model.begun)
            await platform.hold()
            with _asked_of_accounts() as asked:
                model.goes_on.set()
                await until(lambda: asked)

        self.play(tmp_path, platform, story, model=model)
        ended_in_time(platform, caplog)

    @pytest.mark.expect_log
    def test_it_ends_while_nobody_lets_it_in(
        self, tmp_path: Path, platform: Platform, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The server takes the line and says nothing, not even who it is."""

        async def scene() -> None:
            await platform.start()
            try:
                accounts = {"main": platform.account()}
                await platform.hold()
                with connecting() as tried:
                    async with program(tmp_path / ".moltbot", platform, accounts) as running:
                        await until(lambda: tried)
                        await running.stands(platform.channel, "main", "starting")
            finally:
                await platform.stop()

        asyncio.run(scene())
        ended_in_time(platform, caplog)

    @pytest.mark.expect_log
    def test_a_wrong_token_says_so_and_disturbs_nobody(
        self, tmp_path: Path, platform: Platform
    ) -> None:
        async def scene() -> None:
            await platform.start()
            try:
                accounts = {
                    "main": platform.account(),
                    "bad": platform.account(token_is_right=False),
                }
                async with program(tmp_path / ".moltbot", platform, accounts) as running:
                    await running.stands(platform.channel, "bad", "failed")
                    await running.stands(platform.channel, "main", "online")
                    told = await shown(running.home, platform.channel)
                    problem = str(told.reports["bad"]["lastError"])
                    assert says_what_to_do(problem), problem
                    assert problem in told.rows["bad"].detail
                    assert told.reports["main"]["state"] == "online"
                    tones = (told.rows["bad"].tone, told.rows["main"].tone)
                    assert tones == (Tone.BAD, Tone.GOOD)
                    await platform.say("1", "well?", sender=platform.owner)
                    await until(lambda: platform.posts(platform.owner))
            finally:
                await platform.stop()

        asyncio.run(scene())

    @pytest.mark.expect_log
    def test_a_server_that_is_gone_is_waited_for(self, tmp_path: Path, platform: Platform) -> None:
        async def story(running: Program) -> None:
            await platform.stop()
            await running.stands(platform.channel, "main", "backoff")
            told = await shown(running.home, platform.channel)
            problem = str(told.reports["main"]["lastError"])
            assert len(problem) > 10 and problem in told.rows["main"].detail
            assert told.rows["main"].tone is Tone.BAD
            await platform.start()
            await running.stands(platform.channel, "main", "online")
            await platform.say("1", "again", sender=platform.owner)
            await until(lambda: platform.posts(platform.owner))

        self.play(tmp_path, platform, story)


async def all_answered(count: int, told: Callable[[], Sequence[str]]) -> Tally:
    """Wait until `told` has answers to that many messages, as long as more come."""
    known, since = 0, time.monotonic()
    while True:
        begun = time.monotonic()
        texts = told()
        found = tally(texts, count)
        if not found.lost:
            return found
        if len(texts) > known:
            known, since = len(texts), begun
        elif begun - since > PATIENCE_SECONDS:
            raise TimeoutError(str(found))
        # To look costs the assistant's loop time: a twentieth of it at most.
        await asyncio.sleep(max(0.02, 20 * (time.monotonic() - begun)))


def answers_to_owner(platform: Platform) -> Sequence[str]:
    """All that was answered to the owner, the oldest first."""
    return [one.text for one in platform.posts(platform.owner)]


@contextmanager
def _asked_of_accounts() -> Iterator[list[object]]:
    """What is asked of connections from now on: to send, to change, to show that we write."""
    asked, real = list[object](), supervised.SupervisedAccount.asked

    async def seen(self: supervised.SupervisedAccount, call: Any) -> object:
        asked.append(call)
        return await real(self, call)

    with patch.object(supervised.SupervisedAccount, "asked", seen):
        yield asked


def ended_in_time(platform: Platform, caplog: pytest.LogCaptureFixture) -> None:
    """The host says of each thread that it gave up."""
    told = [one.getMessage() for one in caplog.records if one.name == supervised.__name__]
    assert not [one for one in told if "did not stop in time" in one]
    assert not _threads(platform.channel)


async def _let_in(running: Program, platform: Platform) -> None:
    stranger = platform.stranger
    await platform.say("1", "open up", sender=stranger, times=2)
    await platform.say("2", "please", sender=stranger)
    await platform.say("3", "it is me", sender=platform.owner)
    await until(lambda: platform.posts(platform.owner) and platform.posts(stranger))
    with closing(PairingBook(running.home / "pairings.sqlite", SystemClock())) as book:
        [request] = book.requests()
        assert request.sender.id == stranger
        [post] = platform.posts(stranger)
        assert request.code in post.text and "open up" not in post.text
        assert any(isinstance(one, Notice) and request.code in one.text for one in running.told)
        book.approve(request.code)
        await until(lambda: len(platform.posts(stranger)) == 2)
        await platform.say("4", "and now?", sender=stranger)
        await until(lambda: len(platform.posts(stranger)) == 3)
        assert "and now?" in platform.posts(stranger)[2].text
        book.remove(platform.channel, stranger)
    await platform.say("5", "still here", sender=stranger)
    await until(lambda: len(platform.posts(stranger)) == 4)
    assert "still here" not in platform.posts(stranger)[3].text


def _quote_in(text: str) -> tuple[str, str, str]:
    """Who is quoted in an answer that says its message again, their words, and what follows."""
    found = re.search(r"\[Replying to (.+?) - for context\](.*?)\[/Replying\](.*)", text, re.DOTALL)
    assert found is not None, text
    return found[1], found[2], found[3]


def _text(post: Post) -> str:
    return post.text


def _threads(channel: str) -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name.startswith(f"channel-{channel}-")]
