"""The screen tools are made on Windows and macOS without what only Linux has: in a process that is
told it runs there, with POSIX's modules and Linux' libraries out of reach."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

POSIX = ("fcntl", "resource", "pty", "termios", "tty", "pwd", "grp")
LINUX = ("Xlib", "jeepney")

SCRIPT = """
import ctypes, sys, types
platform, blocked, checkout = sys.argv[1], sys.argv[2].split(), sys.argv[3]
import asyncio, json, logging, multiprocessing, pathlib, select, shutil, signal, socket, subprocess
import tempfile, threading, zipfile  # Python's own modules choose while they are imported

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

for name in blocked:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocked())
for name in ("mss", "mss.exception", "mss.tools"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["mss"].exception = sys.modules["mss.exception"]
sys.modules["mss"].tools = sys.modules["mss.tools"]

class Library:
    def __init__(self, name):
        self.name = name
    def __getattr__(self, name):
        function = types.SimpleNamespace()
        setattr(self, name, function)
        return function

if platform == "win32":
    ctypes.WinDLL = Library
sys.path.insert(0, checkout)
before = set(sys.modules)
sys.platform = platform
from datetime import UTC, datetime
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.tools.desktop import making, system
clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
control, tools = making.screen_tools(None, clock, None, lambda *_: None)
print(making.Here.__name__, *(one.spec.name for one in tools))
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(loaded & {"pyautogui", "comtypes", "Quartz", "AppKit", "ApplicationServices",
                        *blocked}) or ["nothing"])
"""


@pytest.mark.parametrize(
    ("platform", "blocked", "name"),
    [
        ("win32", (*POSIX, *LINUX), "WindowsSystem"),
        ("darwin", LINUX, "MacSystem"),
        ("linux", (), "LinuxSystem"),
    ],
)
def test_each_system_has_its_own_and_loads_its_libraries_late(
    platform: str, blocked: tuple[str, ...], name: str, checkout: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, platform, " ".join(blocked), str(checkout)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{name} screenshot", "nothing"]
