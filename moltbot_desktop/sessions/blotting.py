"""Words taken out of conversations, because the note that holds them was forgotten.

    for mention in mentions(home, "My dentist is Dr. Okafor"):      # nothing is changed yet
        store.blot(mention, "My dentist is Dr. Okafor")             # see `SessionStore.blot`

An entry stays where it is, so that a conversation still makes sense; the words in it become
"[forgotten]" or "[已忘记]", in every field: what was said and thought, arguments and results of
tools, what cards showed, entries of kinds that this version does not know. Results of tools are
JSON inside JSON and are read as such. The record of which memories an answer was made with loses
the place as well. The transcript is replaced as a whole; a crash leaves the old or the new one.

Which words count as the same, `same_words` says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.memories import words_digest
from moltbot_desktop.sessions.catalogue import transcripts
from moltbot_desktop.sessions.entries import MEMORIES, decode_header, text_of
from moltbot_desktop.sessions.same_words import spans
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, write_atomic
from moltbot_desktop.storage.jsonl import LARGEST_LOG, read_jsonl, rewrite_jsonl

MARKS = {Language.ENGLISH: "[forgotten]", Language.CHINESE: "[已忘记]"}

_STRUCTURE = frozenset(
    {
        *("type", "customType", "id", "parentId", "timestamp", "runId", "role", "name"),
        *("toolCallId", "toolName", "sessionKey", "cwd", "version"),
    }
)
"""Fields that hold no words of anybody, and by which a transcript is read."""


@dataclass(frozen=True)
class Mention:
    """A conversation in which the words stand.

    Attributes:
        key: "" in a file of the reference.
        day: ISO date on which they were said first; "" when the entry has no time.
        places: how often they stand there.
    """

    path: Path
    key: SessionKey
    day: str
    places: int

    @property
    def session_id(self) -> str:
        return self.path.stem


def mentions(root: Path, words: str) -> tuple[Mention, ...]:
    """Conversations below the state folder `root` that say `words`, the latest first; those in
    the trash too.

    Raises:
        StorageError: a transcript cannot be read.
    """
    found = (_mention(path, words) for path in transcripts(root))
    return tuple(sorted(filter(None, found), key=lambda one: one.day, reverse=True))


def _mention(path: Path, words: str) -> Mention | None:
    content = read_jsonl(path)
    counts = [_blotted_record(record, words)[1] for record in content.records]
    damaged = "\n".join([*content.bad_lines, _put_aside(path)])
    places = sum(counts) + blotted_text(damaged, words)[1]
    if not places:
        return None
    header = decode_header(content.records[0]) if content.records else None
    times = [text_of(record, "timestamp") for record in content.records]
    said = (time for time, count in zip(times, counts, strict=True) if count)
    key = header.key if header else SessionKey("")
    return Mention(path, key, next(said, "")[:10], places)


def blot(path: Path, words: str) -> None:
    """Blot `words` out of one transcript, and of the damaged lines that were put aside from it.

    The caller holds the lock of the conversation.

    Raises:
        StorageError: some of it is as it was before.
    """
    rewrite_jsonl(path, lambda record: _blotted_record(record, words)[0])
    aside = _aside(path)
    text, places = blotted_text(_put_aside(path), words)
    if places:
        write_atomic(aside, text.encode("utf-8", "surrogateescape"))


def _aside(path: Path) -> Path:
    """Where `repair_jsonl` puts the lines of a transcript that are none."""
    return path.with_name(path.name + ".bad")


def _put_aside(path: Path) -> str:
    with disk_errors(path):
        try:
            return read_plain(_aside(path), LARGEST_LOG).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return ""


def _blotted_record(record: JsonObject, words: str) -> tuple[JsonObject, int]:
    changed, places = _blotted_object(record, words)
    if record.get("customType") == MEMORIES:
        return _without_place(changed, words), places
    return changed, places


def _without_place(record: JsonObject, words: str) -> JsonObject:
    """A record of used memories without the one that held `words`."""
    data = record.get("data")
    used = data.get(MEMORIES) if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(used, Sequence) or isinstance(used, str):
        return record
    digest = words_digest(words)
    kept = [one for one in used if not isinstance(one, Mapping) or one.get("digest") != digest]
    return {**record, "data": {**data, MEMORIES: kept}}


def _blotted_object(
    value: JsonObject, words: str, *, arguments: bool = False
) -> tuple[JsonObject, int]:
    """`arguments`: of a tool's call, where every name is the tool's own."""
    changed: dict[str, JsonValue] = {}
    places = 0
    for name, item in value.items():
        if name in _STRUCTURE and not arguments:
            changed[name] = item
            continue
        changed[name], count = _blotted(item, words, arguments=arguments or name == "arguments")
        places += count
    return changed, places


def _blotted(value: JsonValue, words: str, *, arguments: bool) -> tuple[JsonValue, int]:
    if isinstance(value, str):
        return blotted_text(value, words)
    if isinstance(value, Mapping):
        return _blotted_object(value, words, arguments=arguments)
    if isinstance(value, Sequence):
        return _added(_blotted(item, words, arguments=arguments) for item in value)
    return value, 0


def _added(changed: Iterable[tuple[JsonValue, int]]) -> tuple[list[JsonValue], int]:
    both = tuple(changed)
    return [value for value, _ in both], sum(count for _, count in both)


def blotted_text(text: str, words: str) -> tuple[str, int]:
    """`text` with a mark in the place of `words`, and at how many places; of an object or a list
    of JSON every value is looked at."""
    inner = _json_inside(text)
    if inner is not None:
        # Any name may stand in a tool's result, so none of them is taken for ours.
        changed, count = _blotted(inner, words, arguments=True)
        if count:
            return json.dumps(changed, ensure_ascii=False, separators=(",", ":")), count
    found = spans(text, words)
    for start, end in reversed(found):
        text = text[:start] + MARKS[language_of(text[start:end])] + text[end:]
    return text, len(found)


def blotted_fields(text: str, words: str, names: Set[str]) -> tuple[str, int]:
    """Like `blotted_text` for an object of JSON of which only the fields `names`, wherever they
    stand in it, hold words of a person: an address that says the same is left as it is."""
    inner = _json_inside(text)
    if not isinstance(inner, dict):
        return blotted_text(text, words)
    changed, count = blotted_object(inner, words, names)
    # ASCII: half a character, which a platform may send, is no text that SQLite takes.
    return (json.dumps(changed), count) if count else (text, 0)


def blotted_object(
    value: JsonObject, words: str, names: Set[str]
) -> tuple[dict[str, JsonValue], int]:
    """`value` with a mark in the place of `words` in its fields `names`, wherever they stand."""
    changed: dict[str, JsonValue] = {}
    places = 0
    for name, item in value.items():
        changed[name], count = (
            blotted_text(item, words)
            if name in names and isinstance(item, str)
            else _below(item, words, names)
        )
        places += count
    return changed, places


def _below(value: JsonValue, words: str, names: Set[str]) -> tuple[JsonValue, int]:
    if isinstance(value, Mapping):
        return blotted_object(value, words, names)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _added(_below(item, words, names) for item in value)
    return value, 0


def _json_inside(text: str) -> JsonValue:
    """What a text that is an object or a list of JSON says; None for any other text."""
    if not text.startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None
