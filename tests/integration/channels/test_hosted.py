"""An account of a plugin's channel: on its own thread, made again, and ended whatever it does."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.channels.hosted import HostedChannel
from moltbot_desktop.channels.put_away import put_away
from moltbot_desktop.channels.supervised import LONGEST_PAUSE, HostDesk, pause_after
from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused, DiskFull
from moltbot_desktop.sdk.channels import (
    Attachment,
    ChannelLife,
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    RemoteFile,
    Sender,
)
from moltbot_desktop.sdk.plugin_values import ChannelAccount, PluginChannel

HELLO = OutboundMessage(DeliveryTarget("sun", "one"), "hello")
Run = Callable[["Fake"], Awaitable[None]]


@dataclass
class Fake:
    """A connection whose `run` is the test's."""

    account: ChannelAccount
    does: Run
    number: int

    async def run(self) -> None:
        await self.does(self)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        if message.text == "wrong token":
            raise ChannelAuthFailed("The sun does not know the wrong token.")
        if idempotency_key == "echo":
            return f"{message.text}|{message.reply_to}|{message.target.thread_id}{message.replaces}"
        return f"{threading.current_thread().name} {idempotency_key}"


@dataclass
class Scene:
    """The desk of an account, and what it heard."""

    kept: list[Envelope] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    cursors: list[str] = field(default_factory=lambda: ["after 7"])
    refuses: list[Exception] = field(default_factory=list)
    connections: int = 0
    passed: list[tuple[str, int, int, int]] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    begun: int = 0
    came: list[str] = field(default_factory=list)
    sealed: bool = False

    def channel(
        self, does: Run, silence_seconds: float = 0.0, local: bool = False
    ) -> HostedChannel:
        def opened(account: ChannelAccount) -> Fake:
            self.connections += 1
            return Fake(account, does, self.connections)

        async def receive(envelopes: Sequence[Envelope]) -> None:
            if self.refuses:
                raise self.refuses.pop(0)
            self.begun += 1
            if envelopes[0].text == "slow":
                await self.gate.wait()
            self.kept += envelopes

        async def cursor() -> str:
            return self.cursors[-1]

        async def let_in(sender: Sender) -> None:
            self.came.append(sender.id)

        kind = PluginChannel("sun", opened, silence_seconds=silence_seconds, local=local)
        desk = HostDesk(
            receive,
            cursor,
            self.told.append,
            lambda: None,
            SystemClock(),
            lambda: -0.99,
            passed=lambda *what: self.passed.append(what),
            sealed=lambda: self.sealed,
            let_in=let_in,
        )
        return HostedChannel(kind, "one", lambda: {"token": "t"}, desk)


def play(
    does: Run,
    story: Callable[[Scene, HostedChannel], Awaitable[None]],
    silence_seconds: float = 0.0,
    local: bool = False,
) -> Scene:
    async def run() -> Scene:
        scene = Scene()
        channel = scene.channel(does, silence_seconds, local)
        channel.start()
        try:
            async with asyncio.timeout(20):
                await story(scene, channel)
        finally:
            await channel.stop()
        assert channel.life is ChannelLife.STOPPED
        return scene

    return asyncio.run(run())


async def becomes(true: Callable[[], object]) -> None:
    while not true():
        await asyncio.sleep(0.005)


async def serves(fake: Fake) -> None:
    fake.account.online()
    await asyncio.sleep(60)


def envelope(channel: str = "sun", account: str = "one") -> Envelope:
    return Envelope(channel, "1", Sender("ada"), "hi", datetime.now(UTC), account)


def test_it_sends_on_its_own_thread_and_not_before_it_is_online() -> None:
    gate = threading.Event()

    async def waits(fake: Fake) -> None:
        await asyncio.to_thread(gate.wait)
        await serves(fake)

    async def story(_: Scene, channel: HostedChannel) -> None:
        with pytest.raises(ChannelError):
            await channel.send(HELLO, "k1")
        gate.set()
        await becomes(lambda: channel.is_online)
        assert await channel.send(HELLO, "k2") == "channel-sun-one k2"

    play(waits, story)


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has no priority of its own")
def test_what_it_and_its_library_do_comes_after_the_window() -> None:
    nice: list[int] = []

    def priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    async def tells(fake: Fake) -> None:
        nice.extend((priority(), await asyncio.to_thread(priority)))
        await serves(fake)

    async def story(_: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: channel.is_online)

    own = priority()
    play(tells, story)
    assert nice == [max(5, own)] * 2
    assert priority() == own


