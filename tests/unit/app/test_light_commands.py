"""A command that looks at settings or lists answers in a shell at once: it brings no model in."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIGHT = (
    *("channels_command", "config_command", "cron_command", "hooks_command", "network_command"),
    *("permissions_command", "plugins_command", "sessions_command", "skills_command"),
    "undo_command",
)
LOOK = "import sys, moltbot_desktop.app.{name}; print(*sys.modules, sep='\\n')"


@pytest.mark.parametrize("name", LIGHT)
def test_it_brings_neither_llama_cpp_nor_the_assistant_in(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOOK.format(name=name)], capture_output=True, text=True, check=True
    )
    brought = set(done.stdout.splitlines())
    assert f"moltbot_desktop.app.{name}" in brought
    assert not brought & {"llama_cpp", "moltbot_desktop.app.made", "PySide6.QtWidgets"}
