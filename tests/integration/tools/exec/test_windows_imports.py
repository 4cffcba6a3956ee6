"""On Windows the modules of commands can be imported, and the ones for Windows are the ones used.

A process of its own says that it is Windows and has nothing that only POSIX has.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, ctypes, json, os, signal, subprocess, sys, types
from moltbot_desktop.app.commands import Commands   # libraries, while the system is still known
for name in [one for one in sys.modules if one.split(".")[0] == "moltbot_desktop"]:
    del sys.modules[name]

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource", "pty", "termios", "pwd", "grp", "tty"):
            raise ModuleNotFoundError(name)

for name in ("fcntl", "resource", "pty", "termios", "pwd", "grp", "tty"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Nothing())
for name in ("fork", "getuid", "geteuid", "openpty", "sysconf", "killpg", "memfd_create"):
    delattr(os, name)
for name in ("SIGKILL", "SIGCHLD", "SIGSTOP", "SIGCONT"):
    delattr(signal, name)
sys.modules["msvcrt"] = types.ModuleType("msvcrt")
calls = types.SimpleNamespace(GetOEMCP=lambda: 936)
subprocess.CREATE_NO_WINDOW, subprocess.CREATE_NEW_PROCESS_GROUP = 0x8000000, 0x200
ctypes.windll = types.SimpleNamespace(kernel32=calls)
sys.platform = "win32"

from datetime import UTC, datetime
from pathlib import Path
from moltbot_desktop.app.commands import Commands
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.security.commands import dialect
from moltbot_desktop.security.sandbox.probe import probe
from moltbot_desktop.tools.exec import here, output

commands = Commands(ManualClock(datetime(2026, 11, 22, tzinfo=UTC)))
paths = types.SimpleNamespace(home=Path("/x"), user_home=Path("/y"))
tools = commands.tools(types.SimpleNamespace(workspace=Path("/z"), paths=paths))
loaded = set(sys.modules)
print(json.dumps({
    "tools": [one.spec.name for one in tools],
    "begins": commands._sessions.start.__module__,
    "terminals": here.SYSTEM.terminals,
    "windows": dialect.HERE is dialect.WINDOWS and here.SYSTEM.dialect is dialect.WINDOWS,
    "encodings": output.HERE[:2],
    "found": [probe().backend.value, probe().reason.split(":")[0]],
    "posix": sorted(one for one in loaded if one.endswith(("posix_running", ".launcher"))),
}))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there it is so anyhow")
def test_commands_are_there_on_windows_and_are_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "tools": ["exec", "process"],
        "begins": "moltbot_desktop.tools.exec.windows_running",
        "terminals": False,
        "windows": True,
        "encodings": ["utf-8", "cp936"],
        "found": ["none", "Windows"],
        "posix": [],
    }