def test_one_that_stays_on_this_computer_lets_people_in_and_heeds_no_seal() -> None:
    async def lets_in(fake: Fake) -> None:
        await fake.account.let_in(Sender("7"))
        await fake.account.receive([envelope()])
        await serves(fake)

    async def story(scene: Scene, channel: HostedChannel) -> None:
        scene.sealed = True
        await becomes(lambda: channel.is_online)
        assert scene.came == ["7"] and scene.kept
        await channel.send(HELLO, "k")

    assert play(lets_in, story, local=True).passed == []


@pytest.mark.expect_log
def test_one_that_goes_elsewhere_lets_nobody_in_by_itself() -> None:
    refused = threading.Event()

    async def lets_in(fake: Fake) -> None:
        with pytest.raises(ChannelError):
            await fake.account.let_in(Sender("7"))
        refused.set()
        await serves(fake)

    async def story(scene: Scene, channel: HostedChannel) -> None:
        await becomes(refused.is_set)
        assert not scene.came

    play(lets_in, story)


def test_what_it_hands_over_came_over_its_own_channel_whatever_it_says() -> None:
    async def lies(fake: Fake) -> None:
        assert fake.account.cursor == "after 7" and fake.account.settings["token"] == "t"
        await fake.account.receive([envelope("desktop", "owner")])
        await serves(fake)

    async def story(scene: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: scene.kept)

    [kept] = play(lies, story).kept
    assert (kept.channel, kept.account) == ("sun", "one")


def test_what_went_to_which_host_is_written_down() -> None:
    async def says_where(fake: Fake) -> None:
        fake.account.reaches("sun.example")
        await fake.account.receive([envelope()])
        await serves(fake)

    async def story(_: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: channel.is_online)
        await channel.send(HELLO, "k1")

    scene = play(says_where, story)  # what was not written down while it ran is at its end
    assert {host for host, *_ in scene.passed} == {"sun.example"}
    requests, sent, received = (sum(one[at] for one in scene.passed) for at in (1, 2, 3))
    assert (requests, sent, received) == (2, len(HELLO.text), len("hi"))


@pytest.mark.expect_log("channel sun one")
def test_what_is_being_kept_when_a_line_breaks_is_kept_to_the_end() -> None:
    """Otherwise it may be on the disk, and nobody told of it: the next time it comes it counts as
    one that was answered."""

    there: list[Scene] = []

    async def breaks(fake: Fake) -> None:
        fake.account.online()
        if fake.number > 1:
            await serves(fake)
        slow = asyncio.ensure_future(fake.account.receive([replace(envelope(), text="slow")]))
        await becomes(lambda: there and there[0].begun)
        slow.cancel()
        await asyncio.wait([slow])
        raise ChannelError("The line broke.")

    async def story(scene: Scene, channel: HostedChannel) -> None:
        there.append(scene)
        await becomes(lambda: scene.connections == 2)
        assert not scene.kept
        scene.gate.set()
        await becomes(lambda: scene.kept)

    play(breaks, story)


@pytest.mark.expect_log("channel sun one")
def test_a_connection_that_ends_or_breaks_is_made_again_and_told_once() -> None:
    async def falls(fake: Fake) -> None:
        fake.account.online()
        if fake.number < 3:
            raise ZeroDivisionError("eclipse")
        if fake.number == 3:
            raise ChannelError("The line was cut.")
        await serves(fake)

    async def story(scene: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: scene.connections == 4 and channel.is_online)
        assert channel.problem == ""

    told = play(falls, story).told
    assert [one for one in told if "eclipse" in one] and "The line was cut." in told


@pytest.mark.expect_log("token")
def test_what_is_refused_for_good_is_not_tried_again() -> None:
    async def refused(_: Fake) -> None:
        raise ChannelRefused("The token is wrong.", hint="Get another one.")

    async def story(scene: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: channel.life is ChannelLife.FAILED)
        await asyncio.sleep(0.1)
        assert scene.connections == 1
        assert channel.problem == "The token is wrong. Get another one."

    play(refused, story)


def test_a_message_that_was_not_kept_is_not_acknowledged() -> None:
    failed: list[str] = []

    async def tries(fake: Fake) -> None:
        try:
            await fake.account.receive([envelope()])
        except DiskFull as error:
            failed.append(error.message)
        await fake.account.receive([envelope()])
        await serves(fake)

    async def story(scene: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: len(scene.kept) == 1)

    async def run() -> None:
        scene = Scene(refuses=[DiskFull("full")])
        channel = scene.channel(tries)
        channel.start()
        await story(scene, channel)
        await channel.stop()

    asyncio.run(run())
    assert failed == ["full"]


