"""When a question asks about, seen from today, in English, Chinese, Japanese and Korean."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.dates import Span
from moltbot_desktop.memory.periods import read_periods

TODAY = date(2026, 11, 21)  # a Saturday


def period(text: str, today: date = TODAY) -> tuple[str, str]:
    """The one period in `text`, as ISO days."""
    (span,) = read_periods(text, today).spans
    return span.first.isoformat()[2:], span.last.isoformat()[2:]


@pytest.mark.parametrize(
    ("texts", "first", "last"),
    [
        ("yesterday|last night|昨天|昨晚|昨日|어제", "26-11-20", "26-11-20"),
        ("the day before yesterday|前天|一昨日|그저께", "26-11-19", "26-11-19"),
        ("three days ago|3 days ago|三天前|3日前|大前天|3일 전", "26-11-18", "26-11-18"),
        ("today|this morning|今天|오늘", "26-11-21", "26-11-21"),
        ("a few days ago|前几天|几天前", "26-11-14", "26-11-19"),
        ("last week|上周|上个星期|上個禮拜|先週|지난주", "26-11-09", "26-11-15"),
        ("this week|这周|本周|这个星期", "26-11-16", "26-11-22"),
        ("two weeks ago|a couple of weeks ago|两周前|2週間前|上上周", "26-11-02", "26-11-08"),
        ("over the past two weeks|in the last two weeks|最近两周", "26-11-07", "26-11-21"),
        ("last weekend|上周末", "26-11-13", "26-11-15"),
        ("on Monday|周一|星期一", "26-11-16", "26-11-16"),
        ("last Friday|周五", "26-11-20", "26-11-20"),
        ("上周五|先週の金曜日", "26-11-13", "26-11-13"),
        ("since Monday", "26-11-16", "26-11-21"),
        ("last month|上个月|上月|先月|지난달|a month ago|一个月前", "26-10-01", "26-10-31"),
        ("three months ago|3个月前|三個月前|3か月前|3개월 전", "26-08-01", "26-08-31"),
        ("this month|这个月|本月", "26-11-01", "26-11-30"),
        ("last year|a year ago|去年|昨年|작년|一年前", "25-01-01", "25-12-31"),
        ("in 2024|2024年|前年", "24-01-01", "24-12-31"),
        ("in May|last May|5月|五月份", "26-05-01", "26-05-31"),
        ("in December|十二月", "25-12-01", "25-12-31"),
        ("last November", "25-11-01", "25-11-30"),
        ("in May 2023|May of 2023|2023年5月", "23-05-01", "23-05-31"),
        ("去年五月|去年5月份", "25-05-01", "25-05-31"),
        ("since March", "26-03-01", "26-11-21"),
        ("last summer|in summer|夏天", "26-06-01", "26-08-31"),
        ("summer 2023|in the summer of 2023|2023年夏天", "23-06-01", "23-08-31"),
        ("去年夏天|작년 여름", "25-06-01", "25-08-31"),
        ("last winter|冬天", "25-12-01", "26-02-28"),
        ("2023年5月3日|on 2023-05-03", "23-05-03", "23-05-03"),
    ],
)
def test_a_period_is_understood(texts: str, first: str, last: str) -> None:
    for text in texts.split("|"):
        assert period(f"{text}?") == (first, last), text


def test_the_last_of_its_name_is_one_that_is_over_or_has_begun() -> None:
    assert period("last summer", date(2026, 7, 1)) == ("25-06-01", "25-08-31")
    assert period("in summer", date(2026, 7, 1)) == ("26-06-01", "26-08-31")
    assert period("on Saturday", TODAY) == ("26-11-14", "26-11-14")
    assert period("last week", date(2026, 1, 1)) == ("25-12-22", "25-12-28")


def test_what_says_when_is_taken_out_but_not_what_a_note_may_name() -> None:
    assert read_periods("What did I buy last week?", TODAY).rest.split() == [
        "What", "did", "I", "buy", "?",
    ]  # fmt: skip
    assert read_periods("我上个月买了什么", TODAY).rest.split() == ["我", "买了什么"]
    for text in ("the trip in May", "the trip on 5 May", "五月份的旅行"):
        assert read_periods(text, TODAY).rest == text


def test_a_month_whose_year_nobody_said_is_a_guess() -> None:
    assert [span.year_unsaid for span in read_periods("in May", TODAY).spans] == [True]
    assert [span.year_unsaid for span in read_periods("in May 2025", TODAY).spans] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "may I ask", "she will march on", "每周四晚上打羽毛球", "月亮", "the last one",
        "a week in Rome", "three days", "三个月", "周末", "the year of the rat", "",
    ],
)  # fmt: skip
def test_what_says_nothing_about_the_past_is_left_alone(text: str) -> None:
    asked = read_periods(text, TODAY)
    assert asked.spans == ()
    assert asked.rest == text


def test_a_day_and_a_period_may_stand_in_one_question() -> None:
    spans = read_periods("last week or on 2026-01-03", TODAY).spans
    assert Span(date(2026, 1, 3), date(2026, 1, 3)) in spans
    assert len(spans) == 2


@given(
    text=st.lists(
        st.sampled_from(
            "last week in May 2023 three days ago 999 years since on Monday summer of the past"
            " 上 个 月 周 五 年 前 去年 三 十 5 日 先週 の 天 最近 几 1 0 지난 주 전".split()
        ),
        max_size=12,
    ).map(lambda parts: " ".join(parts) if len(parts) % 2 else "".join(parts)),
    today=st.dates(),
)
def test_any_text_is_read_on_any_day(text: str, today: date) -> None:
    asked = read_periods(text, today)
    assert len(asked.rest) == len(text)
    assert all(span.first <= span.last for span in asked.spans)
