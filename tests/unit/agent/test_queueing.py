"""A conversation's queue, as playbooks and under random evenings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.agent.queueing import (
    SUMMARY_CHARACTERS,
    Batch,
    DropPolicy,
    QueueMode,
    QueueRules,
    SessionQueue,
    Waiting,
    drop_policy,
    queue_mode,
)
from moltbot_desktop.core.ids import RunId


def message(number: int, route: str = "a", message_id: str = "") -> Waiting:
    return Waiting(RunId(f"r{number}"), f"text {number}", route, message_id)


def busy(rules: QueueRules) -> SessionQueue:
    """A queue whose run answers message 0."""
    queue = SessionQueue()
    assert queue.came(message(0), rules, 0.0).kept
    assert isinstance(queue.begin(0.0), Batch)
    return queue


def begun(queue: SessionQueue, now: float = 100.0) -> Batch:
    batch = queue.begin(now)
    assert isinstance(batch, Batch)
    return batch


def test_a_message_to_an_idle_conversation_begins_at_once_in_its_own_words() -> None:
    queue = SessionQueue()
    queue.came(message(1), QueueRules(), 5.0)
    assert queue.begin(5.0) == Batch((message(1),), "text 1")
    assert queue.begin(9.0) is None  # one run at a time


def test_what_came_meanwhile_is_collected_after_a_quiet_moment() -> None:
    queue = busy(QueueRules())
    queue.came(message(1), QueueRules(), 1.0)
    queue.came(message(2), QueueRules(), 1.75)
    assert queue.begin(2.0) is None
    queue.ended()
    assert queue.begin(2.0) == 0.75
    queue.came(message(3), QueueRules(), 2.5)  # keeps it waiting, as in the reference
    assert queue.begin(2.75) == 0.75
    batch = begun(queue, 3.5)
    assert [item.run_id for item in batch.items] == ["r1", "r2", "r3"]
    assert batch.text == (
        "[Queued messages while agent was busy]\n\n---\nQueued #1\ntext 1"
        "\n\n---\nQueued #2\ntext 2\n\n---\nQueued #3\ntext 3"
    )


def test_messages_of_different_routes_are_answered_one_by_one() -> None:
    queue = busy(QueueRules(debounce=0))
    for number, route in enumerate("abb", start=1):
        queue.came(message(number, route), QueueRules(debounce=0), 1.0)
    texts = []
    for _ in range(3):
        queue.ended()
        texts.append(begun(queue).text)
    assert texts == ["text 1", "text 2", "text 3"]
    queue.came(message(4), QueueRules(debounce=0), 1.0)
    queue.came(message(5), QueueRules(debounce=0), 1.0)
    queue.ended()
    assert len(begun(queue).items) == 2  # and then together again


def test_followup_answers_one_after_the_other() -> None:
    rules = QueueRules(QueueMode.FOLLOWUP, debounce=0)
    queue = busy(rules)
    queue.came(message(1), rules, 1.0)
    queue.came(message(2), rules, 1.0)
    queue.ended()
    assert begun(queue).text == "text 1"


def test_steer_goes_into_the_running_turn_once_and_else_waits() -> None:
    rules = QueueRules(QueueMode.STEER, debounce=0)
    queue = busy(rules)
    queue.came(message(1), rules, 1.0)
    queue.came(message(2, "elsewhere"), rules, 1.0)
    assert queue.steer() == (message(1),)
    assert queue.steer() == ()
    assert queue.running == (message(0), message(1))
    queue.ended()
    assert begun(queue).items == (message(2, "elsewhere"),)
    queue.ended()
    assert queue.steer() == ()


def test_steer_backlog_answers_once_more_afterwards() -> None:
    rules = QueueRules(QueueMode.STEER_BACKLOG, debounce=0)
    queue = busy(rules)
    queue.came(message(1), rules, 1.0)
    assert queue.steer() == (message(1),)
    assert queue.steer() == ()
    queue.ended()
    assert begun(queue).items == (message(1),)


@pytest.mark.parametrize("mode", [QueueMode.COLLECT, QueueMode.FOLLOWUP, QueueMode.INTERRUPT])
def test_other_modes_never_steer(mode: QueueMode) -> None:
    queue = busy(QueueRules(mode))
    queue.came(message(1), QueueRules(mode), 1.0)
    assert queue.steer() == ()


def test_interrupt_stops_the_run_and_drops_what_waited() -> None:
    queue = busy(QueueRules())
    queue.came(message(1), QueueRules(), 1.0)
    arrival = queue.came(message(2), QueueRules(QueueMode.INTERRUPT), 2.0)
    assert arrival.interrupts
    assert arrival.gone == (message(1),)
    queue.ended()
    assert begun(queue, 2.0).items == (message(2),)  # without waiting for more


def test_a_full_queue_forgets_the_oldest_and_says_so() -> None:
    rules = QueueRules(QueueMode.FOLLOWUP, 0, cap=2)
    queue = busy(rules)
    long = Waiting(RunId("r1"), "word\n  " * 60, "a")
    gone = [queue.came(one, rules, 1.0).gone for one in (long, message(2), message(3), message(4))]
    assert gone == [(), (), (long,), (message(2),)]
    queue.ended()
    first = begun(queue)
    lines = first.text.split("\n")
    assert lines[:2] == ["[Queue overflow] Dropped 2 messages due to cap.", "Summary:"]
    assert len(lines[2]) <= SUMMARY_CHARACTERS + 2
    assert lines[2].endswith("…")
    assert lines[3:] == ["- text 2", "", "text 3"]
    queue.ended()
    assert begun(queue).text == "text 4"  # said once


def test_a_full_queue_forgets_silently_or_refuses_as_asked() -> None:
    silently = QueueRules(cap=1, drop=DropPolicy.OLD, debounce=0)
    queue = busy(silently)
    queue.came(message(1), silently, 1.0)
    assert queue.came(message(2), silently, 1.0).gone == (message(1),)
    queue.ended()
    assert begun(queue).text == "text 2"

    refuses = QueueRules(cap=1, drop=DropPolicy.NEW)
    queue = busy(refuses)
    queue.came(message(1), refuses, 1.0)
    arrival = queue.came(message(2), refuses, 1.0)
    assert (arrival.kept, arrival.duplicate, arrival.gone) == (False, False, ())
    assert queue.waiting == (message(1),)


def test_the_same_message_of_the_same_route_is_taken_once() -> None:
    queue = SessionQueue()
    assert queue.came(message(1, "a", "m"), QueueRules(), 0.0).kept
    begun(queue)
    for _ in range(2):  # while it runs, and while its copy on another route waits
        assert queue.came(message(2, "a", "m"), QueueRules(), 0.0).duplicate
        queue.came(message(3, "b", "m"), QueueRules(), 0.0)
    assert [item.route for item in queue.waiting] == ["b"]
    queue.ended()
    begun(queue)
    assert queue.came(message(4), QueueRules(), 0.0).kept
    assert queue.came(message(5), QueueRules(), 0.0).kept  # without an id nothing is the same


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        (" Queue ", QueueMode.STEER),
        ("queued", QueueMode.STEER),
        ("abort", QueueMode.INTERRUPT),
        ("coalesce", QueueMode.COLLECT),
        ("steer_backlog", QueueMode.STEER_BACKLOG),
        ("steer-backlog", QueueMode.STEER_BACKLOG),
        ("later", None),
    ],
)
def test_modes_have_the_names_of_the_reference(text: str, mode: QueueMode | None) -> None:
    assert queue_mode(text) is mode


def test_drop_policies_have_the_names_of_the_reference() -> None:
    assert drop_policy("Summary") is DropPolicy.SUMMARIZE
    assert drop_policy("oldest") is DropPolicy.OLD
    assert drop_policy("some") is None


rules_of_a_day = st.builds(
    QueueRules,
    st.sampled_from(QueueMode),
    st.sampled_from([0.0, 1.0]),
    st.integers(0, 4),
    st.sampled_from(DropPolicy),
)
steps = st.lists(
    st.tuples(st.sampled_from(["came", "came", "begin", "steer", "ended", "clear"]), rules_of_a_day)
)


@settings(max_examples=200, deadline=None)
@given(steps, st.lists(st.sampled_from("ab")))
def test_every_message_is_run_or_told_gone_once_and_in_order(
    evening: list[tuple[str, QueueRules]], routes: list[str]
) -> None:
    queue, now, number = SessionQueue(), 0.0, 0
    kept: list[RunId] = []
    run: list[RunId] = []
    steered: list[RunId] = []
    gone: list[RunId] = []
    going_on = False
    for step, rules in [*evening, *([("ended", QueueRules()), ("begin", QueueRules())] * 60)]:
        now += 0.75
        if step == "came":
            number += 1
            item = message(number, routes[number % len(routes)] if routes else "a")
            arrival = queue.came(item, rules, now)
            gone += [one.run_id for one in arrival.gone]
            if arrival.kept:
                kept.append(item.run_id)
            else:
                assert rules.drop is DropPolicy.NEW
        elif step == "begin":
            batch = queue.begin(now)
            if isinstance(batch, Batch):
                assert not going_on
                going_on = True
                run += [item.run_id for item in batch.items]
                assert len({item.route for item in batch.items}) == 1
                assert all(item.text in batch.text for item in batch.items)
        elif step == "steer":
            before = set(queue.waiting)
            taken = queue.steer()
            assert going_on or not taken
            steered += [one.run_id for one in taken if one not in queue.waiting]
            assert set(taken) <= before
        elif step == "ended":
            queue.ended()
            going_on = False
        else:
            gone += [one.run_id for one in queue.clear()]
    answered = [*run, *steered]
    assert sorted([*answered, *gone]) == sorted(kept)
    assert run == sorted(run, key=lambda name: int(name[1:]))