@pytest.mark.expect_log("did not stop in time")
@pytest.mark.parametrize("stubborn", [False, True])
def test_it_is_given_up_in_time_when_the_plugin_does_not_end(stubborn: bool) -> None:
    release = threading.Event()

    async def holds_on(fake: Fake) -> None:
        fake.account.online()
        if stubborn:
            release.wait(20)  # blocks its own loop, and nobody else's
        while not release.is_set():
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                await asyncio.to_thread(release.wait, 20)

    async def story(_: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: channel.is_online)
        began = asyncio.get_running_loop().time()
        await channel.stop()
        assert asyncio.get_running_loop().time() - began < 10

    try:
        play(holds_on, story)
    finally:
        release.set()
        while any(one.name == "channel-sun-one" for one in threading.enumerate()):
            time.sleep(0.01)


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_pauses_grow_to_a_limit_and_differ(failures: int, jitter: float) -> None:
    pause = pause_after(failures, jitter)
    assert 0.5 <= pause <= LONGEST_PAUSE
    assert pause_after(failures + 1, jitter) >= pause


async def fails_to_import(_: Fake) -> None:
    raise ModuleNotFoundError("No module named 'sunlib.core'", name="sunlib.core")


@pytest.mark.expect_log("sun")
def test_a_library_that_is_missing_is_told_with_the_line_that_installs_it() -> None:
    async def story(scene: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: channel.life is ChannelLife.FAILED)
        assert "pip install sunlib" in channel.problem
        assert (scene.connections, len(scene.told)) == (1, 1)

    play(fails_to_import, story)


@pytest.mark.expect_log("sun")
def test_a_token_that_is_not_taken_any_more_ends_it_for_good() -> None:
    async def story(scene: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: channel.is_online)
        with pytest.raises(ChannelAuthFailed):
            await channel.send(replace(HELLO, text="wrong token"), "k")
        await becomes(lambda: channel.life is ChannelLife.FAILED)
        assert "wrong token" in channel.problem and scene.connections == 1
        with pytest.raises(ChannelError):
            await channel.send(HELLO, "k")

    play(serves, story)


@pytest.mark.expect_log("sun")
def test_a_connection_that_is_heard_nothing_of_is_made_again() -> None:
    """Also one whose library believes that it stands."""

    async def story(scene: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: scene.connections >= 3)
        assert "not heard of" in channel.traffic.last_error
        assert channel.traffic.connections >= 3 and channel.traffic.last_in is not None

    play(serves, story, silence_seconds=0.05)


def test_what_is_not_declared_is_left_away_or_refused() -> None:
    async def story(_: Scene, channel: HostedChannel) -> None:
        await becomes(lambda: channel.is_online)
        target = DeliveryTarget("sun", "one", thread_id="7")
        sent = await channel.send(
            OutboundMessage(target, "hello", reply_to="3", replaces="9"), "echo"
        )
        assert sent == "hello||"
        with pytest.raises(ChannelRefused, match="no reactions"):
            await channel.react(target, "3", "👍")
        with pytest.raises(ChannelRefused, match="cannot change"):
            await channel.edit("3", HELLO)
        with pytest.raises(ChannelRefused, match="cannot take"):
            await channel.delete(target, "3")
        with pytest.raises(ChannelRefused, match="cannot send files"):
            await channel.send(replace(HELLO, attachments=(Attachment(Path("/x"), "x"),)), "k")
        with pytest.raises(ChannelRefused, match="no files"):
            await channel.fetch(RemoteFile("1", "x"), Path("/nowhere/x"), 10)

    play(serves, story)


async def pieces(*sizes: int) -> AsyncIterator[bytes]:
    for size in sizes:
        yield b"x" * size


def test_no_more_of_a_file_is_taken_than_is_allowed(tmp_path: Path) -> None:
    async def keep(name: str, *sizes: int) -> None:
        await put_away(pieces(*sizes), tmp_path / name, 10, lambda: ChannelRefused("too large"))

    asyncio.run(keep("fits", 4, 6))
    assert (tmp_path / "fits").read_bytes() == b"x" * 10
    with pytest.raises(ChannelRefused):
        asyncio.run(keep("large", 4, 7, 10**6))
    with pytest.raises(ChannelError):
        asyncio.run(keep("fits", 1))  # what is there is left alone
    assert [one.name for one in tmp_path.iterdir()] == ["fits"]
    assert (tmp_path / "fits").read_bytes() == b"x" * 10
