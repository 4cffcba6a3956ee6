"""The moment at which the clocks of these tests stand."""

from datetime import UTC, datetime

START = datetime(2026, 8, 1, 9, 0, tzinfo=UTC)
