"""calc, memory and reminder tools: the result a model reads and the words a person reads."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.memory import SearchAnswer, SearchHit
from moltbot_desktop.sdk.schedule import Cron
from moltbot_desktop.tools.calc import Calc
from moltbot_desktop.tools.memory import MemoryGet, MemorySearch, MemoryStore
from moltbot_desktop.tools.reminders import ReminderAdd, ReminderCancel, ReminderList
from tests.fakes.memory import FakeMemory
from tests.fakes.reminders import FakeReminderBook
from tests.fakes.tool_context import call, tool_context

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
ENGLISH = tool_context()
CHINESE = tool_context(language=Language.CHINESE)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def book(clock: ManualClock) -> FakeReminderBook:
    return FakeReminderBook(clock)


class TestCalc:
    def test_gives_the_value_as_text(self) -> None:
        result = call(Calc(), ENGLISH, expression="6 * 7 =")
        assert dict(result.data) == {"value": "42"}
        assert result.display == "6 * 7 = 42"

    def test_an_empty_expression_is_asked_for(self) -> None:
        for given in ({}, {"expression": " "}, {"expression": "="}):
            assert call(Calc(), ENGLISH, **given).question.startswith("What shall I calculate")
        assert call(Calc(), CHINESE).question.startswith("要算什么")

    def test_trouble_is_told_to_the_model_and_the_person(self) -> None:
        result = call(Calc(), CHINESE, expression="1/0")
        assert (result.ok, dict(result.data)) == (False, {"error": "zero division"})
        assert result.display == "除以零没有结果。"
        named = call(Calc(), ENGLISH, expression="2 bananas")
        assert "bananas" in str(named.data["error"])
        assert "bananas" in named.display


class TestMemory:
    def test_storing_tells_the_file(self) -> None:
        memory = FakeMemory()
        result = call(MemoryStore(memory), ENGLISH, text=" My dentist is Dr. Okafor ")
        assert list(result.data) == ["ok", "file"]
        assert result.data["ok"] is True
        assert str(result.data["file"]).startswith("memory/")
        assert memory.stored == [("My dentist is Dr. Okafor", "")]
        assert "“My dentist is Dr. Okafor”" in result.display

    def test_searching_gives_places_and_exact_words(self) -> None:
        memory = FakeMemory({"memory/2026-11-20.md": "# Friday\n\nMy dentist is Dr. Okafor"})
        result = call(MemorySearch(memory), ENGLISH, query="who is my dentist")
        expected = {
            "file": "memory/2026-11-20.md", "line": 3, "text": "My dentist is Dr. Okafor",
        }  # fmt: skip
        assert dict(result.data) == {"results": [expected]}
        assert "“My dentist is Dr. Okafor” (memory/2026-11-20.md, line 3)" in result.display
        assert result.private

    def test_the_best_hits_are_shown_and_no_more_than_three(self) -> None:
        lines = "\n".join(f"dentist number {number}" for number in range(5))
        result = call(MemorySearch(FakeMemory({"MEMORY.md": lines})), ENGLISH, query="dentist")
        assert len(result.display.splitlines()) == 3
        found = result.data["results"]
        assert isinstance(found, list)
        assert len(found) == 5

    def test_nothing_found_is_said_with_the_note_about_a_weaker_search(self) -> None:
        memory = FakeMemory()
        memory.note = "Keywords only."
        result = call(MemorySearch(memory), ENGLISH, query="dentist")
        assert dict(result.data) == {"results": []}
        assert result.display == "I found nothing about “dentist” in my notes.\nKeywords only."
        assert not result.private

    def test_a_marked_place_taints(self) -> None:
        class Marked(FakeMemory):
            def search(
                self, query: str, *, max_results: int = 6, max_characters: int = 0
            ) -> SearchAnswer:
                hit = SearchHit("a.md", 1, 1, "x", 1.0, "memory", mark="web page")
                return SearchAnswer((hit,))

        assert call(MemorySearch(Marked()), ENGLISH, query="x").taints

    def test_getting_a_part_says_where_it_goes_on(self) -> None:
        memory = FakeMemory({"MEMORY.md": "a\nb\nc\nd"})
        result = call(MemoryGet(memory), ENGLISH, path="MEMORY.md", from_=2, lines=2)
        assert dict(result.data) == {
            "path": "MEMORY.md", "text": "b\nc", "more": True, "next_offset": 4,
        }  # fmt: skip
        whole = call(MemoryGet(memory), ENGLISH, path="MEMORY.md")
        assert dict(whole.data) == {"path": "MEMORY.md", "text": "a\nb\nc\nd"}

    def test_an_unknown_file_is_a_failure_that_names_it(self) -> None:
        result = call(MemoryGet(FakeMemory()), CHINESE, path="../secret")
        assert not result.ok
        assert "../secret" in result.display
        assert "error" in result.data

    def test_missing_arguments_are_asked_for(self) -> None:
        memory = FakeMemory()
        for tool in (MemoryStore(memory), MemorySearch(memory), MemoryGet(memory)):
            english, chinese = call(tool, ENGLISH), call(tool, CHINESE)
            assert english.question.endswith(("?", "."))
            assert english.question.isascii()
            assert not chinese.question.isascii()
            assert not english.ok
        assert memory.stored == []

    def test_a_book_is_no_note(self) -> None:
        memory = FakeMemory()
        assert not call(MemoryStore(memory), ENGLISH, text="x" * 30_000).ok
        assert memory.stored == []


class TestReminders:
    def test_adding_gives_number_and_time(self, book: FakeReminderBook, clock: ManualClock) -> None:
        tool = ReminderAdd(book, clock)
        result = call(tool, ENGLISH, when="in 2 minutes", text="call Anna")
        assert dict(result.data) == {"ok": True, "id": 1, "due": "2026-11-21 10:02"}
        assert list(result.data) == ["ok", "id", "due"]
        assert result.display == "I will remind you today at 10:02: call Anna"
        assert book.pending()[0].due == NOW + timedelta(minutes=2)

    def test_adding_in_chinese(self, book: FakeReminderBook, clock: ManualClock) -> None:
        result = call(ReminderAdd(book, clock), CHINESE, when="明天早上9点", text="开会")
        assert result.data["due"] == "2026-11-22 09:00"
        assert result.display == "好的，明天（11月22日周日）09:00提醒你：开会"

    def test_an_assumed_time_is_said(self, book: FakeReminderBook, clock: ManualClock) -> None:
        tool = ReminderAdd(book, clock)
        assumed = call(tool, ENGLISH, when="on Friday", text="pay rent")
        assert assumed.display == (
            "I will remind you on Friday 27 November at 09:00: pay rent "
            "(You named no time, so I took 09:00.)"
        )
        assert "named no time" not in call(tool, ENGLISH, when="at 5pm", text="x").display

    def test_an_unclear_time_is_asked_back_in_the_language_of_the_request(
        self, book: FakeReminderBook, clock: ManualClock
    ) -> None:
        tool = ReminderAdd(book, clock)
        english = call(tool, ENGLISH, when="later", text="call Anna")
        chinese = call(tool, CHINESE, when="later", text="call Anna")
        assert "When exactly?" in english.question
        assert "具体是什么时候" in chinese.question
        for when in ("every two weeks", "weekly"):
            assert "every day at 9" in call(tool, ENGLISH, when=when, text="pills").question
        assert "once a minute" in call(tool, ENGLISH, when="every 5 seconds", text="x").question
        assert book.pending() == ()

    def test_one_that_comes_again(self, book: FakeReminderBook, clock: ManualClock) -> None:
        tool = ReminderAdd(book, clock)
        english = call(tool, ENGLISH, when="every day at 7:30", text="pills")
        assert english.display == (
            "I will remind you every day at 07:30: pills\n"
            "The first time tomorrow, Sunday 22 November, at 07:30."
        )
        assert dict(english.data) == {
            "ok": True, "id": 1, "due": "2026-11-22 07:30", "again": "every day at 07:30",
        }  # fmt: skip
        chinese = call(tool, CHINESE, when="每周一", text="浇花")
        assert chinese.display == (
            "好的，每周一09:00提醒你：浇花\n第一次是11月23日周一09:00。（没说几点，时间是我定的。）"
        )
        assert [one.again for one in book.pending()] == [Cron("30 7 * * *"), Cron("0 9 * * 1")]
        listed = call(ReminderList(book, clock), ENGLISH).display
        assert "- every day at 07:30, next tomorrow" in listed
        assert call(ReminderCancel(book), ENGLISH, id=1).ok and len(book.pending()) == 1

    def test_of_several_times_a_day_not_one_alone_is_named_as_chosen(
        self, book: FakeReminderBook, clock: ManualClock
    ) -> None:
        said = call(ReminderAdd(book, clock), ENGLISH, when="every morning and evening", text="x")
        assert said.display.startswith("I will remind you every day at 09:00 and 21:00: x")
        assert said.display.endswith("(You named no time, so I chose.)")

    def test_what_is_missing_is_asked_for(self, book: FakeReminderBook, clock: ManualClock) -> None:
        tool = ReminderAdd(book, clock)
        assert call(tool, ENGLISH, text="call Anna").question == "When shall I remind you?"
        assert call(tool, CHINESE, text="开会", when=" ").question == "什么时候提醒你？"
        assert call(tool, ENGLISH, when="at 5").question == "What shall I remind you of?"
        assert call(tool, ENGLISH).question == "What shall I remind you of, and when?"
        assert book.pending() == ()

    def test_listing(self, book: FakeReminderBook, clock: ManualClock) -> None:
        tool = ReminderList(book, clock)
        assert dict(call(tool, ENGLISH).data) == {"reminders": []}
        assert call(tool, CHINESE).display == "现在没有提醒。"
        book.add(NOW + timedelta(days=400), "far")
        alone = "You have one reminder, on Sunday 26 December 2027 at 10:00: far (no. 1)"
        assert call(tool, ENGLISH).display == alone
        book.add(NOW + timedelta(hours=1), "near")
        result = call(tool, ENGLISH)
        assert dict(result.data) == {
            "reminders": [
                {"id": 2, "due": "2026-11-21 11:00", "text": "near"},
                {"id": 1, "due": "2027-12-26 10:00", "text": "far"},
            ]
        }
        assert result.display == (
            "Your reminders:\n- today at 11:00: near (no. 2)\n"
            "- on Sunday 26 December 2027 at 10:00: far (no. 1)"
        )

    def test_a_long_list_is_cut_and_says_so(
        self, book: FakeReminderBook, clock: ManualClock
    ) -> None:
        for number in range(60):
            book.add(NOW + timedelta(hours=number + 1), "x")
        result = call(ReminderList(book, clock), ENGLISH)
        assert result.data["more"] is True
        assert result.display.endswith("- and 10 more")

    def test_cancelling(self, book: FakeReminderBook) -> None:
        made = book.add(NOW + timedelta(hours=1), "near")
        tool = ReminderCancel(book)
        assert call(tool, ENGLISH).question.startswith("Which reminder")
        assert not call(tool, ENGLISH, id=99).ok
        result = call(tool, ENGLISH, id=made.id)
        assert dict(result.data) == {"ok": True, "id": made.id}
        assert result.display == "Reminder 1 is cancelled: near"
        assert book.pending() == ()
