"""Which conversations have been kept long enough. Pure; `StoredSessions.tidy` does it.

Off unless the person says so (``session.retention.days``). The one in which a key's next message
will land is never taken, however old; what is taken goes to the trash first.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from moltbot_desktop.sdk.sessions import SessionInfo, Shelf


def outlived(infos: Iterable[SessionInfo], now: datetime, days: int) -> tuple[SessionInfo, ...]:
    """Those of `infos` in which nothing was said for more than `days`. One whose time nobody
    knows is kept."""
    before = now - timedelta(days=days)
    return tuple(
        one
        for one in infos
        if one.shelf is not Shelf.DELETED
        and not one.current
        and (updated := _time(one.updated)) is not None
        and updated < before
    )


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None
