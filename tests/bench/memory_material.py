"""What the benchmarks of memory are made of: vectors like a model's, notes, embedders that wait
for nobody or count what they are asked.

    vectors = like_sentences(10_000)
    embedder = PoolEmbedder(vectors[:9_000], vectors[9_000:])
    write_notes(workspace, 9_000)
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.sdk.models import Embedder

Floats = npt.NDArray[np.float32]
DIMENSIONS = 384
TOP = 24
"""Places the reference asks its index for: four for each of six results."""
NOTES_PER_FILE = 250
_WORDS_PER_NOTE = 12
_SMALL_WORDS = "the a of and to in we is it for on with was that at our this from they have".split()


def clock() -> ManualClock:
    """So late that no file seems to have been written just now, which would be read again."""
    return ManualClock(datetime(2100, 1, 1, tzinfo=UTC))


def unit(vectors: Floats) -> Floats:
    """Each row at length one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / lengths).astype(np.float32)


def like_sentences(count: int, seed: int = 0, common: float = 0.3) -> Floats:
    """Vectors (count x 384) like those of a sentence model: topics, few directions that matter,
    many that hardly do, and `common`, what all of them have in common."""
    chance = np.random.default_rng(seed)
    directions = chance.standard_normal((DIMENSIONS, DIMENSIONS), dtype=np.float32)
    directions /= np.sqrt(1 + np.arange(DIMENSIONS, dtype=np.float32))[:, None]
    topics = np.float32(0.7) * chance.standard_normal((200, DIMENSIONS), dtype=np.float32)
    inside = topics[chance.integers(0, len(topics), count)]
    inside += chance.standard_normal((count, DIMENSIONS), dtype=np.float32)
    vectors = unit(inside @ directions)
    vectors += np.float32(common) * unit(chance.standard_normal((1, DIMENSIONS), np.float32))
    return unit(vectors)


def in_clusters(count: int, seed: int = 0, size: int = 60) -> Floats:
    """Vectors in tight bunches of about `size`."""
    chance = np.random.default_rng(seed)
    bunches = chance.standard_normal((max(1, count // size), DIMENSIONS), dtype=np.float32)
    vectors = bunches[chance.integers(0, len(bunches), count)]
    vectors += np.float32(0.7) * chance.standard_normal((count, DIMENSIONS), dtype=np.float32)
    return unit(vectors)


def best(cosines: npt.NDArray[np.floating], count: int = TOP) -> set[int]:
    """Positions of the `count` highest."""
    return set(np.argsort(-cosines)[:count].tolist())


class PoolEmbedder:
    """Gives one vector after the other, at once, whatever the text is."""

    model_id = "pool"
    dimensions = DIMENSIONS

    def __init__(self, passages: Floats, queries: Floats) -> None:
        self._passages = itertools.cycle(passages)
        self._queries = itertools.cycle(queries)

    def embed_query(self, text: str) -> Sequence[float]:
        return next(self._queries).tolist()

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [next(self._passages).tolist() for _ in texts]


class CountingEmbedder:
    """Another embedder, with a count of the texts it was given and of the seconds it took."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.texts = 0
        self.seconds = 0.0

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def embed_query(self, text: str) -> Sequence[float]:
        return self._inner.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        began = time.perf_counter()
        vectors = self._inner.embed_passages(texts)
        self.seconds += time.perf_counter() - began
        self.texts += len(texts)
        return vectors


def _vocabulary(chance: random.Random, count: int) -> list[str]:
    parts = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
    return sorted({"".join(chance.choices(parts, k=3)) + "n" for _ in range(count)})


def write_notes(workspace: Path, count: int, *, per_file: int = NOTES_PER_FILE) -> list[str]:
    """`count` bullets of twelve words in daily files; returns questions about some of them.

    A few words are in nearly every note and most are rare, as in a language.
    """
    chance = random.Random(count)
    words = _vocabulary(chance, 20_000)
    weights = list(itertools.accumulate(1 / (10 + at) for at in range(len(words))))
    (workspace / "memory").mkdir(parents=True)
    questions: list[str] = []
    for at in range(0, count, per_file):
        day = date(1990, 1, 1) + timedelta(days=at // per_file)
        notes = []
        for _ in range(min(per_file, count - at)):
            said = chance.choices(words, cum_weights=weights, k=_WORDS_PER_NOTE - 4)
            small = chance.choices(_SMALL_WORDS, k=4)
            notes.append(" ".join(itertools.chain(*zip(said[:4], small, strict=True), said[4:])))
        questions.append("What did we say about the " + " ".join(notes[0].split()[::3]) + "?")
        text = "".join(f"- {note}\n" for note in notes)
        (workspace / "memory" / f"{day}.md").write_text(text, encoding="utf-8")
    return questions


def median_ms(work: Callable[[], object], times: int) -> float:
    """Median milliseconds of `times` calls."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return 1000 * sorted(taken)[len(taken) // 2]
