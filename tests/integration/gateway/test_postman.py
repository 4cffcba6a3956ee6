"""The postman with a real book: order, patience, and an end within two seconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest

from moltbot_desktop.app.mailing import open_mail, start_postman
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ChannelError, ChannelRefused, ChannelTooLong, DiskFull
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway import postman as rules
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.postman import Postman
from tests.fakes.disk import FailingDisk
from tests.fakes.mail import NOON, ScriptedChannel, counting, envelope, outbound


@dataclass
class Post:
    """A running postman and what is around it."""

    desk: MailDesk
    postman: Postman
    clock: ManualClock
    channels: dict[str, ScriptedChannel]
    told: list[Notice] = field(default_factory=list)

    async def post(self, run: str, *texts: str, peer: str = "7", channel: str = "pipe") -> None:
        parts = [outbound(text, peer, channel) for text in texts]
        await self.desk.finish(RunId(run), parts)

    def later(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.postman.wake()


@asynccontextmanager
async def running(folder: Path, **channels: ScriptedChannel) -> AsyncIterator[Post]:
    clock, told = ManualClock(NOON), []
    async with AsyncExitStack() as stack:
        mail = await open_mail(
            stack, folder / "mail.sqlite", clock, counting(), told.append, Language.ENGLISH
        )
        assert mail.in_charge
        postman = start_postman(
            stack,
            mail.desk,
            clock,
            lambda channel, _: channels.get(channel),
            told.append,
            Language.ENGLISH,
        )
        yield Post(mail.desk, postman, clock, channels, told)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.005)


async def sent_all(post: Post) -> None:
    async with asyncio.timeout(20):
        while await post.desk.heads():
            await asyncio.sleep(0.005)


def test_an_answer_goes_out_in_order_with_a_key_of_its_own_for_each_part(tmp_path):
    async def scene() -> None:
        pipe = ScriptedChannel()
        async with running(tmp_path, pipe=pipe) as post:
            await post.post("a", "one", "two")
            await post.post("b", "three")
            await sent_all(post)
        assert pipe.sent == [("a:0", "one"), ("a:1", "two"), ("b:0", "three")]
        assert pipe.most == 1

    asyncio.run(scene())


def test_targets_do_not_wait_for_each_other(tmp_path):
    async def scene() -> None:
        slow, quick = ScriptedChannel(gate=asyncio.Event()), ScriptedChannel()
        async with running(tmp_path, slow=slow, pipe=quick) as post:
            for peer in "xyz":
                await post.post(f"to-{peer}", "hi", peer=peer, channel="slow")
            await post.post("quick", "hi")
            await until(lambda: slow.most == 3 and len(quick.sent) == 1)
            slow.gate.set()
            await sent_all(post)
        assert len(slow.sent) == 3

    asyncio.run(scene())


def test_what_the_channel_cannot_take_now_is_tried_again_and_nothing_overtakes_it(tmp_path):
    async def scene() -> None:
        pipe = ScriptedChannel(answers=[ChannelError("down"), ChannelError("down")])
        async with running(tmp_path, pipe=pipe) as post:
            await post.post("a", "one", "two")
            await until(lambda: len(pipe.answers) == 1)
            post.later(1)
            await until(lambda: not pipe.answers)
            assert pipe.sent == []
            post.later(2)
            await sent_all(post)
            assert post.told == []
        assert [text for _, text in pipe.sent] == ["one", "two"]

    asyncio.run(scene())


def test_what_is_too_long_is_cut_once_more_and_nothing_of_it_is_lost(tmp_path):
    async def scene() -> None:
        pipe = ScriptedChannel(answers=[ChannelTooLong("400 characters", limit=40)])
        async with running(tmp_path, pipe=pipe) as post:
            await post.post("a", "word " * 20, "two")
            await sent_all(post)
            assert post.told == []
        *pieces, last = [text for _, text in pipe.sent]
        assert last == "two" and all(len(piece) <= 40 for piece in pieces)
        assert " ".join(pieces).split() == ["word"] * 20
        assert len({key for key, _ in pipe.sent}) == len(pipe.sent)

    asyncio.run(scene())


def test_what_stays_too_long_is_given_up(tmp_path):
    async def scene() -> None:
        pipe = ScriptedChannel(answers=[ChannelTooLong("no"), ChannelTooLong("no")])
        async with running(tmp_path, pipe=pipe) as post:
            await post.post("a", "word " * 20, "two")
            await sent_all(post)
            assert len(post.told) == 1
        assert [text for _, text in pipe.sent] == ["two"]

    asyncio.run(scene())


@pytest.mark.expect_log("broke")
@pytest.mark.parametrize("problem", [ChannelRefused("blocked"), ValueError("bug")])
def test_what_will_never_go_is_told_and_holds_up_nothing(tmp_path, problem):
    async def scene() -> None:
        pipe = ScriptedChannel(answers=[problem] * (1 if problem.args == ("blocked",) else 5))
        async with running(tmp_path, pipe=pipe) as post:
            await post.post("a", "lost words", "two")
            for _ in range(10):
                post.later(20)
                await asyncio.sleep(0.02)
            await sent_all(post)
            await until(lambda: bool(post.told))
            (notice,) = post.told
            assert "lost words" in notice.text
            assert problem.args[0] in notice.hint
        assert [text for _, text in pipe.sent] == ["two"]

    asyncio.run(scene())


def test_messages_wait_for_a_channel_that_is_not_there_yet(tmp_path):
    async def scene() -> None:
        async with running(tmp_path) as post:
            await post.post("a", "one")
            await asyncio.sleep(0.05)
            assert await post.desk.heads()
            post.channels["pipe"] = ScriptedChannel()
            post.postman.wake()
            await sent_all(post)
            await post.post("b", "two", channel="gone")
            post.later(rules.GONE_AFTER + 60)
            await until(lambda: bool(post.told))
            assert "gone" in post.told[0].text
            assert await post.desk.heads() == ()

    asyncio.run(scene())


def test_a_message_that_is_damaged_on_the_disk_is_told_and_holds_up_nothing(tmp_path):
    async def scene() -> None:
        pipe = ScriptedChannel()
        async with running(tmp_path) as post:
            await post.post("a", "one", "two")
            spoil = apsw.Connection(str(tmp_path / "mail.sqlite"))
            spoil.execute("UPDATE outbox SET message = '[]' WHERE part = 0")
            spoil.close()
            post.channels["pipe"] = pipe
            post.postman.wake()
            await sent_all(post)
            await until(lambda: bool(post.told))
            assert "damaged" in post.told[0].text
        assert [text for _, text in pipe.sent] == ["two"]

    asyncio.run(scene())


@pytest.mark.expect_log("cannot be noted")
def test_on_a_full_disk_nothing_is_sent_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(rules, "_DISK_PAUSE", 0.02)
    texts = [f"part {number}" for number in range(2 * rules.MOST_IN_A_ROW)]

    async def scene() -> None:
        pipe = ScriptedChannel(gate=asyncio.Event())
        with FailingDisk(10**9, apsw.FullError) as disk:
            async with running(tmp_path, pipe=pipe) as post:
                await post.post("a", *texts)
                await until(lambda: pipe.going == 1)
                disk.left = 0
                pipe.gate.set()
                await until(lambda: len(pipe.sent) == rules.MOST_IN_A_ROW)
                await asyncio.sleep(0.1)
                assert len(pipe.sent) == rules.MOST_IN_A_ROW
                disk.heal()
                await sent_all(post)
        assert [text for _, text in pipe.sent] == texts

    asyncio.run(scene())


def test_it_ends_within_two_seconds_and_keeps_what_was_not_taken(tmp_path):
    async def scene() -> None:
        stuck = ScriptedChannel(gate=asyncio.Event())
        async with asyncio.timeout(30):
            async with running(tmp_path, pipe=stuck) as post:
                await post.post("a", "one")
                await until(lambda: stuck.going == 1)
        assert stuck.going == 0
        again = ScriptedChannel()
        async with running(tmp_path, pipe=again) as post:
            await sent_all(post)
        assert again.sent == [("a:0", "one")]

    asyncio.run(scene())


def test_what_ends_in_the_last_moment_is_noted(tmp_path):
    async def scene() -> None:
        pipe = ScriptedChannel(gate=asyncio.Event())
        async with running(tmp_path, pipe=pipe) as post:
            await post.post("a", "one")
            await until(lambda: pipe.going == 1)
            asyncio.get_running_loop().call_later(0.1, pipe.gate.set)
        again = ScriptedChannel()
        async with running(tmp_path, pipe=again) as post:
            assert await post.desk.heads() == ()
        assert len(pipe.sent) == 1

    asyncio.run(scene())


# ------------------------------------------------------------------ one commit for many


def test_what_is_asked_together_is_one_commit_and_each_gets_its_own_answer(tmp_path):
    async def scene() -> None:
        async with running(tmp_path) as post:
            path = str(tmp_path / "mail.sqlite")
            watch = apsw.Connection(path)
            commits = 0
            seen = watch.pragma("data_version")
            asked = asyncio.gather(
                *(post.desk.receive([envelope(str(number % 50))]) for number in range(100))
            )
            while not asked.done():
                await asyncio.sleep(0)
                now = watch.pragma("data_version")
                commits, seen = commits + (now != seen), now
            watch.close()
            received = [one for (one,) in asked.result()]
            assert len({one.run_id for one in received}) == 50
            assert [one.envelope.message_id for one in received] == [
                str(number % 50) for number in range(100)
            ]
            assert commits <= 2

    asyncio.run(scene())


def test_a_full_disk_is_said_to_everybody_who_waits_and_later_calls_go_well(tmp_path):
    async def scene() -> None:
        with FailingDisk(10**9, apsw.FullError) as disk:
            async with running(tmp_path) as post:
                await post.desk.heads()
                disk.left = 0
                calls = [post.desk.receive([envelope(str(number))]) for number in range(3)]
                answers = await asyncio.gather(*calls, return_exceptions=True)
                assert [type(answer) for answer in answers] == [DiskFull] * 3
                disk.heal()
                await post.desk.receive([envelope("0")])
                assert len(await post.desk.unfinished()) == 1

    asyncio.run(scene())


def test_a_call_that_makes_no_sense_costs_no_other(tmp_path):
    async def scene() -> None:
        async with running(tmp_path) as post:
            answers = await asyncio.gather(
                post.desk.receive([envelope("1")]),
                post.desk.sent("no number", 5),  # type: ignore[arg-type]
                post.desk.receive([envelope("2")]),
                return_exceptions=True,
            )
            assert isinstance(answers[1], AttributeError)
            assert len(await post.desk.unfinished()) == 2

    asyncio.run(scene())


def test_a_caller_that_gave_up_waiting_spoils_nothing(tmp_path):
    async def scene() -> None:
        async with running(tmp_path) as post:
            gone = asyncio.create_task(post.desk.receive([envelope("1")]))
            await asyncio.sleep(0)
            gone.cancel()
            await post.desk.receive([envelope("2")])
            ids = [one.envelope.message_id for one in await post.desk.unfinished()]
            assert ids in (["1", "2"], ["2"])

    asyncio.run(scene())


def test_what_fails_in_a_row_holds_up_what_is_behind_it(tmp_path):
    async def scene() -> None:
        pipe = ScriptedChannel(gate=asyncio.Event())
        async with running(tmp_path, pipe=pipe) as post:
            await post.post("a", "one", "two", "three")
            await until(lambda: pipe.going == 1)
            pipe.answers = [ChannelError("no network")]
            pipe.gate.set()
            await until(lambda: not pipe.answers)
            await asyncio.sleep(0.05)
            assert pipe.sent == []
            post.later(5)
            await sent_all(post)
        assert [text for _, text in pipe.sent] == ["one", "two", "three"]

    asyncio.run(scene())
