"""The real clock."""

from __future__ import annotations

import time
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dateutil.tz import tzlocal


class SystemClock:
    """`core.clock.Clock` of this computer, in the person's time zone.

    Args:
        zone: by name (`agents.defaults.userTimezone`), "" for this computer's, which one that
            nobody knows counts as, too.
    """

    def __init__(self, zone: str = "") -> None:
        # Not astimezone(): that is today's offset for ever, and "in March at 9" would be an hour
        # off after the change to summer time. tzlocal knows the rule.
        self._zone = _named(zone)
        self._here = tzlocal()

    def now(self) -> datetime:
        if self._zone is not None:
            return datetime.now(self._zone)
        # As now(self._here), without asking its rule for what the system has just told.
        return datetime.now().replace(tzinfo=self._here)  # noqa: DTZ005 - it gets one

    def monotonic(self) -> float:
        return time.monotonic()


def _named(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
