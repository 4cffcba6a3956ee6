"""Past conversations go when the settings say so, and never one that is in use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.app.sessions_upkeep import keep_tidy, over_by, tidy_sessions
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.session import ResetConfig, SessionConfig
from moltbot_desktop.config.settings import Config
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


def test_the_day_ends_at_four_where_the_person_is() -> None:
    """At 4 in Shanghai it is 20 o'clock of the day before in UTC, which this computer shows."""
    evening, later = (datetime(2026, 3, 1, hour, 30, tzinfo=UTC) for hour in (19, 20))
    for named, over in (("Asia/Shanghai", True), (None, False), ("Nowhere/Land", False)):
        config = Config(agent=AgentConfig(user_timezone=named))
        assert over_by(partial(_same, config))(MAIN, evening, later) is over, named


def _same(config: Config) -> Config:
    return config


def test_rules_that_change_while_it_runs_hold_for_the_next_message() -> None:
    settings = [Config(), Config(session=SessionConfig(reset=ResetConfig("idle", 4, 10)))]
    ends = over_by(lambda: settings[0])
    then, soon = (datetime(2026, 3, 1, 12, minute, tzinfo=UTC) for minute in (0, 11))
    assert not ends(MAIN, then, soon)
    del settings[0]
    assert ends(MAIN, then, soon)
