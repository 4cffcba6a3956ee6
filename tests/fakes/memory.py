"""A memory engine without disk, for tests of what asks memory.

    memory = FakeMemory({"memory/2026-01-05.md": "My dentist is Dr. Okafor"})

One line is one place; a place is found when it shares a word of three letters or more (or a pair
of Han characters) with the query, and its score is the share of the query's words it has.
`stored` lists what was stored as (text, mark). `failing` makes `store` raise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from moltbot_desktop.core.errors import (
    MoltbotError,
    PathRefused,
    StorageError,
    UserInputInvalid,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.memories import UsedMemory, words_digest
from moltbot_desktop.sdk.memory import (
    MemoryExcerpt,
    MemoryStatus,
    SearchAnswer,
    SearchHit,
    StoredNote,
)

TODAY = "memory/2026-01-05.md"
_SMALL = frozenset(
    {
        "the",
        "what",
        "who",
        "where",
        "when",
        "which",
        "does",
        "did",
        "was",
        "are",
        "and",
        "for",
        "my",
    }
)


def _words(text: str) -> frozenset[str]:
    english = re.findall(r"[a-z0-9]{2,}", text.lower())
    han = re.findall(r"[\u3400-\u9fff]+", text)
    pairs = [run[i : i + 2] for run in han for i in range(max(1, len(run) - 1))]
    return frozenset(english).difference(_SMALL) | frozenset(pairs)


class FakeMemory:
    """Implements `sdk.memory.MemoryEngine`."""

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files = {path: text.splitlines() for path, text in (files or {}).items()}
        self.stored: list[tuple[str, str]] = []
        self.queries: list[str] = []
        self.failing: StorageError | None = None
        self.note = ""
        self.closed = False

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        self.queries.append(query)
        wanted = _words(query)
        hits = [
            SearchHit(path, number, number, line, len(wanted & _words(line)) / len(wanted),
                      "memory", ("keyword",))
            for path, lines in self.files.items()
            for number, line in enumerate(lines, start=1)
            if wanted & _words(line)
        ]  # fmt: skip
        hits.sort(key=lambda hit: -hit.score)
        return SearchAnswer(tuple(hits[:max_results]), self.note)

    def get(self, path: str, *, start_line: int = 1, lines: int = 0) -> MemoryExcerpt:
        if path not in self.files:
            raise PathRefused(f"{path} is not a memory file.")
        text = self.files[path]
        end = start_line - 1 + lines if lines else len(text)
        return MemoryExcerpt(path, "\n".join(text[start_line - 1 : end]), start_line, len(text))

    def store(self, text: str, *, mark: str = "") -> StoredNote:
        if self.failing is not None:
            raise self.failing
        today = self.files.setdefault(TODAY, [])
        if text in today:
            return StoredNote(TODAY, today.index(text) + 1, already_known=True)
        today.append(text)
        self.stored.append((text, mark))
        return StoredNote(TODAY, len(today))

    def forget(self, hit: SearchHit) -> str:
        lines = self.files.get(hit.path, [])
        if lines[hit.start_line - 1 : hit.end_line] != [hit.snippet]:
            raise UserInputInvalid("That note is no longer where it was.")
        del lines[hit.start_line - 1 : hit.end_line]
        return hit.snippet

    def find_again(self, used: UsedMemory) -> SearchHit | None:
        for number, line in enumerate(self.files.get(used.path, []), start=1):
            if words_digest(line) == used.digest:
                return SearchHit(used.path, number, number, line, used.score, "memory")
        return None

    def status(self, language: Language = Language.ENGLISH) -> MemoryStatus:
        count = sum(map(len, self.files.values()))
        return MemoryStatus(len(self.files), count, False, "", "", self.note)

    def close(self) -> None:
        self.closed = True


class ConceptEmbedder:
    """An embedder that knows a few concepts, each a dimension, and nothing else.

    `concepts` gives per dimension the words that mean it. A text with none of them gets a weak
    vector along one dimension more, so that it is near to nothing. `asked` lists every text.
    """

    def __init__(self, *concepts: str, model_id: str = "concepts-1") -> None:
        self._concepts = [frozenset(words.split()) for words in concepts]
        self.model_id = model_id
        self.asked: list[str] = []
        self.failing: MoltbotError | None = None

    @property
    def dimensions(self) -> int:
        return len(self._concepts) + 1

    def _embed(self, text: str) -> list[float]:
        if self.failing is not None:
            raise self.failing
        self.asked.append(text)
        words = set(re.findall(r"\w+", text.lower()))
        vector = [float(len(words & concept)) for concept in self._concepts]
        vector.append(0.0 if any(vector) else 1.0)
        length = sum(value * value for value in vector) ** 0.5
        return [value / length for value in vector]

    def embed_query(self, text: str) -> list[float]:
        return self._embed(text)

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._embed(text) for text in texts]
