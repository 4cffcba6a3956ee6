"""`--live`: what runs with it, and what it says without accounts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.live.conftest import LIVE


def asked(checkout: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """pytest in a process of its own, without anybody's accounts."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MOLTBOT_LIVE_")}
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--basetemp={folder}/t"]
    return subprocess.run(
        [*argv, *options],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def test_without_accounts_everything_is_skipped_and_says_what_is_missing(
    checkout: Path, tmp_path: Path
) -> None:
    done = asked(checkout, tmp_path, "--live", ",".join(LIVE))
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" not in done.stdout and " failed" not in done.stdout
    for name in ("TELEGRAM_TOKEN", "DISCORD_TOKEN", "SLACK_BOT_TOKEN", "MATTERMOST_URL"):
        assert f"MOLTBOT_LIVE_{name}" in done.stdout, name
    assert "bots do not see what bots write" in done.stdout
    assert "MOLTBOT_LIVE_MATRIX_SERVER" in done.stdout or "“matrix” is not" in done.stdout


def test_a_name_that_nothing_is_written_for_is_refused(checkout: Path, tmp_path: Path) -> None:
    done = asked(checkout, tmp_path, "--live", "telegramm")
    assert done.returncode != 0
    assert "no live run is written for telegramm" in done.stdout + done.stderr


def test_without_the_option_nothing_of_it_is_looked_at(checkout: Path, tmp_path: Path) -> None:
    done = asked(checkout, tmp_path, "--collect-only", "-q", "tests/live")
    assert "::" not in done.stdout, done.stdout
