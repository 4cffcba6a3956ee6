"""Runs that nobody sits in front of: their conversation, their rights, what a crash leaves."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.agent.lanes import Lanes
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import PolicyDenied
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.session_desk import SessionParts
from moltbot_desktop.gateway.unattended import Post, UnattendedParts, UnattendedRuns
from moltbot_desktop.schedule.turns import Delivery, JobTurn
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.store import SessionStore
from tests.fakes.chat_model import ScriptedChatModel, calls, hangs, says
from tests.fakes.talk import Talk
from tests.fakes.tools import FakeTool, spec

KEY = SessionKey("agent:main:cron:brief")
NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
TURN = JobTurn(RunId("cron-brief-1"), "", KEY, "What is on today?", fresh=True)


def runs_of(
    talk: Talk, notices: list[tuple[str, str]] | None = None, post: Post | None = None
) -> UnattendedRuns:
    kept = [] if notices is None else notices

    def leave(key: SessionKey, text: str) -> None:
        kept.append((key, text))

    clock = ManualClock(NOW)
    return UnattendedRuns(
        UnattendedParts(
            store=talk.store,
            shared=SessionParts(
                talk.runner, Lanes(clock), clock, lambda *_: None, asyncio.to_thread
            ),
            clock=clock,
            changes_something=lambda tool: tool == "write",
            leave_notice=leave,
            post=post,
        )
    )


def texts(store: SessionStore) -> list[str]:
    session = store.open(KEY)
    said = [message.content for message in session.transcript.messages()]
    store.close(session)
    return said


def test_each_run_has_a_fresh_conversation_of_its_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = ScriptedChatModel([says("Two meetings."), says("None.")])
        notices: list[tuple[str, str]] = []
        async with Talk(tmp_path, model) as talk:
            runs = runs_of(talk, notices)
            first = (await runs.run_turn(replace(TURN, about="Changed: a.md"))).outcome
            second = (await runs.run_turn(replace(TURN, run_id=RunId("cron-brief-2")))).outcome
            assert (first.text, second.text) == ("Two meetings.", "None.")
            assert texts(talk.store) == ["What is on today?", "None."]
            assert talk.session.transcript.entries() == ()
        assert notices == [(KEY, "Changed: a.md")]

    asyncio.run(scenario())


def test_the_jobs_own_model_and_thinking_take_effect(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = ScriptedChatModel([says("Two meetings.")])
        async with Talk(tmp_path, model) as talk:
            await runs_of(talk).run_turn(replace(TURN, model="lab/big", thinking="low"))
            assert talk.lent == ["lab/big"] and model.requests[0].thinking == "low"

    asyncio.run(scenario())


def test_what_would_need_a_card_is_refused(tmp_path: Path) -> None:
    async def scenario() -> RunOutcome:
        tool = FakeTool(spec("exec", Effect.EXEC))
        model = ScriptedChatModel([calls("exec", {"text": "rm"}), says("I may not.")])
        async with Talk(tmp_path, model, tools=(tool,)) as talk:
            outcome = (await runs_of(talk).run_turn(TURN)).outcome
        assert tool.got == []
        return outcome

    assert asyncio.run(scenario()).text == "I may not."


def test_words_of_others_taint_the_run_from_its_start(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = ScriptedChatModel([says("Done.")])
        async with Talk(tmp_path, model) as talk:
            await runs_of(talk).run_turn(replace(TURN, provenance="untrusted"))
            session = talk.store.open(KEY)
            assert Labels.from_mapping(session.transcript.labels()).untrusted
            talk.store.close(session)

    asyncio.run(scenario())


def test_a_run_that_ended_before_the_crash_is_not_run_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Talk(tmp_path, ScriptedChatModel([says("Two meetings.")])) as talk:
            runs = runs_of(talk)
            first = (await runs.run_turn(TURN)).outcome
            again = (await runs.run_turn(replace(TURN, attempt=2))).outcome
            assert (again.kind, again.text) == (first.kind, first.text)

    asyncio.run(scenario())


def test_one_that_was_broken_off_before_it_did_anything_begins_anew(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Talk(tmp_path, ScriptedChatModel([says("Two meetings.")])) as talk:
            session = talk.store.new(KEY)
            session.transcript.append_user(TURN.text, TURN.run_id)
            talk.store.close(session)
            outcome = (await runs_of(talk).run_turn(replace(TURN, attempt=2))).outcome
            assert outcome.text == "Two meetings."

    asyncio.run(scenario())


def test_one_that_changed_something_is_told_and_not_done_twice(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool = FakeTool(spec("write", Effect.NONE))
        turns = [calls("write", {"text": "x"}), hangs()]
        async with Talk(tmp_path, ScriptedChatModel(turns), tools=(tool,)) as talk:
            runs = runs_of(talk)
            task = asyncio.create_task(runs.run_turn(TURN))
            while not tool.got:
                await asyncio.sleep(0.01)
            task.cancel()  # the program ends in the middle
            await asyncio.wait([task])
            outcome = (await runs.run_turn(replace(TURN, attempt=2))).outcome
            assert outcome.kind is OutcomeKind.FAILED and "Done." in outcome.reason
            assert len(tool.got) == 1

    asyncio.run(scenario())


def test_a_time_limit_of_its_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = ScriptedChatModel([hangs()])
        async with Talk(tmp_path, model) as talk:
            outcome = (await runs_of(talk).run_turn(replace(TURN, timeout_seconds=1))).outcome
            assert outcome.kind is OutcomeKind.TIMED_OUT

    asyncio.run(scenario())


TELEGRAM = Delivery("telegram", "42")


def test_an_answer_made_of_others_words_and_the_owners_is_not_sent(tmp_path: Path) -> None:
    sent: list[str] = []

    async def post(
        run_id: RunId, target: DeliveryTarget, text: str, files: tuple[Attachment, ...] = ()
    ) -> None:
        sent.append(text)

    async def scenario() -> None:
        model = ScriptedChatModel([says("See https://evil.example/?q=1"), says("Okafor.")])
        async with Talk(tmp_path, model) as talk:
            runs = runs_of(talk, post=post)
            turn = replace(TURN, provenance="untrusted", delivery=TELEGRAM)
            ended = await runs.run_turn(turn)
            assert ended.labels.untrusted and not ended.labels.private
            await runs.deliver(turn.run_id, TELEGRAM, ended.outcome.text, ended)
            private = replace(ended, labels=Labels(untrusted=True, private=True))
            with pytest.raises(PolicyDenied):
                await runs.deliver(turn.run_id, TELEGRAM, "Okafor.", private)
            mine = replace(ended, labels=Labels(private=True))
            await runs.deliver(turn.run_id, TELEGRAM, "https://own.example/plan", mine)

    asyncio.run(scenario())
    assert sent == ["See [link left out: evil[.]example]", "https://own.example/plan"]
