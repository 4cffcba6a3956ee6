"""Whatever happens to the index, answers stay the same and the Markdown is not touched."""

import contextlib
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import DiskFull, IndexCorrupt, StorageError
from moltbot_desktop.memory.consistency import index_faults
from moltbot_desktop.memory.engine import MarkdownMemory, indexed_with, open_memory
from moltbot_desktop.memory.index_home import RETRY_SECONDS
from moltbot_desktop.memory.store import IndexStore
from moltbot_desktop.storage.locks import FileLock
from tests.fakes.memory import ConceptEmbedder

ROOT = Path(__file__).parents[3]
QUESTIONS = ("Who is my dentist?", "fact 17", "我的车牌号", "teeth", "blue things in March")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws" / "memory"
    folder.mkdir(parents=True)
    for month in range(1, 9):
        lines = [f"- fact {month * 10 + n} is blue and belongs to Anna" for n in range(10)]
        (folder / f"2025-0{month}-01.md").write_text("# Facts\n\n" + "\n".join(lines) + "\n")
    (tmp_path / "ws" / "MEMORY.md").write_text("My dentist is Dr. Okafor\n我的车牌号是沪A12345\n")
    return tmp_path / "ws"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def memory(workspace: Path, index: Path, clock: ManualClock) -> Iterator[MarkdownMemory]:
    engine = make(workspace, index, clock)
    yield engine
    engine.close()


def make(workspace: Path, index: Path, clock: ManualClock) -> MarkdownMemory:
    return open_memory(workspace, index, ConceptEmbedder("dentist teeth", "blue"), clock)


def answers(memory: MarkdownMemory) -> list[object]:
    memory.refresh()
    return [memory.search(question).hits for question in QUESTIONS]


def answers_anew(workspace: Path, index: Path, clock: ManualClock) -> list[object]:
    engine = make(workspace, index, clock)
    try:
        return answers(engine)
    finally:
        engine.close()


def truth(workspace: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in workspace.rglob("*.md")}


def database(index: Path) -> Path:
    (found,) = index.glob("index-*.sqlite")
    return found


@pytest.fixture
def built(workspace: Path, index: Path, clock: ManualClock) -> list[object]:
    """Answers of a fresh index, which is then closed and left on the disk."""
    return answers_anew(workspace, index, clock)


def test_a_deleted_index_loses_nothing(
    workspace: Path, index: Path, clock: ManualClock, built: list[object]
) -> None:
    before = truth(workspace)
    shutil.rmtree(index)
    assert answers_anew(workspace, index, clock) == built
    assert truth(workspace) == before


def test_an_index_deleted_while_open_stops_no_search(memory: MarkdownMemory, index: Path) -> None:
    before = answers(memory)
    shutil.rmtree(index)
    assert answers(memory) == before
    memory.store("My cat is called Mia")
    assert memory.search("What is my cat called?").hits[0].snippet == "My cat is called Mia"


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_truncated_index_is_rebuilt(
    workspace: Path, index: Path, clock: ManualClock, built: list[object], share: float
) -> None:
    file = database(index)
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
    assert answers_anew(workspace, index, clock) == built


