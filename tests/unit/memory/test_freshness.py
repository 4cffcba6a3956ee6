"""What a sync has to look at: never less than could have changed, and not more without need."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.memory.freshness import FEW_FILES, TRUST_SECONDS, Freshness, Look
from moltbot_desktop.storage.changes import Changes, WatchHealth

A, B = Path("/ws/memory/a.md"), Path("/ws/memory/b.md")
MANY = FEW_FILES + 1
INDEX = object()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 5, tzinfo=UTC))


@pytest.fixture
def fresh(clock: ManualClock) -> Freshness:
    """Watched, and everything was looked at just now."""
    fresh = Freshness(clock)
    fresh.follow(lambda: WatchHealth.WATCHING)
    look = fresh.due(INDEX, MANY)
    assert look.only is None, "a new index knows nothing"
    fresh.looked(look, INDEX)
    return fresh


def touched(*files: Path, everything: bool = False) -> Changes:
    return Changes(frozenset(files), everything)


def due(fresh: Freshness, files: int = MANY) -> frozenset[Path] | None:
    return fresh.due(INDEX, files).only


def test_while_watched_only_what_was_touched_is_due(fresh: Freshness) -> None:
    assert due(fresh) == frozenset()
    fresh.touched(touched(A))
    fresh.wrote(B)
    assert due(fresh) == {A, B}


def test_what_was_looked_at_is_due_no_more(fresh: Freshness) -> None:
    fresh.touched(touched(A))
    fresh.looked(fresh.due(INDEX, MANY), INDEX)
    assert due(fresh) == frozenset()


def test_what_was_touched_during_the_look_stays_due(fresh: Freshness) -> None:
    fresh.touched(touched(A))
    look = fresh.due(INDEX, MANY)
    fresh.touched(touched(A, B))
    fresh.looked(look, INDEX)
    assert due(fresh) == {A, B}


def test_a_look_that_failed_leaves_everything_due(fresh: Freshness) -> None:
    fresh.touched(touched(A))
    fresh.due(INDEX, MANY)
    assert due(fresh) == {A}


def test_few_files_are_all_looked_at_each_time(fresh: Freshness) -> None:
    assert due(fresh, files=FEW_FILES) is None


@pytest.mark.parametrize("health", [h for h in WatchHealth if h is not WatchHealth.WATCHING])
def test_without_a_sound_watch_everything_is_due(fresh: Freshness, health: WatchHealth) -> None:
    fresh.follow(lambda: health)
    assert due(fresh) is None


def test_a_watch_is_not_believed_for_ever(fresh: Freshness, clock: ManualClock) -> None:
    clock.advance(TRUST_SECONDS - 1)
    assert due(fresh) == frozenset()
    clock.advance(1)
    assert due(fresh) is None
    fresh.looked(fresh.due(INDEX, MANY), INDEX)
    assert due(fresh) == frozenset()


def test_another_index_is_looked_at_in_full(fresh: Freshness) -> None:
    assert fresh.due(object(), MANY).only is None


def test_when_anything_may_have_changed_everything_is_due_until_looked_at(
    fresh: Freshness,
) -> None:
    fresh.touched(touched(everything=True))
    look = fresh.due(INDEX, MANY)
    assert look.only is None
    fresh.touched(touched(everything=True))
    fresh.looked(look, INDEX)
    assert due(fresh) is None, "the second one came after the look began"
    fresh.looked(fresh.due(INDEX, MANY), INDEX)
    assert due(fresh) == frozenset()


def test_what_this_program_wrote_is_due_even_where_others_changes_wait(fresh: Freshness) -> None:
    fresh.touched(touched(A))
    fresh.wrote(B)
    look = fresh.due(INDEX, MANY, ours_only=True)
    assert look.only == {B}
    fresh.looked(look, INDEX)
    assert fresh.due(INDEX, MANY, ours_only=True).only == frozenset()
    assert due(fresh) == {A}, "the other change still waits for a look of its own"


def test_a_look_tells_when_it_was_asked_for(fresh: Freshness, clock: ManualClock) -> None:
    clock.advance(5)
    assert fresh.due(INDEX, MANY) == Look(frozenset(), 0, 5.0)


def test_it_knows_when_all_files_were_looked_at_last(fresh: Freshness, clock: ManualClock) -> None:
    assert Freshness(clock).looked_at is None
    clock.advance(5)
    fresh.looked(fresh.due(INDEX, MANY), INDEX)
    assert fresh.looked_at == clock.now(), "a look at what was touched, under a watch, is one"
