"""One line of the undo journal: how files stood before a change, and how they were to stand after.

    data = encoded(Step("20261121-143000-000001", "run 7", at, (item,)), key)
    decoded(data, key) == step

Written before the change, with both ends of it, so that nothing has to be written afterwards: what
a kill left is seen by comparing the files with their two states.

The journal lies in the workspace, which may have come from somebody else, and where a command may
write. So a record bears a mark (HMAC-SHA256) that needs a key from outside the workspace, and one
without the right mark takes nothing back. What has it is still read as a stranger's: no path in it
leads out of the workspace, no name out of the trash, and no file becomes a program that runs with
another's rights.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath

_VERSION = 1
_PERMISSIONS = 0o777


class Kind(StrEnum):
    MISSING = "missing"
    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    OTHER = "other"
    """A socket, a device: never touched."""


@dataclass(frozen=True)
class State:
    """How a path stands.

    Attributes:
        content: what tells it from other contents: the sha256 of a file (its size and time where
            it is large), the target of a link.
        mode: permission bits.
        times: of access and change, in nanoseconds.
        size: bytes of a file.
    """

    kind: Kind
    content: str = ""
    mode: int = 0
    times: tuple[int, int] = (0, 0)
    size: int = 0

    def same(self, other: State) -> bool:
        """Whether nobody changed it; times and permissions are not what somebody wrote."""
        return (self.kind, self.content) == (other.kind, other.content)

    def stands(self, here: State) -> bool:
        """Whether `here` is this to the last detail, but for when it was looked at."""
        mine, others = (self.mode, self.times[1]), (here.mode, here.times[1])
        return self.same(here) and (mine == others or self.kind is Kind.FOLDER)


MISSING = State(Kind.MISSING)


@dataclass(frozen=True)
class Item:
    """One path of a step.

    Attributes:
        path: relative to the workspace, with `/`.
        kept: its content before lies in the step's folder.
        moved_to: where it went, when it was moved.
        trashed: its name in the trash.
    """

    path: str
    before: State
    after: State
    kept: bool = False
    moved_to: str = ""
    trashed: str = ""


@dataclass(frozen=True)
class Step:
    """What one call changes.

    Attributes:
        id: of its folder; sorts by time.
        task: of the run.
        undoes: id of the first step of the task that this one takes back.
        undone: it was taken back.
    """

    id: str
    task: str
    at: datetime
    items: tuple[Item, ...]
    undoes: str = ""
    undone: bool = False


def encoded(step: Step, key: bytes) -> bytes:
    record = {"version": _VERSION, **asdict(step), "at": step.at.isoformat()}
    written = json.dumps(record, ensure_ascii=False, indent=1)
    record["mark"] = mark_of(json.loads(written), key)
    written = json.dumps(record, ensure_ascii=False, indent=1)
    return written.encode("utf-8", "surrogateescape")


def decoded(data: bytes, key: bytes) -> Step | None:
    """None for what is no record of ours, or a damaged one: it cannot be undone."""
    try:
        record = json.loads(data.decode("utf-8", "surrogateescape"))
        mark = str(record.pop("mark"))
        right = hmac.compare_digest(mark.encode("utf-8", "replace"), mark_of(record, key).encode())
        if not right or record["version"] != _VERSION:
            return None
        items = tuple(
            Item(
                _inside(one["path"]), _state(one["before"]), _state(one["after"]),
                bool(one["kept"]), _inside(one["moved_to"]) if one["moved_to"] else "",
                _name(one["trashed"]),
            )
            for one in record["items"]
        )  # fmt: skip
        at = datetime.fromisoformat(record["at"])
        names = (str(record["id"]), str(record["task"]))
        return Step(*names, at, items, str(record["undoes"]), bool(record["undone"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def mark_of(record: object, key: bytes) -> str:
    """Of a record as it is read, whatever its order and blanks."""
    said = json.dumps(record, sort_keys=True).encode("ascii")
    return hmac.new(key, said, hashlib.sha256).hexdigest()


def _inside(text: object) -> str:
    """A path below the workspace, as `Item` has it."""
    path = PurePath(str(text))
    if not path.parts or path.anchor or ".." in path.parts or "\x00" in str(text):
        raise ValueError("a path that leads elsewhere")
    return str(text)


def _name(text: object) -> str:
    name = str(text)
    if name and (PurePath(name).name != name or name == ".." or "\x00" in name or "\\" in name):
        raise ValueError("no name")
    return name


def _state(record: dict[str, object]) -> State:
    times = record["times"]
    if not isinstance(times, list):
        raise TypeError("times")
    accessed, changed = times
    return State(
        Kind(str(record["kind"])),
        str(record["content"]),
        int(str(record["mode"])) & _PERMISSIONS,
        (int(accessed), int(changed)),
        int(str(record["size"])),
    )
