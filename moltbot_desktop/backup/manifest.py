"""The list of what is in a backup: `manifest.json`, the first thing that is read of one. Pure.

{"format": "moltbot-backup", "version": 1, "made": "2026-01-02T03:04:05+00:00",
 "program": "Moltbot Desktop 0.1", "items": [{"name", "part", "size", "sha256"}],
 "leftOut": [{"name", "why"}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.backup import LeftOut, Part, Why

MANIFEST = "manifest.json"
FORMAT = "moltbot-backup"
VERSION = 1
LARGEST_FILE = 512_000_000
"""Bytes of one file in a backup."""
MOST_FILES = 200_000
_MOST_BYTES = 64_000_000_000
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LONGEST = 1_000


@dataclass(frozen=True)
class Item:
    """One file of a backup.

    Attributes:
        name: in the form of `names.packed_name`.
        sha256: of its bytes, in hexadecimal digits.
        runnable: it was marked as a program.
    """

    name: str
    part: Part
    size: int
    sha256: str
    runnable: bool = False


@dataclass(frozen=True)
class Manifest:
    """Attributes:
    made: ISO 8601.
    program: its name and version.
    """

    made: str
    program: str
    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...] = ()


def encoded(manifest: Manifest) -> bytes:
    whole: JsonObject = {
        "format": FORMAT,
        "version": VERSION,
        "made": manifest.made,
        "program": manifest.program,
        "items": [_item_json(one) for one in manifest.items],
        "leftOut": [{"name": one.name, "why": one.why.value} for one in manifest.left_out],
    }
    return json.dumps(whole, indent=1).encode() + b"\n"


def _item_json(one: Item) -> JsonObject:
    row: dict[str, JsonValue] = {"name": one.name, "part": one.part.value, "size": one.size}
    return {**row, "sha256": one.sha256, **({"runnable": True} if one.runnable else {})}


def decoded(data: bytes) -> Manifest:
    """Raises UserInputInvalid: it is none, or of a newer program."""
    try:
        whole: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        no_backup()
    if not isinstance(whole, Mapping) or whole.get("format") != FORMAT:
        no_backup()
    if whole.get("version") != VERSION:
        raise UserInputInvalid(
            "A newer Moltbot Desktop made this backup.", hint="Update this one first."
        )
    items, left = whole.get("items"), whole.get("leftOut", [])
    if not isinstance(items, list) or not isinstance(left, list) or len(items) > MOST_FILES:
        no_backup()
    read = tuple(map(_item, items))
    if len({one.name for one in read}) != len(read) or total(read) > _MOST_BYTES:
        no_backup()
    left_out = tuple(one for one in map(_left_out, left) if one is not None)
    return Manifest(_text(whole, "made"), _text(whole, "program"), read, left_out)


def total(items: tuple[Item, ...]) -> int:
    """Bytes of all of them."""
    return sum(one.size for one in items)


def no_backup() -> NoReturn:
    raise UserInputInvalid(
        "This is no backup of Moltbot Desktop, or it is damaged.",
        hint="Choose a file that “moltbot-desktop export” wrote.",
    )


def _item(value: JsonValue) -> Item:
    if not isinstance(value, Mapping):
        no_backup()
    name, size, digest = value.get("name"), value.get("size"), value.get("sha256")
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST or name == MANIFEST:
        no_backup()
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= LARGEST_FILE:
        no_backup()
    if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        no_backup()
    try:
        part = Part(_text(value, "part"))
        return Item(name, part, size, digest, value.get("runnable") is True)
    except ValueError:
        no_backup()


def _left_out(value: JsonValue) -> LeftOut | None:
    if not isinstance(value, Mapping):
        return None
    try:
        return LeftOut(_text(value, "name"), Why(_text(value, "why")))
    except ValueError:
        return None


def _text(value: JsonObject, name: str) -> str:
    found = value.get(name)
    return found[:_LONGEST] if isinstance(found, str) else ""
