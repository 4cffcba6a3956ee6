"""The real clock."""

from __future__ import annotations

import time
from datetime import datetime

from dateutil.tz import tzlocal


class SystemClock:
    """`core.clock.Clock` of this computer."""

    def now(self) -> datetime:
        # Not astimezone(): that is today's offset for ever, and "in March at 9" would be an hour
        # off after the change to summer time. tzlocal knows the rule.
        return datetime.now(tzlocal())

    def monotonic(self) -> float:
        return time.monotonic()
