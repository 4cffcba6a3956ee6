"""`sessions.json`: which transcript a session key points at, in the reference's shape.

    {"agent:main:main": {"sessionId": "…", "updatedAt": 1700000000000, "sessionFile": "….jsonl"}}

Whatever else stands in an entry (the reference keeps some forty settings there) is carried over
untouched. The file can be lost: what it says is found again in the transcripts' first lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.storage.bounded import UnfitFile, read_plain
from moltbot_desktop.storage.files import disk_errors, write_atomic

_MAX_BYTES = 16_000_000
_SETTINGS_FROM = "settingsFrom"
_OWN = frozenset({"sessionId", "updatedAt", "sessionFile", _SETTINGS_FROM})
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


@dataclass(frozen=True)
class IndexEntry:
    """Attributes:
    updated_at: milliseconds since 1970.
    other: the entry's remaining fields, kept as they are.
    settings_from: the id of the last entry of the transcript that sets something, as of this
        entry's writing; "" when there was none, None when nobody noted it.
    """

    session_id: SessionId
    updated_at: int
    other: JsonObject = field(default_factory=dict)
    settings_from: str | None = None


@dataclass(frozen=True)
class SessionIndex:
    """Attributes:
    unusable: entries that could not be understood; written back as they are.
    damaged: the file as a whole could not be read.
    """

    entries: Mapping[SessionKey, IndexEntry]
    unusable: JsonObject = field(default_factory=dict)
    damaged: bool = False

    def with_session(self, key: SessionKey, session_id: SessionId, updated_at: int) -> SessionIndex:
        """The index with `key` pointing at `session_id`; the entry's other fields stay."""
        old = self.entries.get(key)
        return self.with_entry(key, IndexEntry(session_id, updated_at, old.other if old else {}))

    def with_entry(self, key: SessionKey, entry: IndexEntry) -> SessionIndex:
        unusable = {name: value for name, value in self.unusable.items() if name != key}
        return replace(self, entries={**self.entries, key: entry}, unusable=unusable)


def is_session_id(text: str) -> bool:
    """Whether `text` may be a session id, which becomes a file name."""
    return _SESSION_ID.fullmatch(text) is not None


def parse_index(data: bytes) -> SessionIndex:
    """The index in `data`; never fails, see `SessionIndex.damaged`.

    An empty file is damaged, too: a power cut leaves one where a rename came to the disk before
    what was written.
    """
    try:
        value = json.loads(data) if len(data) <= _MAX_BYTES else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return SessionIndex({}, damaged=True)
    entries: dict[SessionKey, IndexEntry] = {}
    unusable: dict[str, JsonValue] = {}
    for name, raw in value.items():
        entry = _parse_entry(raw) if isinstance(raw, dict) else None
        if entry is None:
            unusable[name] = raw
        else:
            entries[SessionKey(name)] = entry
    return SessionIndex(entries, unusable)


def _parse_entry(raw: JsonObject) -> IndexEntry | None:
    session_id, updated_at = raw.get("sessionId"), raw.get("updatedAt")
    if not isinstance(session_id, str) or not is_session_id(session_id):
        return None
    time = updated_at if isinstance(updated_at, int) and not isinstance(updated_at, bool) else 0
    noted = raw.get(_SETTINGS_FROM)
    other = {name: value for name, value in raw.items() if name not in _OWN}
    settings_from = noted if isinstance(noted, str) else None
    return IndexEntry(SessionId(session_id), time, other, settings_from)


def encode_index(index: SessionIndex) -> bytes:
    whole: dict[str, JsonValue] = dict(index.unusable)
    for key, entry in index.entries.items():
        whole[key] = {
            "sessionId": entry.session_id,
            "updatedAt": entry.updated_at,
            "sessionFile": f"{entry.session_id}.jsonl",
            **({} if entry.settings_from is None else {_SETTINGS_FROM: entry.settings_from}),
            **entry.other,
        }
    # ASCII escapes: a half surrogate pair in somebody's label must not make the file unwritable.
    # A line for each: with an indent all of it would go through the slow encoder at each change.
    lines = (f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in whole.items())
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def load_index(path: Path) -> SessionIndex:
    """Read `path`; a missing file is an empty index.

    Raises:
        StorageError: it cannot be read.
    """
    with disk_errors(path):
        try:
            return parse_index(read_plain(path, _MAX_BYTES))
        except FileNotFoundError:
            return SessionIndex({})
        except UnfitFile:
            return SessionIndex({}, damaged=True)


def set_aside(path: Path) -> None:
    """Keep a damaged index under another name, where nobody trips over it.

    Raises:
        StorageError: it stays where it is.
    """
    with disk_errors(path):
        path.replace(_free_name(path))


def _free_name(path: Path) -> Path:
    """``sessions.json.bad``, or with a number when that one is taken."""
    candidate = path.with_name(f"{path.name}.bad")
    number = 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}.bad{number}")
    return candidate


def save_index(path: Path, index: SessionIndex, *, durable: bool = True) -> None:
    """Replace `path`; `durable` as in `write_atomic`.

    Raises:
        StorageError: it is as it was before.
    """
    write_atomic(path, encode_index(index), durable=durable)
