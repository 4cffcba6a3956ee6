"""Which files of a workspace the assistant wrote on the owner's word, remembered outside of it.

    own = OwnFiles(home / "own-files.json")
    own.note([path])            # written while nothing of others was in the conversation
    path in own

A file that nobody knows may hold words of others, and reading it taints the conversation. What the
assistant itself wrote for the owner does not, also when the owner has changed it since: otherwise
each look at the owner's own list of things to do would be one at a stranger's. The list is kept by
path, in the state folder where no tool writes. A lost one costs cards, never safety.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from pathlib import Path

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import make_private_dir, write_atomic

MOST = 20_000
"""Paths that are kept, the latest."""
_LARGEST = 8 * 1024 * 1024


class OwnFiles:
    """For any thread. Real paths throughout."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._known: dict[str, None] = {}
        self._mark: tuple[int, int] | None = None

    def __contains__(self, path: Path) -> bool:
        with self._lock:
            return str(path) in self._read()

    def note(self, paths: Iterable[Path]) -> None:
        """From now on they are the owner's."""
        self._change(added=[str(one) for one in paths])

    def forget(self, paths: Iterable[Path]) -> None:
        """They hold words of others now, or are not there any more."""
        self._change(removed=[str(one) for one in paths])

    def _change(self, added: Iterable[str] = (), removed: Iterable[str] = ()) -> None:
        with self._lock:
            before = self._read()
            gone = set(removed)
            after = {one: None for one in before if one not in gone}
            after.update(dict.fromkeys(added))
            if after.keys() == before.keys():
                return
            kept = list(after)[-MOST:]
            make_private_dir(self._file.parent)
            write_atomic(self._file, json.dumps(kept, ensure_ascii=False, indent=0).encode())
            self._known = dict.fromkeys(kept)
            self._mark = self._stamp()

    def _read(self) -> dict[str, None]:
        """As the file stands: another process of the same home may have written it."""
        mark = self._stamp()
        if mark != self._mark:
            self._mark, self._known = mark, self._loaded()
        return self._known

    def _stamp(self) -> tuple[int, int] | None:
        try:
            seen = self._file.stat()
        except OSError:
            return None
        return seen.st_mtime_ns, seen.st_ino

    def _loaded(self) -> dict[str, None]:
        """Nothing where it cannot be read: then all is taken for a stranger's."""
        try:
            known = json.loads(read_plain(self._file, _LARGEST))
        except (OSError, ValueError, RecursionError, StorageError):
            return {}
        if not isinstance(known, list):
            return {}
        return {one: None for one in known if isinstance(one, str)}
