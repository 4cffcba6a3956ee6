"""Past conversations that were kept long enough go, as `session.retention` says.

task = loop.create_task(keep_tidy(lambda: tidy_sessions(home, config.session, clock), in_thread))
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from moltbot_desktop.config.session import SessionConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore

_DAY_SECONDS = 86_400.0
_log = logging.getLogger(__name__)


async def keep_tidy(tidy: Callable[[], int], in_thread: InThread) -> None:
    """Call `tidy` on a worker thread now and once a day, until cancelled."""
    while True:
        await in_thread(tidy)
        await asyncio.sleep(_DAY_SECONDS)


def tidy_sessions(home: Path, session: SessionConfig, clock: Clock) -> int:
    """Put conversations into the trash and empty it; how many were put there.

    Has a store of its own, so that any thread may call it: a conversation that is open is locked
    and left alone. What the disk refuses is for the next time.
    """
    if session.retention_days is None and not any(home.glob("agents/*/sessions/trash/*.jsonl")):
        return 0
    library = StoredSessions(SessionStore(home, clock), clock)
    try:
        put = library.tidy(session.retention_days, session.trash_days)
    except StorageError as error:
        _log.warning("past conversations were not tidied up: %s", error)
        return 0
    if put:
        _log.info("%d past conversations were put into the trash", put)
    return put
