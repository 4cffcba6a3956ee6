"""A memory engine as a plugin: what it registers, and what the program lends it.

    def register(api: PluginApi) -> None:
        api.register_memory(PluginMemory(lambda context: MyEngine(context)))

Markdown is the truth, so an engine keeps nothing but a way to find again. It asks `MemoryNotes`
which files there are, reads them as units, and may lose all it made at any time: what it was lent
makes it anew. Notes are written, read and taken out by the program alone, whichever engine answers,
so no engine can lose one.

Which engine answers is said by ``plugins.slots.memory`` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.traffic import NO_WAY, Way
from moltbot_desktop.sdk.memory import MemoryEngine, MemoryStatus, SearchAnswer

Vector = Sequence[float]
"""Of length 1, as many numbers as `MemoryNotes.vector_space` says."""


@dataclass(frozen=True)
class NoteUnit:
    """The smallest piece of a file that makes sense alone, and is what a search returns.

    Attributes:
        start_line: from 1, inclusive, like `end_line`.
        text: the words, without bullet, time or mark.
        header: what it stands under: headings and the day, "" for nothing.
        mark: provenance, "" for the owner's own words.
    """

    start_line: int
    end_line: int
    text: str
    header: str = ""
    mark: str = ""


@dataclass(frozen=True)
class NoteFile:
    """A file as it was read; `stamp` is what `MemoryNotes.stamps` says while it stays so."""

    stamp: str
    units: tuple[NoteUnit, ...] = ()


@dataclass(frozen=True)
class AskedWord:
    """One thing a question asks about.

    Attributes:
        terms: as `MemoryNotes.terms` writes them; a place that has all of them has the word.
        weight: how much it counts when judging whether a place fits, from 0.
    """

    terms: tuple[str, ...]
    weight: float


class MemoryNotes(Protocol):
    """The files of one agent's memory. Thread-safe; blocks."""

    def stamps(self) -> Mapping[str, str]:
        """Every file by its path (as in `SearchHit`), with a stamp that a change changes."""
        ...

    def read(self, path: str) -> NoteFile:
        """A file's units; none of a file that is gone or cannot be read."""
        ...

    def terms(self, text: str) -> str:
        """`text` for a full-text index: words between blanks, Chinese as single characters and
        pairs. Upper and lower case and English endings are left to the index."""
        ...

    def asked(self, question: str) -> tuple[AskedWord, ...]:
        """What a question asks about; nothing of "how are you?"."""
        ...

    def vector_space(self) -> tuple[str, int]:
        """Id of the model that makes vectors, and their length; ("", 0) without one."""
        ...

    def vectors(self, texts: Sequence[str], seconds: float) -> tuple[Vector | None, ...]:
        """A vector for each text: those known already, and as many more as the model makes in
        about `seconds`; None for the others, which can be asked for again."""
        ...

    def question_vector(self, question: str) -> Vector | None:
        """None without a model, or where it does not know the question's language."""
        ...

    def trouble(self, language: Language) -> str:
        """Sentences about what is not as the settings ask for: no model, files unread."""
        ...


class MemoryIndex(Protocol):
    """An engine: a way to find notes again. Never asked by two threads at a time; blocks."""

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        """As `sdk.memory.MemoryEngine.search`. A hit is a `NoteUnit` with its whole text, unless
        `max_characters` asks for less, so that it can be taken out again."""
        ...

    def status(self, language: Language = Language.ENGLISH) -> MemoryStatus: ...

    def forgotten(self) -> None:
        """Words were taken out of the notes: no trace of them may stay in files of this engine.

        Raises:
            StorageError: some may be left.
        """
        ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class MemoryContext:
    """What one agent's engine is made with.

    Attributes:
        workspace: of the agent, absolute.
        folder: for this engine's files, absolute, made when it is needed. A cache: it may be
            deleted while no engine is open, and is when words are forgotten.
        own: the program's own engine.
        way: out of this computer. An engine that keeps anything on another one asks it each time,
            with the host, before words go there.
        language: of the person.
    """

    agent_id: AgentId
    workspace: Path
    folder: Path
    own: MemoryEngine
    notes: MemoryNotes
    clock: Clock
    language: Language
    way: Way = NO_WAY


@dataclass(frozen=True)
class RecallRule:
    """Which memories are brought up before a model answers, unasked.

    Attributes:
        most: so many of them.
        least_score: of `SearchHit.score`.
        shortest: characters of a request that is worth a look.
    """

    most: int = 3
    least_score: float = 0.6
    shortest: int = 1


@dataclass(frozen=True)
class PluginMemory:
    """An engine for the slot `memory`. The plugin's manifest says ``"kind": "memory"``.

    Attributes:
        open: makes the engine of one agent; blocks, and is called on a worker thread when the
            memory is first asked. It is closed when the plugin goes. Raises MoltbotError. Where
            it fails, the program's own engine answers and says so.
        recall: None brings up nothing. Marked notes and conversations are never brought up.
        captures: whether facts that the owner mentions are proposed for keeping. What is a fact,
            whom the program listens to and who decides is the same with every engine.
    """

    open: Callable[[MemoryContext], MemoryIndex]
    recall: RecallRule | None = field(default_factory=RecallRule)
    captures: bool = True
