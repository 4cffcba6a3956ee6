"""What every reminder book promises: the one on disk and the fake of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.reminders import Again, ReminderBook
from moltbot_desktop.sdk.schedule import Cron, Every
from tests.fakes.reminders import FakeReminderBook

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture(params=["fake", "on disk"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ReminderBook]:
    clock = ManualClock(NOW)
    if request.param == "fake":
        yield FakeReminderBook(clock)
        return
    store = ReminderStore(tmp_path / "state.sqlite", clock)
    yield store
    store.close()


def test_a_reminder_comes_back_as_it_was_given(book: ReminderBook) -> None:
    due = NOW + timedelta(hours=2)
    made = book.add(due, "给 Anna 打电话 📞")
    assert (made.due, made.text, made.created) == (due, "给 Anna 打电话 📞", NOW)
    assert book.pending() == (made,)


def test_the_next_one_stands_first(book: ReminderBook) -> None:
    for hours in (3, 1, 2):
        book.add(NOW + timedelta(hours=hours), str(hours))
    assert [reminder.text for reminder in book.pending()] == ["1", "2", "3"]


def test_a_cancelled_one_is_gone_and_its_number_is_not_used_again(book: ReminderBook) -> None:
    first = book.add(NOW + timedelta(hours=1), "first")
    assert book.cancel(first.id)
    assert not book.cancel(first.id)
    assert book.pending() == ()
    assert book.add(NOW + timedelta(hours=1), "second").id != first.id


def test_an_unknown_number_cannot_be_cancelled(book: ReminderBook) -> None:
    assert not book.cancel(4711)


def test_times_come_back_in_the_local_zone_to_the_second(book: ReminderBook) -> None:
    due = datetime(2027, 1, 1, 9, 0, 0, 999_999, tzinfo=ZoneInfo("Asia/Shanghai"))
    made = book.add(due, "x")
    assert made.due.isoformat() == "2027-01-01T02:00:00+01:00"


def test_a_time_without_zone_is_refused(book: ReminderBook) -> None:
    with pytest.raises(ValueError, match="aware"):
        book.add(datetime(2027, 1, 1), "x")  # noqa: DTZ001


@pytest.mark.parametrize(
    ("again", "first"),
    [
        (Cron("30 7 * * *"), NOW + timedelta(hours=21, minutes=30)),
        (Every(5_400_000), NOW + timedelta(minutes=90)),
    ],
)
def test_one_that_comes_again_stands_with_its_next_time(
    book: ReminderBook, again: Again, first: datetime
) -> None:
    made = book.add(again, "water the plants")
    assert (made.due, made.again, made.text) == (first, again, "water the plants")
    assert book.pending() == (made,)
    assert book.cancel(made.id) and book.pending() == ()


@pytest.mark.parametrize("again", [Every(59_000), Cron("0 0 30 2 *")])
def test_one_that_comes_too_often_or_never_is_refused(book: ReminderBook, again: Again) -> None:
    with pytest.raises(UserInputInvalid):
        book.add(again, "x")
    assert book.pending() == ()
