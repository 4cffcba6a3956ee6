"""Walls hold, or do not count: tried from inside, and by killing whoever asked for them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.security.sandbox.attempts import attempts
from moltbot_desktop.security.sandbox.bubblewrap import bubblewrap_words
from moltbot_desktop.security.sandbox.family import Allowance
from moltbot_desktop.security.sandbox.landlock import LEAST_ABI, abi
from moltbot_desktop.security.sandbox.order import NO_WALLS, Order, Stage
from moltbot_desktop.security.sandbox.probe import probe, tried
from moltbot_desktop.security.sandbox.seatbelt import seatbelt_profile
from moltbot_desktop.security.sandbox.seccomp import can_filter, filter_for
from moltbot_desktop.security.sandbox.starting import started
from moltbot_desktop.security.sandbox.walls import Backend, Walls

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")
BWRAP = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")


def test_no_walls_are_seen_to_be_none() -> None:
    assert tried(Backend.NONE, "")


@pytest.mark.skipif(not can_filter() or abi() < LEAST_ABI, reason="no Landlock here")
def test_landlock_lets_nothing_through() -> None:
    assert tried(Backend.LANDLOCK, "") == ""


@pytest.mark.skipif(not can_filter() or BWRAP is None, reason="no bubblewrap here")
def test_bubblewrap_lets_nothing_through_or_is_not_used() -> None:
    """A container may forbid what it needs; then the probe says so instead of using it."""
    problem = tried(Backend.BUBBLEWRAP, BWRAP or "")
    found = probe()
    assert (found.backend is Backend.BUBBLEWRAP) == (problem == "")
    if problem:
        assert problem in found.reason


def test_a_builder_that_is_not_there_is_a_reason() -> None:
    assert tried(Backend.BUBBLEWRAP, "/nonexistent/bwrap")


def test_each_attempt_would_get_through_without_walls(tmp_path: Path) -> None:
    """An attempt that always fails would prove nothing about walls."""
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    folder.mkdir()
    (folder / "out").symlink_to(outside)
    secret = outside / "secret"
    given: dict[str, JsonValue] = {
        "outside": str(outside),
        "folder": str(folder),
        "port": 9,
        "socket": "",
        "parent": os.getpid(),
        "answer": "",
    }
    alone = {"tcp", "unix socket", "trace", "new user"}  # need somebody else, or end the test
    for name, attempt in attempts(given).items():
        secret.write_text("secret", encoding="utf-8")
        if name not in alone:
            assert attempt() is not False, name


def test_what_cannot_be_hidden_is_known(tmp_path: Path) -> None:
    inside = Walls(Backend.LANDLOCK, tmp_path, tmp_path, hidden=(tmp_path / ".ssh",))
    assert not inside.can_hide()
    assert Walls(Backend.LANDLOCK, tmp_path / "a", tmp_path, hidden=inside.hidden).can_hide()
    assert Walls(Backend.BUBBLEWRAP, tmp_path, tmp_path, hidden=inside.hidden).can_hide()
    assert not Walls(Backend.NONE, tmp_path, tmp_path).can_hide()


def test_bubblewrap_is_told_to_hide_what_lies_in_an_opened_folder_only() -> None:
    home = Path("/home/a")
    hidden = (home / ".ssh", Path("/elsewhere"))
    walls = Walls(Backend.BUBBLEWRAP, home, Path("/tmp/s"), hidden=hidden)
    words = bubblewrap_words("bwrap", walls, 5)
    assert words[words.index("--tmpfs") + 1] == "/home/a/.ssh"
    assert "/elsewhere" not in words
    assert "--share-net" not in words
    assert words[-3:] == ["--seccomp", "5", "--"]
    assert words.index("--tmpfs") > words.index("/home/a")


def test_the_profile_for_macos_closes_the_internet_and_writes_names_safely() -> None:
    walls = Walls(Backend.SEATBELT, Path('/a"b'), Path("/s"), hidden=(Path('/a"b/.ssh'),))
    profile = seatbelt_profile(walls)
    assert "network" not in profile
    assert '(subpath "/a\\"b")' in profile
    assert profile.splitlines()[-1].startswith("(deny file-read*")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_filters_jump_forward_and_end_with_an_answer(
    machine: str, network: bool, strict: bool
) -> None:
    rows = filter_for(network=network, strict=strict, machine=machine)
    table = [rows[at : at + 8] for at in range(0, len(rows), 8)]
    for place, row in enumerate(table):
        code, yes, no = int.from_bytes(row[:2], sys.byteorder), row[2], row[3]
        if code in (0x15, 0x35, 0x45):
            assert max(yes, no) + place + 1 < len(table)
    assert int.from_bytes(table[-1][:2], sys.byteorder) == 0x06


def test_nothing_is_started_without_its_walls(tmp_path: Path) -> None:
    walls = Walls(Backend.BUBBLEWRAP, tmp_path, tmp_path)
    stage = Stage(";", (("/bin/sh", "-c", "echo x > x"),))
    child = started(lambda line: Order((stage,), tmp_path, walls, line, "/nonexistent"), {})
    with child.process as process, child:
        process.communicate(timeout=20)
    assert process.returncode == NO_WALLS
    assert not list(tmp_path.iterdir())


def _carried_out(program: str, folder: Path, allowance: Allowance) -> tuple[int, bytes]:
    """Status and output of Python's `program` without walls."""
    stage = Stage(";", ((sys.executable, "-I", "-S", "-c", program),))
    walls = Walls(Backend.NONE, folder, folder)
    child = started(
        lambda line: Order((stage,), folder, walls, line, allowance=allowance), dict(os.environ)
    )
    with child.process as process, child:
        output, _ = process.communicate(timeout=60)
    return process.returncode, output


