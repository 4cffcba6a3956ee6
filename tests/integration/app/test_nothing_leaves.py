"""The program as it comes, in a network with nothing in it: it does not try to reach anybody."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONNECT = re.compile(r"(?:connect|sendto|sendmsg)\([^)]*sa_family=(AF_INET6?)[^)]*\)")
TRIED = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"


def recorded(command: list[str], said: str, home: Path, checkout: Path) -> tuple[str, str]:
    """What `command` printed, and its calls to the network, in an empty network namespace."""
    for needed in ("strace", "unshare"):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    trace = home.parent / "trace"
    walls = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*walls, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no network namespace can be made here")
    watch = ["strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(trace)]
    if subprocess.run([*walls, *watch, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no process can be traced here")
    environ = {
        name: value
        for name, value in os.environ.items()
        if name in ("PATH", "LANG", "LD_LIBRARY_PATH")
    }
    environ |= {"HOME": str(home.parent), "MOLTBOT_HOME": str(home), "PYTHONPATH": str(checkout)}
    environ |= {"QT_QPA_PLATFORM": "offscreen", "LANG": "C.UTF-8"}
    done = subprocess.run(
        [*walls, *watch, *command],
        input=said,
        capture_output=True,
        text=True,
        timeout=110,
        env=environ,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, trace.read_text(encoding="utf-8", errors="replace")


def test_the_recorder_sees_an_attempt(tmp_path: Path, checkout: Path) -> None:
    probe = f"try:\n    {TRIED}\nexcept OSError:\n    pass"
    _, calls = recorded([sys.executable, "-c", probe], "", tmp_path / "home", checkout)
    assert CONNECT.search(calls)


@pytest.mark.slow
def test_start_talk_and_end_reach_for_nobody(tmp_path: Path, checkout: Path) -> None:
    said = "What is 17 * 12?\nremember that my dentist is Dr. Lee\nwho is my dentist?\n/network\n"
    command = [sys.executable, "-m", "moltbot_desktop", "chat"]
    home = tmp_path / "home"
    told, calls = recorded(command, said, home, checkout)
    assert "204" in told
    assert "Nothing has left this computer today." in told
    assert CONNECT.findall(calls) == []
    assert not (home / "network.sqlite").exists()
