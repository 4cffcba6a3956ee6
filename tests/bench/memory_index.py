"""What keeping the index costs: unchanged files, a search from the shell, vectors, a rebuild."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.memory.indexer import sync
from moltbot_desktop.memory.sources import Sources
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.sdk.models import Embedder
from tests.bench.memory_material import CountingEmbedder, clock, median_ms, write_notes
from tests.bench.models_figures import ROOT, milliseconds, tell

_FILES_PER_FOLDER = 100
_RUNS = 5
_SHELL_UNITS = 1000
_EMBEDDED_UNITS = 300


def unchanged_files(count: int, folder: Path) -> None:
    """A sync that finds nothing to do, beside looking at the same files and no more."""
    workspace = folder / "workspace"
    _write_small_files(workspace / "memory", count)
    store, sources = IndexStore.open(folder / "index.sqlite"), Sources(workspace)
    try:
        began = time.perf_counter()
        sync(store, sources, clock())
        tell(f"memory: {count:,} files read", milliseconds(began) / 1000, "s", "one line each")
        pairs = [
            (
                median_ms(lambda: _scan_and_stat(workspace / "memory"), 1),
                median_ms(lambda: sync(store, sources, clock()), 1),
            )
            for _ in range(_RUNS)
        ]
    finally:
        store.close()
    floor, ours = (sorted(column)[_RUNS // 2] for column in zip(*pairs, strict=True))
    tell(
        f"memory: sync of {count:,} unchanged files",
        ours,
        "ms",
        f"{ours / floor:.2f}x; scandir+stat {floor:.1f} ms",
        "at most 2x scandir+stat",
    )


def _write_small_files(memory: Path, count: int) -> None:
    for at in range(count):
        folder = memory / f"part-{at // _FILES_PER_FOLDER:03}"
        if at % _FILES_PER_FOLDER == 0:
            folder.mkdir(parents=True)
        (folder / f"note-{at}.md").write_text(f"- note {at} about the house\n", encoding="utf-8")


def _scan_and_stat(folder: Path) -> int:
    seen, left = 0, [os.fspath(folder)]
    while left:
        with os.scandir(left.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
                else:
                    seen += entry.stat(follow_symlinks=False).st_size > 0
    return seen


def from_the_shell(folder: Path) -> None:
    """`memory search` as a person types it: interpreter, program, model, index, answer."""
    questions = write_notes(folder / "workspace", _SHELL_UNITS)
    environment = {**os.environ, "MOLTBOT_HOME": str(folder), "PYTHONPATH": str(ROOT)}

    def command(*words: str) -> str:
        argv = [sys.executable, "-m", "moltbot_desktop", "memory", *words]
        done = subprocess.run(
            argv, env=environment, cwd=folder, check=True, capture_output=True, encoding="utf-8"
        )
        return done.stdout

    began = time.perf_counter()
    command("index")
    note = "interpreter and model included"
    tell(f"memory: index {_SHELL_UNITS:,} units", milliseconds(began) / 1000, "s", note)
    hits = json.loads(command("search", questions[0], "--json"))["results"]
    taken = median_ms(lambda: command("search", questions[0], "--json"), _RUNS)
    bare = median_ms(lambda: subprocess.run([sys.executable, "-c", ""], check=True), _RUNS)
    tell(
        f"memory: search from the shell, {_SHELL_UNITS:,} units",
        taken,
        "ms",
        f"{len(hits)} hits; Python alone {bare:.0f} ms; reference 3,700 ms",
        "under 1,000",
    )


def embedding(folder: Path, embedder: Embedder | None) -> None:
    """Where indexing spends its time, and what a rebuild asks the model for."""
    if embedder is None:
        tell("memory: indexing inside the embedder", "no embedding model", "")
        return
    write_notes(folder / "workspace", _EMBEDDED_UNITS)
    counting, index = CountingEmbedder(embedder), folder / "index"
    memory = open_memory(folder / "workspace", index, counting, clock())
    began = time.perf_counter()
    units = memory.refresh().chunks
    total = time.perf_counter() - began
    memory.close()
    tell(
        "memory: indexing inside the embedder",
        counting.seconds / total,
        "share",
        f"{units} units in {total:.1f} s",
        "at least .90",
    )
    _rebuild(folder, counting)


def _rebuild(folder: Path, counting: CountingEmbedder) -> None:
    """The index is deleted, what it was made of is not."""
    before = counting.texts
    for path in (folder / "index").glob(current_index(folder / "index").name + "*"):
        path.unlink()
    memory = open_memory(folder / "workspace", folder / "index", counting, clock())
    began = time.perf_counter()
    units = memory.refresh().chunks
    taken = milliseconds(began)
    memory.close()
    note = f"{units} units, rebuilt in {taken:.0f} ms"
    tell("memory: texts embedded again by a rebuild", counting.texts - before, "texts", note, "0")
