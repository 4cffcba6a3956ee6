"""apply_patch is offered where the settings say so, to the models that they name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from moltbot_desktop.app.tool_policies import ToolPolicies
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.ids import AgentId, SessionKey


@pytest.mark.parametrize(
    ("settings", "model", "offered"),
    [
        ("{}", "lab/gpt-5", False),
        ("{ enabled: true }", "lab/gpt-5", True),
        ("{ enabled: true, allowModels: ['GPT-5'] }", "lab/gpt-5", True),
        ("{ enabled: true, allowModels: ['lab/gpt-5'] }", "lab/gpt-5", True),
        ("{ enabled: true, allowModels: ['gpt-5'] }", "lab/qwen3-8b", False),
        ("{ enabled: true, allowModels: ['gpt-5'] }", "", False),
    ],
)
def test_patches_are_offered_as_the_settings_say(
    tmp_path: Path, settings: str, model: str, offered: bool
) -> None:
    (tmp_path / "moltbot.json").write_text(f"{{ tools: {{ exec: {{ applyPatch: {settings} }} }} }}")
    config = load_config(tmp_path).config
    tools: Sequence[str] = ("edit", "apply_patch")
    allowed = ToolPolicies(lambda: config, AgentId("main")).allowed(
        tools, SessionKey("agent:main:main"), model
    )
    assert allowed == (frozenset(tools) if offered else {"edit"})
