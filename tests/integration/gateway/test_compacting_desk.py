"""What is done to a conversation while no run of it goes on: /compact, stopped and waited for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from moltbot_desktop.agent.compactor import Compacted
from moltbot_desktop.agent.run import RunCancel
from moltbot_desktop.app.context_setup import ConversationContext
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.session_desks import DeskRuns
from moltbot_desktop.sessions.store import Session
from tests.fakes.chat_model import says
from tests.integration.gateway.test_front_desk import KEY, Assistant, play

OTHER = SessionKey("agent:main:pipe:dm:7")


class Slow:
    """A summary that takes until it is let go or stopped."""

    def __init__(self) -> None:
        self.begun = False
        self.let_go = False

    async def compact(self, session: Session, wish: str, cancel: RunCancel) -> Compacted | None:
        self.begun = True
        while not cancel.cancelled and not self.let_go:
            await asyncio.sleep(0)
        return None if cancel.cancelled else Compacted(1, 900, 200)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    made = Slow()
    monkeypatch.setattr(
        "moltbot_desktop.agent.runner.AgentRunner.compact",
        lambda _, session, wish, cancel: made.compact(session, wish, cancel),
    )
    return made


def test_a_message_waits_for_the_summary_that_goes_on(tmp_path: Path, slow: Slow) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("hi")]) as assistant:
            context = ConversationContext(assistant.runner, assistant.desk.parts.desks.of)
            summary = asyncio.create_task(context.compact(KEY, ""))
            await assistant.becomes(lambda: slow.begun)
            run_id = assistant.client.send("hello")
            await assistant.settled()
            assert assistant.model.requests == []
            slow.let_go = True
            assert (await summary).tokens_after == 200
            assert (await assistant.ended(run_id)).outcome.text == "hi"

    play(scenario)


def test_stop_stops_the_summary_too(tmp_path: Path, slow: Slow) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            desks = assistant.desk.parts.desks
            summary = asyncio.create_task(
                ConversationContext(assistant.runner, desks.of).compact(KEY, "")
            )
            await assistant.becomes(lambda: slow.begun)
            run_id = assistant.client.send("hello")
            await assistant.settled()
            assert DeskRuns(desks).stop(KEY)
            assert (await summary).stopped
            assert (await assistant.ended(run_id)).outcome.kind is OutcomeKind.CANCELLED

    play(scenario)


def test_a_conversation_is_not_put_away_under_its_summary(tmp_path: Path, slow: Slow) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            desks = assistant.desk.parts.desks
            summary = asyncio.create_task(
                ConversationContext(assistant.runner, desks.of).compact(OTHER, "")
            )
            await assistant.becomes(lambda: slow.begun)
            with pytest.raises(UserInputInvalid, match="stopped"):
                desks.let_go(OTHER)
            assert (await summary).stopped
            desks.let_go(OTHER)
            assert desks.known(OTHER) is None

    play(scenario)


def test_the_end_of_the_program_stops_the_summary(tmp_path: Path, slow: Slow) -> None:
    async def scenario() -> bool:
        async with Assistant(tmp_path, []) as assistant:
            context = ConversationContext(assistant.runner, assistant.desk.parts.desks.of)
            summary = asyncio.create_task(context.compact(KEY, ""))
            await assistant.becomes(lambda: slow.begun)
        assert summary.done()
        return (await summary).stopped

    assert play(scenario)