@pytest.mark.skipif(sys.platform != "linux", reason="the family is read from /proc")
def test_a_program_that_multiplies_is_ended_with_all_it_started(tmp_path: Path) -> None:
    """Each child leaves for a session of its own, as a bomb's does; root has no other limit."""
    bomb = (
        "import os, time\n"
        "for _ in range(40):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        os.execv('/bin/sleep', ['sleep', '315'])\n"
        "time.sleep(60)\n"
    )
    status, output = _carried_out(bomb, tmp_path, Allowance(processes=20))
    assert status == 128 + signal.SIGKILL
    assert output == b"\nended: more than 20 processes at once\n"
    assert not _sleepers()


@pytest.mark.skipif(sys.platform != "linux", reason="the family is read from /proc")
def test_memory_is_counted_of_all_together(tmp_path: Path) -> None:
    eaters = (
        "import os, time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        much = b'x' * 30_000_000\n"
        "        time.sleep(60)\n"
        "time.sleep(60)\n"
    )
    status, output = _carried_out(eaters, tmp_path, Allowance(memory=100_000_000))
    assert status == 128 + signal.SIGKILL and b"GB of memory" in output
    status, output = _carried_out("print('done')", tmp_path, Allowance())
    assert (status, output) == (0, b"done\n")


@pytest.mark.skipif(sys.platform != "linux", reason="the family is read from /proc")
def test_what_left_the_group_is_ended_where_the_launcher_is_halted(tmp_path: Path) -> None:
    words = ("/bin/sh", "-c", "(setsid sleep 315 &) ; echo up; sleep 315")
    walls = Walls(Backend.NONE, tmp_path, tmp_path)
    stage = Stage(";", (words,))
    child = started(lambda line: Order((stage,), tmp_path, walls, line), dict(os.environ))
    with child.process as process, child:
        assert process.stdout is not None and process.stdout.readline() == b"up\n"
        while len(_sleepers()) < 2:
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        child.end_hard()
        process.wait(60)
    for _ in range(1_500):
        if not _sleepers():
            return
        time.sleep(0.02)
    raise AssertionError("they live on")


_HOST = """
import sys, time
from pathlib import Path
from moltbot_desktop.security.sandbox.family import Allowance
from moltbot_desktop.security.sandbox.order import Order, Stage
from moltbot_desktop.security.sandbox.starting import started
from moltbot_desktop.security.sandbox.walls import Backend, Walls
here = Path(sys.argv[1])
stage = Stage(";", (("/bin/sh", "-c", "(setsid sleep 315 &) ; echo up; sleep 315"),))
child = started(lambda line: Order((stage,), here, Walls(Backend.NONE, here, here), line), {})
child.process.stdout.readline()
print("up", flush=True)
time.sleep(60)
"""


def test_what_it_started_dies_with_a_program_that_is_killed(tmp_path: Path) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", _HOST, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    with host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"up\n"
        while len(_sleepers()) < 2:
            time.sleep(0.01)
        host.send_signal(signal.SIGKILL)
    for _ in range(1_500):
        if not _sleepers():
            return
        time.sleep(0.02)
    raise AssertionError("they live on")


def _sleepers() -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if (folder / "cmdline").read_bytes() == b"sleep\x00315\x00":
                found.append(folder.name)
        except OSError:
            continue
    return found
