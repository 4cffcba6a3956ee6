"""Settings in several files: `$include`.

    { $include: "./base.json5", ui: { theme: "dark" } }          // what stands beside it wins
    { agents: { $include: ["./agents.json5", "./work.json5"] } } // later ones win

    whole = with_includes(raw, home / "moltbot.json", read)

A path is relative to the file it stands in. Groups are merged, lists are put one after the other,
anything else is replaced. What cannot be included is told with the place it was wanted at, and
costs only what would have stood there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

from moltbot_desktop.config.json5_text import UnusableText
from moltbot_desktop.core.json import JsonObject, JsonValue

INCLUDE = "$include"
MAX_DEPTH = 10
_MOST_FILES = 300
"""Ten files that each name ten others would keep the start busy for hours."""

Read = Callable[[Path], JsonValue]
"""What a file says; raises OSError or UnusableText."""


@dataclass(frozen=True)
class NotIncluded:
    """A file that could not be included.

    Attributes:
        path: of the settings that would have been there, "" for all.
        phrase, slots: why (`config.texts`).
        file: the file it is about.
    """

    path: str
    phrase: str
    slots: Mapping[str, object]
    file: Path


@dataclass(frozen=True)
class WholeSettings:
    """Settings with all files they are made of.

    Attributes:
        files: those that were wanted besides the first, also the ones that are not there.
    """

    raw: JsonObject
    files: tuple[Path, ...]
    missing: tuple[NotIncluded, ...]


def with_includes(raw: JsonObject, file: Path, read: Read) -> WholeSettings:
    """`raw`, which stands in `file`, with all that it includes."""
    walk = _Walk(read)
    whole = walk.resolved(raw, "", (file,))
    return WholeSettings(
        whole if isinstance(whole, Mapping) else {},
        tuple(dict.fromkeys(walk.files)),
        tuple(walk.missing),
    )


def merged(first: JsonValue, second: JsonValue) -> JsonValue:
    """Both: groups recursively, lists one after the other, else `second`."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        both = {
            name: merged(first[name], value) if name in first else value
            for name, value in second.items()
        }
        return {**first, **both}
    if isinstance(first, list) and isinstance(second, list):
        return [*first, *second]
    return second


class _Refused(Exception):
    def __init__(self, phrase: str, file: Path, **slots: object) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.file = file
        self.slots = slots


@dataclass
class _Walk:
    read: Read
    files: list[Path] = field(default_factory=list)
    missing: list[NotIncluded] = field(default_factory=list)

    def resolved(self, value: JsonValue, path: str, chain: tuple[Path, ...]) -> JsonValue:
        if isinstance(value, list):
            return [
                self.resolved(item, f"{path}[{number}]", chain) for number, item in enumerate(value)
            ]
        if not isinstance(value, Mapping):
            return value
        beside = {
            name: self.resolved(item, f"{path}.{name}" if path else name, chain)
            for name, item in value.items()
            if name != INCLUDE
        }
        if INCLUDE not in value:
            return beside
        try:
            included = self._included(value[INCLUDE], path, chain)
            if beside and not isinstance(included, Mapping):
                raise _Refused("include_beside", chain[-1])
        except _Refused as refused:
            slots = {"file": refused.file, **refused.slots}
            self.missing.append(NotIncluded(path, refused.phrase, slots, refused.file))
            return beside
        return merged(included, beside) if beside else included

    def _included(self, wanted: JsonValue, path: str, chain: tuple[Path, ...]) -> JsonValue:
        if isinstance(wanted, str):
            return self._file(wanted, path, chain)
        if not isinstance(wanted, list) or not all(isinstance(one, str) for one in wanted):
            raise _Refused("include_kind", chain[-1])
        found = [self._file(str(one), path, chain) for one in wanted]
        return reduce(merged, found) if found else {}

    def _file(self, name: str, path: str, chain: tuple[Path, ...]) -> JsonValue:
        file = _place(name, chain[-1])
        if file in chain:
            links = " → ".join(one.name for one in (*chain[chain.index(file) :], file))
            raise _Refused("include_cycle", file, chain=links)
        if len(chain) > MAX_DEPTH:
            raise _Refused("include_depth", file, most=MAX_DEPTH)
        if len(self.files) >= _MOST_FILES:
            raise _Refused("include_many", file, most=_MOST_FILES)
        self.files.append(file)
        try:
            found = self.read(file)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            reason = error.strerror if isinstance(error, OSError) else None
            raise _Refused("include_unreadable", file, reason=reason or str(error)) from error
        except UnusableText as error:
            raise _Refused(
                "include_unparsable",
                file,
                reason=error.phrase,
                line=error.line,
                column=error.column,
                slots=error.slots,
            ) from error
        return self.resolved(found, path, (*chain, file))


def _place(name: str, including: Path) -> Path:
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # ~ of a user nobody knows
        path = Path(name)
    # Not resolved by the disk: two names of one file are two files, and depth ends their circle.
    return Path(os.path.normpath(including.parent / path))
