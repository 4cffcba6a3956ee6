"""What stands on the page of one browser: entries that change, each change with a number.

    record = Record()
    entry = record.put(Entry("a1", Who.ASSISTANT, "Hello.", at))     # entry.seq: 1
    record.put(replace(entry, text="Hello there."))                  # the same place, seq 2
    record.since(1)                                                  # News((entry,), (), 2)

A page is told what has a higher number than the last one it knows, each entry whole. So a line that
was cut, a second tab and a page that slept for a day all come to the same end: nothing can be
missing, doubled or in another order, whatever was on its way. Numbers hold for one run of the
program (`epoch`); a page that knows another one begins anew.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from moltbot_desktop.core.json import JsonObject, JsonValue

MOST_ENTRIES = 500
"""The oldest go; the whole conversation is in its transcript."""


class Who(StrEnum):
    YOU = "you"
    ASSISTANT = "assistant"


@dataclass(frozen=True)
class SharedFile:
    """A file that lies with the channel; `id` is long and random, so that knowing it is the right
    to read it."""

    id: str
    name: str
    type: str
    size: int


@dataclass(frozen=True)
class Entry:
    """Attributes:
    id: the page's own for what the person wrote, ours otherwise.
    text: Markdown of the assistant, bare words of the person.
    at: ISO 8601 with offset.
    key: under which it was sent, so that one which is sent again is known.
    place: its place on the page, and `seq` the number of its last change; the record gives both.
    """

    id: str
    who: Who
    text: str
    at: str
    reactions: tuple[str, ...] = ()
    files: tuple[SharedFile, ...] = ()
    key: str = ""
    place: int = 0
    seq: int = 0


@dataclass(frozen=True)
class News:
    """What changed, in the order of the page; `seq` is the number to ask behind next."""

    entries: tuple[Entry, ...]
    gone: tuple[str, ...]
    seq: int


@dataclass
class Record:
    """Lives on the account's loop."""

    epoch: str = field(default_factory=lambda: secrets.token_hex(8))
    seq: int = 0
    _places: int = 0
    _entries: dict[str, Entry] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)
    _gone: dict[str, int] = field(default_factory=dict)

    def get(self, name: str) -> Entry | None:
        return self._entries.get(name)

    def sent_as(self, key: str) -> str:
        """The id of what was sent under `key`, "" for nothing."""
        return self._keys.get(key, "")

    def all(self) -> tuple[Entry, ...]:
        """In the order of the page."""
        return tuple(self._entries.values())

    def put(self, entry: Entry) -> Entry:
        """Write it, at the end or in the place of the one with its id."""
        self.seq += 1
        before = self._entries.get(entry.id)
        if before is None:
            self._places += 1
        entry = replace(entry, seq=self.seq, place=before.place if before else self._places)
        self._entries[entry.id] = entry
        self._gone.pop(entry.id, None)
        if entry.key:
            self._keys[entry.key] = entry.id
        while len(self._entries) > MOST_ENTRIES:
            self._drop(next(iter(self._entries)))
        return entry

    def remove(self, name: str) -> bool:
        """Whether it was there."""
        if name not in self._entries:
            return False
        self.seq += 1
        self._drop(name)
        self._gone[name] = self.seq
        while len(self._gone) > MOST_ENTRIES:
            del self._gone[next(iter(self._gone))]
        return True

    def since(self, seq: int) -> News:
        """What changed behind `seq`."""
        entries = tuple(one for one in self._entries.values() if one.seq > seq)
        gone = tuple(name for name, at in self._gone.items() if at > seq)
        return News(entries, gone, self.seq)

    def before(self, name: str, most: int) -> tuple[Entry, ...]:
        """Up to `most` entries that stand before the one of that id; () where it is not known."""
        names = list(self._entries)
        if name not in self._entries:
            return ()
        end = names.index(name)
        return tuple(self._entries[one] for one in names[max(0, end - most) : end])

    def last(self, most: int) -> tuple[Entry, ...]:
        return tuple(self._entries.values())[-most:]

    def _drop(self, name: str) -> None:
        # Its key stays known: the page no longer shows it, and it was sent all the same.
        self._entries.pop(name, None)


# ------------------------------------------------------------------ lines of a file


def line_of(entry: Entry) -> JsonObject:
    """An entry as a line of JSON has it."""
    return {
        "id": entry.id,
        "who": entry.who.value,
        "text": entry.text,
        "at": entry.at,
        "reactions": list(entry.reactions),
        "files": [file_line(one) for one in entry.files],
        "key": entry.key,
    }


def file_line(file: SharedFile) -> JsonObject:
    return {"id": file.id, "name": file.name, "type": file.type, "size": file.size}


def record_of(lines: Iterable[JsonValue]) -> Record:
    """The record that such lines make, the last one of each id counting; ``{"gone": id}`` takes one
    away. What is no line of ours is passed over."""
    record = Record()
    for line in lines:
        if not isinstance(line, Mapping):
            continue
        if isinstance(gone := line.get("gone"), str):
            record.remove(gone)
        elif (entry := _entry(line)) is not None:
            record.put(entry)
    return record


def _entry(line: JsonObject) -> Entry | None:
    name, text, at, who = (line.get(one) for one in ("id", "text", "at", "who"))
    if not (isinstance(name, str) and isinstance(text, str) and isinstance(at, str) and name):
        return None
    if who not in tuple(Who):
        return None
    reactions = line.get("reactions")
    listed = reactions if isinstance(reactions, list) else []
    marks = tuple(one for one in listed if isinstance(one, str))
    key = line.get("key")
    files = _files(line.get("files"))
    return Entry(name, Who(who), text, at, marks, files, key if isinstance(key, str) else "")


def _files(value: JsonValue) -> tuple[SharedFile, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    found = []
    for one in value:
        if isinstance(one, Mapping):
            name, size = one.get("id"), one.get("size")
            if isinstance(name, str) and isinstance(size, int):
                words = (str(one.get("name", "")), str(one.get("type", "")))
                found.append(SharedFile(name, *words, size))
    return tuple(found)
