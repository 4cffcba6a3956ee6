"""Notices for a conversation's next prompt: `sdk.schedule.SystemNotices`.

    notices.add("agent:main:main", "The backup has finished.")
    told = notices.waiting("agent:main:main")   # put into the prompt as a notice of the system,
    notices.seen("agent:main:main", told[-1].id)    # then, once it is in the transcript

The reference keeps them in memory; here they outlive a restart, because some are all that is left
of a job. Twenty a conversation; one that says what the last one said is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.sdk.schedule import SystemNotice

MOST = 20


@dataclass(frozen=True)
class Notices:
    """See `SystemNotices`."""

    database: ScheduleDatabase

    def add(self, session_key: str, text: str) -> bool:
        """Keep a notice; False when it is dropped."""
        with self.database.writing():
            return keep_notice(self.database, session_key, text)

    def waiting(self, session_key: str) -> tuple[SystemNotice, ...]:
        query = "SELECT id, at, text FROM notices WHERE session = ? ORDER BY id"
        with self.database.reading():
            return tuple(
                SystemNotice(int(number or 0), int(at or 0), str(text))
                for number, at, text in self.database.all(query, session_key)
            )

    def seen(self, session_key: str, through: int) -> None:
        with self.database.writing():
            self.database.do(
                "DELETE FROM notices WHERE session = ? AND id <= ?", session_key, through
            )

    def ask_for_a_turn(self) -> None:
        """The main conversation shall get a prompt now, from whichever process runs jobs."""
        with self.database.writing():
            self.database.do("INSERT OR REPLACE INTO asked (one, at) VALUES (1, ?)",
                             self.database.now_ms())  # fmt: skip
        self.database.changed()

    def take_asked(self) -> bool:
        """Whether somebody asked for a turn since this was asked last."""
        with self.database.writing():
            return self.database.do("DELETE FROM asked") > 0


def keep_notice(database: ScheduleDatabase, session_key: str, text: str) -> bool:
    """Like `Notices.add`, inside `writing`."""
    line = " ".join(text.split())
    newest = database.all(
        "SELECT text FROM notices WHERE session = ? ORDER BY id DESC LIMIT 1", session_key
    )
    if not line or (newest and newest[0][0] == line):
        return False
    database.do(
        "INSERT INTO notices (session, at, text) VALUES (?, ?, ?)",
        *(session_key, database.now_ms(), line),
    )
    database.do(
        "DELETE FROM notices WHERE session = ? AND id <= (SELECT id FROM notices"
        " WHERE session = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
        *(session_key, session_key, MOST),
    )
    return True


def in_prompt(notices: tuple[SystemNotice, ...], here: tzinfo) -> str:
    """Notices as a prompt shows them, one a line; never in the user's role (rule R9)."""
    return "\n".join(
        f"System: [{_moment(one.at_ms, here):%Y-%m-%d %H:%M:%S}] {one.text}" for one in notices
    )


def _moment(milliseconds: int, here: tzinfo) -> datetime:
    return datetime.fromtimestamp(milliseconds // 1000, UTC).astimezone(here)
