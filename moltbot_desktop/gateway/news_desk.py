"""Brings the news of jobs to the owner: into the conversation, where they stay, and to the windows.

    desk = NewsDesk(News(database), desks, listeners.tell)
    desk.flush()            # whenever some may wait

What cannot be put into its conversation now, because another process has that open or the disk is
full, is told to the windows once and waits for the next time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from moltbot_desktop.core.errors import MoltbotError, StorageError
from moltbot_desktop.gateway.client import Notice, NoticeKind
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.schedule.news import News, WaitingNews

_log = logging.getLogger(__name__)


@dataclass
class NewsDesk:
    """Lives on the agent's event loop."""

    news: News
    desks: SessionDesks
    tell: Callable[[Notice], None]
    _seen: set[str] = field(default_factory=set)

    def flush(self) -> None:
        """Tell what waits."""
        try:
            waiting = self.news.waiting()
        except StorageError as error:
            _log.warning("news of jobs cannot be read: %s", error)
            return
        for one in waiting:
            try:
                self._keep(one)
            except MoltbotError as error:
                _log.warning("news of %s cannot be kept yet: %s", one.news.about, error)
            self._show(one)

    def _keep(self, one: WaitingNews) -> None:
        news = one.news
        transcript = self.desks.of(news.session_key).session.transcript
        transcript.append_news(one.id, news.about, news.text, serious=news.serious)
        self.news.told(one.id)

    def _show(self, one: WaitingNews) -> None:
        if one.id not in self._seen:
            self._seen.add(one.id)
            news = one.news
            self.tell(
                Notice(news.text, serious=news.serious, kind=NoticeKind.NEWS, title=news.about)
            )
