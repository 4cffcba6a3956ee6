"""How soon a note that somebody saved is known, among many others, with a real watch.

Each save is done as an editor does it: written beside, renamed over. Wall time on a real disk, so
the figures tell of a busy machine, too.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.freshness import TRUST_SECONDS
from moltbot_desktop.memory.keeper import KeeperPlan, MemoryKeeper
from moltbot_desktop.storage.changes import WatchHealth
from tests.bench.memory_material import median_ms
from tests.bench.models_figures import milliseconds, tell

_SAVES = 5
_PATIENCE_SECONDS = 30.0


def saved_note(folder: Path, files: int) -> None:
    """From the end of a save to the first search that finds it, and to the index that has it
    without any search; and what a search costs with a watch and without one."""
    workspace = folder / "workspace"
    (workspace / "memory").mkdir(parents=True)
    for at in range(files):
        (workspace / "memory" / f"old-{at}.md").write_text(f"- note {at} about the house\n")
    embedder = _Listening()
    memory = open_memory(workspace, folder / "index", embedder, SystemClock())
    plan = KeeperPlan()
    keeper = MemoryKeeper(memory, SystemClock(), plan)
    try:
        memory.refresh()
        _age(workspace)
        unwatched = median_ms(lambda: memory.search("harpsichord"), _SAVES)
        keeper.start()
        _until(lambda: memory.freshness.health is WatchHealth.WATCHING)
        time.sleep(plan.debounce_seconds)
        searched = [_until_found(memory, workspace, f"zebrafish{at}") for at in range(_SAVES)]
        indexed = [_until_read(embedder, workspace, f"heliotrope{at}") for at in range(_SAVES)]
        time.sleep(plan.debounce_seconds)
        watched = median_ms(lambda: memory.search("harpsichord"), _SAVES)
    finally:
        keeper.stop()
        memory.close()
    quiet = plan.debounce_seconds * 1000
    tell(
        f"memory: saved among {files:,} files, to the search that finds it",
        statistics.median(searched),
        "ms",
        f"worst of {_SAVES}: {max(searched):.0f}; searching without a pause",
        f"under {quiet + 200:.0f} (the debounce and 200 ms)",
    )
    tell(
        f"memory: saved among {files:,} files, to the index that has it, nobody asking",
        statistics.median(indexed),
        "ms",
        f"worst of {_SAVES}: {max(indexed):.0f}; {max(indexed) / quiet:.2f}x the debounce",
        f"under {quiet + 200:.0f} (the debounce and 200 ms)",
    )
    tell(
        f"memory: a search among {files:,} files, watched",
        watched,
        "ms",
        f"not watched: {unwatched:.1f}; all are looked at every {TRUST_SECONDS:.0f} s",
    )


class _Listening:
    """An embedder that takes no time and knows what it was given."""

    model_id = "listening"
    dimensions = 2

    def __init__(self) -> None:
        self.given: set[str] = set()

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0]

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.given.update(texts)
        return [[0.0, 1.0] for _ in texts]


def _age(workspace: Path) -> None:
    """Waits until no file seems to have been written just now, which would be read again."""
    newest = max(path.stat().st_mtime for path in (workspace / "memory").iterdir())
    time.sleep(max(0.0, newest + 2.5 - time.time()))


def _save(workspace: Path, word: str) -> str:
    text = f"My {word} is at the dentist"
    beside = workspace / "memory" / f".{word}.tmp"
    beside.write_text(f"- {text}\n", encoding="utf-8")
    beside.replace(workspace / "memory" / f"{word}.md")
    return text


def _until_found(memory: MarkdownMemory, workspace: Path, word: str) -> float:
    _save(workspace, word)
    saved = time.perf_counter()
    _until(lambda: any(word in hit.snippet for hit in memory.search(word).hits))
    return milliseconds(saved)


def _until_read(embedder: _Listening, workspace: Path, word: str) -> float:
    text = _save(workspace, word)
    saved = time.perf_counter()
    _until(lambda: text in embedder.given)
    return milliseconds(saved)


def _until(holds: Callable[[], bool]) -> None:
    given_up = time.perf_counter() + _PATIENCE_SECONDS
    while not holds():
        if time.perf_counter() > given_up:
            raise TimeoutError("the watch noticed nothing")
        time.sleep(0.001)
