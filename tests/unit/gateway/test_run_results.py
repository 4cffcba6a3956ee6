"""How runs ended, for whoever asks later."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.events import RunEnded, RunStarted
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.run_results import KEPT_SECONDS, RunResults

R, KEY = RunId("r"), SessionKey("agent:main:main")


def made() -> tuple[RunResults, ManualClock]:
    clock = ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
    return RunResults(clock), clock


def test_a_result_is_there_for_ten_minutes() -> None:
    results, clock = made()
    results.began(R)
    results.ended(R, RunOutcome(OutcomeKind.ANSWERED, "hi"))

    def status() -> str:
        return asyncio.run(results.wait(R, 0)).status

    clock.advance(KEPT_SECONDS)
    assert status() == "ok"
    clock.advance(1)
    results.began(RunId("another"))
    assert status() == "timeout"


def test_whoever_asks_too_early_waits_and_stops_nothing() -> None:
    results, _ = made()

    async def scenario() -> None:
        waiting = asyncio.ensure_future(results.wait(R, 10))
        await asyncio.sleep(0)
        results.heard(RunStarted(R, KEY, 1, "hello"))
        assert (await results.wait(R, 0)).status == "timeout"
        failed = RunOutcome(OutcomeKind.FAILED, "", "no model")
        results.heard(RunEnded(R, KEY, 2, failed))
        result = await waiting
        assert (result.status, result.error) == ("error", "no model")
        assert result.started is not None
        assert result.ended is not None

    asyncio.run(scenario())


def test_a_question_back_and_a_message_that_was_joined_went_well() -> None:
    results, _ = made()
    for number, kind in enumerate((OutcomeKind.NEEDS_YOU, OutcomeKind.JOINED, OutcomeKind.SILENT)):
        results.ended(RunId(str(number)), RunOutcome(kind))
        assert asyncio.run(results.wait(RunId(str(number)), 0)).status == "ok"
