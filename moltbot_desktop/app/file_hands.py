"""With what file tools and undo work on this computer: the clock, the desktop's trash, and the key
of the marks in the undo journal.

A trash is used where there is a desktop that shows it; on a box without one, files would gather
where nobody looks, so there they stay in the undo journal alone. Only the trash of freedesktop.org
is known: on Windows and macOS the journal keeps what is deleted.

The key lies in the state folder, where no tool and no command reaches: what writes in the workspace
can write no record that would be undone.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic
from moltbot_desktop.tools.own_files import OwnFiles
from moltbot_desktop.tools.trash import Trash
from moltbot_desktop.tools.undo import FileHands

_KEY_BYTES = 32


def file_hands(paths: Paths, clock: Clock) -> FileHands:
    """Raises StorageError: the key can be neither read nor made."""
    own = OwnFiles(paths.own_files)
    return FileHands(clock, _trash(paths.user_home, os.environ), _key(paths.undo_key), own)


def _key(path: Path) -> bytes:
    """What the file `path` holds; made where there is none."""
    make_private_dir(path.parent)
    with disk_errors(path), suppress(FileExistsError):
        if not path.exists():
            made = path.with_name(f".{secrets.token_hex(8)}.tmp")
            write_atomic(made, secrets.token_bytes(_KEY_BYTES))
            try:
                os.link(made, path)  # whole from its first moment, and never over another's
            finally:
                made.unlink()
    with disk_errors(path):
        return read_plain(path, MOST_STATE)


def _trash(user_home: Path, environment: Mapping[str, str]) -> Trash | None:
    if not sys.platform.startswith("linux"):
        return None
    data = environment.get("XDG_DATA_HOME", "")
    folder = (Path(data) if data.startswith("/") else user_home / ".local" / "share") / "Trash"
    shown = folder.is_dir() or bool(environment.get("XDG_CURRENT_DESKTOP"))
    return Trash(folder) if shown else None
