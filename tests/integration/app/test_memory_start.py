"""What `memory search` loads: it is over sooner than the assistant would be there.

Time is told by tests/bench; here modules are counted, which no busy machine changes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

FOREIGN = (
    "PySide6",
    "openai",
    "httpx2",
    "moltbot_desktop.agent.runner",
    "moltbot_desktop.app.assistant",
    "moltbot_desktop.app.chat_setup",
    "moltbot_desktop.app.memory_actions",
    "moltbot_desktop.memory.inbox",
    "moltbot_desktop.gateway.front_desk",
    "moltbot_desktop.models.chat",
    "moltbot_desktop.models.template",
    "moltbot_desktop.ui.main_window",
)
SEARCH = """
import sys
from moltbot_desktop.app.main import main
assert main(["memory", "search", "dentist"]) == 0
print(*sorted(sys.modules), file=sys.stderr)
"""


@pytest.fixture
def loaded(tmp_path: Path) -> set[str]:
    """Names of the modules that a search in a fresh process had loaded."""
    notes = tmp_path / "home" / "workspace" / "memory"
    notes.mkdir(parents=True)
    (notes / "2026-01-05.md").write_text("- My dentist is Dr. Okafor\n")
    environment = {"MOLTBOT_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", SEARCH],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Okafor" in done.stdout, done.stderr
    return set(done.stderr.splitlines()[-1].split())


def test_a_search_in_the_shell_loads_no_assistant_no_chat_model_and_no_window(
    loaded: set[str],
) -> None:
    assert "moltbot_desktop.memory.engine" in loaded
    assert [name for name in FOREIGN if name in loaded] == []
