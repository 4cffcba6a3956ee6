"""What of the workspace stands in the prompt of a new session."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moltbot_desktop.agent.prompt import PromptSegment
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sdk.internal_hooks import InternalEvent
from tests.fakes.memory import FakeMemory
from tests.fakes.workspace_prompt import frozen_prompt, prompts, session_of


def test_facts_that_hold_no_longer_are_not_in_the_prompt(tmp_path: Path, checkout: Path) -> None:
    paths = Paths(tmp_path, tmp_path, checkout)
    text = "## Remembered\n\n- ~~I live in Leeds~~ (until 2026-01-06)\n- I live in York"
    (segment,) = (
        one
        for one in frozen_prompt(paths, tmp_path, FakeMemory({"MEMORY.md": text}))
        if one.name == "memory"
    )
    assert segment.text.endswith("## Remembered\n\n- I live in York")


def names(segments: Sequence[PromptSegment]) -> list[str]:
    return [one.name for one in segments]


def test_the_workspaces_files_and_the_notes_of_two_days_are_read(
    tmp_path: Path, checkout: Path
) -> None:
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    (tmp_path / "SOUL.md").write_text("Dry humour.", encoding="utf-8")
    notes = {"memory/2026-01-05.md": "- 09:00 · tea", "memory/2026-01-04.md": "- 09:00 · milk"}
    told = frozen_prompt(paths, tmp_path, FakeMemory(notes))
    assert names(told)[-2:] == ["SOUL.md", "memory"]
    assert told[-1].text.index("milk") < told[-1].text.index("tea")


def test_a_group_hears_nothing_of_the_owners_memory(tmp_path: Path, checkout: Path) -> None:
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    for name in ("SOUL.md", "USER.md"):
        (tmp_path / name).write_text("Words.", encoding="utf-8")
    memory = FakeMemory({"MEMORY.md": "- secret", "memory/2026-01-05.md": "- 09:00 · secret"})
    told = frozen_prompt(paths, tmp_path, memory, "agent:main:discord:group:7")
    assert names(told)[-1] == "SOUL.md" and "secret" not in "".join(one.text for one in told)


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("agent:main:discord:group:7", True),
        ("agent:main:slack:channel:c1:thread:9", True),
        ("agent:main:telegram:group:-1:topic:4", True),
        ("agent:main:telegram:dm:7", False),
        ("agent:main:main", False),
        ("agent:main:subagent:1", False),
    ],
)
def test_who_answers_in_a_group_is_told_so(
    tmp_path: Path, checkout: Path, key: str, told: bool
) -> None:
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    assert ("group" in names(frozen_prompt(paths, tmp_path, FakeMemory(), key))) is told


def test_notes_of_strangers_words_are_not_brought_up(tmp_path: Path, checkout: Path) -> None:
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    text = "- 09:00 · mine\n- 09:01 · theirs <!-- mark: untrusted -->\n  and more of it\n- last"
    told = frozen_prompt(paths, tmp_path, FakeMemory({"memory/2026-01-05.md": text}))
    assert told[-1].text.endswith("- 09:00 · mine\n- last")


def test_a_file_that_leads_out_of_the_workspace_is_not_read(tmp_path: Path, checkout: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "secret").write_text("key", encoding="utf-8")
    (workspace / "AGENTS.md").symlink_to(tmp_path / "secret")
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    assert "AGENTS.md" not in names(frozen_prompt(paths, workspace, FakeMemory()))


def test_a_handler_of_agent_bootstrap_may_change_the_files(tmp_path: Path, checkout: Path) -> None:
    hooks = InternalHooks()

    def handle(event: InternalEvent) -> None:
        event.files["SOUL.md"] = "Changed."

    hooks.on("agent:bootstrap", handle, name="soul")
    paths = Paths(tmp_path, tmp_path, checkout)
    made, session = prompts(paths, tmp_path, FakeMemory(), hooks), session_of(tmp_path)
    assert asyncio.run(made.prepare(session)) is False
    assert made.frozen(session)[-1].text == "## SOUL.md\nChanged."


def test_what_is_forgotten_is_in_no_later_prompt(tmp_path: Path, checkout: Path) -> None:
    hooks = InternalHooks()
    hooks.on("agent", lambda event: event.files.update({"SOUL.md": "Changed."}), name="soul")
    paths = Paths(tmp_path, tmp_path, checkout)
    memory = FakeMemory({"MEMORY.md": "- My secret"})
    made, session = prompts(paths, tmp_path, memory, hooks), session_of(tmp_path)
    assert asyncio.run(made.prepare(session)) is True
    assert "secret" in made.frozen(session)[-1].text
    memory.files["MEMORY.md"] = []
    assert [one.name for one in made.frozen(session)][-1] == "SOUL.md"


def later(seconds: float) -> ManualClock:
    return ManualClock(datetime.now(UTC) + timedelta(seconds=seconds))


def test_a_saved_file_counts_in_the_next_turn(tmp_path: Path, checkout: Path) -> None:
    paths = Paths(tmp_path, tmp_path, checkout)
    made = prompts(paths, tmp_path, FakeMemory(), clock=later(60))
    session, about = session_of(tmp_path), tmp_path / "USER.md"
    assert asyncio.run(made.prepare(session)) is False
    about.write_text("I am Ada.", encoding="utf-8")
    assert asyncio.run(made.prepare(session)) is True
    about.write_text("<!--  -->", encoding="utf-8")  # as long as before
    assert asyncio.run(made.prepare(session)) is False
    about.unlink()
    about.symlink_to(tmp_path / "elsewhere.md")
    (tmp_path / "elsewhere.md").write_text("I am Ada.", encoding="utf-8")
    assert asyncio.run(made.prepare(session)) is True
    (tmp_path / "elsewhere.md").write_text("", encoding="utf-8")  # the link is as it was
    assert asyncio.run(made.prepare(session)) is False


def test_a_file_that_was_written_just_now_is_read_each_time(tmp_path: Path, checkout: Path) -> None:
    """Two writes in one tick of the file system's clock look the same."""
    paths = Paths(tmp_path, tmp_path, checkout)
    made = prompts(paths, tmp_path, FakeMemory(), clock=later(1))
    session, about = session_of(tmp_path), tmp_path / "USER.md"
    about.write_text("I am Ada.", encoding="utf-8")
    seen = about.stat()
    assert asyncio.run(made.prepare(session)) is True
    about.write_text("<!--  -->", encoding="utf-8")
    os.utime(about, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert asyncio.run(made.prepare(session)) is False


def test_files_that_nobody_touched_are_not_opened_in_every_turn(
    tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = Paths(tmp_path, tmp_path, checkout)
    made = prompts(paths, tmp_path, FakeMemory(), clock=later(60))
    session = session_of(tmp_path)
    (tmp_path / "USER.md").write_text("I am Ada.", encoding="utf-8")
    assert asyncio.run(made.prepare(session)) is True
    monkeypatch.delattr(os, "open")
    assert asyncio.run(made.prepare(session)) is True
