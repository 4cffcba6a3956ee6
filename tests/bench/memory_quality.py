"""How much of what answers a question memory finds, beside the reference's figures.

DATA holds one folder per conversation with `memory/*.md` and `questions.jsonl`, each line
`{"question", "category", "evidence": ["memory/x.md:LINE", ...]}`; category 5 (nothing to find) is
left out. Nothing is fitted to the data while it is measured.

Two ways to look at the same ranking:

- **in characters**: the share of evidence lines among the notes that fit a budget of text, which
  is what a model is given;
- **in chunks** of the reference's size (1,600 characters, 320 of them shared): each chunk stands
  where the notes inside it put it, and recall counts the first 5 and 10 of them. So the figures
  can be compared with an index that knows nothing smaller than a chunk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from moltbot_desktop.memory.chunks import cut_chunks
from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.files import read_text
from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.vectors import LEAST_CANDIDATES, VectorMatrix
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.sdk.models import Embedder
from tests.bench.memory_heldout import Conversation, held_out, opened
from tests.bench.memory_material import TOP, best, clock
from tests.bench.models_figures import tell

BUDGETS = (8000, 4000)
DEPTHS = (5, 10)
CHUNK_TOKENS = (400, 80)  # of the reference, and those it repeats
NOTHING_TO_FIND = 5  # a category
_EVERYTHING = 10**6
"""A budget into which all ranked places fit."""


@dataclass(frozen=True)
class Question:
    text: str
    evidence: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Chunk:
    """Lines of a file, both inclusive."""

    path: str
    first: int
    last: int

    def holds(self, path: str, line: int) -> bool:
        return path == self.path and self.first <= line <= self.last


def questions(folder: Path) -> Iterator[Question]:
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        places = tuple(
            (path, int(number))
            for path, _, number in (place.rpartition(":") for place in row["evidence"])
        )
        if places and row["category"] != NOTHING_TO_FIND:
            yield Question(row["question"], places)


def chunks_of(folder: Path) -> list[Chunk]:
    chunks: list[Chunk] = []
    for path in sorted((folder / "memory").glob("*.md")):
        chunks += [
            Chunk(f"memory/{path.name}", chunk.start_line, chunk.end_line)
            for chunk in cut_chunks(read_text(path).text, *CHUNK_TOKENS)
        ]
    return chunks


def as_chunks(hits: Sequence[SearchHit]) -> list[Chunk]:
    return [Chunk(hit.path, hit.start_line, hit.end_line) for hit in hits]


def chunk_order(hits: Sequence[SearchHit], chunks: Sequence[Chunk]) -> list[Chunk]:
    """Chunks by the notes in them: each note adds one over its rank.

    A note counts for the first chunk that shows it, or a chunk and the next one, which begins
    with the end of the first, would stand beside each other and say half of it twice.
    """
    around = [
        [at for at, chunk in enumerate(chunks) if chunk.holds(hit.path, hit.start_line)]
        for hit in hits
    ]
    worth = [0.0] * len(chunks)
    holding: list[list[int]] = [[] for _ in chunks]
    for rank, some in enumerate(around):
        for at in some:
            worth[at] += 1 / (1 + rank)
            holding[at].append(rank)
    ordered: list[Chunk] = []
    while any(around):
        top = max(range(len(chunks)), key=worth.__getitem__)
        ordered.append(chunks[top])
        worth[top] = -1.0
        for rank in holding[top]:
            for at in around[rank]:
                worth[at] -= 1 / (1 + rank)
            around[rank] = []
    return ordered


def recall(question: Question, chunks: Sequence[Chunk]) -> float:
    found = sum(
        any(chunk.holds(path, line) for chunk in chunks) for path, line in question.evidence
    )
    return found / len(question.evidence)


def reciprocal_rank(question: Question, chunks: Sequence[Chunk]) -> float:
    for rank, chunk in enumerate(chunks, start=1):
        if recall(question, [chunk]):
            return 1 / rank
    return 0.0


def judged(
    chunks: Sequence[Chunk], question: Question, found: Callable[[int], Sequence[SearchHit]]
) -> dict[str, float]:
    """Every figure for one question; `found` gives what fits a budget of characters."""
    figures = {f"{budget}": recall(question, as_chunks(found(budget))) for budget in BUDGETS}
    ordered = chunk_order(found(_EVERYTHING), chunks)
    for depth in DEPTHS:
        figures[f"r@{depth}"] = recall(question, ordered[:depth])
    figures["MRR"] = reciprocal_rank(question, ordered)
    return figures


def _mean(figures: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: sum(row[name] for row in figures) / len(figures) for name in figures[0]}


def _joined(figures: Mapping[str, float], names: Sequence[str]) -> str:
    return " / ".join(f"{figures[name]:.3f}" for name in names)


def _told(name: str, figures: Mapping[str, float], count: int) -> None:
    tell(
        f"memory: evidence in 8,000 / 4,000 characters, {name}",
        _joined(figures, [str(budget) for budget in BUDGETS]),
        "share",
        f"{count} questions; reference .604 / .316, on ten conversations",
        "at least .90 / .85",
    )
    tell(
        f"memory: r@5 / r@10 / MRR in chunks, {name}",
        _joined(figures, ["r@5", "r@10", "MRR"]),
        "share",
        "reference .553 / .688 / .466, on ten conversations",
        "at least .84 / .89 / .80",
    )


def quality(data: Path, base: Path, embedder: Embedder | None) -> None:
    """The rows of each conversation below `data`, of all, and of the sign prefilter on them.

    Args:
        base: for the indexes; what is there from an earlier run is used again.
    """
    all_figures: list[dict[str, float]] = []
    conversations: list[Conversation] = []
    folders = sorted(path.parent for path in data.glob("*/questions.jsonl"))
    for folder in folders:
        memory = open_memory(folder, base / folder.name, embedder, clock())
        chunks, asked = chunks_of(folder), list(questions(folder))
        try:
            memory.refresh()
            figures = [
                judged(chunks, question, partial(_hits, memory, question.text))
                for question in asked
            ]
        finally:
            memory.close()
        _told(folder.name, _mean(figures), len(figures))
        all_figures += figures
        texts = [question.text for question in asked]
        judges = [partial(judged, chunks, question) for question in asked]
        conversations.append(opened(folder.name, base / folder.name, texts, judges, embedder))
    if not all_figures:
        tell("memory: evidence found", "no questions", "", f"no */questions.jsonl in {data}")
        return
    _told("all" if embedder else "all, words only", _mean(all_figures), len(all_figures))
    held_out(conversations, [*map(str, BUDGETS), *(f"r@{depth}" for depth in DEPTHS), "MRR"])
    if embedder is not None:
        asked_for = [question.text for folder in folders for question in questions(folder)]
        prefilter([base / folder.name for folder in folders], asked_for, embedder)


def _hits(memory: MarkdownMemory, text: str, budget: int) -> Sequence[SearchHit]:
    return memory.search(text, max_characters=budget).hits


def prefilter(indexes: Sequence[Path], texts: Sequence[str], embedder: Embedder) -> None:
    """The best by sign prefilter against the exact best, over the vectors of all conversations."""
    exact, signs = (VectorMatrix(embedder.dimensions, exact_up_to=limit) for limit in (10**9, 0))
    for index in indexes:
        store = IndexStore.open(current_index(index))
        for numbers, block in store.vector_blocks():
            for matrix in (exact, signs):
                matrix.add(numbers, block)
        store.close()
    shares = []
    for text in texts:
        query = embedder.embed_query(text)
        shares.append(len(_best(exact, query) & _best(signs, query)) / TOP)
    tell(
        f"memory: recall@{TOP} of the sign prefilter, real vectors",
        sum(shares) / len(shares),
        "share",
        f"{len(exact.numbers):,} vectors, {LEAST_CANDIDATES} candidates",
        "at least .995",
    )


def _best(matrix: VectorMatrix, query: Sequence[float]) -> set[int]:
    found = matrix.cosines(query)
    assert found is not None
    return best(found)
