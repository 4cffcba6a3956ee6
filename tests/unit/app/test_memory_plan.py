"""The settings become what memory looks through."""

from pathlib import Path

from moltbot_desktop.app.memory_plan import memory_plan
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.tools.missing import missing_tools

HOME, WORKSPACE = Path("/home/anna"), Path("/home/anna/.moltbot/workspace")


def test_without_settings_the_plan_is_the_default() -> None:
    assert memory_plan(MemoryConfig(), WORKSPACE, HOME) == MemoryPlan()


def test_paths_are_made_absolute_and_counted_once() -> None:
    written = ("~/notes", "docs/../team", "/srv/x.md", "/home/anna/notes/", "~")
    plan = memory_plan(MemoryConfig(extra_paths=written), WORKSPACE, HOME)
    assert plan.extra_paths == (HOME / "notes", WORKSPACE / "team", Path("/srv/x.md"), HOME)


def test_every_setting_arrives() -> None:
    config = MemoryConfig(
        enabled=False,
        sources=("sessions",),
        chunk_tokens=100,
        cache_enabled=False,
        sync_on_search=False,
        session_delta_bytes=1,
        session_delta_messages=2,
    )
    assert memory_plan(config, WORKSPACE, HOME) == MemoryPlan(
        enabled=False,
        notes=False,
        conversations=True,
        chunk_tokens=100,
        chunk_overlap=20,
        cached_vectors=0,
        sync_on_search=False,
        conversation_bytes=1,
        conversation_messages=2,
    )


def test_a_memory_that_is_off_has_no_tools_and_says_so() -> None:
    off = missing_tools(memory=False)
    assert {"memory_store", "memory_search", "memory_get"} <= off.keys()
    assert not any(name.startswith("memory") for name in missing_tools())
