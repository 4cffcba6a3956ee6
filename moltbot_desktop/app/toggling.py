"""`moltbot-desktop toggle` beside a program that runs, without the rest of the program."""

from __future__ import annotations

import os
from pathlib import Path

from moltbot_desktop.app.paths import locate
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.qt.doorbell import ring
from moltbot_desktop.qt.wishes import TOGGLE


def toggled() -> bool:
    """Ask for the quick question; False when nobody answered, and a start is what is left."""
    try:
        return ring(locate(os.environ, Path.home()).home, TOGGLE)
    except (UserInputInvalid, RuntimeError):  # no home folder: a start says what to do
        return False
