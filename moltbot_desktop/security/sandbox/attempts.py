"""What walls have to hold, tried from inside: prints the names of what got through, as JSON.

    launcher … <this program> '{"outside": "/x/outside", "folder": "/x/folder", "port": 4711, …}'

Each attempt is one that a program under orders of somebody else would make. `probe.py` starts it
behind the walls in question; walls that let a single one through do not count as walls.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from moltbot_desktop.core.json import JsonValue

_PTRACE_ATTACH = 16
_SECONDS = 2


def attempts(given: Mapping[str, JsonValue]) -> Mapping[str, Callable[[], object]]:
    """By name; one that raises `OSError` was stopped, and so was one that returns False."""
    outside, folder = Path(str(given["outside"])), Path(str(given["folder"]))
    secret, parent = outside / "secret", int(str(given["parent"]))
    port = int(str(given["port"]))
    return {
        "read": lambda: secret.read_text(encoding="utf-8"),
        "list": lambda: list(outside.iterdir()),
        "write": lambda: (outside / "written").write_text("x", encoding="utf-8"),
        "empty": lambda: os.truncate(secret, 0),
        "remove": secret.unlink,
        "rights": lambda: secret.chmod(0o777),
        "times": lambda: os.utime(secret, (0, 0)),
        "link": lambda: (outside / "link").symlink_to("/"),
        "through a link": lambda: (folder / "out" / "secret").read_text(encoding="utf-8"),
        "write in what may only be read": lambda: (folder / "w").write_text("x", encoding="utf-8"),
        "tcp": lambda: _connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
        "udp": lambda: _connect(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)),
        "listen": _listen,
        "unix socket": lambda: _connect(socket.AF_UNIX, socket.SOCK_STREAM, str(given["socket"])),
        "signal": lambda: os.kill(parent, 0),
        "trace": lambda: _traced(parent),
        "environment of others": lambda: bool(Path(f"/proc/{parent}/environ").read_bytes()),
        "new user": lambda: _system_call("unshare", 0x10000000),
    }


def _connect(family: int, kind: int, address: tuple[str, int] | str) -> None:
    with socket.socket(family, kind) as line:
        line.settimeout(_SECONDS)
        line.connect(address)


def _listen() -> None:
    with socket.create_server(("127.0.0.1", 0)):
        pass


def _traced(process: int) -> bool:
    libc = ctypes.CDLL(None)
    done: int = libc.ptrace(_PTRACE_ATTACH, process, None, None)
    if done == 0:
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGCONT)
    return done == 0


def _system_call(name: str, value: int) -> bool:
    function = getattr(ctypes.CDLL(None), name, None)
    return function is not None and function(value) == 0


def main(arguments: Sequence[str]) -> int:
    """Try all; the answer goes to the file named `answer`, which the walls leave open."""
    given = json.loads(arguments[0])
    through = []
    for name, attempt in attempts(given).items():
        try:
            if attempt() is not False:
                through.append(name)
        except (OSError, ValueError):
            continue
    Path(given["answer"]).write_text(json.dumps(through), encoding="utf-8")
    return 0
