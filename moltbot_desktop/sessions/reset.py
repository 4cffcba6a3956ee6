"""When a conversation is over, so that the next message begins a fresh one.

    reset = config.session.reset_for(reset_kind(key), reset_channel(key))
    if last_used is not None and is_over(last_used, now, reset):
        store.new(key)

At an hour of the day (the reference's 04:00: yesterday's context helps nobody in the morning),
after a pause, or whichever comes first. Pure: times come in and go out aware, in the person's own
zone, whose rules decide where the hour lies on the day the clocks change.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from moltbot_desktop.config.session import ResetConfig
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key, thread_parent

_DAILY = "daily"
_OF_NO_CHANNEL = frozenset(
    {KeyKind.MAIN, KeyKind.CRON, KeyKind.HOOK, KeyKind.SUBAGENT, KeyKind.ACP, KeyKind.OTHER}
)


def is_over(last_used: datetime, now: datetime, reset: ResetConfig) -> bool:
    """Whether a conversation that was used last at `last_used` is over at `now`."""
    # Seconds, because times of one zone are compared by what clocks showed, not by what passed.
    last = last_used.timestamp()
    if reset.mode == _DAILY and last < last_boundary(now, reset.at_hour).timestamp():
        return True
    limit = reset.idle_limit
    return limit is not None and now.timestamp() - last > limit * 60


def last_boundary(now: datetime, hour: int) -> datetime:
    """The latest moment until `now` at which the day's clocks showed `hour`. An hour that the
    change to summer time leaves out begins when it would have."""
    today = now.replace(hour=hour, minute=0, second=0, microsecond=0, fold=0)
    if today.timestamp() <= now.timestamp():
        return today
    yesterday = today.replace(tzinfo=None) - timedelta(days=1)
    return yesterday.replace(tzinfo=now.tzinfo)


def reset_kind(key: SessionKey) -> str:
    """dm, group or thread: what `session.resetByType` goes by. Threads and topics come first."""
    if thread_parent(key) is not None:
        return "thread"
    parsed = parse_session_key(key)
    of_many = parsed is not None and parsed.kind in (KeyKind.GROUP, KeyKind.CHANNEL)
    return "group" if of_many else "dm"


def reset_channel(key: SessionKey) -> str:
    """The channel of a conversation, "" for one that belongs to none: `session.resetByChannel`."""
    parsed = parse_session_key(key)
    if parsed is None or parsed.kind in _OF_NO_CHANNEL or parsed.rest.startswith("dm:"):
        return ""
    return parsed.rest.split(":")[0]
