"""News of jobs come into their conversation once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ItemKind, Notice, NoticeKind
from moltbot_desktop.gateway.conversation import conversation_items
from moltbot_desktop.gateway.last_place import at_the_desk
from moltbot_desktop.gateway.news_desk import NewsDesk
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.news import NewNews, News
from moltbot_desktop.sessions.store import Session, SessionStore

MAIN = SessionKey("agent:main:main")
CLOCK = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))


class House:
    """A book of news, and a conversation that may be open elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.store = SessionStore(folder, CLOCK)
        self.session: Session = self.store.open(MAIN)
        self.news = News(ScheduleDatabase(folder / "jobs.sqlite", CLOCK))
        self.told: list[Notice] = []
        self.elsewhere = False
        self.desk = self.fresh()

    def of(self, key: SessionKey) -> House:
        """As much of a session desk as is needed."""
        if self.elsewhere:
            raise StoreBusy("Another process has it open.")
        assert key == MAIN
        return self

    def fresh(self) -> NewsDesk:
        return NewsDesk(self.news, self, self.told.append)  # type: ignore[arg-type]

    def shown(self) -> list[tuple[str, str, bool, int]]:
        items = conversation_items(self.session.transcript.entries())
        assert all(one.kind is ItemKind.NOTICE for one in items)
        return [(one.title, one.text, one.ok, one.times) for one in items]


def said(house: House, text: str, route: str) -> AcceptedRun:
    now = CLOCK.now()
    return AcceptedRun(RunId("r"), house.session, text, now, lambda _: None, route=route)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.store.close(house.session)
    house.news.database.close()


def test_what_is_told_stands_in_the_conversation_and_in_no_prompt(house: House) -> None:
    house.news.add(NewNews(MAIN, "brief", "Two meetings."))
    house.news.add(NewNews(MAIN, "brief", "One meeting."))
    house.news.add(NewNews(MAIN, "brief", "No model.", serious=True))
    house.desk.flush()
    house.desk.flush()
    assert house.shown() == [("brief", "One meeting.", True, 2), ("brief", "No model.", False, 1)]
    assert [(one.text, one.serious) for one in house.told] == [
        ("Two meetings.", False),
        ("One meeting.", False),
        ("No model.", True),
    ]
    assert {one.kind for one in house.told} == {NoticeKind.NEWS}
    assert house.session.transcript.messages() == ()


@pytest.mark.expect_log("cannot be kept yet")
def test_a_conversation_that_is_open_elsewhere_gets_them_later(house: House) -> None:
    house.news.add(NewNews(MAIN, "brief", "Two meetings."))
    house.elsewhere = True
    house.desk.flush()
    house.desk.flush()
    assert [one.text for one in house.told] == ["Two meetings."] and house.shown() == []
    house.elsewhere = False
    house.desk.flush()
    assert len(house.told) == 1 and len(house.shown()) == 1
    assert house.news.waiting() == ()


def test_a_crash_between_the_transcript_and_the_book_tells_nothing_twice(house: House) -> None:
    house.news.add(NewNews(MAIN, "brief", "Two meetings."))
    [one] = house.news.waiting()
    transcript = house.session.transcript
    transcript.append_news(one.id, one.news.about, one.news.text, serious=False)
    house.fresh().flush()
    assert house.shown() == [("brief", "Two meetings.", True, 1)] and house.news.waiting() == ()


def test_who_writes_in_the_window_is_there_and_no_longer_on_the_channel(house: House) -> None:
    def last() -> str:
        return house.store.settings(MAIN).last_channel

    house.store.change_settings(MAIN, lambda old: type(old)(last_channel="irc", last_to="dm:ada"))
    at_the_desk(house.store, said(house, "", "desktop"))  # a turn that nobody asked for
    at_the_desk(house.store, said(house, "hi", '["irc", "default", "dm:ada", ""]'))
    assert last() == "irc"
    at_the_desk(house.store, said(house, "hi", "desktop"))
    assert last() == "desktop" and house.store.settings(MAIN).last_to == ""
