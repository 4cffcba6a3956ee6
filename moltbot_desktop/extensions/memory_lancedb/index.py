"""The engine: brings the table to what the notes say, and asks it.

    index = LanceIndex(context, place)
    index.search("Who is my dentist?").hits

Every search looks at all stamps first and reads what changed, so a note edited in any editor is
found. What cannot be given a vector at once is found by words, and gets its vector with later
searches, from the program's cache where that has it. A table that is damaged is dropped and made
anew from the notes, in the same search.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from moltbot_desktop.core.errors import IndexCorrupt, StorageError
from moltbot_desktop.core.i18n import Language, Phrases, language_of
from moltbot_desktop.extensions.memory_lancedb.place import Place
from moltbot_desktop.extensions.memory_lancedb.rows import Row, State, rows_of
from moltbot_desktop.extensions.memory_lancedb.scoring import WordHits, rank, shown
from moltbot_desktop.sdk.memory import MemoryStatus, SearchAnswer
from moltbot_desktop.sdk.memory_plugins import AskedWord, MemoryContext

if TYPE_CHECKING:
    from moltbot_desktop.extensions.memory_lancedb.table import NoteTable

T = TypeVar("T")
_log = logging.getLogger(__name__)

_FILES_AT_ONCE = 64
_WAITING_AT_ONCE = 256
_VECTOR_SECONDS = 0.3
"""How long a search may spend on vectors of new notes before it answers."""
_MOST_RESULTS = 50
_MOST_WORDS = 8
_PER_WORD = 5_000
_NEAREST = 50
_PER_RESULT = 4
"""Places looked at for one that is shown: the same fact may stand in several."""
_SHORT_LINE = 100
_MOST_PLACES = 400
_ATTEMPTS = 2

_PHRASES = Phrases(
    {
        "remote": "The words of your notes are kept at {uri}, as plugins.entries.memory-lancedb "
        "says.",
        "waiting": "Some notes are not yet read for meaning; words find them all.",
        "unusable": "The LanceDB table at {uri} cannot be used.",
        "unusable_hint": "Look at plugins.entries.memory-lancedb, or choose memory-core in "
        "plugins.slots.memory: your notes are safe.",
    },
    {
        "remote": "按 plugins.entries.memory-lancedb 的设置，笔记的文字保存在 {uri}。",
        "waiting": "还有一些笔记未完成语义索引；按字词都能找到。",
        "unusable": "位于 {uri} 的 LanceDB 表不能用。",
        "unusable_hint": "请检查 plugins.entries.memory-lancedb，或在 plugins.slots.memory 中选用 "
        "memory-core：笔记不会丢失。",
    },
)


class LanceIndex:
    """Implements `sdk.memory_plugins.MemoryIndex`. Nothing is opened before it is needed."""

    def __init__(self, context: MemoryContext, place: Place) -> None:
        self._context = context
        self._notes = context.notes
        self._place = place
        self._table: NoteTable | None = None
        self._name = ""
        self._waiting = True

    # ---------------------------------------------------------------- the contract

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        asked = self._notes.asked(query)
        vector = self._notes.question_vector(query) if asked else None
        note = self._note(language_of(query))
        if not asked:
            return SearchAnswer((), note)

        def answer(table: NoteTable) -> SearchAnswer:
            self._bring_up_to_date(table)
            words = [
                WordHits(word.weight, table.with_words(" ".join(word.terms), _PER_WORD))
                for word in _weightiest(asked)
            ]
            cosines = table.near(vector, _NEAREST) if vector is not None else {}
            results = min(max(1, max_results), _MOST_RESULTS)
            places = max(_PER_RESULT * results, min(max_characters // _SHORT_LINE, _MOST_PLACES))
            ranked = rank(words, cosines)[:places]
            rows = table.rows([one.id for one in ranked])
            hits = shown(ranked, rows, max_results=results, max_characters=max_characters)
            return SearchAnswer(hits, self._note(language_of(query)))

        return self._used(answer)

    def status(self, language: Language = Language.ENGLISH) -> MemoryStatus:
        def told(table: NoteTable) -> MemoryStatus:
            self._bring_up_to_date(table)
            files, units = table.counts()
            model, dimensions = self._notes.vector_space()
            now = self._context.clock.now().isoformat(timespec="seconds")
            return MemoryStatus(
                files,
                units,
                bool(dimensions),
                model,
                self._place.uri,
                self._note(language),
                last_look=now,
            )

        return self._used(told)

    def forgotten(self) -> None:
        """LanceDB only marks what is deleted, and keeps old versions: the table goes whole, and the
        next search makes it anew."""
        try:
            table = self._opened()
        except IndexCorrupt:
            self._drop_folder()
            return
        self._table = None
        table.drop()

    def close(self) -> None:
        self._table = None

    # ---------------------------------------------------------------- the table

    def _used(self, action: Callable[[NoteTable], T]) -> T:
        """The result of `action`, repeated on a fresh table when this one fails under it."""
        said = ""
        for _ in range(_ATTEMPTS):
            try:
                return action(self._opened())
            except IndexCorrupt as error:
                said = error.message
                _log.warning("the table is made anew: %s", said)
                self._table = None
                self._drop_folder()
        language = self._context.language
        raise StorageError(
            f"{_PHRASES.say('unusable', language, uri=self._place.uri)} {said}",
            hint=_PHRASES.say("unusable_hint", language),
        )

    def _opened(self) -> NoteTable:
        """The table for the vectors of now; another model has a table of its own."""
        # Here and not above: the library takes seconds to load, and most never use it.
        from moltbot_desktop.extensions.memory_lancedb.table import NoteTable

        if self._place.is_remote:
            host = self._place.host
            self._context.way.open(host)
            self._context.way.count(host, requests=1)
        name = _table_name(self._context.agent_id, *self._notes.vector_space())
        if self._table is None or name != self._name:
            if not self._place.is_remote:
                self._drop_others(name)
            dimensions = self._notes.vector_space()[1]
            self._table, self._name = NoteTable(self._place, name, dimensions), name
            self._waiting = True
        return self._table

    def _drop_others(self, name: str) -> None:
        """Tables of this agent for other models: nobody would take forgotten words out of them."""
        for folder in self._folders():
            if folder.name != f"{name}.lance":
                shutil.rmtree(folder, ignore_errors=True)

    def _drop_folder(self) -> None:
        if not self._place.is_remote:
            for folder in self._folders():
                shutil.rmtree(folder, ignore_errors=True)

    def _folders(self) -> Iterator[Path]:
        yield from Path(self._place.uri).glob(f"{_prefix(self._context.agent_id)}*.lance")

    # ---------------------------------------------------------------- bringing it up to date

    def _bring_up_to_date(self, table: NoteTable) -> None:
        now, known = self._notes.stamps(), table.stamps()
        gone = [path for path in known if path not in now]
        if gone:
            table.remove(gone)
        changed = sorted(path for path, stamp in now.items() if known.get(path) != stamp)
        until = self._context.clock.monotonic() + _VECTOR_SECONDS
        for paths in _batches(changed, _FILES_AT_ONCE):
            table.put([row for path in paths for row in self._rows(path, until)])
            self._waiting = True
        if self._waiting:
            self._waiting = not self._complete(table, until)

    def _rows(self, path: str, until: float) -> Sequence[Row]:
        file = self._notes.read(path)
        left = until - self._context.clock.monotonic()
        texts = [unit.text for unit in file.units]
        vectors = self._notes.vectors(texts, left) if left > 0 else (None,) * len(texts)
        return rows_of(path, file, vectors, self._notes.terms)

    def _complete(self, table: NoteTable, until: float) -> bool:
        """Give some waiting rows their vectors; True when none waits any more."""
        if not self._notes.vector_space()[1]:
            return True
        waiting = table.waiting(_WAITING_AT_ONCE)
        left = max(0.0, until - self._context.clock.monotonic())
        vectors = self._notes.vectors([row.text for row in waiting], left)
        whole = [
            replace(row, vector=vector, state=State.WHOLE)
            for row, vector in zip(waiting, vectors, strict=True)
            if vector is not None
        ]
        if whole:
            table.complete(whole)
        return len(whole) == len(waiting) < _WAITING_AT_ONCE

    def _note(self, language: Language) -> str:
        notes = [self._notes.trouble(language)]
        if not notes[0] and self._waiting and self._table is not None:
            notes.append(_PHRASES.say("waiting", language))
        if self._place.is_remote:
            notes.append(_PHRASES.say("remote", language, uri=self._place.uri))
        return " ".join(filter(None, notes))


def _weightiest(asked: Sequence[AskedWord]) -> Sequence[AskedWord]:
    """The words that count most; one that counts nothing still puts places in order."""
    return sorted(asked, key=lambda word: -word.weight)[:_MOST_WORDS]


def _batches(paths: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    rest = iter(paths)
    while batch := tuple(itertools.islice(rest, size)):
        yield batch


def _prefix(agent: str) -> str:
    return f"notes-{agent}--"


def _table_name(agent: str, model: str, dimensions: int) -> str:
    """Of one agent and one model: vectors of two models do not compare."""
    space = hashlib.sha256(model.encode()).hexdigest()[:12] if dimensions else "words"
    return f"{_prefix(agent)}{space}"
