"""How a process of our own is started, and what it does first. Shared by the probe and the worker.

From a checkout or an installed package a role is a module that `python -m` runs. A frozen build
has no interpreter to give that to: there the program itself is started with a hidden option, and
its entry gives the arguments to `roles.run_role` before anything else.

    subprocess.Popen([*own_command(ChildRole.WORKER)], **…, env=child_environment())
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

if sys.platform == "win32":
    # A console program started by a windowed one would flash a console window.
    CREATION_FLAGS = subprocess.CREATE_NO_WINDOW
else:
    import resource

    CREATION_FLAGS = 0

CHILD_OPTION = "--run-child"
_PR_SET_PDEATHSIG = 1


class ChildRole(StrEnum):
    """What a process of ours is for."""

    PROBE = "probe"
    WORKER = "worker"


_MODULES = {
    ChildRole.PROBE: "moltbot_desktop.models.probe",
    ChildRole.WORKER: "moltbot_desktop.models.worker",
}


def own_command(role: ChildRole) -> tuple[str, ...]:
    """The command that starts this program again in `role`; the role's arguments are added."""
    if getattr(sys, "frozen", False):
        return (sys.executable, CHILD_OPTION, role.value)
    return (sys.executable, "-m", _MODULES[role])


def child_environment() -> dict[str, str]:
    """Ours, with the package's place where `python -m` finds it from any working directory."""
    package_root = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join(filter(None, (package_root, os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "PYTHONPATH": path}


def settle_child() -> None:
    """Called first in a child: no core file, and on Linux no life after its parent.

    Linux counts the thread that started the child as the parent, so it has to be one that waits
    for the child's end. Elsewhere the end of a pipe tells the child (`worker.child`).
    """
    if sys.platform == "win32":
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
