"""Every message ends once, whatever stops it: too early a stop, a full disk, a bug, the end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.core.errors import DiskFull
from moltbot_desktop.core.events import AssistantDelta, RunEnded, RunStarted
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent, HistoryLoaded, Notice
from moltbot_desktop.sessions.entries import OutcomeEntry
from moltbot_desktop.sessions.store import Session, SessionStore
from moltbot_desktop.sessions.transcript import Transcript
from tests.fakes.chat_model import hangs, says
from tests.integration.gateway.test_front_desk import KEY, Assistant, play

CANCELLED = OutcomeKind.CANCELLED
DISK_FULL = DiskFull("The disk is full.", hint="Free some space.")


class FullDisk:
    """While it is full, transcripts take nothing and no conversation can be started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = True
        monkeypatch.setattr(Transcript, "_append", self._unless_full(Transcript._append))
        monkeypatch.setattr(SessionStore, "new", self._unless_full(SessionStore.new))

    def _unless_full(self, real: Callable[..., object]) -> Callable[..., object]:
        def write(*args: object, **options: object) -> object:
            if self.full:
                raise DISK_FULL
            return real(*args, **options)

        return write


def broken(*_: object, **__: object) -> None:
    raise ValueError("not as expected")


def ends(assistant: Assistant) -> list[tuple[RunId, OutcomeKind]]:
    """Of each run that ended, in this order; each may stand here once only."""
    told = [event for event in assistant.events if isinstance(event, RunEnded)]
    assert max(Counter(event.run_id for event in told).values(), default=0) <= 1
    return [(event.run_id, event.outcome.kind) for event in told]


def serious(assistant: Assistant) -> list[Notice]:
    return [event for event in assistant.events if isinstance(event, Notice) and event.serious]


def stored(session: Session) -> list[tuple[RunId, OutcomeKind]]:
    entries = session.transcript.entries()
    return [(e.run_id, e.outcome.kind) for e in entries if isinstance(e, OutcomeEntry)]


async def idle(assistant: Assistant, count: int) -> None:
    """`count` runs have ended, and nothing more is about to happen."""
    async with asyncio.timeout(30):
        await assistant.becomes(lambda: len(ends(assistant)) >= count)
    await assistant.settled()


def test_a_run_stopped_before_its_first_step_ends(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("two")]) as assistant:
            first = assistant.client.send("one")
            assistant.client.stop()
            second = assistant.client.send("two")
            await idle(assistant, 2)
            assert ends(assistant) == [(first, CANCELLED), (second, OutcomeKind.ANSWERED)]
            assert stored(assistant.desk.session) == ends(assistant)
            numbers = [event.seq for event in assistant.run_events() if event.run_id == first]
            assert numbers == [1]

    play(scenario)


def test_every_message_of_one_moment_ends_when_stop_comes_in_the_same_moment(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            runs = [assistant.client.send(text) for text in ("a", "b", "c")]
            assistant.client.stop()
            assistant.client.stop()
            await idle(assistant, 3)
            assert sorted(ends(assistant)) == [(run, CANCELLED) for run in runs]
            assert sorted(stored(assistant.desk.session)) == sorted(ends(assistant))

    play(scenario)


@pytest.mark.parametrize("steps", range(8))
def test_a_stop_at_any_moment_of_a_run_ends_it_once(tmp_path: Path, steps: int) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("a", "b", "c")]) as assistant:
            run_id = assistant.client.send("go")
            for _ in range(steps):
                await asyncio.sleep(0)
            assistant.client.stop()
            await idle(assistant, 1)
            assert [run for run, _ in ends(assistant)] == [run_id]
            assert stored(assistant.desk.session) == ends(assistant)
            numbers = [event.seq for event in assistant.run_events()]
            assert numbers == list(range(1, len(numbers) + 1))

    play(scenario)


def test_the_outcome_of_a_run_stopped_by_a_new_conversation_stands_in_the_old_one(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            old = assistant.desk.session
            run_id = assistant.client.send("one")
            assistant.client.new_session()
            await idle(assistant, 1)
            assert stored(old) == ends(assistant) == [(run_id, CANCELLED)]
            assert assistant.desk.session.transcript.entries() == ()

    play(scenario)


def test_a_program_that_ends_at_once_ends_its_runs(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            session = assistant.desk.session
            runs = [assistant.client.send(text) for text in ("a", "b")]
            await asyncio.sleep(0)
        assert sorted(ends(assistant)) == [(run, CANCELLED) for run in runs]
        assert sorted(stored(session)) == sorted(ends(assistant))

    play(scenario)


def test_what_comes_in_while_the_program_ends_ends_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("...")]) as assistant:
            session = assistant.desk.session
            first = assistant.client.send("a")
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            late = assistant.client.send("b")  # arrives when closing waits for the first
        assert ends(assistant) == stored(session) == [(first, CANCELLED), (late, CANCELLED)]

    play(scenario)


def test_a_run_whose_outcome_finds_no_place_ends_and_the_next_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("half"), says("two")]) as assistant:
            first = assistant.client.send("one")
            second = assistant.client.send("two")
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            disk = FullDisk(monkeypatch)
            assistant.model.gives_up = True  # nobody asked to stop
            await assistant.becomes(lambda: ends(assistant))
            disk.full = False
            await idle(assistant, 2)
            assert ends(assistant) == [(first, OutcomeKind.FAILED), (second, OutcomeKind.ANSWERED)]
            end = next(event for event in assistant.events if isinstance(event, RunEnded))
            # Without a text, so that what was streamed stays on the screen.
            assert (end.outcome.text, end.outcome.reason) == ("", str(DISK_FULL))
            assert [(notice.text, notice.hint) for notice in serious(assistant)] == [
                (DISK_FULL.message, DISK_FULL.hint)
            ]
            numbers = [event.seq for event in assistant.run_events() if event.run_id == first]
            assert numbers == list(range(1, len(numbers) + 1))

    play(scenario)


