"""When something shall happen, as people say it."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.sdk.schedule import At, Cron, EventKind, Every, OnEvent, Schedule
from moltbot_desktop.tools.repeating import parse_schedule
from moltbot_desktop.tools.when import Doubt, Unclear

NOW = datetime(2026, 11, 21, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))
STARTUP = OnEvent(EventKind.STARTUP)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("every day at 9", Cron("0 9 * * *")),
        ("Daily at 7am.", Cron("0 7 * * *")),
        ("every morning at 7", Cron("0 7 * * *")),
        ("every weekday at 8:30", Cron("30 8 * * 1-5")),
        ("on weekdays at 8:30", Cron("30 8 * * 1-5")),
        ("weekends at 10", Cron("0 10 * * 0,6")),
        ("every Monday at 8", Cron("0 8 * * 1")),
        ("on Fridays at 17:00", Cron("0 17 * * 5")),
        ("every month on the 1st at 9", Cron("0 9 1 * *")),
        ("every Monday and Thursday at 9", Cron("0 9 * * 1,4")),
        ("each Fri, Mon and Wed at 8pm", Cron("0 20 * * 1,3,5")),
        ("on Mondays and Fridays at 8", Cron("0 8 * * 1,5")),
        ("at 9 every day", Cron("0 9 * * *")),
        ("at 7:30 on weekdays", Cron("30 7 * * 1-5")),
        ("every day at 8am and 8pm", Cron("0 8,20 * * *")),
        ("every day at 8, 12 and 18", Cron("0 8,12,18 * * *")),
        ("at 8:30 and 20:30 every day", Cron("30 8,20 * * *")),
        ("on weekdays at 9am, noon and 5 pm", Cron("0 9,12,17 * * 1-5")),
        ("every Monday and Thursday at 8am and 8pm", Cron("0 8,20 * * 1,4")),
        ("every day at 20:00 and 8:00", Cron("0 8,20 * * *")),
        ("every morning and evening at 8", Cron("0 8,20 * * *")),
        ("每天早上8点和晚上8点", Cron("0 8,20 * * *")),
        ("每天早上8点、中午12点、晚上8点", Cron("0 8,12,20 * * *")),
        ("每天早上8点半晚上8点半", Cron("30 8,20 * * *")),
        ("每天早晚8点", Cron("0 8,20 * * *")),
        ("每周一早上9点和下午3点", Cron("0 9,15 * * 1")),
        ("every half hour", Every(1_800_000)),
        ("every year on May 5", Cron("0 9 5 5 *")),
        ("on 3 December at 10 every year", Cron("0 10 3 12 *")),
        ("每周一和周四早上9点", Cron("0 9 * * 1,4")),
        ("每周一三五晚上8点", Cron("0 20 * * 1,3,5")),
        ("逢周二、四下午3点", Cron("0 15 * * 2,4")),
        ("每周一二十点", Cron("0 20 * * 1")),
        ("每半个小时", Every(1_800_000)),
        ("每年五月五号早上八点", Cron("0 8 5 5 *")),
        ("every 20 minutes", Every(1_200_000)),
        ("every hour", Every(3_600_000)),
        ("hourly", Every(3_600_000)),
        ("每天早上9点", Cron("0 9 * * *")),
        ("每个工作日8点半", Cron("30 8 * * 1-5")),
        ("每周一下午两点", Cron("0 14 * * 1")),
        ("每周日晚上8点", Cron("0 20 * * 0")),
        ("每月1号9点", Cron("0 9 1 * *")),
        ("每晚10点", Cron("0 22 * * *")),
        ("每30分钟", Every(1_800_000)),
        ("每隔两小时", Every(7_200_000)),
        ("0 8 * * 1-5", Cron("0 8 * * 1-5")),
        ("tomorrow at 9", At(1_795_334_400_000)),
        ("2026-12-01T09:00:00Z", At(1_796_115_600_000)),
        ("at startup", STARTUP),
        ("每次启动时", STARTUP),
        ("when notes/*.md changes", OnEvent(EventKind.FILE, "notes/*.md")),
        ("每当notes/变化时", OnEvent(EventKind.FILE, "notes/")),
    ],
)
def test_understood(text: str, expected: Schedule) -> None:
    assert parse_schedule(text, NOW) == expected


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("", Doubt.MISSING),
        ("blub", Doubt.NOT_UNDERSTOOD),
        ("every second day at 9", Doubt.NOT_UNDERSTOOD),
        ("every day", Doubt.TIME_OF_DAY),
        ("每天", Doubt.TIME_OF_DAY),
        ("x" * 500, Doubt.NOT_UNDERSTOOD),
        ("every 0 minutes", Doubt.NOT_UNDERSTOOD),
        ("每0秒", Doubt.NOT_UNDERSTOOD),
        ("Monday and Tuesday at 9", Doubt.CONTRADICTION),
        ("every year", Doubt.NOT_UNDERSTOOD),
        ("每年", Doubt.NOT_UNDERSTOOD),
        ("at 9 every Monday every day", Doubt.NOT_UNDERSTOOD),
        ("every day at 8 and 10 pm", Doubt.CONTRADICTION),  # 8 in the morning?
        ("每天晚上8点和10点", Doubt.CONTRADICTION),
        ("every day at 8:30 and 20:00", Doubt.CONTRADICTION),
        ("every Monday at 9 and Tuesday at 10", Doubt.NOT_UNDERSTOOD),
        ("每月1号和15号9点", Doubt.NOT_UNDERSTOOD),
        ("twice a day", Doubt.NOT_UNDERSTOOD),
        ("每天早晚", Doubt.TIME_OF_DAY),
    ],
)
def test_asked_back(text: str, doubt: Doubt) -> None:
    found = parse_schedule(text, NOW)
    assert isinstance(found, Unclear) and found.doubt is doubt and found.question


@pytest.mark.parametrize("day", range(1, 9))
def test_a_day_that_is_tomorrow_by_chance_is_no_time(day: int) -> None:
    seen = parse_schedule("every Monday at 9 and Wednesday at 10", NOW.replace(day=day))
    assert isinstance(seen, Unclear)


WORDS = "every day each 每 天 周 一 at 9 on the 1st month hours 99999999999 . when changes 月 号 99"


@settings(max_examples=200)
@given(
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from(WORDS.split()), max_size=6).map(" ".join),
    )
)
def test_no_text_breaks_it(text: str) -> None:
    found = parse_schedule(text, NOW)
    assert isinstance(found, Unclear | At | Cron | Every | OnEvent)
