"""The assistant's hands never press the assistant's own windows; the owner's do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.desktop.driver import missing_programs, virtual_desktop, wait_until

MISSING = [
    *missing_programs(),
    *(one for one in ("xterm",) if shutil.which(one) is None),
]
pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(bool(MISSING), reason=f"needs {MISSING}"),
]


def test_a_card_takes_the_owners_click_and_none_of_ours(tmp_path: Path, checkout: Path) -> None:
    with virtual_desktop(tmp_path, tray=False) as desktop:
        desktop.environment["PYTHONPATH"] = str(checkout)
        other = subprocess.Popen(
            ["xterm", "-geometry", "40x10+700+600"],
            env=desktop.environment,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until(lambda: desktop.answers("search", "--class", "xterm"), "another program")
            done = subprocess.run(
                [sys.executable, "-m", "tests.fakes.screen_owner", str(tmp_path)],
                env=desktop.environment,
                capture_output=True,
                text=True,
                timeout=110,
                check=False,
            )
        finally:
            other.kill()
            other.wait()
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == [
        "listed False",
        "owner True",
        "refused own",
        "refused changed",
        "hands done",
        "answered",
        "owner done",
        "",
    ]
