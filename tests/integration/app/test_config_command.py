"""`moltbot-desktop config` as a person calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys


def config(home, *words):
    return subprocess.run(
        [sys.executable, "-m", "moltbot_desktop", "config", *words],
        env={**os.environ, "MOLTBOT_HOME": str(home), "LANG": "en_US.UTF-8", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_setting_is_written_and_read_and_a_wrong_one_is_refused(tmp_path):
    home = tmp_path / "home"
    assert config(home, "set", "agents.list[0]", "{ id: 'main', default: true }").returncode == 0
    assert json.loads(config(home, "get", "agents.list").stdout) == [
        {"id": "main", "default": True}
    ]
    wrong = config(home, "set", "ui.theme", "pink")
    assert wrong.returncode == 2
    assert "expected one of auto, light, dark" in wrong.stderr
    assert "Traceback" not in wrong.stderr
    assert (home / "moltbot.json").stat().st_mode & 0o777 == 0o600
