"""The heartbeat: now and then the assistant looks whether there is something to tell.

    verdict = heartbeat_verdict(facts)      # None: look; else why not
    news = worth_telling(answer, rules, told_before, now)

Nothing here touches disk or model; `pulse` is the task around it. A look costs a model run on
somebody's laptop, so it happens only when there is something to look at: instructions in the
workspace's HEARTBEAT.md, notices that wait, or settings that ask for it. On battery it does not
happen at all, nor with a model that reads a request and nothing else. (The reference looks when
the file is missing, and every half hour by default.)

It has a conversation of its own, so that what the owner said is neither mixed with it nor pushed
out of the model's memory; what it finds is left in the main conversation as a notice.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from moltbot_desktop.agent.tokens import acknowledged, nothing_to_look_at
from moltbot_desktop.schedule.turns import Delivery

PROMPT = (
    "Read HEARTBEAT.md if it is there and do what it says. Do not repeat old tasks. "
    "If nothing needs attention, answer HEARTBEAT_OK."
)
SAME_FOR = timedelta(hours=24)
"""So long the same words are not told again."""
LAST = "last"
NOWHERE = "none"
_MINUTES_A_DAY = 24 * 60


class Skip(StrEnum):
    """Why there is no look now."""

    OFF = "off"
    NOT_YET = "not yet"
    QUIET_HOURS = "quiet hours"
    ON_BATTERY = "on battery"
    BUSY = "busy"
    NOTHING_TO_DO = "nothing to do"
    ELSEWHERE = "another process does"
    MODEL_TOO_SMALL = "the model reads one request and nothing else"


@dataclass(frozen=True)
class HeartbeatRules:
    """The settings, with the zone of the active hours looked up.

    Attributes:
        every_seconds: 0 is never.
        configured: the settings ask for it, whether or not there is a HEARTBEAT.md.
        active: minutes of the day, from and to; None is always. 22:00 to 6:00 goes over midnight.
        prompt: "" is `PROMPT`.
        ack_max_chars: what stands beside HEARTBEAT_OK and is no longer is not told.
        target: where it is told besides the window: `LAST`, a channel, or `NOWHERE`, which means
            the window, too.
        include_reasoning: what the model thought stands before what it says.
    """

    every_seconds: float = 1_800.0
    configured: bool = False
    active: tuple[int, int] | None = None
    prompt: str = ""
    ack_max_chars: int = 300
    target: str = LAST
    to: str = ""
    model: str = ""
    include_reasoning: bool = False


@dataclass(frozen=True)
class HeartbeatFacts:
    """The moment it is asked about.

    Attributes:
        now: in the zone of the active hours.
        since_last: seconds since the last look, None before the first.
        instructions: the content of HEARTBEAT.md, None when there is none.
        notices: notices wait for the main conversation.
        asked: somebody asked for it now.
        elsewhere: another process is the one that does what nobody has asked for just now.
        able: the model reads more than one request.
    """

    now: datetime
    since_last: float | None
    instructions: str | None
    notices: bool = False
    asked: bool = False
    busy: bool = False
    on_battery: bool = False
    elsewhere: bool = False
    able: bool = True


def heartbeat_verdict(rules: HeartbeatRules, facts: HeartbeatFacts) -> Skip | None:
    """Whether to look now. Who asks for it gets it: then only a busy conversation waits."""
    if rules.every_seconds <= 0 and not facts.asked:
        return Skip.OFF
    if facts.elsewhere:
        return Skip.ELSEWHERE
    if not facts.able:
        return Skip.MODEL_TOO_SMALL
    if facts.busy:
        return Skip.BUSY
    if facts.asked:
        return None
    if facts.since_last is not None and facts.since_last < rules.every_seconds:
        return Skip.NOT_YET
    if rules.active is not None and not _within(rules.active, facts.now):
        return Skip.QUIET_HOURS
    if facts.on_battery:
        return Skip.ON_BATTERY
    return None if _something_to_do(rules, facts) else Skip.NOTHING_TO_DO


def _something_to_do(rules: HeartbeatRules, facts: HeartbeatFacts) -> bool:
    if facts.notices:
        return True
    if facts.instructions is None:
        return rules.configured
    return not nothing_to_look_at(facts.instructions)


def _within(active: tuple[int, int], now: datetime) -> bool:
    start, end = active
    minute = now.hour * 60 + now.minute
    if start == end:
        return True
    if start < end:
        return start <= minute < end
    return minute >= start or minute < end % _MINUTES_A_DAY


@dataclass(frozen=True)
class Told:
    """What a heartbeat told last, as `digest_of` the text, and when."""

    digest: str
    at: datetime


def digest_of(text: str) -> str:
    """Tells one text from another."""
    return hashlib.sha256(text.encode()).hexdigest()


def place_of(rules: HeartbeatRules, last: Delivery | None) -> Delivery | None:
    """Where news go besides the window; None for nowhere else.

    Args:
        last: where the owner wrote last, None for the window.
    """
    if rules.target == NOWHERE:
        return None
    if rules.target == LAST:
        return last and replace(last, to=rules.to or last.to)
    if not rules.to and last is not None and last.channel == rules.target:
        return last
    return Delivery(rules.target, rules.to)


def worth_telling(answer: str, rules: HeartbeatRules, before: Told | None, now: datetime) -> str:
    """What of an answer the owner should hear; "" for nothing."""
    left = acknowledged(answer, heartbeat=True, most_characters=rules.ack_max_chars)
    if left.silent or rules.target == NOWHERE:
        return ""
    again = (
        before is not None and before.digest == digest_of(left.text) and now - before.at < SAME_FOR
    )
    return "" if again else left.text
