"""Notices for a conversation's next prompt: `sdk.schedule.SystemNotices`.

    notices.add(NewNotice("agent:main:main", "The backup has finished."))
    told = notices.waiting("agent:main:main")   # put into the prompt as a notice of the system,
    notices.seen("agent:main:main", told[-1].id)    # then, once it is in the transcript

The reference keeps them in memory; here they outlive a restart, because some are all that is left
of a job. Twenty a conversation; one that says what the last one said is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo

from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.sdk.schedule import SystemNotice
from moltbot_desktop.security.labels import Labels

MOST = 20


@dataclass(frozen=True)
class NewNotice:
    """A notice for a conversation.

    Attributes:
        calls: the heartbeat should look after it before the owner says something again.
        labels: of what it is made of; the conversation that reads it gets them.
        once: dropped where the same text waits already, also when others came after it: whoever
            does not know whether it was kept before a crash may add it again.
    """

    session_key: str
    text: str
    calls: bool = False
    labels: Labels = field(default_factory=Labels)
    once: bool = False


@dataclass(frozen=True)
class Notices:
    """See `SystemNotices`."""

    database: ScheduleDatabase

    def add(self, notice: NewNotice) -> bool:
        """Keep a notice; False when it is dropped."""
        with self.database.writing():
            return keep_notice(self.database, notice)

    def waiting(self, session_key: str) -> tuple[SystemNotice, ...]:
        return self._those("session = ?", session_key)

    def calling(self, session_key: str) -> tuple[SystemNotice, ...]:
        """Those that the heartbeat should look after, oldest first."""
        return self._those("session = ? AND calls", session_key)

    def answered(self, session_key: str, through_id: int) -> None:
        """The heartbeat has looked after those up to this id; they still wait for the owner's
        next prompt."""
        with self.database.writing():
            self.database.do(
                "UPDATE notices SET calls = 0 WHERE session = ? AND id <= ?",
                session_key,
                through_id,
            )

    def seen(self, session_key: str, through_id: int) -> None:
        with self.database.writing():
            self.database.do(
                "DELETE FROM notices WHERE session = ? AND id <= ?", session_key, through_id
            )

    def _those(self, where: str, session_key: str) -> tuple[SystemNotice, ...]:
        query = f"SELECT id, at, text, untrusted, private FROM notices WHERE {where} ORDER BY id"
        with self.database.reading():
            return tuple(
                SystemNotice(
                    int(number or 0), int(at or 0), str(text), bool(untrusted), bool(private)
                )
                for number, at, text, untrusted, private in self.database.all(query, session_key)
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


def keep_notice(database: ScheduleDatabase, notice: NewNotice) -> bool:
    """Like `Notices.add`, inside `writing`."""
    line, key = " ".join(notice.text.split()), notice.session_key
    untrusted, private = notice.labels.untrusted, notice.labels.private
    waiting = database.all(
        "SELECT text, untrusted, private FROM notices WHERE session = ? ORDER BY id DESC LIMIT ?",
        *(key, MOST if notice.once else 1),
    )
    if not line or (line, untrusted, private) in map(tuple, waiting):
        return False
    database.do(
        "INSERT INTO notices (session, at, text, calls, untrusted, private)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        *(key, database.now_ms(), line, notice.calls, untrusted, private),
    )
    database.do(
        "DELETE FROM notices WHERE session = ? AND id <= (SELECT id FROM notices"
        " WHERE session = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
        *(key, key, MOST),
    )
    return True


def in_prompt(notices: tuple[SystemNotice, ...], here: tzinfo) -> str:
    """Notices as another conversation's prompt shows them, one a line; they go there as notices
    too, never in the user's role (rule R9)."""
    return "\n".join(
        f"[{_moment(one.at_ms, here):%Y-%m-%d %H:%M:%S}] {one.text}" for one in notices
    )


def _moment(milliseconds: int, here: tzinfo) -> datetime:
    return datetime.fromtimestamp(milliseconds // 1000, UTC).astimezone(here)
