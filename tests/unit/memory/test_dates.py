"""Days named in questions and headings."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.dates import Span, day_of, days_in


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 2026-01-03", date(2026, 1, 3)),
        ("8:10 pm on 7 November, 2022", date(2022, 11, 7)),
        ("November 7th, 2022", date(2022, 11, 7)),
        ("the 7th of nov 2022", date(2022, 11, 7)),
        ("2022年11月7日", date(2022, 11, 7)),
    ],
)
def test_a_day_is_understood(text: str, day: date) -> None:
    assert days_in(text) == (Span(day, day),)


def test_a_day_without_year_is_that_day_of_any_year() -> None:
    for text in ("5 May", "May 5", "5月5日"):
        (span,) = days_in(text)
        assert span.holds(date(1999, 5, 5))
        assert not span.holds(date(1999, 5, 6))


def test_a_period_of_any_year_may_go_over_new_year() -> None:
    winter = Span(date(2025, 12, 1), date(2026, 2, 28), any_year=True)
    assert winter.holds(date(1999, 12, 31))
    assert winter.holds(date(1999, 1, 1))
    assert not winter.holds(date(1999, 7, 1))


@pytest.mark.parametrize(
    "text", ["may I", "13月40日", "2026-13-01", "31 February", "version 1.2.3", "mayor 5", ""]
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert days_in(text) == ()


def test_a_unit_belongs_to_the_day_of_its_heading_else_of_its_file() -> None:
    assert day_of("memory/2026-01-05.md", ("Plans",)) == date(2026, 1, 5)
    assert day_of("memory/x.md", ("3 May 2020", "Plans")) == date(2020, 5, 3)
    assert day_of("memory/x.md", ("May 2020", "last week")) is None
    assert day_of("MEMORY.md", ()) is None


@given(text=st.text(alphabet="0123456789-/. 年月日MayJanuary,"))
def test_any_text_is_read_without_an_error(text: str) -> None:
    days_in(text)
