"""Time of a search, and of its vector stage beside what else one could use, by number of notes.

Everything that is compared is asked in turn, query by query, so that a slow moment of the machine
hits all of them. Vectors and notes are made up; how many of the best are found among a model's
own vectors is told by memory_quality.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import sqlite_vec

from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.memory.vectors import EXACT_UP_TO, VectorMatrix, pack
from moltbot_desktop.sdk.models import Embedder
from tests.bench.memory_material import (
    DIMENSIONS,
    NOTES_PER_FILE,
    TOP,
    Floats,
    PoolEmbedder,
    best,
    clock,
    in_clusters,
    like_sentences,
    median_ms,
    write_notes,
)
from tests.bench.models_figures import milliseconds, tell

QUERIES = 25
PEOPLE_ASK = (
    "What did we say about the house?",
    "When is my next appointment with the dentist?",
    "Which restaurant did Anna recommend for my birthday last year?",
    "How much did the repair of the boiler cost, and who did it?",
    "What is the name of the teacher our daughter likes so much?",
)
_MB = 10**6
Ask = Callable[[Floats], object]


def vector_stage(sizes: Sequence[int], folder: Path) -> None:
    """Ours against plain vec0, one numpy product and LanceDB, at each size."""
    for size in sizes:
        vectors = like_sentences(size + QUERIES)
        _stage(vectors[:size], vectors[size:], folder / f"vectors-{size}")
        clustered = in_clusters(size + QUERIES)
        matrix = VectorMatrix(DIMENSIONS)
        matrix.add(np.arange(size), clustered[:size])
        _tell_recall("tight clusters", matrix, clustered[:size], clustered[size:])


def _stage(vectors: Floats, queries: Floats, folder: Path) -> None:
    folder.mkdir()
    size, file = len(vectors), folder / "index.sqlite"
    store = IndexStore.open(file)
    store.prepare_vectors("bench", DIMENSIONS)
    store.add_vectors((at + 1, pack(vector)) for at, vector in enumerate(vectors))
    began = time.perf_counter()
    matrix = VectorMatrix(DIMENSIONS, room=size)
    for numbers, block in store.vector_blocks():
        matrix.add(numbers, block)
    matrix.cosines(queries[0].tolist(), TOP)
    loaded = milliseconds(began)
    order = matrix.numbers - 1
    store.close()
    with _vec0(file) as vec0, _lancedb(vectors, folder / "lance") as lance:
        asked: dict[str, Ask] = {
            "ours": lambda query: matrix.cosines(query, TOP),
            "vec0": vec0,
            "numpy": lambda query: vectors @ query,
        }
        if lance is not None:
            asked["LanceDB"] = lance
        taken = _in_turn(asked, queries)
    others = [f"{name} {ms:.2f} ms" for name, ms in taken.items() if name != "ours"]
    if lance is None:
        others.append("LanceDB not installed")
    share = taken["ours"] / taken["vec0"]
    note = f"{share:.3f}x vec0; {', '.join(others)}"
    target = "at most 0.1x vec0 f32" if size > EXACT_UP_TO else ""
    tell(f"memory: vector stage, {size:,} units", taken["ours"], "ms", note, target)
    held = vectors.nbytes * (33 / 32 if size > EXACT_UP_TO else 1) / _MB
    note = f"first question included; {held:.0f} MB held"
    tell(f"memory: vectors loaded, {size:,} units", loaded, "ms", note)
    _tell_recall("like a model's", matrix, vectors[order], queries)


def _tell_recall(kind: str, matrix: VectorMatrix, vectors: Floats, queries: Floats) -> None:
    """Only where the prefilter is used: below, all cosines are exact."""
    if len(vectors) <= EXACT_UP_TO:
        return
    shares = []
    for query in queries:
        found = matrix.cosines(query, TOP)
        assert found is not None
        shares.append(len(best(vectors @ query) & best(found)) / TOP)
    name = f"memory: recall@{TOP}, {len(vectors):,} vectors, {kind}"
    tell(name, float(np.mean(shares)), "share", "against exact", "at least .995")


def _in_turn(asked: dict[str, Ask], queries: Floats) -> dict[str, float]:
    """Median milliseconds of each, after one question that does not count."""
    taken: dict[str, list[float]] = {name: [] for name in asked}
    for query in [queries[0], *queries]:
        for name, ask in asked.items():
            began = time.perf_counter()
            ask(query)
            taken[name].append(milliseconds(began))
    return {name: float(np.median(values[1:])) for name, values in taken.items()}


@contextmanager
def _vec0(file: Path) -> Iterator[Ask]:
    """The same vectors where they are stored, by vec0's own search."""
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    sql = f"SELECT unit FROM units_vec WHERE vector MATCH ? AND k = {TOP}"
    try:
        yield lambda query: connection.execute(sql, (pack(query),)).fetchall()
    finally:
        connection.close(force=True)


