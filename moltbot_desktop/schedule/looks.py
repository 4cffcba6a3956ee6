"""What each agent's heartbeat told last, so that a restart does not tell it again.

The words are in the conversation; here is a digest of them, in which there is nothing to forget.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.heartbeat import Told


@dataclass(frozen=True)
class Looks:
    """Thread-safe; every call touches disk and may raise StorageError."""

    database: ScheduleDatabase

    def told(self, agent: str) -> Told | None:
        """What that agent's told last; None before."""
        with self.database.reading():
            found = self.database.all("SELECT digest, at FROM looks WHERE agent = ?", agent)
        if not found:
            return None
        digest, at = found[0]
        return Told(str(digest), datetime.fromtimestamp(int(at or 0) // 1000, UTC))

    def keep(self, agent: str, told: Told) -> None:
        with self.database.writing():
            self.database.do(
                "INSERT OR REPLACE INTO looks (agent, digest, at) VALUES (?, ?, ?)",
                *(agent, told.digest, int(told.at.timestamp() * 1000)),
            )
