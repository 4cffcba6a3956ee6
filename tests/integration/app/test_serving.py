"""How `serve` ends: in order, at once at a second signal, hard when something hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from moltbot_desktop.app import serving

CHECKOUT = Path(__file__).resolve().parents[3]
PROGRAM = """
import asyncio, sys, time
from contextlib import asynccontextmanager
from pathlib import Path
from moltbot_desktop.app import serving
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import locate
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import Notice

class Client:
    def subscribe(self, listener):
        listener(Notice("Something to tell.", "Do this."))

@asynccontextmanager
async def assistant(*_):
    yield Client()
    print("closing", flush=True)
    {closing}

serving.open_assistant = assistant
serving.STOP_SECONDS = {seconds}
{before}
home = Path(sys.argv[1])
paths = locate({{"MOLTBOT_HOME": str(home)}}, home)
loaded = load_config(home, language=Language.ENGLISH)
sys.exit(serving.run_serve(paths, loaded, SystemClock(), parse(["serve"]), Language.{language}))
"""


@contextmanager
def serving_with(
    home: Path, closing: str, seconds: float = 60.0, language: str = "ENGLISH", before: str = ""
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A `serve` over an assistant that closes like this, and what it said."""
    code = PROGRAM.format(closing=closing, seconds=seconds, language=language, before=before)
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), "PYTHONIOENCODING": "utf-8"},
        text=True,
        encoding="utf-8",
    )
    try:
        assert process.stdout is not None
        yield process, [process.stdout.readline().rstrip("\n") for _ in range(3)]
    finally:
        process.kill()
        process.communicate()


def signalled(process: subprocess.Popen[str]) -> str:
    """The next line after a signal that says it is closing."""
    assert process.stdout is not None
    process.send_signal(signal.SIGTERM)
    while (line := process.stdout.readline()) not in ("closing\n", ""):
        pass
    return line


def test_it_ends_in_order(tmp_path: Path) -> None:
    with serving_with(tmp_path, "await asyncio.sleep(0)") as (process, said):
        assert said[0] == f"Moltbot is running without a window (process {process.pid})."
        assert "No command in a shell can reach it" in said[1]
        assert signalled(process) == "closing\n"
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert "Something to tell. Do this." in process.stderr.read()


def test_it_says_so_in_chinese(tmp_path: Path) -> None:
    with serving_with(tmp_path, "pass", language="CHINESE") as (_, said):
        assert said[0].startswith("Moltbot 正在无窗口运行")
        assert "Ctrl+C" in said[2]


@pytest.mark.parametrize("closing", ["time.sleep(120)", "await asyncio.sleep(120)"])
def test_what_hangs_is_ended_hard(tmp_path: Path, closing: str) -> None:
    with serving_with(tmp_path, closing, seconds=0.3) as (process, _):
        assert signalled(process) == "closing\n"
        assert process.wait(30) == serving.EXIT_HARD
        assert process.stderr is not None
        assert "most recent call first" in process.stderr.read()  # where it hung


def test_a_second_signal_is_the_end(tmp_path: Path) -> None:
    with serving_with(tmp_path, "await asyncio.sleep(120)") as (process, _):
        assert signalled(process) == "closing\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 128 + signal.SIGINT


def test_where_there_are_no_such_sockets_it_says_so(tmp_path: Path) -> None:
    with serving_with(tmp_path, "pass", before="serving.socket_supported = lambda: False") as (
        _,
        said,
    ):
        assert said[1].startswith("Windows has no local sockets")
