"""What a page says over its WebSocket, and what it is told: one JSON object a frame.

    frame_of('{"t": "say", "id": "8f1c…", "text": "Hello"}')      # Say("8f1c…", "Hello", ())

A page proves itself in its first frame (`Prove`). `Said` is told with the entries of a record
(`record`), `Kept` when a message is on the disk: until then the page says it again, under the same
id, with each new connection.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.webchat.record import Entry, News, Who, file_line
from moltbot_desktop.extensions.webchat.tree import tree_of

MOST_FRAME = 256 * 1024
"""Bytes."""
MOST_TEXT = 60_000
"""Characters of a message."""
MOST_FILES = 5
_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
_LONGEST_NAME = 120


@dataclass(frozen=True)
class Prove:
    """Attributes:
    browser: whose key it is.
    proof: hexadecimal (`browsers.proof`).
    epoch, seq: what the page knows already; "" and 0 for nothing.
    """

    browser: str
    proof: str
    epoch: str
    seq: int


@dataclass(frozen=True)
class Say:
    """Attributes:
    files: ids of uploads.
    """

    id: str
    text: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Stop:
    """What is being answered is to be stopped."""


@dataclass(frozen=True)
class Older:
    """What stands before the entry of that id."""

    before: str


@dataclass(frozen=True)
class Attach:
    """A file will be uploaded; the answer is a ticket for it."""

    id: str
    name: str
    type: str
    size: int


Frame = Prove | Say | Stop | Older | Attach


def frame_of(text: str) -> Frame | None:
    """The frame that `text` is; None for none."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, Mapping):
        return None
    match told.get("t"):
        case "prove":
            return _prove(told)
        case "say":
            return _say(told)
        case "stop":
            return Stop()
        case "older":
            before = told.get("before")
            return Older(before) if isinstance(before, str) else None
        case "attach":
            return _attach(told)
    return None


def _prove(told: JsonObject) -> Prove | None:
    browser, proof, epoch, seq = (told.get(one) for one in ("browser", "proof", "epoch", "seq"))
    if not (isinstance(browser, str) and isinstance(proof, str) and isinstance(epoch, str)):
        return None
    return Prove(browser, proof, epoch, seq) if isinstance(seq, int) and seq >= 0 else None


def _say(told: JsonObject) -> Say | None:
    name, text, files = told.get("id"), told.get("text"), told.get("files", [])
    if not (isinstance(name, str) and isinstance(text, str) and isinstance(files, list)):
        return None
    ids = tuple(one for one in files if isinstance(one, str) and _ID.fullmatch(one))
    fits = len(text) <= MOST_TEXT and len(ids) == len(files) <= MOST_FILES
    if not _ID.fullmatch(name) or not fits or not (text.strip() or ids):
        return None
    # Half a character and NUL are no text that can be kept.
    clean = text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
    return Say(name, clean, ids)


def _attach(told: JsonObject) -> Attach | None:
    name, shown, kind, size = (told.get(one) for one in ("id", "name", "type", "size"))
    if not (isinstance(name, str) and isinstance(shown, str) and isinstance(kind, str)):
        return None
    if not _ID.fullmatch(name) or not isinstance(size, int) or size <= 0:
        return None
    printable = "".join(one for one in shown if one.isprintable())
    return Attach(name, printable[:_LONGEST_NAME] or "file", kind[:_LONGEST_NAME], size)


# ------------------------------------------------------------------ what the page is told


def news_frame(news: News, epoch: str, *, whole: bool = False, more: bool = False) -> JsonObject:
    """Entries that changed. `whole`: the page is to forget what it knows; `more`: there are older
    ones than the first of these."""
    entries: list[JsonValue] = [entry_told(one) for one in news.entries]
    told: dict[str, JsonValue] = {"t": "news", "epoch": epoch, "seq": news.seq, "entries": entries}
    told["gone"] = list(news.gone)
    if whole:
        told |= {"whole": True, "more": more}
    return told


def entry_told(entry: Entry) -> JsonObject:
    told: dict[str, JsonValue] = {
        "id": entry.id,
        "place": entry.place,
        "who": entry.who.value,
        "text": entry.text,
        "at": entry.at,
        "reactions": list(entry.reactions),
        "files": [file_line(one) for one in entry.files],
    }
    if entry.who is Who.ASSISTANT:
        told["body"] = tree_of(entry.text)
    return told
