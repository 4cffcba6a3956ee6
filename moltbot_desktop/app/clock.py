"""The real clock."""

from __future__ import annotations

import time
from datetime import datetime

from dateutil.tz import tzlocal


class SystemClock:
    """`core.clock.Clock` of this computer."""

    def __init__(self) -> None:
        # Not astimezone(): that is today's offset for ever, and "in March at 9" would be an hour
        # off after the change to summer time. tzlocal knows the rule.
        self._here = tzlocal()

    def now(self) -> datetime:
        # As now(self._here), without asking its rule for what the system has just told.
        return datetime.now().replace(tzinfo=self._here)  # noqa: DTZ005 - it gets one

    def monotonic(self) -> float:
        return time.monotonic()
