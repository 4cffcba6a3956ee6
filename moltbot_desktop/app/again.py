"""The program started again at its owner's word, once all of it is closed.

    status = after(status)            # in `__main__`, when everything else is over

What was typed and not sent is on the disk by then, and the claim on the home is given back. The new
one shows the settings, where the button was pressed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from moltbot_desktop.core.ending import AGAIN

_FAILED = 1
_SHOWS = ("settings", "open", "toggle", "window")
"""Commands that only say what is shown first."""


def after(status: int) -> int:
    """`status`, unless it asks for a new start; on POSIX it does not return then: the new program
    has this process, so that whoever waits for it still does."""
    if status != AGAIN:
        return status
    command = again_command(sys.executable, sys.orig_argv, sys.argv)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        if os.name == "posix":
            os.execv(command[0], command)
        subprocess.Popen(command)
    except OSError as error:
        sys.stderr.write(f"moltbot-desktop: {error}\n")
        return _FAILED
    return 0


def again_command(
    executable: str, started_as: Sequence[str], arguments: Sequence[str]
) -> tuple[str, ...]:
    """The command to start again with.

    Args:
        executable: what runs, a Python or the frozen program.
        started_as: the whole command of this process (`sys.orig_argv`).
        arguments: the program's part of it, its name first (`sys.argv`).
    """
    own = [one for one in arguments[1:] if one != "--hidden"]
    before = started_as[1 : len(started_as) - len(arguments) + 1]
    if not own or own[0] in _SHOWS:
        own = ["settings"]
    return (executable, *before, *own)
