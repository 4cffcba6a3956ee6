"""Pauses between the parts of a long answer: the real desk and mail book, a clock of the test."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.gateway.pauses import PauseRules, Pauses
from moltbot_desktop.sdk.channels import Peer, PeerKind, Sender
from moltbot_desktop.sdk.models import TextDelta
from tests.fakes.chat_model import ScriptedTurn, hangs, says
from tests.fakes.mail import envelope
from tests.integration.gateway.test_along import LONG, PARTS, all_of, asked, looking
from tests.integration.gateway.test_channel_desk import Rig, rig
from tests.integration.gateway.test_front_desk import play

WHOLE = "".join(LONG).strip()
RULES = PauseRules(1.0, 3.0)


class Naps:
    """Pauses that end when the test says so.

    Attributes:
        asked: seconds of each, in order.
    """

    def __init__(self, *, awake: bool = False) -> None:
        self.asked: list[float] = []
        self._wake = asyncio.Event()
        if awake:
            self._wake.set()
        self.pauses = Pauses(self._sleep, lambda: 0.5)

    async def _sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        await self._wake.wait()

    def wake(self) -> None:
        self._wake.set()


def paused(made: Rig) -> Rig:
    made.along, made.pause = PARTS, RULES
    return made


async def first_part(made: Rig, naps: Naps) -> str:
    """The one part that is on its way while the next is held up."""
    await made.assistant.becomes(lambda: len(naps.asked) == 1)
    (head,) = made.book.heads()
    (row,) = made.book.load(head.id, 10)
    made.book.sent(row.id, "")
    return row.message.text


def test_each_part_but_the_first_waits(tmp_path: Path) -> None:
    async def scenario() -> None:
        naps = Naps(awake=True)
        async with rig(tmp_path, [says(*LONG)], pauses=naps.pauses) as made:
            await paused(made).desk.receive([envelope("1")])
            told = await all_of(made)
            assert " ".join(told) == WHOLE
            assert len(told) > 2 and naps.asked == [2.0] * (len(told) - 1)

    play(scenario)


def test_until_a_pause_is_over_what_is_behind_it_is_not_sent(tmp_path: Path) -> None:
    async def scenario() -> None:
        naps = Naps()
        async with rig(tmp_path, [says(*LONG)], pauses=naps.pauses) as made:
            await paused(made).desk.receive([envelope("1")])
            first = await first_part(made, naps)
            await made.assistant.settled()
            assert made.book.heads() == () and len(made.book.unfinished()) == 1
            naps.wake()
            assert " ".join((first, *await all_of(made))) == WHOLE

    play(scenario)


def test_what_follows_a_tool_waits_behind_what_was_said_before_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        naps = Naps(awake=True)
        look = asked("x")
        script = [replace(look, events=(TextDelta("Let me look."), *look.events)), says("Found.")]
        async with rig(tmp_path, script, tools=(looking(),), pauses=naps.pauses) as made:
            await paused(made).desk.receive([envelope("1")])
            assert await all_of(made) == ["Let me look.", "Found."]
            assert naps.asked == [2.0]

    play(scenario)


def test_an_answer_that_is_not_sent_in_parts_waits_for_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        naps = Naps()
        async with rig(tmp_path, [says(*LONG)], pauses=naps.pauses) as made:
            made.pause = RULES
            await made.desk.receive([envelope("1")])
            assert await all_of(made) == [WHOLE]
            assert naps.asked == []

    play(scenario)


def test_a_pause_holds_up_nobody_elses_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        naps = Naps()
        async with rig(tmp_path, [says(*LONG), says("B")], pauses=naps.pauses) as made:
            await paused(made).desk.receive([envelope("1")])
            await first_part(made, naps)
            other = envelope("2", "and I?", peer=Peer(PeerKind.DM, "8"))
            await made.desk.receive([replace(other, sender=Sender("8", "Bea"))])
            assert await made.answers(1) == ["B"]
            naps.wake()

    play(scenario)


def test_stop_ends_the_pause_of_a_run_that_goes_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        naps = Naps()
        async with rig(tmp_path, [hangs(*LONG)], pauses=naps.pauses) as made:
            await paused(made).desk.receive([envelope("1")])
            first = await first_part(made, naps)
            await made.desk.receive([envelope("2", "/stop")])
            told = await all_of(made)
            *parts, stopped = told
            assert "aborted" in stopped.lower() or "stopped" in stopped.lower()
            assert parts and WHOLE.startswith(" ".join((first, *parts)))
            assert len(naps.asked) == 1  # those behind it did not even begin theirs

    play(scenario)


def test_stop_ends_the_pause_of_a_run_that_is_over(tmp_path: Path) -> None:
    async def scenario() -> None:
        naps = Naps()
        async with rig(tmp_path, [says(*LONG)], pauses=naps.pauses) as made:
            await paused(made).desk.receive([envelope("1")])
            first = await first_part(made, naps)
            await made.assistant.settled()
            await made.desk.receive([envelope("2", "/stop")])
            *parts, _ = await all_of(made)
            assert " ".join((first, *parts)) == WHOLE
            assert len(naps.asked) == 1

    play(scenario)


def test_the_end_of_the_program_in_a_pause_loses_and_doubles_nothing(tmp_path: Path) -> None:
    async def scenario(script: ScriptedTurn, again: list[ScriptedTurn], home: Path) -> None:
        naps = Naps()
        async with rig(home, [script], pauses=naps.pauses) as before:
            await paused(before).desk.receive([envelope("1")])
            told = [await first_part(before, naps)]
            await before.assistant.settled()
        naps = Naps(awake=True)
        async with rig(home, again, pauses=naps.pauses) as made:
            told += await all_of(paused(made))
        assert " ".join(told) == WHOLE

    play(lambda: scenario(says(*LONG), [], tmp_path / "over"))
    play(lambda: scenario(hangs(*LONG), [says(*LONG)], tmp_path / "going"))


def test_a_kill_in_a_pause_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """What a program that is killed leaves: the tasks that wait never end."""

    async def scenario() -> None:
        naps = Naps()
        async with rig(tmp_path, [says(*LONG)], pauses=naps.pauses) as before:
            await paused(before).desk.receive([envelope("1")])
            told = [await first_part(before, naps)]
            await before.assistant.settled()
            for task in asyncio.all_tasks():
                if task.get_name() == "answers":
                    task.cancel()
        async with rig(tmp_path, []) as made:
            told += await all_of(made)
        assert " ".join(told) == WHOLE

    play(scenario)