@contextmanager
def _lancedb(vectors: Floats, folder: Path) -> Iterator[Ask | None]:
    """LanceDB's search without an index, which is exact; None when it is not installed."""
    if importlib.util.find_spec("lancedb") is None:
        yield None
        return
    # No types: it is no dependency of ours, and pyarrow comes with it.
    lancedb: Any = importlib.import_module("lancedb")
    arrow: Any = importlib.import_module("pyarrow")
    column = arrow.FixedSizeListArray.from_arrays(arrow.array(vectors.ravel()), DIMENSIONS)
    data = arrow.table({"unit": arrow.array(np.arange(len(vectors))), "vector": column})
    table = lancedb.connect(folder).create_table("units", data)
    yield lambda query: table.search(query).distance_type("cosine").limit(TOP).to_arrow()


def whole_search(sizes: Sequence[int], folder: Path, embedder: Embedder | None) -> None:
    """From question to hits, all but the embedding of the question, which is told beside it."""
    for size in sizes:
        _search(size, folder / f"search-{size}", embedder)


def _search(size: int, folder: Path, embedder: Embedder | None) -> None:
    workspace = folder / "workspace"
    questions = write_notes(workspace, size)[:QUERIES]
    vectors = like_sentences(size + QUERIES)
    pool = PoolEmbedder(vectors[:size], vectors[size:])
    memory = open_memory(workspace, folder / "index", pool, clock())
    try:
        began = time.perf_counter()
        memory.refresh()
        note = "with vectors at no cost"
        tell(f"memory: {size:,} units indexed", milliseconds(began) / 1000, "s", note)
        began = time.perf_counter()
        memory.search(questions[0])
        tell(f"memory: first search, {size:,} units", milliseconds(began), "ms", "arrays made")
        _beside_an_embedding(size, memory, questions, embedder)
        for number in range(2):  # the first one makes room for the others
            memory.store(f"The new note says that boiler {number} was repaired")
            began = time.perf_counter()
            memory.search(questions[-1])
            taken = milliseconds(began)
        note = f"its day's file read anew, among {size // NOTES_PER_FILE:,}"
        tell(f"memory: search after a new note, {size:,} units", taken, "ms", note)
    finally:
        memory.close()


def _beside_an_embedding(
    size: int, memory: MarkdownMemory, questions: Sequence[str], embedder: Embedder | None
) -> None:
    """In turn, so that a busy machine slows both; people's questions, since length counts."""
    searched, embedded = [], []
    asked = itertools.cycle(PEOPLE_ASK)
    for question in itertools.islice(itertools.cycle(questions), QUERIES):
        if embedder is not None:
            embedded.append(median_ms(lambda: embedder.embed_query(next(asked)), 1))
        searched.append(median_ms(lambda: memory.search(question), 1))  # noqa: B023
    taken = float(np.median(searched))
    note = ""
    if embedder is not None:
        one = float(np.median(embedded))
        note = f"{taken / one:.2f} query embeddings of {one:.1f} ms; the look at the files included"
    target = "at most one query embedding" if size >= 100_000 else ""
    tell(f"memory: whole search, {size:,} units", taken, "ms", note, target)
