"""A command that looks at settings or lists answers in a shell at once: it brings no model in."""

from __future__ import annotations

import subprocess
import sys

LIGHT = (
    *("channels_command", "config_command", "cron_command", "hooks_command", "network_command"),
    *("permissions_command", "plugins_command", "sessions_command", "skills_command"),
    "undo_command",
)
LOOK = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(f"moltbot_desktop.app.{name}")
    heavy = {"llama_cpp", "moltbot_desktop.app.made", "PySide6.QtWidgets"} & sys.modules.keys()
    if heavy:
        sys.exit(f"{name} brings in {heavy}")
print("looked at", len(sys.argv) - 1)
"""


def test_they_bring_neither_llama_cpp_nor_the_assistant_in() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOOK, *LIGHT], capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout) == ("", f"looked at {len(LIGHT)}\n")
