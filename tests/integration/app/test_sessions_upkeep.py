"""Past conversations go when the settings say so, and never one that is in use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.app.sessions_upkeep import keep_tidy, tidy_sessions
from moltbot_desktop.config.session import SessionConfig
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId
from moltbot_desktop.sessions.keys import main_session_key
from moltbot_desktop.sessions.store import SessionStore

T = TypeVar("T")
MAIN = main_session_key(DEFAULT_AGENT)
DAY = 86_400


async def at_once(call: Callable[[], T]) -> T:
    return call()


def test_old_ones_go_while_another_of_their_key_is_open(tmp_path: Path) -> None:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    store = SessionStore(tmp_path, clock)
    for text in ("old", "open"):
        session = store.new(MAIN)
        session.transcript.append_user(text, RunId(text))
        clock.advance(1)
    clock.advance(50 * DAY)
    folder = tmp_path / "agents" / "main" / "sessions"
    assert tidy_sessions(tmp_path, SessionConfig(), clock) == 0
    assert not (tmp_path / "agents" / "search.sqlite").exists()
    assert tidy_sessions(tmp_path, SessionConfig(retention_days=30), clock) == 1
    assert [path.name for path in folder.glob("*.jsonl")] == [session.transcript.path.name]
    clock.advance(31 * DAY)
    tidy_sessions(tmp_path, SessionConfig(), clock)
    assert not list((folder / "trash").glob("*"))
    store.close(session)


def test_it_is_done_again_and_again_until_the_end(tmp_path: Path) -> None:
    async def scenario() -> int:
        calls: list[int] = []

        def tidy() -> int:
            calls.append(1)
            return 0

        keeping = asyncio.ensure_future(keep_tidy(tidy, at_once))
        await asyncio.sleep(0)
        keeping.cancel()
        await asyncio.wait([keeping])
        return len(calls)

    assert asyncio.run(scenario()) == 1
