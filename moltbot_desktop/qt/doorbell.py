"""Where the program that runs is asked for something, and the short way to ask it: without Qt, so
that a key which runs `moltbot-desktop toggle` has its window at once.

    ring(home, TOGGLE)       # False when nobody runs for this home
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from moltbot_desktop.core.late import LateModule
from moltbot_desktop.qt.wishes import Wish, written

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = LateModule("hashlib")

SOCKET_NAME = "desktop.sock"
DONE = b"done\n"
_LONGEST_SOCKET_PATH = 100
"""`sun_path` holds 104 bytes on macOS and 108 on Linux, with its ending NUL."""
_SECONDS = 3.0


def ring(home: Path, wish: Wish, seconds: float = _SECONDS) -> bool:
    """Ask the running program for `wish`; whether it answered. On Windows nobody is reached this
    way: there the pipe of the single instance is asked."""
    if sys.platform == "win32":
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(seconds)
        try:
            line.connect(socket_name(home, user=user_name()))
            line.sendall(written(wish))
            return line.recv(len(DONE)) == DONE
        except OSError:
            return False


def socket_name(home: Path, *, user: str) -> str:
    """Where the first instance listens: beside its data, or under a short name of this user.

    A path under `home` cannot clash with another person's or another home's; only where it is
    too long for a socket the temporary folder takes it, named by user and home.
    """
    if sys.platform == "win32":
        return f"moltbot-{user}-{_digest(home)}"
    path = str(home / SOCKET_NAME)
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path
    return str(Path(tempfile.gettempdir()) / f"moltbot-{user}-{_digest(home)}.sock")


def _digest(home: Path) -> str:
    return hashlib.sha256(str(home).encode()).hexdigest()[:16]


def user_name() -> str:
    """Something that tells this user from others on the same computer."""
    getuid = getattr(os, "getuid", None)
    return str(getuid()) if getuid else os.environ.get("USERNAME", "user")
