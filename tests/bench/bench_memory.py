"""Recall and speed of memory search on a folder of conversations.

    python tests/bench/bench_memory.py DATA [--embedder MODEL.gguf] [--index DIR]

DATA holds one folder per conversation with `memory/*.md` and `questions.jsonl`, each line
`{"question", "category", "evidence": ["memory/x.md:LINE", ...]}`. Recall is the share of evidence
lines covered by the hits that fit 8,000 and 4,000 characters of snippets, and by the best 10;
category 5 (nothing to find) is left out. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.memory.engine import STRONG_HIT, MarkdownMemory, open_memory
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.sdk.models import Embedder

BUDGETS = (8000, 4000)


@dataclass(frozen=True)
class Question:
    text: str
    evidence: tuple[tuple[str, int], ...]


def questions(folder: Path) -> Iterator[Question]:
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        places = tuple(
            (path, int(number))
            for path, _, number in (place.rpartition(":") for place in row["evidence"])
        )
        if places and row["category"] != 5:
            yield Question(row["question"], places)


def covered(question: Question, hits: Sequence[SearchHit]) -> float:
    found = sum(
        any(hit.path == path and hit.start_line <= line <= hit.end_line for hit in hits)
        for path, line in question.evidence
    )
    return found / len(question.evidence)


def first_rank(question: Question, hits: Sequence[SearchHit]) -> float:
    for rank, hit in enumerate(hits, start=1):
        if covered(Question("", question.evidence), [hit]):
            return 1 / rank
    return 0.0


def measure(memory: MarkdownMemory, asked: Sequence[Question]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for question in asked:
        begun = time.perf_counter()
        ten = memory.search(question.text, max_results=10).hits
        values = {
            "ms": 1000 * (time.perf_counter() - begun),
            "r@5": covered(question, ten[:5]),
            "r@10": covered(question, ten),
            "MRR": first_rank(question, ten),
            "strong": float(bool(ten) and ten[0].score >= STRONG_HIT),
        }
        values["strong and right"] = values["strong"] * float(first_rank(question, ten[:1]))
        for budget in BUDGETS:
            hits = memory.search(question.text, max_characters=budget).hits
            values[f"{budget} characters"] = covered(question, hits)
        for name, value in values.items():
            totals[name] = totals.get(name, 0) + value
    return totals


@contextlib.contextmanager
def opened_embedder(path: Path | None, base: Path) -> Iterator[Embedder | None]:
    if path is None:
        yield None
        return
    from moltbot_desktop.models.embedding import load_embedder  # slow to import
    from moltbot_desktop.models.thread import ModelThread

    thread = ModelThread()
    thread.start()
    try:
        yield load_embedder(thread, path, threads=1, state_dir=base)
    finally:
        thread.stop()
        thread.join(10)


def measure_all(data: Path, base: Path, embedder: Embedder | None) -> None:
    clock = ManualClock(datetime(2100, 1, 1, tzinfo=UTC))
    totals: dict[str, float] = {}
    count = 0
    for folder in sorted(path.parent for path in data.glob("*/questions.jsonl")):
        memory = open_memory(folder, base / folder.name, embedder, clock)
        begun = time.perf_counter()
        status = memory.refresh()
        asked = list(questions(folder))
        print(
            f"{folder.name}: {status.files} files, {status.chunks} units, indexed in"
            f" {time.perf_counter() - begun:.2f} s, {len(asked)} questions",
            flush=True,
        )
        for name, value in measure(memory, asked).items():
            totals[name] = totals.get(name, 0) + value
        count += len(asked)
        memory.close()
    for name, value in totals.items():
        print(f"{name:>18}: {value / count:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--embedder", type=Path)
    parser.add_argument("--index", type=Path, help="folder for indexes, kept for the next run")
    given = parser.parse_args()
    base = given.index or Path(tempfile.mkdtemp())
    try:
        with opened_embedder(given.embedder, base) as embedder:
            measure_all(given.data, base, embedder)
    finally:
        if not given.index:
            shutil.rmtree(base)


if __name__ == "__main__":
    main()
