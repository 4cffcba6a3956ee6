"""The assistant put together keeps its memory fresh while it runs, and lets go at its end."""

import asyncio
import threading
from pathlib import Path

import apsw
import pytest

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT
from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.security.policy import Presence

NOTE = "memory/kept.md"
PATIENCE = 30.0


@pytest.fixture
def paths(tmp_path: Path, checkout: Path) -> Paths:
    return Paths(tmp_path / ".moltbot", tmp_path, checkout)


def indexed(paths: Paths) -> list[str]:
    """The notes that the index on the disk has."""
    path = current_index(paths.memory_index(DEFAULT_AGENT))
    if not path.exists():
        return []
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [str(row[0]) for row in connection.execute("SELECT path FROM files")]
    except apsw.Error:  # it is just being made
        return []
    finally:
        connection.close()


async def run_and_save(paths: Paths, presence: Presence) -> set[str]:
    """Runs the assistant and saves a note meanwhile; names of the threads that were there."""
    options = AssistantOptions(Language.ENGLISH, presence=presence)
    async with open_assistant(paths, load_config(paths.home), SystemClock(), options):
        (paths.default_workspace / "memory").mkdir(exist_ok=True)
        (paths.default_workspace / NOTE).write_text("The garage is green\n")
        names = {thread.name for thread in threading.enumerate()}
        for _ in range(int(PATIENCE / 0.05) if "watch" in names else 0):
            if NOTE in indexed(paths):
                break
            await asyncio.sleep(0.05)
    return names


def test_a_note_saved_while_it_runs_is_in_the_index_without_a_search(paths: Paths) -> None:
    paths.home.mkdir()
    paths.config.write_text(
        '{"agents": {"defaults": {"memorySearch": {"sync": {"watchDebounceMs": 50}}}}}'
    )
    names = asyncio.run(run_and_save(paths, Presence.PRESENT))
    assert {"watch", "memory-keeper"} <= names
    assert NOTE in indexed(paths)


@pytest.mark.parametrize("settings", ['{"enabled": false}', "{}"])
def test_switched_off_or_for_a_script_nothing_is_kept(paths: Paths, settings: str) -> None:
    paths.home.mkdir()
    paths.config.write_text(f'{{"agents": {{"defaults": {{"memorySearch": {settings}}}}}}}')
    presence = Presence.SCRIPT if settings == "{}" else Presence.PRESENT
    names = asyncio.run(run_and_save(paths, presence))
    assert not {"watch", "memory-keeper"} & names
