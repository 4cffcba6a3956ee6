"""The times of a schedule: the one home of cronsim, and of time zones.

    times = Times(Cron("30 2 * * *", "Europe/Berlin"), created_ms, here)
    times.after(ms)             # the next one
    times.last(after, until)    # the last one in (after, until]
    times.span(after, until)    # first, last, how many

All of it is pure: the same question always has the same answer, so that several processes, and
one that was started again, agree about what is due. A time is an instant. cronsim follows
Debian's cron where the clock is changed: what is due at a fixed hour runs once, at the first
moment after the gap in spring and in the first of the two hours in autumn; what is due every hour
or every minute follows real time.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.sdk.schedule import At, Cron, Every, Missed, OnEvent, Schedule

SHORTEST_PAUSE_MS = 1_000
_LONGEST_EXPRESSION = 200
_COUNTED = 1_000
"""Times that went by are counted up to here; a year of minutes takes seconds to count."""
_LAST_MS = 253_000_000_000_000
"""In the year 9987: beyond, a datetime has no room for a zone's offset."""
_SECOND = timedelta(seconds=1)
_EVEN = 14 * 86_400
"""Seconds; no zone changes its clock twice within."""
_PIECES = 400
"""So many changes of the clock are looked past: nothing in some two hundred years is never."""
_FOLD = timedelta(hours=3)
"""No zone sets its clock back by more; going backwards starts that much later."""


def checked_schedule(schedule: Schedule) -> Schedule:
    """`schedule`, when it can be used.

    Raises:
        UserInputInvalid: its times cannot be worked out; the hint says what to write.
    """
    match schedule:
        case At(at_ms):
            if not 0 <= at_ms <= _LAST_MS:
                raise UserInputInvalid("That moment is too far away.")
        case Every(every_ms, anchor_ms):
            if not SHORTEST_PAUSE_MS <= every_ms <= _LAST_MS:
                raise UserInputInvalid("The pause must be at least a second.")
            if anchor_ms is not None and not 0 <= anchor_ms <= _LAST_MS:
                raise UserInputInvalid("The anchor of the schedule is no moment.")
        case Cron(expr, tz):
            _simulator(expr, datetime(2026, 1, 1, tzinfo=zone(tz, UTC)))
        case OnEvent(_, pattern):
            if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
                raise UserInputInvalid(
                    f"“{pattern[:80]}” is not below the workspace.",
                    hint="Write a path as seen from the workspace, such as notes/*.md.",
                )
    return schedule


def zone(name: str, here: tzinfo) -> tzinfo:
    """The time zone of that IANA name, `here` for "".

    Raises:
        UserInputInvalid: there is none.
    """
    if not name:
        return here
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UserInputInvalid(
            f"There is no time zone “{name[:80]}”.",
            hint="Write it like Europe/Berlin or Asia/Shanghai.",
        ) from error


def _simulator(expr: str, after: datetime, *, reverse: bool = False) -> CronSim:
    try:
        if len(expr) > _LONGEST_EXPRESSION:
            raise CronSimError("too long")
        return CronSim(expr, after, reverse=reverse)
    except (CronSimError, AssertionError) as error:
        raise UserInputInvalid(
            f"“{expr[:80]}” is not a cron expression: {error}.",
            hint="Write minute hour day month weekday, such as 30 8 * * 1-5.",
        ) from error


