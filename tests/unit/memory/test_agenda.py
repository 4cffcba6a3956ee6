"""The order and the pauses of the work that keeps the index fresh."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.agenda import (
    CHECK_SECONDS,
    QUIET_SECONDS,
    Agenda,
    Next,
    Task,
)
from moltbot_desktop.storage.watching import RESCAN_SECONDS


def looked(agenda: Agenda, now: float) -> None:
    agenda.begin(now)
    agenda.worked(now, done=True)


def test_the_first_look_comes_at_the_start_when_that_is_wanted() -> None:
    assert Agenda(10.0, at_start=True, interval=0.0).next(10.0) == Next(Task.LOOK, 10.0)
    assert Agenda(10.0, at_start=False, interval=0.0).next(10.0).task is Task.CHECK
    late = Agenda(10.0, at_start=False, interval=15.0).next(10.0)
    assert late == Next(Task.LOOK, 25.0), "the first one by the clock"


def test_after_a_look_there_is_nothing_to_do_but_a_check_in_a_quiet_minute() -> None:
    agenda = Agenda(0.0, at_start=True, interval=0.0)
    looked(agenda, 5.0)
    assert agenda.next(5.0) == Next(Task.CHECK, 5.0 + QUIET_SECONDS)
    agenda.checked(70.0, sound=True)
    assert agenda.next(70.0) == Next(Task.CHECK, 70.0 + CHECK_SECONDS)


def test_the_regular_looks_of_a_watch_do_not_put_the_check_off_for_ever() -> None:
    agenda = Agenda(0.0, at_start=True, interval=0.0)
    looked(agenda, 0.0)
    due = agenda.next(0.0)
    assert due.task is Task.CHECK
    assert due.at < RESCAN_SECONDS


def test_looks_by_the_clock_come_every_interval() -> None:
    agenda = Agenda(0.0, at_start=True, interval=15.0)
    looked(agenda, 1.0)
    assert agenda.next(1.0) == Next(Task.LOOK, 16.0)


def test_a_look_that_is_not_done_goes_on_at_once() -> None:
    agenda = Agenda(0.0, at_start=True, interval=0.0)
    agenda.begin(1.0)
    agenda.worked(1.3, done=False)
    assert agenda.next(1.3) == Next(Task.LOOK, 1.3)


def test_what_is_wished_during_a_look_asks_for_another_one() -> None:
    agenda = Agenda(0.0, at_start=True, interval=0.0)
    agenda.begin(1.0)
    agenda.wish(1.1)
    agenda.worked(1.2, done=True)
    assert agenda.next(1.2).task is Task.LOOK
    looked(agenda, 1.3)
    assert agenda.next(1.3).task is Task.CHECK, "once is enough"


def test_failures_are_followed_by_growing_pauses_that_a_success_ends() -> None:
    agenda, now, pauses = Agenda(0.0, at_start=True, interval=0.0), 0.0, []
    for _ in range(9):
        agenda.begin(now)
        agenda.failed(now, Task.LOOK)
        agenda.wish(now)  # files change all the time; that must not make it spin
        due = max(agenda._look_at, agenda._rest_until)
        pauses.append(due - now)
        now = due
    assert pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    looked(agenda, now)
    agenda.begin(now)
    agenda.failed(now, Task.LOOK)
    agenda.checked(now, sound=True)
    assert agenda.next(now) == Next(Task.LOOK, now + 5.0)


def test_a_failing_look_does_not_keep_the_check_away_and_a_failing_check_waits() -> None:
    agenda = Agenda(0.0, at_start=True, interval=0.0)
    agenda.begin(19.0)
    agenda.failed(19.0, Task.LOOK)
    assert agenda.next(19.0) == Next(Task.CHECK, QUIET_SECONDS)
    agenda.failed(20.0, Task.CHECK)
    assert agenda.next(20.0) == Next(Task.LOOK, 24.0)


def test_a_damaged_index_is_made_anew_at_once() -> None:
    agenda = Agenda(0.0, at_start=False, interval=0.0)
    agenda.checked(60.0, sound=False)
    assert agenda.next(60.0) == Next(Task.LOOK, 60.0)


def test_a_look_that_is_due_goes_before_a_check_that_was_due_earlier() -> None:
    agenda = Agenda(0.0, at_start=False, interval=0.0)
    agenda.wish(100.0)
    assert agenda.next(100.0) == Next(Task.LOOK, 100.0)


@given(
    st.lists(
        st.tuples(st.sampled_from(["wish", "done", "more", "failed"]), st.floats(0, 100)),
        max_size=30,
    ),
    st.sampled_from([0.0, 60.0]),
)
def test_a_wish_is_never_forgotten(steps: list[tuple[str, float]], interval: float) -> None:
    agenda, now, wished = Agenda(0.0, at_start=False, interval=interval), 0.0, False
    for step, pause in steps:
        now += pause
        due = agenda.next(now)
        assert due.at < math.inf
        if wished:
            assert due.at <= now + 300.0, "at most the longest pause away"
        if step == "wish":
            agenda.wish(now)
            wished = True
        elif due.at <= now and due.task is Task.LOOK:
            agenda.begin(now)
            if step == "failed":
                agenda.failed(now, Task.LOOK)
            else:
                agenda.worked(now, done=step == "done")
            wished = step != "done"


@pytest.mark.parametrize("interval", [0.0, 5.0])
def test_there_is_always_a_next_task(interval: float) -> None:
    agenda = Agenda(0.0, at_start=False, interval=interval)
    looked(agenda, 0.0)
    agenda.checked(0.0, sound=True)
    assert agenda.next(0.0).at < math.inf
