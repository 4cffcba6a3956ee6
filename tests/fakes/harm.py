"""What can happen to a memory: kills, damaged files, disks that refuse. And the judge of it.

    scene = Scene(tmp_path)                           # a workspace with notes, and its index
    killed(scene.store_notes, after=2, seconds=0.01)  # a process of its own, by SIGKILL
    spoil(scene.database, random.Random(7))           # -> "a page of zeros"
    assert scene.faults_after() == ()                 # what is wrong now

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
from datetime import UTC, datetime
from pathlib import Path

import apsw

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.memory.consistency import index_faults
from moltbot_desktop.memory.engine import MarkdownMemory, open_memory
from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.memory.plan import MemoryPlan
from tests.fakes.memory import ConceptEmbedder

QUESTIONS = ("Who is my dentist?", "fact 17", "我的车牌号", "teeth", "blue things in March")
TODAY = "memory/2026-01-05.md"
Say = Callable[[str], None]


class Scene:
    """A workspace of some files and its index.

    Args:
        months: files with ten facts each, beside MEMORY.md.
    """

    def __init__(self, folder: Path, months: int = 8) -> None:
        self.workspace = folder / "ws"
        self.index = folder / "index"
        self._fresh = folder / "fresh"
        self.build_seconds = 0.0
        (self.workspace / "memory").mkdir(parents=True)
        for month in range(1, months + 1):
            self.write_month(month)
        text = "My dentist is Dr. Okafor\n我的车牌号是沪A12345\n"
        (self.workspace / "MEMORY.md").write_text(text, encoding="utf-8")

    def write_month(self, month: int, colour: str = "blue") -> None:
        lines = [f"- fact {month * 10 + n} is {colour} and belongs to Anna" for n in range(10)]
        path = self.workspace / "memory" / f"2025-{month:02}-01.md"
        path.write_text("# Facts\n\n" + "\n".join(lines) + "\n", encoding="utf-8")

    def facts(self) -> tuple[int, ...]:
        """Numbers of the facts that stand in the files."""
        text = "".join(path.read_text(encoding="utf-8") for path in self.workspace.rglob("*.md"))
        return tuple(int(number) for number in re.findall(r"^- fact (\d+) is", text, re.MULTILINE))

    @property
    def database(self) -> Path:
        return current_index(self.index)

    def markdown(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.workspace.rglob("*.md")}

    @contextlib.contextmanager
    def memory(
        self, index: Path | None = None, plan: MemoryPlan | None = None
    ) -> Iterator[MarkdownMemory]:
        engine = open_memory(
            self.workspace,
            index or self.index,
            ConceptEmbedder("dentist teeth", "blue"),
            ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC)),
            plan=plan,
        )
        try:
            yield engine
        finally:
            engine.close()

    def build(self) -> list[object]:
        """Make the index and close it; what it answers."""
        begin = time.perf_counter()
        with self.memory() as memory:
            found = answers(memory)
        self.build_seconds = time.perf_counter() - begin
        return found

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
                text, and must be right once `check` has found it.
        """
        before, wanted, found = self.markdown(), self.fresh_answers(), []
        with self.memory() as memory:
            given = [memory.search(question).hits for question in QUESTIONS]
            for hit in (hit for hits in given for hit in hits):
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

    # ------------------------------------------------- what a process does until it is killed

    def read_changes(self, say: Say) -> None:
        """Index what is not in the index."""
        with self.memory() as memory:
            memory.refresh()
            say("done")
            time.sleep(60)

    def store_notes(self, say: Say) -> None:
        with self.memory() as memory:
            for number in range(100_000):
                memory.store(f"new fact {number} ends here")
                say(str(number))
                memory.refresh()

    def forget_facts(self, say: Say) -> None:
        with self.memory() as memory:
            for number in self.facts():
                fact = f"fact {number} is blue and belongs to Anna"
                hits = memory.search(fact).hits
                memory.forget(next(hit for hit in hits if fact in hit.snippet))
                say(str(number))

    def rebuild_again_and_again(self, say: Say) -> None:
        for turn in range(1000):
            with self.memory(plan=MemoryPlan(chunk_tokens=200 + turn % 2)) as memory:
                memory.refresh()
                say(str(turn))


