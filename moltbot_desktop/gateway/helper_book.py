"""The helpers that were started, on disk: so that no result is lost and each is told once.

    book = HelperBook(home / "subagents" / "runs.json")
    book.put(record)            # before the helper begins, and when it has ended
    book.all()                  # oldest first

The file has the reference's names. One that is damaged is set aside: helpers that it knew are
forgotten, their conversations are not.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic
from moltbot_desktop.storage.locks import taken_lock
from moltbot_desktop.storage.redacting import Change

RUNNING = "running"
MOST = 500
"""Records that are kept; the oldest that are told go first."""
_VERSION = 2
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HelperRecord:
    """One helper.

    Attributes:
        run_id: of what it was asked last.
        parent: the conversation it works for.
        started_ms, ended_ms: milliseconds since 1970; 0 while it has not ended.
        state: `RUNNING`, or the kind of its outcome.
        result: what it said, or why it failed.
        told: its parent has the result, or does not want it any more.
        delete: its conversation goes into the trash after that.
    """

    run_id: RunId
    session: SessionKey
    parent: SessionKey
    task: str
    label: str
    started_ms: int
    ended_ms: int = 0
    state: str = RUNNING
    result: str = ""
    told: bool = False
    delete: bool = False


class HelperBook:
    """Used from the event loop; a change is on the disk when it returns."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> tuple[HelperRecord, ...]:
        """Raises:
        StorageError: it cannot be read.
        """
        try:
            with disk_errors(self._path):
                text = read_plain(self._path, MOST_STATE).decode()
        except StorageError:
            if self._path.exists():
                raise
            return ()
        except UnicodeDecodeError:
            return self._set_aside()
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            return self._set_aside()
        runs = read.get("runs") if isinstance(read, dict) else None
        if not isinstance(runs, dict):
            return self._set_aside()
        records = (_record(one) for one in runs.values() if isinstance(one, dict))
        return tuple(one for one in records if one is not None)

    def put(self, record: HelperRecord) -> None:
        """Keep `record` in the place of what was known of that conversation.

        Raises:
            StorageError: it was not kept.
        """

        def change(records: dict[SessionKey, HelperRecord]) -> None:
            records[record.session] = record
            told = [key for key, one in records.items() if one.told]
            for key in told[: max(0, len(records) - MOST)]:
                del records[key]

        self._change(change)

    def drop(self, session: SessionKey) -> None:
        """Forget a helper.

        Raises:
            StorageError: it is still known.
        """
        self._change(lambda records: records.pop(session, None))

    def counted(self, change: Change) -> int:
        """At how many places of what helpers were asked and said `change` would change something.

        Raises:
            StorageError: it cannot be read.
        """
        return sum(_reworded(one, change)[1] for one in self.all())

    def redacted(self, change: Change) -> int:
        """Put `change` of what helpers were asked and said in its place; at how many places.

        Raises:
            StorageError: it is as it was before.
        """
        if not self.counted(change):
            return 0
        places = 0

        def reword(records: dict[SessionKey, HelperRecord]) -> None:
            nonlocal places
            for key, record in tuple(records.items()):
                records[key], count = _reworded(record, change)
                places += count

        self._change(reword)
        return places

    def _change(self, change: Callable[[dict[SessionKey, HelperRecord]], object]) -> None:
        make_private_dir(self._path.parent)
        # Another process may start helpers too, and holds it for milliseconds.
        lock = taken_lock(self._path.with_suffix(".lock"))
        try:
            records = {one.session: one for one in self.all()}
            change(records)
            runs = {one.session: _as_json(one) for one in records.values()}
            text = json.dumps({"version": _VERSION, "runs": runs}, ensure_ascii=False, indent=1)
            write_atomic(self._path, text.encode("utf-8", "replace"))
        finally:
            lock.release()

    def _set_aside(self) -> tuple[HelperRecord, ...]:
        _log.warning("%s is damaged; helpers that it knew are forgotten", self._path)
        with contextlib.suppress(OSError):
            self._path.replace(self._path.with_suffix(".damaged"))
        return ()


def _reworded(record: HelperRecord, change: Change) -> tuple[HelperRecord, int]:
    texts = [change(text) for text in (record.task, record.label, record.result)]
    task, label, result = (text for text, _ in texts)
    reworded = replace(record, task=task, label=label, result=result)
    return reworded, sum(count for _, count in texts)


def _as_json(record: HelperRecord) -> Mapping[str, JsonValue]:
    return {
        "runId": record.run_id,
        "childSessionKey": record.session,
        "requesterSessionKey": record.parent,
        "task": record.task,
        "label": record.label,
        "createdAt": record.started_ms,
        "endedAt": record.ended_ms,
        "outcome": record.state,
        "result": record.result,
        "cleanup": "delete" if record.delete else "keep",
        "announced": record.told,
    }


def _record(stored: Mapping[str, JsonValue]) -> HelperRecord | None:
    texts = {
        name: value
        for name in ("runId", "childSessionKey", "requesterSessionKey", "task", "label", "result")
        if isinstance(value := stored.get(name, ""), str)
    }
    state, started, ended = (stored.get(name) for name in ("outcome", "createdAt", "endedAt"))
    if len(texts) < 6 or not texts["childSessionKey"] or not isinstance(state, str):
        return None
    return HelperRecord(
        RunId(texts["runId"]),
        SessionKey(texts["childSessionKey"]),
        SessionKey(texts["requesterSessionKey"]),
        texts["task"],
        texts["label"],
        started if isinstance(started, int) else 0,
        ended if isinstance(ended, int) else 0,
        state,
        texts["result"],
        stored.get("announced") is True,
        stored.get("cleanup") == "delete",
    )