def test_a_full_disk_does_not_keep_stop_from_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("...")]) as assistant:
            runs = [assistant.client.send(text) for text in ("a", "b", "c")]
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            FullDisk(monkeypatch)
            assistant.client.stop()
            await idle(assistant, 3)
            assert sorted(ends(assistant)) == [(run, CANCELLED) for run in runs]
            assert len(serious(assistant)) == 3

    play(scenario)


def test_a_full_disk_does_not_keep_the_program_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("...")]) as assistant:
            runs = [assistant.client.send(text) for text in ("a", "b")]
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            disk = FullDisk(monkeypatch)
        assert sorted(ends(assistant)) == [(run, CANCELLED) for run in runs]
        disk.full = False
        async with Assistant(tmp_path, []) as again:
            assert again.desk.session.key == KEY  # the conversation was let go

    play(scenario)


def test_a_full_disk_ends_as_many_as_wait_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words that lie in an inbox reach the transcript with their run only."""
    count = 2_000

    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("..."), says("there")]) as assistant:
            desk = assistant.desk.parts.desks.for_turn(SessionKey("agent:main:pipe:dm:ada"))
            ended: list[tuple[RunId, OutcomeKind]] = []

            def tell(event: ClientEvent) -> None:
                if isinstance(event, RunEnded):
                    ended.append((event.run_id, event.outcome.kind))

            def submit(number: int) -> None:
                run_id = RunId(f"run-{number}")
                now = datetime(2026, 1, 5, tzinfo=UTC)
                message = AcceptedRun(run_id, desk.session, "hi", now, tell, waits_elsewhere=True)
                desk.submit(message, QueueRules(QueueMode.FOLLOWUP, 0.0, cap=0))

            for number in range(count):
                submit(number)
            await assistant.becomes(lambda: assistant.model.requests)
            disk = FullDisk(monkeypatch)
            assistant.model.gives_up = True
            await assistant.becomes(lambda: len(ended) == count)
            assert ended == [
                (RunId(f"run-{number}"), OutcomeKind.FAILED) for number in range(count)
            ]
            disk.full = False
            submit(count)
            await assistant.becomes(lambda: len(ended) > count)
            assert ended[-1] == (RunId(f"run-{count}"), OutcomeKind.ANSWERED)

    play(scenario)


def test_a_new_conversation_that_cannot_be_made_is_told_and_the_old_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("one")]) as assistant:
            old = assistant.desk.session
            disk = FullDisk(monkeypatch)
            assistant.client.new_session()
            await assistant.settled()
            assert serious(assistant) == [Notice(DISK_FULL.message, DISK_FULL.hint, serious=True)]
            assert not any(isinstance(event, HistoryLoaded) for event in assistant.events)
            disk.full = False
            assert (await assistant.say("one")).outcome.text == "one"
            assert assistant.desk.session is old

    play(scenario)


@pytest.mark.expect_log("run run-1 failed")
def test_a_bug_in_what_a_run_reads_first_ends_that_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("two")]) as assistant:
            with monkeypatch.context() as patched:
                patched.setattr(assistant.desk.session.transcript, "labels", broken)
                end = await assistant.say("one")
            assert end.outcome.kind is OutcomeKind.FAILED
            assert stored(assistant.desk.session) == ends(assistant)
            assert [type(event) for event in assistant.run_events()] == [RunStarted, RunEnded]
            assert (await assistant.say("two")).outcome.text == "two"

    play(scenario)


@pytest.mark.expect_log("a run broke")
def test_a_bug_in_ending_a_run_ends_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("one"), says("two")]) as assistant:
            with monkeypatch.context() as patched:
                patched.setattr(assistant.desk.session.transcript, "append_end", broken)
                end = await assistant.say("one")
            assert (end.outcome.kind, end.outcome.reason) == (OutcomeKind.FAILED, "not as expected")
            assert (await assistant.say("two")).outcome.text == "two"
            assert stored(assistant.desk.session) == ends(assistant)

    play(scenario)


MOMENTS = ("say", "say", "/new", "/new go on", "/stop", "stop", "new", "step", "step", "disk")


@settings(deadline=None)
@given(moments=st.lists(st.sampled_from(MOMENTS), max_size=14))
def test_whatever_happens_each_message_ends_once(moments: list[str]) -> None:
    async def scenario(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        script = [says("a", "b"), hangs("c"), says("d")] * len(moments)
        sent: list[RunId] = []
        async with Assistant(home, script) as assistant:
            disk = FullDisk(monkeypatch)
            disk.full = False
            for moment in moments:
                match moment:
                    case "stop":
                        assistant.client.stop()
                    case "new":
                        assistant.client.new_session()
                    case "step":
                        await asyncio.sleep(0)
                    case "disk":
                        disk.full = not disk.full
                    case _:
                        sent.append(assistant.client.send(moment))
            await asyncio.sleep(0)  # the loop has heard all of it
        told = {run for run, _ in ends(assistant)}
        begun_with_new = {RunId(f"{run}-first") for run in sent}
        assert {*sent} <= told <= {*sent, *begun_with_new}
        for run in told:
            numbers = [event.seq for event in assistant.run_events() if event.run_id == run]
            assert numbers == list(range(1, len(numbers) + 1))

    with TemporaryDirectory() as home, pytest.MonkeyPatch.context() as monkeypatch:
        play(lambda: scenario(Path(home), monkeypatch))
