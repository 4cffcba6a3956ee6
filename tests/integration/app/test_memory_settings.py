"""What `agents.defaults.memorySearch` says is what the memory commands do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    docs = tmp_path / "home" / "workspace" / "docs"
    docs.mkdir(parents=True)
    (docs / "trip.md").write_text("- the ferry leaves at nine\n")
    return tmp_path / "home"


def memory(home: Path, *words: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """`memory WORDS...` as a person types it, with these settings."""
    file = {"agents": {"defaults": {"memorySearch": settings}}}
    (home / "moltbot.json").write_text(json.dumps(file))
    argv = [sys.executable, "-m", "moltbot_desktop", "memory", *words]
    environment = {"MOLTBOT_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def test_an_extra_path_is_searched(home: Path) -> None:
    assert "trip.md" not in memory(home, "search", "ferry").stdout
    assert "docs/trip.md:1" in memory(home, "search", "ferry", extraPaths=["docs"]).stdout


def test_memory_that_is_off_says_so(home: Path) -> None:
    assert "switched off" in memory(home, "status", enabled=False).stdout


def test_a_broken_setting_is_told(home: Path) -> None:
    told = memory(home, "status", chunking={"tokens": 50, "overlap": 50}).stderr
    assert "chunking.overlap: expected less than chunking.tokens" in told
