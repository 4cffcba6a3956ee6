"""When the assistant looks around by itself, and what it tells then."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from moltbot_desktop.schedule.heartbeat import (
    HeartbeatFacts,
    HeartbeatRules,
    Skip,
    Told,
    digest_of,
    heartbeat_verdict,
    worth_telling,
)

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=ZoneInfo("Europe/Berlin"))
RULES = HeartbeatRules()
FACTS = HeartbeatFacts(NOW, since_last=1_800.0, instructions="- look at the mail")


@pytest.mark.parametrize(
    ("rules", "facts", "expected"),
    [
        (RULES, FACTS, None),
        (replace(RULES, every_seconds=0), FACTS, Skip.OFF),
        (RULES, replace(FACTS, since_last=1_799.0), Skip.NOT_YET),
        (RULES, replace(FACTS, since_last=None), None),
        (RULES, replace(FACTS, busy=True), Skip.BUSY),
        (RULES, replace(FACTS, on_battery=True), Skip.ON_BATTERY),
        (replace(RULES, active=(0, 600)), FACTS, Skip.QUIET_HOURS),
        (replace(RULES, active=(600, 601)), FACTS, None),
        (replace(RULES, active=(22 * 60, 6 * 60)), FACTS, Skip.QUIET_HOURS),
        (replace(RULES, active=(22 * 60, 11 * 60)), FACTS, None),
        (replace(RULES, active=(0, 24 * 60)), FACTS, None),
        # Nothing to look at costs no model.
        (RULES, replace(FACTS, instructions="# Tasks\n- [ ]"), Skip.NOTHING_TO_DO),
        (RULES, replace(FACTS, instructions=None), Skip.NOTHING_TO_DO),
        (replace(RULES, configured=True), replace(FACTS, instructions=None), None),
        (RULES, replace(FACTS, instructions=None, notices=True), None),
    ],
)
def test_when_it_looks(rules: HeartbeatRules, facts: HeartbeatFacts, expected: Skip | None) -> None:
    assert heartbeat_verdict(rules, facts) is expected


def test_who_asks_for_it_gets_it_unless_somebody_is_being_answered() -> None:
    rules = HeartbeatRules(every_seconds=0, active=(0, 1))
    asked = HeartbeatFacts(NOW, 1.0, None, asked=True, on_battery=True)
    assert heartbeat_verdict(rules, asked) is None
    assert heartbeat_verdict(rules, replace(asked, busy=True)) is Skip.BUSY


def test_only_news_is_told_and_the_same_only_the_next_day() -> None:
    long = "The disk is nearly full. " * 20
    assert worth_telling("HEARTBEAT_OK", RULES, None, NOW) == ""
    assert worth_telling("All fine. HEARTBEAT_OK", RULES, None, NOW) == ""
    assert worth_telling("Rent is due today.", RULES, None, NOW) == "Rent is due today."
    assert worth_telling(f"{long} HEARTBEAT_OK", RULES, None, NOW).startswith("The disk")
    before = Told(digest_of("Rent is due today."), NOW)
    for hours, expected in ((23, ""), (24, "Rent is due today.")):
        later = NOW + timedelta(hours=hours)
        assert worth_telling("Rent is due today.", RULES, before, later) == expected
    assert worth_telling("Rent!", replace(RULES, target="none"), None, NOW) == ""
