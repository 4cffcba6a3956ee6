"""AGENTS.md and its like: put into a workspace when they are asked for, and cost nothing empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.agent.bootstrap import OWNER_FILES, bootstrap_segments
from moltbot_desktop.app.agents_command import seed_workspace
from moltbot_desktop.core.i18n import Language


@pytest.mark.parametrize("language", Language)
def test_the_templates_are_files_that_are_read_and_say_nothing_yet(
    checkout: Path, language: Language
) -> None:
    templates = checkout / "resources" / "workspace" / language.value
    texts = {path.name: path.read_text(encoding="utf-8") for path in templates.glob("*.md")}
    assert set(texts) == set(OWNER_FILES) - {"BOOTSTRAP.md"}
    assert bootstrap_segments(texts, window=131_072, most_characters=20_000) == ()


def test_what_is_there_is_never_touched(tmp_path: Path, checkout: Path) -> None:
    (tmp_path / "SOUL.md").write_text("Mine.", encoding="utf-8")
    templates = checkout / "resources" / "workspace" / "en"
    first = seed_workspace(templates, tmp_path)
    assert "AGENTS.md" in first.made and first.kept == ("SOUL.md",)
    assert (tmp_path / "SOUL.md").read_text(encoding="utf-8") == "Mine."
    second = seed_workspace(templates, tmp_path)
    assert second.made == () and len(second.kept) == len(first.made) + 1
