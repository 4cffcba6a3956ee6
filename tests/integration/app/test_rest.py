"""A home that wants nothing lets the desktop program rest; whatever wants something does not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.rest import rest_of
from moltbot_desktop.app.schedule import open_schedule
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.rpc.door import Door, socket_path
from moltbot_desktop.qt.resting import Rest
from moltbot_desktop.schedule.news import NewNews
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.schedule import Every, JobDraft, SystemEvent

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture
def paths(tmp_path: Path, checkout: Path) -> Paths:
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    paths.home.mkdir()
    return paths


@pytest.fixture
def look(paths: Paths) -> Iterator[Callable[[], Rest | None]]:
    """What a start finds; its door is closed again."""
    doors = []

    def look() -> Rest | None:
        doors.append(Door(socket_path(paths.home)))
        return rest_of(paths, load_config(paths.home, environment={}), doors[-1])

    yield look
    for door in doors:
        door.close()


def say(paths: Paths, settings: object) -> None:
    paths.config.write_text(json.dumps(settings), "utf-8")


def remind(paths: Paths) -> None:
    store = ReminderStore(paths.state_database, ManualClock(NOW))
    store.add(NOW + timedelta(hours=1), "call Anna")
    store.close()


def plan(paths: Paths) -> None:
    loaded = load_config(paths.home, environment={})
    schedule = open_schedule(paths, lambda: loaded.config, ManualClock(NOW))
    schedule.book.add(JobDraft("news", Every(3_600_000), SystemEvent("what is new?")))
    schedule.close()


def leave_news(paths: Paths) -> None:
    loaded = load_config(paths.home, environment={})
    schedule = open_schedule(paths, lambda: loaded.config, ManualClock(NOW))
    schedule.news.add(NewNews(SessionKey("agent:main:main"), "news", "Much.", serious=False))
    schedule.close()


def write(name: str, text: str = "{}") -> Callable[[Paths], None]:
    def write(paths: Paths) -> None:
        file = paths.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    return write


LOUD: tuple[Callable[[Paths], None], ...] = (
    remind,
    plan,
    leave_news,
    write("standby.json"),
    write("network.seal"),
    write("cron/jobs.json"),
    write("workspace/HEARTBEAT.md", "Look at the oven."),
    write("state.sqlite", "no database at all, which somebody has to be told"),
)


def use_it(paths: Paths) -> None:
    """All that a home has which was used and wants nothing now."""
    remind(paths)
    store = ReminderStore(paths.state_database, ManualClock(NOW))
    for one in store.pending():
        store.cancel(one.id)
    store.close()
    loaded = load_config(paths.home, environment={})
    open_schedule(paths, lambda: loaded.config, ManualClock(NOW)).close()
    for name in ("HEARTBEAT.md", "MEMORY.md"):
        ours = paths.resources / "workspace" / "zh" / name
        text = ours.read_text("utf-8") if ours.exists() else "x"
        write(f"workspace/{name}", text)(paths)
    say(paths, {"ui": {"theme": "dark"}, "agents": {"defaults": {"userTimezone": "Asia/Tokyo"}}})


@pytest.mark.parametrize("home", [lambda _: None, use_it])
def test_a_home_that_wants_nothing_is_left_alone(
    paths: Paths, look: Callable[[], Rest | None], home: Callable[[Paths], None]
) -> None:
    home(paths)
    rest = look()
    assert rest is not None and rest.goes_on()


@pytest.mark.parametrize("wants", LOUD)
def test_what_has_to_be_done_keeps_it_awake(
    paths: Paths, look: Callable[[], Rest | None], wants: Callable[[Paths], None]
) -> None:
    wants(paths)
    assert look() is None


@pytest.mark.parametrize("wants", LOUD)
def test_what_comes_to_be_done_wakes_it(
    paths: Paths, look: Callable[[], Rest | None], wants: Callable[[Paths], None]
) -> None:
    use_it(paths)
    rest = look()
    assert rest is not None
    wants(paths)
    assert not rest.goes_on()


@pytest.mark.parametrize(
    "settings",
    [
        {"channels": {"telegram": {"enabled": True, "botToken": "x"}}},
        {"plugins": {"entries": {"weather": {"enabled": True}}}},
        {"hooks": {"internal": {"enabled": True}}},
        {"gateway": {"http": {"endpoints": {"chatCompletions": {"enabled": True}}}}},
        {"mcp": {"servers": {}}},
        {"agents": {"list": [{"id": "work"}]}},
        {"agents": {"defaults": {"heartbeat": {"every": "5m"}}}},
        {"agents": {"defaults": {"workspace": "~/notes"}}},
        {"ui": {"theme": "mauve"}},
        {"something": "new"},
    ],
)
def test_settings_by_which_something_may_begin_keep_it_awake(
    paths: Paths, look: Callable[[], Rest | None], settings: object
) -> None:
    say(paths, settings)
    assert look() is None


def test_changed_settings_wake_it_whatever_they_say(
    paths: Paths, look: Callable[[], Rest | None]
) -> None:
    rest = look()
    assert rest is not None
    say(paths, {"ui": {"theme": "dark"}})
    assert not rest.goes_on()


def test_what_wants_nothing_changes_nothing(paths: Paths, look: Callable[[], Rest | None]) -> None:
    use_it(paths)
    rest = look()
    assert rest is not None
    write("workspace/MEMORY.md", "The dentist is Dr Wang.")(paths)
    (paths.home / "agents").mkdir()
    use_it_again = ReminderStore(paths.state_database, ManualClock(NOW))
    cancelled = use_it_again.add(NOW + timedelta(hours=2), "call Ben")
    use_it_again.cancel(cancelled.id)
    assert rest.goes_on()
    use_it_again.close()
    assert rest.goes_on()


def test_looking_into_the_books_is_no_change(paths: Paths, look: Callable[[], Rest | None]) -> None:
    use_it(paths)
    rest = look()
    assert rest is not None and rest.goes_on()
    before = {one.name: one.stat().st_mtime_ns for one in paths.home.iterdir()}
    assert rest.goes_on()
    assert {one.name: one.stat().st_mtime_ns for one in paths.home.iterdir()} == before


def test_one_that_is_there_already_keeps_it_awake(
    paths: Paths, look: Callable[[], Rest | None]
) -> None:
    assert look() is not None
    assert look() is None, "the assistant tells of the other one"


def test_all_that_it_looks_at_is_watched(paths: Paths, look: Callable[[], Rest | None]) -> None:
    use_it(paths)
    rest = look()
    assert rest is not None
    watched = set(rest.places)
    for name in ("moltbot.json", "standby.json", "state.sqlite-wal", "cron/jobs.json"):
        assert {paths.home / name, (paths.home / name).parent} & watched, name
