"""What the next message means after a question or a reminder; everything else stays a request."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.agent.follow_up import (
    LONGEST_ANSWER,
    Ended,
    completed_calls,
    completed_requests,
    holds_some_of,
)
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.tools.when import When, parse_when

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
DUE = datetime(2026, 11, 22, 17, 0, tzinfo=UTC)
CALL = ToolCall("1", "reminder_add", {"when": "tomorrow at 5", "text": "call Anna"})
SET = Ended("remind me tomorrow at 5 to call Anna", call=CALL, reminder=(3, DUE))


def meant(calls: tuple[ToolCall, ...]) -> datetime | None:
    """When the new reminder is due."""
    adding = [call for call in calls if call.name == "reminder_add"]
    if not adding:
        return None
    moment = parse_when(str(adding[0].arguments["when"]), NOW)
    assert isinstance(moment, When)
    assert adding[0].arguments["text"] == "call Anna"
    return moment.at


@pytest.mark.parametrize(
    ("text", "day", "hour", "minute"),
    [
        ("no, at 6", 22, 18, 0),
        ("make it 6:30", 22, 18, 30),
        ("Actually 8am.", 22, 8, 0),
        ("no, at 9 in the morning", 22, 9, 0),
        ("sorry, I meant 7pm", 22, 19, 0),
        ("no, at 6 instead, please", 22, 18, 0),
        ("change it to Friday", 27, 17, 0),
        ("move it to Monday at 8", 23, 8, 0),
        ("no, in 20 minutes", 21, 10, 20),
        ("make that 18:15", 22, 18, 15),
        ("actually, at noon", 22, 12, 0),
        ("rather at midnight", 23, 0, 0),
        ("no, in the morning", 22, 9, 0),
        ("no, tomorrow morning", 22, 9, 0),
        ("no, at 08:00", 22, 8, 0),
        ("no, at 00:30", 22, 0, 30),
        ("no, half past 6", 22, 18, 30),
        ("move it an hour later", 22, 18, 0),
        ("half an hour earlier", 22, 16, 30),
        ("change it to next week", 23, 17, 0),
        ("推迟一个小时", 22, 18, 0),
        ("提前半小时", 22, 16, 30),
        ("改成明天早上", 22, 9, 0),
        ("改成08:00", 22, 8, 0),
        ("不对，六点", 22, 18, 0),
        ("改到后天", 23, 17, 0),
        ("改成晚上8点吧", 22, 20, 0),
        ("还是早上九点半", 22, 9, 30),
    ],
)
def test_a_correction_moves_the_reminder(text: str, day: int, hour: int, minute: int) -> None:
    calls = completed_calls(SET, text, NOW)
    assert meant(calls) == datetime(2026, 11, day, hour, minute, tzinfo=UTC)
    assert [(call.name, dict(call.arguments)) for call in calls[1:]] == [
        ("reminder_cancel", {"id": 3})
    ]


@pytest.mark.parametrize("text", ["cancel it", "Never mind.", "forget that", "取消吧", "不用了"])
def test_it_can_be_taken_back(text: str) -> None:
    [call] = completed_calls(SET, text, NOW)
    assert (call.name, call.arguments["id"]) == ("reminder_cancel", 3)


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "at 6",
        "make it so",
        "actually, who is Anna?",
        "no, remember that Anna moved",
        "remind me at 6 to call Ben",
        "cancel my subscription at 6",
        "不知道",
        "改天再说",
        "",
    ],
)
def test_other_words_are_a_request_of_their_own(text: str) -> None:
    assert completed_calls(SET, text, NOW) == ()


@pytest.mark.parametrize(
    ("first", "answer", "expected"),
    [
        ("tomorrow", "at 5", (22, 17, 0)),
        ("tomorrow morning", "9", (22, 9, 0)),
        ("sometime", "in 20 minutes", (21, 10, 20)),
        ("at 5", "tomorrow", (22, 17, 0)),
        ("明天", "下午三点", (22, 15, 0)),
    ],
)
def test_an_unclear_time_is_completed(
    first: str, answer: str, expected: tuple[int, int, int]
) -> None:
    call = ToolCall("1", "reminder_add", {"when": first, "text": "call Anna"})
    calls = completed_calls(Ended("x", asked=True, call=call), answer, NOW)
    day, hour, minute = expected
    assert meant(calls) == datetime(2026, 11, day, hour, minute, tzinfo=UTC)
    assert len(calls) == 1


def test_an_answer_that_is_no_time_completes_nothing() -> None:
    call = ToolCall("1", "reminder_add", {"when": "sooner or later", "text": "x"})
    assert completed_calls(Ended("x", asked=True, call=call), "who knows", NOW) == ()


def test_a_question_is_answered_by_the_rest_of_the_request() -> None:
    asked = Ended("Remind me to call Anna.", asked=True)
    assert "Remind me to call Anna at 5" in completed_requests(asked, "at 5")
    assert "Read a file: notes.txt" in completed_requests(Ended("Read a file", True), "notes.txt")
    assert "明早八点提醒我开会" in completed_requests(Ended("提醒我开会", True), "明早八点")


@pytest.mark.parametrize("ended", [None, Ended("hello"), SET, Ended("x", asked=True, call=CALL)])
def test_without_an_open_question_words_stand_alone(ended: Ended | None) -> None:
    assert completed_requests(ended, "at 5") == ()


def test_a_long_text_answers_no_question() -> None:
    assert completed_requests(Ended("remind me", asked=True), "x" * (LONGEST_ANSWER + 1)) == ()


def test_the_task_of_a_reminder_that_had_none_completes_the_request() -> None:
    nothing = ToolCall("1", "reminder_add", {"when": "6pm", "text": ""})
    ended = Ended("set a reminder for 6pm", asked=True, call=nothing)
    assert "set a reminder for 6pm: call Anna" in completed_requests(ended, "call Anna")
    assert completed_calls(ended, "at 7", NOW) == ()
    unclear = ToolCall("1", "reminder_add", {"when": "6", "text": "call Anna"})
    assert completed_requests(Ended("remind me at 6", asked=True, call=unclear), "pm") == ()


def test_a_call_must_have_something_of_the_answer() -> None:
    assert holds_some_of(CALL, "Tomorrow at 5!")
    assert holds_some_of(CALL, "call Anna, please")
    assert not holds_some_of(CALL, "well")


@settings(max_examples=300)
@given(text=st.text(max_size=80), asked=st.booleans())
def test_no_text_breaks_it(text: str, asked: bool) -> None:
    for ended in (SET, Ended("remind me", asked), Ended("x", asked, CALL)):
        completed_requests(ended, text)
        completed_calls(ended, text, NOW)


@settings(max_examples=200)
@given(
    mark=st.sampled_from(["no, ", "make it ", "sorry, I meant ", "actually "]),
    hour=st.integers(1, 23),
    minute=st.integers(0, 59),
    minutes=st.integers(24 * 60, 365 * 24 * 60),
)
def test_a_clock_time_keeps_the_day(mark: str, hour: int, minute: int, minutes: int) -> None:
    due = NOW + timedelta(minutes=minutes)
    ended = Ended("x", call=CALL, reminder=(3, due))
    moved = meant(completed_calls(ended, f"{mark}at {hour}:{minute:02}", NOW))
    assert moved is not None
    assert (moved.date(), moved.minute) == (due.date(), minute)
    assert moved.hour in (hour, hour + 12 if hour < 12 else hour - 12)


LISTED = Ended("forget tea", asked=True, notes=("I like tea", "Tea at five", "茶在柜子里"))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        *(("1", "I like tea"), ("2.", "Tea at five"), ("#3", "茶在柜子里")),
        *(("number 2", "Tea at five"), ("the first one!", "I like tea"), ("Second", "Tea at five")),
        *(("第二个", "Tea at five"), ("三", "茶在柜子里"), ("第1条。", "I like tea")),
    ],
)
def test_a_number_chooses_the_note_to_forget(text: str, note: str) -> None:
    (call,) = completed_calls(LISTED, text, NOW)
    assert (call.name, call.arguments) == ("memory_forget", {"query": note})


@pytest.mark.parametrize("text", ["4", "0", "-1", "no", "1 2", "at 2", "the dentist", "十一", ""])
def test_anything_else_chooses_none(text: str) -> None:
    assert completed_calls(LISTED, text, NOW) == ()
