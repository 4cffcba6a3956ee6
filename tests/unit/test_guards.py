"""The guards of tests/conftest.py do stop what they are there to stop.

Each bad test runs in a pytest of its own with the real conftest.py.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import OuterNetworkError, is_on_this_machine, unexpected_lines

ROOT = Path(__file__).resolve().parents[2]

BAD_TESTS = """
import logging, socket, threading, warnings
import pytest

gate = threading.Event()

def test_warns():
    warnings.warn("old")

def test_logs():
    logging.getLogger("moltbot_desktop.x").warning("something odd")

@pytest.mark.expect_log("something odd")
def test_logs_as_expected():
    logging.getLogger("moltbot_desktop.x").warning("something odd")

@pytest.mark.expect_log("something else")
def test_logs_other_words():
    logging.getLogger("moltbot_desktop.x").warning("something odd")

def test_logs_a_failure():
    try:
        raise ValueError("what failed")
    except ValueError:
        logging.getLogger("moltbot_desktop.x").exception("something odd")

def test_leaks_a_thread():
    threading.Thread(target=gate.wait, daemon=True, name="forgotten").start()

def test_ends_its_thread():
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()

def test_connects_outside():
    with socket.socket() as s:
        s.connect(("192.0.2.1", 80))

@pytest.mark.no_such_marker
def test_unknown_marker():
    pass
"""

QT_TEST = """
from PySide6.QtCore import qWarning

def test_qt_warns(qapp):
    qWarning("something is off")

def test_qt_offscreen_noise(qapp):
    qWarning("This plugin does not support propagateSizeHints()")
"""


def run_tests(folder: Path, code: str) -> str:
    """Output of a pytest over `code` with the real conftest and configuration."""
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copy(ROOT / "tests" / "conftest.py", folder / "tests")
    (folder / "tests" / "test_it.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider"],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    code = BAD_TESTS.replace("@pytest.mark.no_such_marker\n", "")
    return run_tests(tmp_path_factory.mktemp("bad"), code)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("FAILED tests/test_it.py::test_warns", "UserWarning: old"),
        ("ERROR tests/test_it.py::test_logs -", "unexpected log records"),
        ("PASSED tests/test_it.py::test_logs_as_expected", ""),
        ("ERROR tests/test_it.py::test_logs_other_words", "unexpected log records"),
        ("ERROR tests/test_it.py::test_logs_a_failure", "ValueError: what failed"),
        ("ERROR tests/test_it.py::test_leaks_a_thread", "threads left running: ['forgotten']"),
        ("PASSED tests/test_it.py::test_ends_its_thread", ""),
        ("FAILED tests/test_it.py::test_connects_outside", "192.0.2.1"),
    ],
)
def test_noise_fails_a_test(report: str, outcome: str, words: str) -> None:
    lines = [line for line in report.splitlines() if line.startswith(outcome)]
    assert lines, report
    assert words in report


def test_an_unknown_marker_fails(tmp_path: Path) -> None:
    assert "'no_such_marker' not found in `markers`" in run_tests(tmp_path, BAD_TESTS)


def test_qt_warnings_fail_and_offscreen_noise_does_not(tmp_path: Path) -> None:
    report = run_tests(tmp_path, QT_TEST)
    assert "FAILED tests/test_it.py::test_qt_warns" in report
    assert "PASSED tests/test_it.py::test_qt_offscreen_noise" in report


def test_the_home_is_a_temporary_one() -> None:
    assert Path.home() == Path(os.environ["HOME"])
    assert Path(os.environ["MOLTBOT_HOME"]).parent == Path.home()
    assert "home" in Path.home().name


def test_loopback_is_allowed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_another_computer_is_refused() -> None:
    with socket.socket() as client, pytest.raises(OuterNetworkError):
        client.connect(("203.0.113.9", 443))


@pytest.mark.parametrize(
    ("address", "here"),
    [
        (("127.0.0.1", 1), True),
        (("127.8.8.8", 1), True),
        (("localhost", 1), True),
        (("example.org", 1), False),
        (("10.0.0.1", 1), False),
    ],
)
def test_what_counts_as_this_machine(address: tuple[str, int], here: bool) -> None:
    assert is_on_this_machine(socket.AF_INET, address) is here


def test_expected_words_account_for_their_lines_only() -> None:
    marker = pytest.mark.expect_log("disk").mark
    assert unexpected_lines(["a: disk full", "a: odd"], marker) == ["a: odd"]
    assert unexpected_lines(["a: odd"], pytest.mark.expect_log.mark) == []
    assert unexpected_lines(["a: odd"], None) == ["a: odd"]
