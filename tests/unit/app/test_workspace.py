"""What of MEMORY.md stands in every prompt."""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import frozen_prompt
from tests.fakes.memory import FakeMemory


def test_facts_that_hold_no_longer_are_not_in_the_prompt(tmp_path: Path, checkout: Path) -> None:
    paths = Paths(tmp_path, tmp_path, checkout)
    text = "## Remembered\n\n- ~~I live in Leeds~~ (until 2026-01-06)\n- I live in York"
    (segment,) = (
        one
        for one in frozen_prompt(paths, tmp_path, FakeMemory({"MEMORY.md": text}))
        if one.name == "memory"
    )
    assert segment.text.endswith("## Remembered\n\n- I live in York")
