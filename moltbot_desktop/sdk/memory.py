"""The contract of a memory engine: Markdown is the truth, the index only finds it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.memories import Use, UsedMemory, words_digest


@dataclass(frozen=True)
class SearchHit:
    """One place in a memory file.

    Attributes:
        path: with `/`; relative to the workspace, absolute for a note outside of it, and
            ``sessions/<id>.jsonl`` for a past conversation. `get` takes it.
        start_line: 1-based, inclusive, like `end_line`.
        score: 0..1, comparable within one answer only.
        source: ``memory`` or ``sessions``.
        why: short words for the person: keyword, meaning, name, date, nearby.
        mark: provenance of the place, "" for the owner's own words; what is marked taints.
    """

    path: str
    start_line: int
    end_line: int
    snippet: str
    score: float
    source: str
    why: tuple[str, ...] = ()
    mark: str = ""


def used_memory(hit: SearchHit, use: Use) -> UsedMemory:
    """What is kept of a hit that had a part in an answer."""
    digest = words_digest(hit.snippet)
    return UsedMemory(hit.path, hit.start_line, hit.end_line, hit.score, digest, use)


@dataclass(frozen=True)
class SearchAnswer:
    """What was found; `note` tells of a degraded search (keywords only, rebuilding)."""

    hits: tuple[SearchHit, ...]
    note: str = ""


@dataclass(frozen=True)
class MemoryExcerpt:
    """Lines of a memory file as they stand there; `mark` as in `SearchHit`, of any of them.

    Attributes:
        start_line: number of the first line, from 1.
        total_lines: of the whole file.
    """

    path: str
    text: str
    start_line: int
    total_lines: int
    mark: str = ""


@dataclass(frozen=True)
class StoredNote:
    """Where a stored fact now stands; `line` counts from 1."""

    path: str
    line: int
    already_known: bool = False


@dataclass(frozen=True)
class MemoryStatus:
    """What the index holds.

    Attributes:
        files: number of indexed files.
        chunks: number of their parts.
        vectors: whether questions are also searched by meaning.
        model: id of the embedding model; "" without one.
        note: "" or why something is not as the settings ask for.
        watching: whether changed notes are noticed by themselves.
        watch_note: "" or why they are not.
        engine: id of the plugin whose engine answers; "" when the program's own does without one.
        last_look: when the index was last known to say what the notes say, ISO 8601; "" for
            never in this run of the program.
    """

    files: int
    chunks: int
    vectors: bool
    model: str
    index_path: str
    note: str = ""
    watching: bool = False
    watch_note: str = ""
    last_look: str = ""
    engine: str = ""


class MemoryEngine(Protocol):
    """Thread-safe; every call blocks, so the agent calls it from a worker thread."""

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        """Best places for `query`, best first; files changed since are indexed before.

        Args:
            max_results: at most so many places.
            max_characters: pack units into a budget of snippet text instead; 0 for no budget.
        """
        ...

    def get(self, path: str, *, start_line: int = 1, lines: int = 0) -> MemoryExcerpt:
        """Part of a memory file, from `start_line` (from 1) on; `lines` 0 means to the end.

        Raises:
            PathRefused: not a memory file.
        """
        ...

    def store(self, text: str, *, mark: str = "") -> StoredNote:
        """Append `text` as one note to today's file; `mark` is provenance, kept in the Markdown.

        Raises:
            StorageError: the note was not kept.
        """
        ...

    def forget(self, hit: SearchHit) -> str:
        """Remove the place that a search found from its file, the index and every cache.

        `hit.snippet` must be the whole text of the place, as an answer without a budget of
        characters has it.

        Returns:
            The lines that were removed.

        Raises:
            PathRefused: not a memory file.
            UserInputInvalid: the words do not stand there any more, or it is a source that is only
                read; nothing was changed.
            StorageError: nothing was changed, or only the index was not.
        """
        ...

    def find_again(self, used: UsedMemory) -> SearchHit | None:
        """A place as it stands now, wherever in its file its words have moved to.

        None when they stand there no more: changed, forgotten, or the file is gone.

        Raises:
            StorageError: the file cannot be read.
        """
        ...

    def status(self, language: Language = Language.ENGLISH) -> MemoryStatus:
        """How memory stands; `language` is that of the notes in it."""
        ...

    def close(self) -> None: ...