def answers(memory: MarkdownMemory) -> list[object]:
    memory.refresh()
    return [memory.search(question).hits for question in QUESTIONS]


def killed(work: Callable[[Say], None], after: int, seconds: float) -> list[str]:
    """What `work` said in a process of its own that was killed.

    Args:
        after: so many things were said first.
        seconds: and so long it went on then.
    """
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        _work(work, tell)
    os.close(tell)
    with os.fdopen(told, encoding="utf-8") as lines:
        said = [lines.readline() for _ in range(after + 1)]  # the first is: begin
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return [line.strip() for line in (*said, *lines) if line][1:]


def _work(work: Callable[[Say], None], tell: int) -> None:
    try:
        os.write(tell, b"begin\n")
        work(lambda line: _said(tell, line))
    finally:
        os._exit(0)


def _said(tell: int, line: str) -> None:
    os.write(tell, f"{line}\n".encode())


# ---------------------------------------------------------------- damage


def spoil(path: Path, chance: random.Random) -> str:
    """Damage the file at `path` in one of many ways, and say in which."""
    data = bytearray(path.read_bytes())
    kind = chance.choice(sorted(_DAMAGE))
    _DAMAGE[kind](data, chance)
    path.write_bytes(data)
    return kind


def _page(data: bytearray, chance: random.Random) -> slice:
    at = chance.randrange(max(1, len(data) // 4096)) * 4096
    return slice(at, at + 4096)


def _flip_header(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(min(100, len(data)))] ^= 1 << chance.randrange(8)


def _flip(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _flip_twenty(data: bytearray, chance: random.Random) -> None:
    for _ in range(20):
        _flip(data, chance)


def _flip_page_head(data: bytearray, chance: random.Random) -> None:
    """The kind of a page, its number of cells, where they begin."""
    page = _page(data, chance)
    data[min(page.start + chance.randrange(12), len(data) - 1)] ^= 1 << chance.randrange(8)


def _zero_page(data: bytearray, chance: random.Random) -> None:
    data[_page(data, chance)] = bytes(4096)


def _noisy_page(data: bytearray, chance: random.Random) -> None:
    data[_page(data, chance)] = chance.randbytes(4096)


def _swap_pages(data: bytearray, chance: random.Random) -> None:
    one, other = _page(data, chance), _page(data, chance)
    data[one], data[other] = data[other], data[one]


def _cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def _cut_at_page(data: bytearray, chance: random.Random) -> None:
    del data[_page(data, chance).start :]


def _grow(data: bytearray, chance: random.Random) -> None:
    data += chance.randbytes(chance.randrange(1, 10_000))


def _garbage(data: bytearray, chance: random.Random) -> None:
    data[:] = chance.randbytes(len(data))


_DAMAGE: dict[str, Callable[[bytearray, random.Random], None]] = {
    "a bit of the header": _flip_header,
    "one bit": _flip,
    "twenty bits": _flip_twenty,
    "a bit of a page's head": _flip_page_head,
    "a page of zeros": _zero_page,
    "a page of noise": _noisy_page,
    "two pages exchanged": _swap_pages,
    "cut anywhere": _cut,
    "cut between pages": _cut_at_page,
    "noise behind the end": _grow,
    "nothing but noise": _garbage,
}


# ---------------------------------------------------------------- disks


class FailingDisk(apsw.VFS):
    """SQLite's files on a disk that refuses a write.

    with FailingDisk(at=17, error=apsw.FullError) as disk: ...  # the 17th, and all after it
    """

    NAME = "failing"

    def __init__(self, at: int, error: type[apsw.Error]) -> None:
        self._base = apsw.vfs_names()[0]
        self.left = at
        self.error = error
        super().__init__(self.NAME, self._base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _FailingFile(self, self._base, name, flags)

    def count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise self.error("no")

    def __enter__(self) -> FailingDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()


class _FailingFile(apsw.VFSFile):
    def __init__(
        self, disk: FailingDisk, base: str, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._disk = disk
        super().__init__(base, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._disk.count()
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self._disk.count()
        super().xTruncate(newsize)


def outcome(work: Callable[[], object]) -> str:
    """ "" or what `work` told a person; anything but a known error goes on."""
    try:
        work()
    except MoltbotError as error:
        return str(error)
    return ""
