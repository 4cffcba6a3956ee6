"""With what file tools and undo work on this computer: the clock and the desktop's trash.

A trash is used where there is a desktop that shows it; on a box without one, files would gather
where nobody looks, so there they stay in the undo journal alone. Only the trash of freedesktop.org
is known: on Windows and macOS the journal keeps what is deleted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.tools.trash import Trash
from moltbot_desktop.tools.undo import FileHands


def file_hands(paths: Paths, clock: Clock) -> FileHands:
    return FileHands(clock, _trash(paths.user_home, os.environ))


def _trash(user_home: Path, environment: Mapping[str, str]) -> Trash | None:
    if not sys.platform.startswith("linux"):
        return None
    data = environment.get("XDG_DATA_HOME", "")
    folder = (Path(data) if data.startswith("/") else user_home / ".local" / "share") / "Trash"
    shown = folder.is_dir() or bool(environment.get("XDG_CURRENT_DESKTOP"))
    return Trash(folder) if shown else None