@dataclass(frozen=True)
class Times:
    """The times of one schedule.

    Attributes:
        created_ms: when the job got its schedule; the anchor of `Every` without one.
        here: this computer's zone.
    """

    schedule: Schedule
    created_ms: int
    here: tzinfo

    def after(self, after_ms: int) -> int | None:
        """The first time later than `after_ms`; None when there is none any more.

        Raises:
            UserInputInvalid: the schedule cannot be used (`checked_schedule`).
        """
        match self.schedule:
            case At(at_ms):
                return at_ms if at_ms > after_ms else None
            case Every(every_ms, anchor_ms):
                anchor = self.created_ms if anchor_ms is None else anchor_ms
                steps = max(0, (after_ms - anchor) // every_ms + 1)
                return anchor + steps * every_ms
            case Cron(expr, tz):
                return self._cron_after(expr, zone(tz, self.here), after_ms)
            case OnEvent():
                return None

    def last(self, after_ms: int, until_ms: int) -> int | None:
        """The last time in (`after_ms`, `until_ms`]; None when there is none."""
        found: int | None
        match self.schedule:
            case At(at_ms):
                found = at_ms if at_ms <= until_ms else None
            case Every(every_ms, anchor_ms):
                anchor = self.created_ms if anchor_ms is None else anchor_ms
                found = anchor + (until_ms - anchor) // every_ms * every_ms
                found = found if found >= anchor else None
            case Cron(expr, tz):
                found = self._cron_until(expr, zone(tz, self.here), until_ms)
            case OnEvent():
                found = None
        return found if found is not None and found > after_ms else None

    def span(self, after_ms: int, until_ms: int) -> Missed | None:
        """The times in (`after_ms`, `until_ms`] as one; None when there are none."""
        first = self.after(after_ms)
        if first is None or first > until_ms:
            return None
        last = self.last(after_ms, until_ms)
        if last is None:  # never: there is the first one
            return Missed(first, first, 1)
        if isinstance(self.schedule, Every):
            return Missed(first, last, (last - first) // self.schedule.every_ms + 1)
        count, at = 1, first
        while count < _COUNTED:
            following = self.after(at)
            if following is None or following > until_ms:
                return Missed(first, last, count)
            count, at = count + 1, following
        return Missed(first, last, count, more=at < last)

    @staticmethod
    def _cron_after(expr: str, where: tzinfo, after_ms: int) -> int | None:
        if after_ms > _LAST_MS:
            return None
        if _follows_real_time(expr):
            return _real_time_after(expr, where, after_ms)
        # In the second hour of an autumn night what is due at a fixed time has gone by already;
        # cronsim, which sees the hands of the clock only, gives it once more.
        for found in _simulator(expr, _local(after_ms, where)):
            at = _milliseconds(found)
            if at > after_ms:
                return at
        return None

    @staticmethod
    def _cron_until(expr: str, where: tzinfo, until_ms: int) -> int | None:
        if _follows_real_time(expr):
            return _real_time_until(expr, where, until_ms)
        # For the same reason backwards begins later than `until_ms` where an hour comes twice.
        start = _local(until_ms, UTC) + _FOLD
        for found in _simulator(expr, start.astimezone(where), reverse=True):
            at = _milliseconds(found)
            if at <= until_ms:
                return at
        return None


def _follows_real_time(expr: str) -> bool:
    """Whether it is due every so many hours or minutes, not at hours that were named."""
    fields = expr.split()
    return len(fields) != 5 or fields[0].startswith("*") or fields[1].startswith("*")


def _real_time_after(expr: str, where: tzinfo, after_ms: int) -> int | None:
    """The first moment after `after_ms` at which the clock of the place fits.

    Found in pieces in which the clock runs evenly: cronsim itself steps over a change of the clock
    in whole hours, and loses times where it is set by half an hour (Lord Howe Island).
    """
    at = after_ms // 1000
    for _ in range(_PIECES):
        offset = _offset(at, where)
        reading = datetime.fromtimestamp(at + offset, UTC)
        found = next(_simulator(expr, reading), None)
        if found is None:
            return None
        candidate = int(found.timestamp()) - offset
        change = _first_change(at, candidate, where)
        if change is None:
            return candidate * 1000
        # The piece that begins with the change, its first second included.
        begin = _reading(change, where)
        if next(_simulator(expr, begin - _SECOND), None) == begin:
            return change * 1000
        at = change
    return None


def _real_time_until(expr: str, where: tzinfo, until_ms: int) -> int | None:
    """The last moment up to `until_ms` at which the clock of the place fits."""
    at = until_ms // 1000
    for _ in range(_PIECES):
        offset = _offset(at, where)
        reading = datetime.fromtimestamp(at + offset, UTC) + _SECOND
        found = next(_simulator(expr, reading, reverse=True), None)
        if found is None:
            return None
        candidate = int(found.timestamp()) - offset
        change = _last_change(candidate, at, where)
        if change is None:
            return candidate * 1000
        at = change - 1
    return None


def _reading(second: int, where: tzinfo) -> datetime:
    """What the clock of the place shows, as if it were UTC: nothing ever changes there."""
    return datetime.fromtimestamp(second + _offset(second, where), UTC)


def _offset(second: int, where: tzinfo) -> int:
    """Seconds that the clock of the place is ahead of UTC."""
    ahead = datetime.fromtimestamp(second, UTC).astimezone(where).utcoffset()
    return int(ahead.total_seconds()) if ahead is not None else 0


def _first_change(first: int, last: int, where: tzinfo) -> int | None:
    """The first second in (`first`, `last`] with another offset than the one before it."""
    offset, low = _offset(first, where), first
    while low < last:
        high = min(low + _EVEN, last)
        if _offset(high, where) != offset:
            return _halved(low, high, where)
        low = high
    return None


def _last_change(first: int, last: int, where: tzinfo) -> int | None:
    """The last second in (`first`, `last`] with another offset than the one before it."""
    offset, high = _offset(last, where), last
    while high > first:
        low = max(high - _EVEN, first)
        if _offset(low, where) != offset:
            return _halved(low, high, where)
        high = low
    return None


def _halved(low: int, high: int, where: tzinfo) -> int:
    """The change in (`low`, `high`], of which there is one."""
    offset = _offset(low, where)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(middle, where) == offset else (low, middle)
    return high


def _local(milliseconds: int, where: tzinfo) -> datetime:
    return datetime.fromtimestamp(milliseconds // 1000, UTC).astimezone(where)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp()) * 1000
