"""One program per home, also after a crash; a signal ends it cleanly."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from moltbot_desktop.qt.doorbell import SOCKET_NAME, ring
from moltbot_desktop.qt.single_instance import Claim, SingleInstance
from moltbot_desktop.qt.wishes import SETTINGS, TOGGLE, Wish

HOLDER = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from moltbot_desktop.qt.single_instance import SingleInstance
application = QCoreApplication([])
instance = SingleInstance(Path(sys.argv[1]))
def told(wish):
    print(wish.kind.value, wish.page, ascii(wish.text), flush=True)
instance.wished.connect(told)
claim = instance.claim()
if len(sys.argv) > 2:  # one that takes its time
    print(claim.value, flush=True)
    sys.stdin.readline()
instance.listen()
if len(sys.argv) == 2:
    print(claim.value, flush=True)
application.exec()
"""
SIGNALLED = """
import sys
from PySide6.QtCore import QCoreApplication, QTimer
from moltbot_desktop.qt.os_signals import OsSignals
application = QCoreApplication([])
signals = OsSignals()
def on_quit():
    print("quitting", flush=True)
    if sys.argv[1] == "clean":
        QTimer.singleShot(0, application.quit)
signals.quit_requested.connect(on_quit)
QTimer.singleShot(0, lambda: print("ready", flush=True))
application.exec()
signals.close()
print("closed", flush=True)
"""


def python(source: str, *arguments: str, checkout: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    return subprocess.Popen(
        [sys.executable, "-c", source, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.fixture
def holder(tmp_path: Path, checkout: Path) -> Iterator[subprocess.Popen[str]]:
    process = python(HOLDER, str(tmp_path), checkout=checkout)
    assert line(process) == "first"
    yield process
    process.kill()
    process.communicate()


def test_the_second_asks_the_first_to_show_itself(
    qtbot: QtBot, tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    second = SingleInstance(tmp_path)
    assert second.claim() is Claim.SECOND
    assert second.ask_first()
    assert line(holder) == "window  ''"
    second.deleteLater()


def test_the_second_asks_the_first_for_its_settings(
    qtbot: QtBot, tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    second = SingleInstance(tmp_path)
    assert second.claim() is Claim.SECOND
    assert second.ask_first(SETTINGS)
    assert line(holder) == "settings  ''"
    second.deleteLater()


def test_one_that_has_just_begun_is_waited_for(
    qtbot: QtBot, tmp_path: Path, checkout: Path
) -> None:
    slow = python(HOLDER, str(tmp_path), "slowly", checkout=checkout)
    assert line(slow) == "first"
    second = SingleInstance(tmp_path)
    assert second.claim() is Claim.SECOND
    assert not second.ask_first(timeout_ms=1)
    assert slow.stdin is not None
    slow.stdin.write("go on\n")
    slow.stdin.flush()
    assert second.ask_first(timeout_ms=60_000)
    assert line(slow) == "window  ''"
    slow.kill()
    slow.communicate()
    second.deleteLater()


def test_a_shell_rings_without_qt(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    assert ring(tmp_path, TOGGLE)
    assert line(holder) == "toggle  ''"
    long = Wish.of_text("é\n" * 2_000)
    assert ring(tmp_path, long)
    assert line(holder) == f"ask  {long.text!a}"
    assert ring(tmp_path, Wish.of_page("memory"))
    assert line(holder) == "page memory ''"


def test_what_is_no_wish_is_not_answered(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    for noise in (b"show\n", b"\x00" * 100_000, b'{"wish": "send"}\n'):
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.settimeout(20)
            stranger.connect(str(tmp_path / SOCKET_NAME))
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                stranger.sendall(noise)
                assert stranger.recv(16) == b""
    assert ring(tmp_path, TOGGLE)
    assert line(holder) == "toggle  ''"  # and nothing of the noise before it


def test_nobody_is_rung_where_nobody_runs(tmp_path: Path) -> None:
    assert not ring(tmp_path, TOGGLE)


def test_after_a_crash_the_next_one_is_the_first(
    qtbot: QtBot, tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (tmp_path / SOCKET_NAME).exists()
    heir = SingleInstance(tmp_path)
    assert heir.claim() is Claim.FIRST
    heir.listen()
    assert heir.listening
    other = SingleInstance(tmp_path)
    assert other.claim() is Claim.SECOND
    heir.release()
    for one in (heir, other):
        one.deleteLater()


def test_another_home_is_another_program(
    qtbot: QtBot, tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = SingleInstance(elsewhere)
    assert other.claim() is Claim.FIRST
    other.release()
    other.deleteLater()


def test_only_the_owner_may_speak_to_the_socket(
    qtbot: QtBot, tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    assert (tmp_path / SOCKET_NAME).stat().st_mode & 0o077 == 0


def test_a_home_that_cannot_hold_a_lock_does_not_stop_the_program(
    qtbot: QtBot, tmp_path: Path
) -> None:
    instance = SingleInstance(tmp_path / "missing")
    assert instance.claim() is Claim.UNKNOWN
    instance.deleteLater()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_resting_program_cleanly(checkout: Path, number: signal.Signals) -> None:
    process = python(SIGNALLED, "clean", checkout=checkout)
    assert line(process) == "ready"
    process.send_signal(number)
    rest, _ = process.communicate(timeout=20)
    assert rest.split() == ["quitting", "closed"]
    assert process.returncode == 0


def test_a_second_signal_ends_it_at_once(checkout: Path) -> None:
    process = python(SIGNALLED, "stubborn", checkout=checkout)
    assert line(process) == "ready"
    process.send_signal(signal.SIGTERM)
    assert line(process) == "quitting"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
