"""Which walls hold on this computer, found by trying them; a program that is there proves nothing.

    found = probe(Path("/tmp/x"))
    found.backend, found.reason

bubblewrap stands on many computers whose kernel forbids what it needs, and containers have half of
Landlock. So each is built once around a process of ours that tries to get out (`attempts.py`). The
first that holds everything is used; if none does, `Backend.NONE` is the honest answer, and the
policy then lets only commands run unasked that just look.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.security.sandbox import seccomp
from moltbot_desktop.security.sandbox.order import Order, Stage
from moltbot_desktop.security.sandbox.seatbelt import SANDBOX_EXEC
from moltbot_desktop.security.sandbox.starting import ATTEMPTS, child_folders, own_child, started
from moltbot_desktop.security.sandbox.walls import Backend, Walls
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain

_SECONDS = 20
_SYSTEM_PATH = "/usr/bin:/bin:/usr/local/bin"
ON_WINDOWS = (
    "Windows: a Job Object ends and limits what a command starts,"
    " but keeps nothing from the disk or the network"
)


@dataclass(frozen=True)
class Found:
    """What holds.

    Attributes:
        builder: the program that builds it, "" where it is none.
        reason: of each kind that does not hold, what happened; for `doctor` and the log.
    """

    backend: Backend
    builder: str = ""
    reason: str = ""


def probe() -> Found:
    """The strongest walls that hold here. Blocks for some tenths of a second."""
    if sys.platform == "win32":
        return Found(Backend.NONE, reason=ON_WINDOWS)
    reasons: list[str] = []
    for backend, builder in _candidates():
        problem = tried(backend, builder)
        if not problem:
            return Found(backend, builder, "; ".join(reasons))
        reasons.append(f"{backend.value}: {problem}")
    return Found(Backend.NONE, reason="; ".join(reasons) or "nothing known for this system")


def _candidates() -> Iterator[tuple[Backend, str]]:
    if sys.platform == "linux" and seccomp.can_filter():
        if builder := shutil.which("bwrap", path=_SYSTEM_PATH):
            yield Backend.BUBBLEWRAP, builder
        yield Backend.LANDLOCK, ""
    elif sys.platform == "darwin" and Path(SANDBOX_EXEC).exists():
        yield Backend.SEATBELT, SANDBOX_EXEC


def tried(backend: Backend, builder: str) -> str:
    """Why these walls do not hold; "" when nothing got through."""
    with tempfile.TemporaryDirectory(prefix="moltbot-walls-") as name:
        return _tried(Path(name).resolve(), backend, builder)


def _tried(place: Path, backend: Backend, builder: str) -> str:
    outside, folder, scratch = (place / one for one in ("outside", "folder", "scratch"))
    for one in (outside, folder, scratch):
        one.mkdir()
    secret = outside / "secret"
    secret.write_text("secret", encoding="utf-8")
    (folder / "out").symlink_to(outside)
    before = secret.stat()
    with _listening(outside / "socket") as port:
        # bubblewrap shows its own folder under another name.
        inside = Path("/tmp") if backend is Backend.BUBBLEWRAP else scratch
        given = {
            "outside": str(outside),
            "folder": str(folder),
            "socket": str(outside / "socket"),
            "port": port,
            "parent": os.getpid(),
            "answer": str(inside / "answer"),
        }
        walls = Walls(backend, folder, scratch, readable=child_folders())
        stage = Stage(";", ((*own_child(ATTEMPTS), json.dumps(given)),))
        ended = _ended(stage, folder, walls, builder)
    if ended:
        return ended
    try:
        through = json.loads(read_plain(scratch / "answer", MOST_STATE))
    except (OSError, ValueError):
        return "it gave no answer"
    after = secret.stat() if secret.exists() else None
    if after is None or (after.st_mode, after.st_size) != (before.st_mode, before.st_size):
        return "a file outside was changed"
    return ", ".join(through)


def _ended(stage: Stage, folder: Path, walls: Walls, builder: str) -> str:
    environment = {"PATH": _SYSTEM_PATH, "LANG": "C.UTF-8"}

    def order(line: int) -> Order:
        return Order((stage,), folder, walls, line, builder)

    child = started(order, environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with child.process as process, child:
        try:
            _, errors = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            child.end()
            process.communicate()
            return "it did not end"
    if process.returncode == 0:
        return ""
    text = errors.decode("utf-8", "replace").strip().splitlines()
    return text[-1][:200] if text else f"it ended with {process.returncode}"


@contextlib.contextmanager
def _listening(path: Path) -> Iterator[int]:
    """Somebody to reach, on a port and on a socket in the disk."""
    unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with unix, socket.create_server(("127.0.0.1", 0)) as tcp:
        unix.bind(str(path))
        unix.listen()
        yield tcp.getsockname()[1]
