"""When a conversation is over, and when past ones go: `session.reset` and `session.retention`.

desks = SessionDesks(store, runner, lanes, clock, over_by(lambda: live.config), in_thread)
task = loop.create_task(keep_tidy(lambda: tidy_sessions(home, config.session, clock), in_thread))
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from moltbot_desktop.config.session import SessionConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.session_desks import IsOver
from moltbot_desktop.schedule.slots import zone
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.reset import is_over, reset_channel, reset_kind
from moltbot_desktop.sessions.store import SessionStore

_DAY_SECONDS = 86_400.0
_log = logging.getLogger(__name__)


def over_by(config: Callable[[], Config]) -> IsOver:
    """The rules of the settings as they are at that moment; hours are those of
    `agents.defaults.userTimezone`, of this computer where that is none."""

    def over(key: SessionKey, used: datetime, now: datetime) -> bool:
        settings, here = config(), now.tzinfo
        assert here is not None  # the clock promises it
        with contextlib.suppress(UserInputInvalid):
            here = zone(settings.agent.user_timezone or "", here)
        rules = settings.session.reset_for(reset_kind(key), reset_channel(key))
        return is_over(used, now.astimezone(here), rules)

    return over


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