@pytest.mark.parametrize("seed", range(6))
def test_an_index_with_a_spoiled_page_is_rebuilt_or_still_right(
    workspace: Path, index: Path, clock: ManualClock, built: list[object], seed: int
) -> None:
    chance = random.Random(seed)
    file = database(index)
    data = bytearray(file.read_bytes())
    page = chance.randrange(len(data) // 4096) * 4096
    data[page : page + 4096] = chance.choice([bytes(4096), chance.randbytes(4096)])
    file.write_bytes(data)
    before = truth(workspace)
    assert answers_anew(workspace, index, clock) == built
    assert truth(workspace) == before


def test_a_flipped_bit_in_a_text_is_noticed_before_it_is_shown(
    workspace: Path, index: Path, clock: ManualClock, built: list[object]
) -> None:
    file = database(index)
    data = file.read_bytes()
    assert b"Dr. Okafor" in data
    file.write_bytes(data.replace(b"Dr. Okafor", b"Dr. Okapor"))
    assert answers_anew(workspace, index, clock) == built


@pytest.mark.parametrize("text", ["Dr. Okafor", "memory/2025-02-01.md", "concepts-1", "vectors"])
def test_a_text_that_is_no_text_any_more_stops_nothing(
    workspace: Path, index: Path, clock: ManualClock, built: list[object], text: str
) -> None:
    file = database(index)
    data = file.read_bytes()
    spoiled = text.encode()[:3] + b"\xe3" + text.encode()[4:]
    assert text.encode() in data
    file.write_bytes(data.replace(text.encode(), spoiled))
    indexed_with(index)
    assert answers_anew(workspace, index, clock) == built


def test_a_file_that_is_no_database_is_set_aside(
    workspace: Path, index: Path, clock: ManualClock, built: list[object]
) -> None:
    database(index).write_bytes(b"hello" * 5000)
    (index / "embeddings.sqlite").write_bytes(b"hello" * 5000)
    assert answers_anew(workspace, index, clock) == built
    # The damaged one is gone, the new one has a number of its own.
    assert database(index).name == "index-2.sqlite"
    assert (index / "CURRENT").read_text() == "index-2.sqlite"


@pytest.mark.parametrize(
    "pointer",
    [
        b"",
        b"\xff\0",
        b"../../etc/passwd",
        b"index-9.sqlite",
        b"index-999999999.sqlite",
        b"index-1.sqlite\nindex-2.sqlite",
        b"ind",
    ],
)
def test_an_odd_pointer_leads_nowhere_else(
    workspace: Path, index: Path, clock: ManualClock, built: list[object], pointer: bytes
) -> None:
    (index / "CURRENT").write_bytes(pointer)
    assert answers_anew(workspace, index, clock) == built
    assert database(index).parent == index
    assert index_faults(database(index)) == ()


@pytest.mark.parametrize("name", ["CURRENT", "index-1.sqlite", "embeddings.sqlite", "lock"])
def test_a_folder_in_place_of_a_file_stops_nothing(
    workspace: Path, index: Path, clock: ManualClock, built: list[object], name: str
) -> None:
    (index / name).unlink(missing_ok=True)
    (index / name).mkdir()
    (index / name / "something of the person").touch()
    for _ in range(2):
        assert answers_anew(workspace, index, clock) == built
    assert (index / name / "something of the person").exists()


@pytest.mark.parametrize("table", ["units_fts", "windows", "units", "meta", "units_vec_rowids"])
def test_a_missing_table_is_noticed_and_rebuilt(
    workspace: Path, index: Path, clock: ManualClock, built: list[object], table: str
) -> None:
    connection = apsw.Connection(str(database(index)))
    connection.execute(f"DROP TABLE {table}").fetchall()
    connection.close()
    assert answers_anew(workspace, index, clock) == built


def test_damage_during_a_session_is_healed_at_the_next_question(
    memory: MarkdownMemory, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(memory)
    real, failed = IndexStore.unit_columns, []

    def damaged_once(store: IndexStore, *files: object) -> object:
        if not failed:
            failed.append(1)
            raise IndexCorrupt("damaged")
        return real(store, *files)  # type: ignore[arg-type]

    memory.store("one more")  # so that the arrays are read again
    monkeypatch.setattr(IndexStore, "unit_columns", damaged_once)
    assert memory.search(QUESTIONS[0]).hits == before[0]
    assert failed
    assert (index / "CURRENT").read_text() == "index-2.sqlite"


def test_a_full_disk_keeps_the_search_going_and_is_left_again(
    memory: MarkdownMemory, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(memory)
    real = IndexStore.replace_file

    def full_on_disk(store: IndexStore, *args: object) -> None:
        if store._connection.filename:
            raise DiskFull("The disk is full.")
        real(store, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(IndexStore, "replace_file", full_on_disk)
    memory.store("My cat is called Mia")
    answer = memory.search("What is my cat called?")
    assert answer.hits[0].snippet == "My cat is called Mia"
    assert "The disk is full" in answer.note
    assert answers(memory)[0] == before[0]
    monkeypatch.undo()
    clock.advance(RETRY_SECONDS)
    assert memory.search("cat").note == ""


def test_a_folder_that_cannot_be_made_keeps_the_index_in_memory(
    workspace: Path, index: Path, clock: ManualClock, built: list[object]
) -> None:
    shutil.rmtree(index)
    index.write_bytes(b"a file in the way")
    engine = make(workspace, index / "deeper", clock)
    try:
        assert answers(engine) == built
        assert "rebuilt at each start" in engine.status().note
    finally:
        engine.close()


def test_a_second_process_answers_the_same_and_sees_its_own_notes(
    memory: MarkdownMemory, workspace: Path, index: Path, clock: ManualClock
) -> None:
    before = answers(memory)
    embedder = ConceptEmbedder("dentist teeth", "blue")
    second = open_memory(workspace, index, embedder, clock)
    try:
        assert answers(second) == before
        # The index was copied, not made anew.
        assert not any("belongs to Anna" in text for text in embedder.asked)
        second.store("My cat is called Mia")
        for engine in (second, memory):
            hits = engine.search("What is my cat called?").hits
            assert hits[0].snippet == "My cat is called Mia"
        assert second.status().note == ""
    finally:
        second.close()


def test_the_second_takes_over_when_the_first_ends(
    memory: MarkdownMemory, workspace: Path, index: Path, clock: ManualClock
) -> None:
    answers(memory)
    second = make(workspace, index, clock)
    try:
        before = answers(second)
        memory.close()
        assert answers(second) == before
        with pytest.raises(StorageError):
            FileLock(index / "lock").acquire()
    finally:
        second.close()


def fill_and_store(filler: Path, notes: MarkdownMemory, number: int) -> bool:
    """Keep one more note; False when the disk is full."""
    with contextlib.suppress(OSError), filler.open("ab") as file:
        file.write(b"y" * 4096)
    try:
        notes.store(f"fact {number} " + "x" * 2000)
    except DiskFull:
        return False
    return True


def test_a_real_full_file_system_loses_no_note(
    workspace: Path, tmp_path: Path, clock: ManualClock
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=80k", "none", str(small)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small file system")
    try:
        engine = make(workspace, small / "index", clock)
        answer = engine.search("Who is my dentist?")
        assert "Okafor" in answer.hits[0].snippet
        assert "full" in answer.note
        engine.close()
        notes = make(small / "ws", tmp_path / "other", clock)
        stored = 0
        while fill_and_store(small / "fill", notes, stored):
            stored += 1
        text = (small / "ws" / "memory" / "2026-01-05.md").read_text()
        assert text.count("· fact") == stored > 0
        notes.close()
    finally:
        subprocess.run(["umount", str(small)], check=True)


INDEXING = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.memory.consistency import index_faults
from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.memory.store import IndexStore
from tests.fakes.memory import ConceptEmbedder

real, left = IndexStore._rows, int(sys.argv[3])

def killed_at_last(self, sql, values=()):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, sql, values)

memory = open_memory(Path(sys.argv[1]), Path(sys.argv[2]),
                     ConceptEmbedder("dentist teeth", "blue"),
                     ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC)))
for number in range(20):
    memory.store(f"new fact {number}")
    IndexStore._rows = killed_at_last
    memory.refresh()
    IndexStore._rows = real
    print(number, flush=True)
"""


def test_a_kill_at_any_statement_of_indexing_leaves_a_consistent_index(
    workspace: Path, index: Path, clock: ManualClock, tmp_path: Path
) -> None:
    told = 0
    for statement in (25, 111, 240, 301, 350):
        done = subprocess.run(
            [sys.executable, "-c", INDEXING, str(workspace), str(index), str(statement)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr
        told = max([told, *map(int, done.stdout.split())])
        assert index_faults(database(index)) == ()
    day = (workspace / "memory" / "2026-01-05.md").read_text()
    for number in range(told + 1):
        assert f"· new fact {number}\n" in day
    again = answers_anew(workspace, index, clock)
    assert again == answers_anew(workspace, tmp_path / "fresh", clock)


def test_nothing_is_opened_before_it_is_needed(
    workspace: Path, index: Path, clock: ManualClock
) -> None:
    engine = make(workspace, index, clock)
    engine.store("fact")
    engine.close()
    assert not index.exists()
