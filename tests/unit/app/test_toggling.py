"""A key that runs `moltbot-desktop toggle` is answered without the rest of the program."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from moltbot_desktop import __main__ as program
from moltbot_desktop.app.children import child_work
from moltbot_desktop.app.toggling import toggled
from moltbot_desktop.qt.doorbell import DONE, socket_name, user_name
from moltbot_desktop.qt.wishes import TOGGLE, read_wish

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asked by a pipe there")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOLTBOT_HOME", str(tmp_path))
    return tmp_path


def answering(home: Path) -> tuple[threading.Thread, list[bytes]]:
    """Somebody who runs for this home, and what was asked."""
    heard: list[bytes] = []
    bell = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    bell.bind(socket_name(home, user=user_name()))
    bell.listen()

    def serve() -> None:
        with bell, bell.accept()[0] as line:
            heard.append(line.recv(4_096))
            line.sendall(DONE)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread, heard


def test_who_runs_is_asked_and_the_program_is_not_loaded(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["moltbot-desktop", "toggle"])
    thread, heard = answering(home)
    assert program.entry() == 0
    thread.join()
    assert [read_wish(one) for one in heard] == [TOGGLE]


def test_nobody_runs(home: Path) -> None:
    assert not toggled()


def test_it_brings_little_with_it() -> None:
    asked = (
        "import sys; import moltbot_desktop.app.toggling;"
        "print([one for one in ('moltbot_desktop.app.main', 'moltbot_desktop.config', 'PySide6',"
        " 'jsonschema', 'asyncio') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_no_childs_work_is_left() -> None:
    assert child_work(["--version"]) is None
    assert child_work(["--hidden"]) is None
