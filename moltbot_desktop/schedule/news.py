"""News of what went on without the person, kept until their conversation has them.

    keep_news(database, NewNews(key, "brief", "Two meetings today."))    # inside `writing`
    for one in news.waiting():
        ...                         # into the transcript, and to the windows
        news.told(one.id)

They are written in the transaction that they are about (a run's end, times that were missed), so
whatever moment the program ends at, they are told once it runs again. Twenty thousand characters
of one are kept; the job's own conversation has the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.schedule.database import ScheduleDatabase

_LONGEST = 20_000


@dataclass(frozen=True)
class NewNews:
    """Something to tell.

    Attributes:
        session_key: the conversation in which it stands from then on.
        about: whose news it is, in a few words: a job's name.
        text: says all by itself.
        serious: something went wrong.
    """

    session_key: SessionKey
    about: str
    text: str
    serious: bool = False


@dataclass(frozen=True)
class WaitingNews:
    """News nobody was told yet; `id` is random, and that of its entry in the transcript."""

    id: str
    news: NewNews


@dataclass(frozen=True)
class News:
    """All that wait. Thread-safe; every call touches disk and may raise StorageError."""

    database: ScheduleDatabase

    def add(self, news: NewNews) -> None:
        with self.database.writing():
            keep_news(self.database, news)

    def waiting(self) -> tuple[WaitingNews, ...]:
        """Oldest first."""
        query = "SELECT id, session, about, text, serious FROM news ORDER BY number"
        with self.database.reading():
            return tuple(
                WaitingNews(
                    str(one),
                    NewNews(SessionKey(str(session)), str(about), str(text), bool(serious)),
                )
                for one, session, about, text, serious in self.database.all(query)
            )

    def told(self, news_id: str) -> None:
        """They stand in their conversation."""
        with self.database.writing():
            self.database.do("DELETE FROM news WHERE id = ?", news_id)


def keep_news(database: ScheduleDatabase, news: NewNews) -> None:
    """Like `News.add`, inside `writing`."""
    database.do(
        "INSERT INTO news (session, about, text, serious) VALUES (?, ?, ?, ?)",
        *(news.session_key, news.about, news.text[:_LONGEST], news.serious),
    )
