"""The seal and the book of what left."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import EgressSealed
from moltbot_desktop.core.traffic import NO_WAY, Errand, Passage, Purpose
from moltbot_desktop.security.seal import BOOK_FILE, SEAL_FILE, Seal
from moltbot_desktop.security.traffic_book import KEPT_DAYS

WEB = Errand(Purpose.WEB)
LAB = Errand(Purpose.MODEL, "lab")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 22, 12, tzinfo=UTC))


def test_a_program_that_asked_nobody_has_no_book(tmp_path: Path, clock: ManualClock) -> None:
    with Seal(tmp_path, clock) as seal:
        assert not seal.closed
        assert seal.sent_today() == 0
        assert seal.passages(7) == ()
    assert list(tmp_path.iterdir()) == []


def test_closing_it_holds_at_once_for_a_way_that_was_lent(
    tmp_path: Path, clock: ManualClock
) -> None:
    with Seal(tmp_path, clock) as seal, Seal(tmp_path, clock) as of_another_process:
        way = seal.way(WEB)
        way.open("a.example")
        of_another_process.close_it()
        with pytest.raises(EgressSealed, match=r"a\.example"):
            way.open("a.example")
        of_another_process.open_it()
        of_another_process.open_it()
        way.open("a.example")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs folders that can be shut")
def test_where_nobody_can_say_it_counts_as_closed(tmp_path: Path, clock: ManualClock) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0)
    try:
        assert Seal(home, clock).closed
    finally:
        home.chmod(0o700)


def test_a_seal_that_leads_nowhere_is_closed(tmp_path: Path, clock: ManualClock) -> None:
    (tmp_path / SEAL_FILE).symlink_to(tmp_path / "gone")
    assert Seal(tmp_path, clock).closed


def test_passages_add_up_by_day_host_and_errand(tmp_path: Path, clock: ManualClock) -> None:
    with Seal(tmp_path, clock) as seal:
        seal.way(WEB).count("a.example", requests=1, sent=100)
        seal.way(WEB).count("a.example", received=5_000)
        seal.way(LAB).count("a.example", requests=1, sent=10)
        clock.advance(86_400)
        seal.way(WEB).count("a.example", requests=1, sent=7)
        today, before = clock.now().date(), clock.now().date().replace(day=22)
        assert seal.sent_today() == 7
        assert seal.passages(1) == (Passage(today, "a.example", WEB, 1, 7, 0),)
        assert seal.passages(2)[1:] == (
            Passage(before, "a.example", WEB, 1, 100, 5_000),
            Passage(before, "a.example", LAB, 1, 10, 0),
        )


def test_two_processes_write_one_book(tmp_path: Path, clock: ManualClock) -> None:
    with Seal(tmp_path, clock) as one, Seal(tmp_path, clock) as other:
        one.way(WEB).count("a.example", sent=1)
        other.way(WEB).count("a.example", sent=2)
        assert one.sent_today() == other.sent_today() == 3


def test_days_long_ago_are_forgotten(tmp_path: Path, clock: ManualClock) -> None:
    with Seal(tmp_path, clock) as seal:
        seal.way(WEB).count("old.example", sent=1)
        clock.advance((KEPT_DAYS + 1) * 86_400)
        seal.way(WEB).count("new.example", sent=1)
        assert [one.host for one in seal.passages(10_000)] == ["new.example"]


@pytest.mark.expect_log
def test_what_cannot_be_noted_now_is_noted_later(tmp_path: Path, clock: ManualClock) -> None:
    (tmp_path / BOOK_FILE).mkdir()
    with Seal(tmp_path, clock) as seal:
        seal.way(WEB).count("a.example", sent=1)
        (tmp_path / BOOK_FILE).rmdir()
        seal.way(WEB).count("a.example", sent=2)
        assert seal.sent_today() == 3


def test_who_was_given_no_way_reaches_nobody() -> None:
    with pytest.raises(EgressSealed, match=r"a\.example"):
        NO_WAY.open("a.example")
