"""Cool-downs and the fallback chain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import (
    ContextOverflow,
    ModelError,
    MoltbotError,
    RemoteKeyRefused,
    RemoteModelError,
    RemoteOverloaded,
    RemoteRateLimited,
    RemoteRequestRefused,
    RemoteTimedOut,
    RemoteUnpaid,
    RemoteUnreachable,
)
from moltbot_desktop.models.remote.cooldown import Cooldowns, moves_on
from moltbot_desktop.models.remote.fallback import FallbackChatModel, ModelSwitched
from moltbot_desktop.sdk.models import FinishReason, GenerationRequest, ModelEvent, TextDelta
from moltbot_desktop.sdk.tools import CancelToken
from tests.fakes.asking import asking, done, events_of, said
from tests.fakes.chat_model import SCRIPTED_INFO, ScriptedChatModel, ScriptedTurn, fails, says

HOUR = 3600.0
LIMITED = RemoteRateLimited("Too many.", hint="Wait.")


# --- cool-downs


def rest_after(*errors: MoltbotError, now: float = 0.0) -> float:
    cooldowns = Cooldowns()
    for error in errors:
        cooldowns = cooldowns.after_failure("a", error, now)
    return cooldowns.rests["a"].until - now


def test_rests_grow_as_in_the_reference() -> None:
    assert [rest_after(*[LIMITED] * count) / 60 for count in range(1, 6)] == [1, 5, 25, 60, 60]


def test_without_credit_rests_are_hours_and_at_most_a_day() -> None:
    unpaid = RemoteUnpaid("No credit.")
    assert [rest_after(*[unpaid] * count) / HOUR for count in range(1, 6)] == [5, 10, 20, 24, 24]


def test_the_only_model_may_be_asked_in_vain_any_number_of_times() -> None:
    """It is asked although it rests, so failures in a row have no bound."""
    assert rest_after(*[RemoteUnpaid("No credit.")] * 2_000) == 24 * HOUR


def test_what_the_server_asks_counts_when_it_is_longer() -> None:
    assert rest_after(RemoteRateLimited("", retry_after=600)) == 600
    assert rest_after(RemoteRateLimited("", retry_after=1)) == 60


def test_old_failures_count_no_more_and_success_forgets() -> None:
    once = Cooldowns().after_failure("a", LIMITED, 0.0)
    day_later = once.after_failure("a", LIMITED, 25 * HOUR)
    assert day_later.rests["a"].failures == 1
    assert once.after_success("a").order(["a", "b"], 0.0) == ["a", "b"]


def test_when_all_rest_the_one_that_is_ready_soonest_is_asked() -> None:
    both = Cooldowns().after_failure("a", RemoteUnpaid(""), 0).after_failure("b", LIMITED, 0)
    assert both.order(["a", "b"], 1.0) == ["b"]
    assert both.order(["a", "b"], 61.0) == ["b"]
    assert both.order(["a", "b"], 6 * HOUR) == ["a", "b"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from([LIMITED, RemoteUnpaid(""), None]),
            st.floats(0, 2 * HOUR),
        )
    )
)
def test_somebody_is_always_asked_and_nobody_rests_longer_than_a_day(
    history: list[tuple[str, MoltbotError | None, float]],
) -> None:
    cooldowns, now = Cooldowns(), 0.0
    for name, error, wait in history:
        now += wait
        before = cooldowns
        cooldowns = (
            cooldowns.after_failure(name, error, now) if error else cooldowns.after_success(name)
        )
        assert cooldowns.order("abc", now)
        # Not `until - now <= a day`: a difference of times that were rounded may exceed it.
        assert all(rest.until <= now + 24 * HOUR for rest in cooldowns.rests.values())
        assert before.rests is not cooldowns.rests


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (LIMITED, True),
        (RemoteKeyRefused(""), True),
        (RemoteOverloaded(""), True),
        (RemoteTimedOut(""), True),
        (RemoteUnreachable(""), True),
        (RemoteRequestRefused(""), False),
        (ContextOverflow(""), False),
        (ModelError(""), False),
        (ValueError(""), False),
    ],
)
def test_which_failures_move_on(error: Exception, expected: bool) -> None:
    assert moves_on(error) is expected


# --- the chain


class Chain:
    """A chain of scripted models `a`, `b`, ... and what it told."""

    def __init__(self, *scripts: Sequence[ScriptedTurn]) -> None:
        self.clock = ManualClock(datetime(2026, 5, 1, tzinfo=UTC))
        self.told: list[ModelSwitched] = []
        self.models = [
            ScriptedChatModel(script, info=replace(SCRIPTED_INFO, name=name))
            for name, script in zip("abcd", scripts, strict=False)
        ]
        self.model = FallbackChatModel(self.models, clock=self.clock, switched=self.told.append)

    def ask(self) -> str:
        return said(asyncio.run(events_of(self.model, asking("hi"))))


def test_the_first_answers_as_long_as_it_can() -> None:
    chain = Chain([says("one"), says("two")], [])
    assert [chain.ask(), chain.ask()] == ["one", "two"] and not chain.told


@pytest.mark.expect_log("b is asked in place of a")
def test_a_failure_moves_on_and_is_told_with_its_reason() -> None:
    chain = Chain([fails(LIMITED)], [says("from b")])
    assert chain.ask() == "from b"
    assert chain.told == [ModelSwitched("a", "b", "Too many.")]
    assert chain.model.info.name == "b"


@pytest.mark.expect_log("is asked in place of")
def test_after_its_rest_the_first_is_asked_again_and_that_is_told() -> None:
    chain = Chain([fails(LIMITED), says("back")], [says("1"), says("2")])
    assert [chain.ask(), chain.ask()] == ["1", "2"] and len(chain.told) == 1
    chain.clock.advance(61)
    assert chain.ask() == "back"
    assert chain.told[-1] == ModelSwitched("b", "a", "")


def test_a_wrong_request_does_not_move_on() -> None:
    chain = Chain([fails(RemoteRequestRefused("Bad field."))], [says("never")])
    with pytest.raises(RemoteRequestRefused):
        chain.ask()
    assert not chain.told and not chain.models[1].requests


def test_nobody_takes_over_an_answer_that_has_begun() -> None:
    half = replace(says("Half an"), error=RemoteOverloaded("Cut."))
    chain = Chain([half], [says("never")])
    with pytest.raises(RemoteOverloaded):
        chain.ask()
    assert not chain.models[1].requests


@pytest.mark.expect_log("is asked in place of")
def test_when_all_fail_every_reason_is_told() -> None:
    chain = Chain([fails(LIMITED)], [fails(RemoteUnreachable("Nobody there.", hint="Start it."))])
    with pytest.raises(ModelError) as caught:
        chain.ask()
    assert "a: Too many." in caught.value.message and "b: Nobody there." in caught.value.message
    assert caught.value.hint == "Start it."


def test_the_only_model_keeps_its_own_error_and_is_asked_again_while_it_rests() -> None:
    chain = Chain([fails(LIMITED), says("again")])
    with pytest.raises(RemoteModelError) as caught:
        chain.ask()
    assert caught.value is LIMITED
    assert chain.ask() == "again"


def test_stopping_is_no_failure() -> None:
    class Pulled:
        cancelled = True

    chain = Chain([says("never read")], [])
    events = asyncio.run(events_of(chain.model, asking("hi"), Pulled()))
    assert done(events).reason is FinishReason.CANCELLED
    assert not chain.told and chain.model.info.name == "a"


def test_an_error_after_stopping_is_no_failure() -> None:
    """As when a connection breaks while it is being closed."""

    class Pulled:
        cancelled = False

    class Breaks(ScriptedChatModel):
        async def generate(
            self, request: GenerationRequest, cancel: CancelToken
        ) -> AsyncIterator[ModelEvent]:
            token.cancelled = True
            raise LIMITED
            yield TextDelta("never")

    token, chain = Pulled(), Chain([], [])
    models = [Breaks([], info=chain.models[0].info), chain.models[1]]
    model = FallbackChatModel(models, clock=chain.clock, switched=chain.told.append)
    with pytest.raises(RemoteRateLimited):
        asyncio.run(events_of(model, asking("hi"), token))
    assert model.info.name == "a" and not chain.told


def test_two_candidates_of_one_name_are_a_mistake_of_the_builder() -> None:
    with pytest.raises(ValueError, match="different names"):
        FallbackChatModel(
            [ScriptedChatModel([]), ScriptedChatModel([])],
            clock=ManualClock(datetime(2026, 5, 1, tzinfo=UTC)),
            switched=lambda _: None,
        )
