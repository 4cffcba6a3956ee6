"""A memory, what can happen to it, and the judge of it.

    scene = Scene(tmp_path)                               # a workspace with notes
    scene.build()                                         # and its index
    assert kill_trial(scene, "store", random.Random(7)) == ()       # what went wrong: nothing
    assert damage_trial(scene, random.Random(7)).faults == ()

The tests do this a few times, tests/bench/memory_trouble.py some hundred times.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import apsw

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.memory.cache import FILE_NAME
from moltbot_desktop.memory.consistency import index_faults
from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.memory.index_home import RETRY_SECONDS
from moltbot_desktop.memory.plan import MemoryPlan
from tests.fakes.disk import FailingDisk
from tests.fakes.memory import ConceptEmbedder
from tests.fakes.spoiling import spoil

QUESTIONS = ("Who is my dentist?", "fact 117", "我的车牌号", "teeth", "blue things in March")
TODAY = "memory/2026-01-05.md"
OTHER_FORM = MemoryPlan(chunk_tokens=200)
Say = Callable[[str], None]


class Scene:
    """A workspace of some files and its index.

    Args:
        months: files with ten facts each, beside MEMORY.md.
    """

    def __init__(self, folder: Path, months: int = 8) -> None:
        self.workspace = folder / "ws"
        self.index = folder / "index"
        self.clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
        self.build_seconds = 0.0
        self._months = months
        self._fresh = folder / "fresh"
        self._whole = folder / "whole"
        (self.workspace / "memory").mkdir(parents=True)
        self.write_months("blue")
        text = "My dentist is Dr. Okafor\n我的车牌号是沪A12345\n"
        (self.workspace / "MEMORY.md").write_text(text, encoding="utf-8")

    def write_months(self, colour: str) -> None:
        for month in range(1, self._months + 1):
            self.write_month(month, colour)

    def write_month(self, month: int, colour: str) -> None:
        first = 100 + month * 10
        lines = [f"- fact {first + n} is {colour} and belongs to Anna" for n in range(10)]
        path = self.workspace / "memory" / f"2025-{month:02}-01.md"
        path.write_text("# Facts\n\n" + "\n".join(lines) + "\n", encoding="utf-8")

    @property
    def database(self) -> Path:
        return current_index(self.index)

    def markdown(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.workspace.rglob("*.md")}

    def facts(self) -> tuple[int, ...]:
        """Numbers of the facts that stand in the files, each on a line that is whole."""
        text = "".join(path.read_text(encoding="utf-8") for path in self.workspace.rglob("*.md"))
        lines = re.findall(r"^- fact (\d+) is \w+ and belongs to Anna$", text, re.MULTILINE)
        return tuple(map(int, lines))

    @contextlib.contextmanager
    def memory(
        self,
        index: Path | None = None,
        plan: MemoryPlan | None = None,
        embedder: ConceptEmbedder | None = None,
    ) -> Iterator[MarkdownMemory]:
        embedder = embedder or ConceptEmbedder("dentist teeth", "blue")
        engine = open_memory(self.workspace, index or self.index, embedder, self.clock, plan=plan)
        try:
            yield engine
        finally:
            engine.close()

    def build(self) -> list[object]:
        """Make the index and close it; what it answers."""
        with self.memory() as memory:
            begin = time.perf_counter()
            memory.refresh()
            self.build_seconds = time.perf_counter() - begin
            return answers(memory)

    def make_whole_again(self) -> None:
        """The index as it was when this was called first."""
        if not self._whole.exists():
            shutil.copytree(self.index, self._whole)
        shutil.rmtree(self.index)
        shutil.copytree(self._whole, self.index)

    def fresh_answers(self) -> list[object]:
        """Of an index that was never hurt."""
        shutil.rmtree(self._fresh, ignore_errors=True)
        with self.memory(self._fresh) as memory:
            return answers(memory)

    def faults(self) -> tuple[str, ...]:
        """What is inconsistent in the index file that counts, as it lies there."""
        return index_faults(self.database) if self.database.exists() else ()

    def faults_after(self, *, sound: bool = True) -> tuple[str, ...]:
        """What the next start does wrong.

        Args:
            sound: whether it has to answer as a fresh index does, before any check. An index with
                bits flipped where SQLite does not see it need not; it only may not show a wrong
                text.
        """
        before, wanted, found = self.markdown(), self.fresh_answers(), []
        with self.memory() as memory:
            for hit in (hit for question in QUESTIONS for hit in memory.search(question).hits):
                text = memory.get(hit.path, start_line=hit.start_line, lines=1).text
                if hit.snippet.split("\n")[0] not in text:
                    found.append(f"a wrong text was shown: {hit.snippet!r}")
            if sound and answers(memory) != wanted:
                found.append("other answers than those of a fresh index")
            memory.check()
            memory.refresh()
        found += self.faults()
        if self.markdown() != before:
            found.append("Markdown was changed")
        return tuple(found)


def answers(memory: MarkdownMemory) -> list[object]:
    memory.refresh()
    return [memory.search(question).hits for question in QUESTIONS]


# ---------------------------------------------------------------- kills


def _index(scene: Scene, say: Say) -> None:
    with scene.memory() as memory:
        memory.refresh()
        say("done")
        time.sleep(60)


_FIRST = 1_000
"""Of the numbers in stored facts: shorter ones tell no notes apart in a search."""


def _store(scene: Scene, say: Say) -> None:
    with scene.memory() as memory:
        for number in range(_FIRST, 100_000):
            memory.store(f"new fact {number} ends here")
            say(str(number))
            memory.refresh()


def _forget(scene: Scene, say: Say) -> None:
    with scene.memory() as memory:
        for number in scene.facts():
            fact = f"fact {number} is"
            hits = memory.search(fact, max_results=50).hits
            memory.forget(next(hit for hit in hits if fact in hit.snippet))
            say(str(number))
        time.sleep(60)


def _rebuild(scene: Scene, say: Say) -> None:
    for turn in range(100_000):
        with scene.memory(plan=OTHER_FORM if turn % 2 else MemoryPlan()) as memory:
            memory.refresh()
            say(str(turn))


WORKS: dict[str, Callable[[Scene, Say], None]] = {
    "index": _index,
    "store": _store,
    "forget": _forget,
    "rebuild": _rebuild,
}


class Worker:
    """What a process has said so far; all of it after its end."""

    def __init__(self, lines: TextIO) -> None:
        self._lines = lines
        self.said: list[str] = []

    def hear(self, count: int = 1) -> None:
        """Wait for `count` more lines, or the end."""
        self.said += [self._lines.readline().strip() for _ in range(count)]

    def hear_all(self) -> None:
        self.said += [line.strip() for line in self._lines]


@contextlib.contextmanager
def at_work(scene: Scene, work: str) -> Iterator[Worker]:
    """A process of its own that does `work` until it is killed at the end."""
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(tell, b"begin\n")
            WORKS[work](scene, lambda line: _said(tell, line))
        finally:
            os._exit(0)
    os.close(tell)
    with os.fdopen(told, encoding="utf-8") as lines:
        lines.readline()
        worker = Worker(lines)
        try:
            yield worker
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            worker.hear_all()


def _said(tell: int, line: str) -> None:
    os.write(tell, f"{line}\n".encode())


def kill_trial(scene: Scene, work: str, chance: random.Random) -> tuple[str, ...]:
    """Kill a process at a random moment of `work`; what is wrong after that, () for nothing."""
    if work == "index":
        scene.write_months("red")
    before, facts = scene.markdown(), scene.facts()
    with at_work(scene, work) as worker:
        worker.hear(0 if work == "index" else chance.randrange(3))
        time.sleep(chance.random() * scene.build_seconds)
    return _judged(scene, work, before, facts, worker.said)


def _judged(
    scene: Scene, work: str, before: dict[Path, bytes], facts: tuple[int, ...], said: list[str]
) -> tuple[str, ...]:
    found = list(scene.faults())
    done = [int(line) for line in said if line.isdigit()]
    if work == "store":
        found += _stored_faults(scene, done)
    elif work == "forget":
        found += _forgotten_faults(scene, facts, done)
    elif scene.markdown() != before:
        found.append("Markdown was changed")
    found += scene.faults_after()
    gone = set(facts) - set(scene.facts())
    for path in scene.index.iterdir():
        data = path.read_bytes()
        found += [f"{path.name} still has fact {n}" for n in gone if b"fact %d is" % n in data]
    return tuple(found)


def _stored_faults(scene: Scene, done: list[int]) -> list[str]:
    day = scene.workspace / TODAY
    text = day.read_text(encoding="utf-8") if day.exists() else ""
    notes = [line for line in text.split("\n") if "new fact" in line]
    whole = [re.search(r"new fact (\d+) ends here$", line) for line in notes]
    numbers = [int(note[1]) for note in whole if note]
    found = [] if all(whole) else ["a note is not whole"]
    if numbers != list(range(_FIRST, _FIRST + len(numbers))) or not set(done) <= set(numbers):
        found.append(f"notes {numbers} after {done} were told")
    return found


def _forgotten_faults(scene: Scene, facts: tuple[int, ...], done: list[int]) -> list[str]:
    left = scene.facts()
    lines = sum(data.count(b"\n- ") for data in scene.markdown().values())
    found = [] if lines == len(left) else ["a line is not whole"]
    if set(left) & set(done):
        found.append("a fact that was forgotten is there")
    if not set(left) <= set(facts):
        found.append("facts are there that were not")
    return found


# ---------------------------------------------------------------- damage and disks


@dataclass(frozen=True)
class Trial:
    """What was done, and what is wrong after it."""

    kind: str
    faults: tuple[str, ...]


def damage_trial(scene: Scene, chance: random.Random, *, cache: bool = False) -> Trial:
    """Damage a sound index (or cache) at random and start again."""
    scene.make_whole_again()
    kind = spoil(scene.index / FILE_NAME if cache else scene.database, chance)
    return Trial(kind, scene.faults_after(sound=cache))


def full_disk_trial(scene: Scene, at: int, error: type[apsw.Error]) -> Trial:
    """Write number `at` of SQLite fails, and every one after it, until there is room again."""
    scene.make_whole_again()
    scene.write_months("red" if at % 2 else "green")
    before, wanted, found = scene.markdown(), scene.fresh_answers(), []
    with FailingDisk(at, error) as disk, scene.memory() as memory:
        if answers(memory) != wanted:
            found.append("other answers on a full disk")
        kind = "never full" if disk.left >= 0 else "full"
        disk.heal()
        scene.clock.advance(RETRY_SECONDS)
        if answers(memory) != wanted:
            found.append("other answers when there was room again")
        if note := memory.status().note:
            found.append(f"not on the disk again: {note}")
    found += scene.faults()
    if scene.markdown() != before:
        found.append("Markdown was changed")
    return Trial(kind, tuple(found))
