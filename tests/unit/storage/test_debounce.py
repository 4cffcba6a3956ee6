"""A burst of file events is told once, when it is over, and not put off for ever."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.storage.changes import Changes
from moltbot_desktop.storage.debounce import MOST_BEYOND, Debounce

A, B = Path("/ws/a.md"), Path("/ws/b.md")


def of(*files: Path, everything: bool = False) -> Changes:
    return Changes(frozenset(files), everything)


def test_nothing_is_due_before_anything_happened() -> None:
    assert Debounce(1.5).due_at is None
    assert Debounce(1.5).take(1e9) is None


def test_a_change_is_told_after_the_quiet_time_and_once() -> None:
    gathered = Debounce(1.5)
    gathered.add(10.0, of(A))
    assert gathered.due_at == 11.5
    assert gathered.take(11.4) is None
    assert gathered.take(11.5) == of(A)
    assert gathered.take(99.0) is None
    assert gathered.due_at is None


def test_a_later_change_starts_the_quiet_time_anew_and_joins_the_first() -> None:
    gathered = Debounce(1.5)
    gathered.add(10.0, of(A))
    gathered.add(11.0, of(B, everything=True))
    assert gathered.due_at == 12.5
    assert gathered.take(12.5) == of(A, B, everything=True)


def test_who_never_stops_writing_is_waited_for_two_seconds_longer_at_most() -> None:
    gathered = Debounce(1.5)
    for tenth in range(100):
        gathered.add(tenth / 10, of(A))
    assert gathered.due_at == 1.5 + MOST_BEYOND
    assert gathered.take(1.5 + MOST_BEYOND) == of(A)
    gathered.add(50.0, of(B))
    assert gathered.due_at == 51.5, "the limit counts from the first change of a burst"


def test_no_change_is_no_change() -> None:
    gathered = Debounce(0.0)
    gathered.add(1.0, Changes())
    assert gathered.due_at is None


@given(
    quiet=st.floats(0, 10),
    events=st.lists(
        st.tuples(st.floats(0, 3), st.frozensets(st.sampled_from([A, B])), st.booleans()),
        max_size=20,
    ),
)
def test_nothing_that_was_touched_is_lost_or_told_late(
    quiet: float, events: list[tuple[float, frozenset[Path], bool]]
) -> None:
    gathered, now = Debounce(quiet), 0.0
    waiting, told, since = Changes(), Changes(), 0.0
    for pause, files, everything in events:
        now += pause
        taken = gathered.take(now)
        if taken is not None:
            assert taken == waiting
            told, waiting = told | taken, Changes()
        changes = Changes(files, everything)
        since = since if waiting else now
        waiting |= changes
        gathered.add(now, changes)
        if waiting:
            assert gathered.due_at is not None
            assert gathered.due_at <= since + quiet + MOST_BEYOND + 1e-6
    rest = gathered.take(now + quiet + MOST_BEYOND)
    assert (rest or Changes()) == waiting


@pytest.mark.parametrize("changes", [of(A), of(everything=True), of(A, B, everything=True)])
def test_changes_join(changes: Changes) -> None:
    assert changes | Changes() == changes == Changes() | changes
    assert bool(changes)
    assert not Changes()
