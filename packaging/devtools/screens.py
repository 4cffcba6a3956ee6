"""A screen of a trial's own, and what stands on it, looked at from outside.

    with screen(folder) as display:           # ":7"
        windows(display); in_tray(display)

An X server (Xvfb chooses its number) with a window manager and a tray. It listens on a socket in
`SOCKETS` alone: that folder can be mounted into another root, and is there without a network.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from devtools.places import SetupError

SOCKETS = Path("/tmp/.X11-unix")


@contextlib.contextmanager
def screen(folder: Path) -> Iterator[str]:
    """Gives its DISPLAY. `folder` is where the servers run.

    Raises SetupError when it does not start.
    """
    read, write = os.pipe()
    server = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-ac"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    with contextlib.ExitStack() as stack:
        started = subprocess.Popen(
            [*server, "-nolisten", "tcp"],
            pass_fds=(write,),
            **quiet,  # type: ignore[call-overload]
        )
        stack.callback(ended, started)
        os.close(write)
        with os.fdopen(read) as said:
            number = said.readline().strip()  # "" when the server is gone
        if not number:
            raise SetupError("Xvfb did not start.")
        display = f":{number}"
        around = {**os.environ, "DISPLAY": display}
        for helper in (["openbox"], ["trayer", "--edge", "top", "--align", "right"]):
            child = subprocess.Popen(helper, env=around, **quiet)  # type: ignore[call-overload]
            stack.callback(ended, child)
        yield display


def ended(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def windows(display: str, *below: str) -> str:
    """xwininfo's tree of windows."""
    command = ["xwininfo", "-display", display, *(below or ("-root",)), "-tree"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def in_tray(display: str) -> bool:
    """Whether the tray holds a window of ours."""
    return "moltbot" in windows(display, "-name", "panel").lower()
