"""An index of another form answers until the one that follows it is whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import DiskFull
from moltbot_desktop.memory import index_home
from moltbot_desktop.memory.consistency import index_facts, index_faults
from moltbot_desktop.memory.generations import begun_index, current_index
from moltbot_desktop.memory.index_home import RETRY_SECONDS
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.storage.sqlite import open_reader
from tests.fakes.harm import OTHER_FORM, QUESTIONS, Scene, answers
from tests.fakes.memory import ConceptEmbedder

MONTHS = 6


@dataclass
class BusyClock(ManualClock):
    """Every look at it takes a second, so that each slice of work does as little as it may."""

    start: datetime = field(default=datetime(2026, 1, 5, 12, 0, tzinfo=UTC))

    def __post_init__(self) -> None:
        super().__init__(self.start)

    def monotonic(self) -> float:
        self.advance(1)
        return super().monotonic()


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path, MONTHS)
    scene.build()
    return scene


def slowly(scene: Scene) -> None:
    scene.clock = BusyClock()


def test_the_old_index_answers_until_the_new_one_is_whole(scene: Scene) -> None:
    wanted = [hit.snippet for hit in search(scene)]
    slowly(scene)
    with scene.memory(plan=OTHER_FORM) as memory:
        for _ in range(3):
            answer = memory.search("fact 117")
            assert [hit.snippet for hit in answer.hits] == wanted
            assert "renewed in the background" in answer.note
            assert scene.database.name == "index-1.sqlite"
        memory.store("My cat is called Mia")  # found while it is being renewed
        assert "Mia" in memory.search("What is my cat called?").hits[0].snippet
        assert memory.refresh().note == ""
        assert scene.database.name == "index-2.sqlite"
        assert "Mia" in memory.search("What is my cat called?").hits[0].snippet
    assert scene.faults() == ()
    assert [path.name for path in scene.index.glob("index-*.sqlite")] == ["index-2.sqlite"]


def search(scene: Scene) -> tuple[object, ...]:
    with scene.memory() as memory:
        return memory.search("fact 117").hits


def test_a_small_memory_is_renewed_by_the_first_search(scene: Scene) -> None:
    with scene.memory(plan=OTHER_FORM) as memory:
        assert memory.search("fact 117").note == ""
    assert scene.database.name == "index-2.sqlite"


def test_nothing_is_embedded_again(scene: Scene) -> None:
    embedder = ConceptEmbedder("dentist teeth", "blue")
    with scene.memory(plan=OTHER_FORM, embedder=embedder) as memory:
        memory.refresh()
        assert not any("belongs to Anna" in text for text in embedder.asked)
        assert index_facts(scene.database).unread == 0


def test_the_new_one_takes_over_with_all_vectors_that_are_known(scene: Scene) -> None:
    slowly(scene)
    with scene.memory(plan=OTHER_FORM) as memory:
        while scene.database.name == "index-1.sqlite":
            memory.work(1)
        assert index_facts(scene.database).unread == 0


def test_a_rebuild_that_was_broken_off_goes_on(scene: Scene) -> None:
    slowly(scene)
    with scene.memory(plan=OTHER_FORM) as memory:
        memory.work(4)
    begun = begun_index(scene.index)
    assert begun is not None
    read = set(index_facts(begun).files)
    assert 0 < len(read) < MONTHS + 1
    with scene.memory(plan=OTHER_FORM) as memory:
        memory.work(4)
        assert read < set(index_facts(begun).files)
        memory.refresh()
    assert scene.database == begun
    assert scene.faults() == ()


def test_one_that_was_begun_with_other_settings_is_thrown_away(scene: Scene) -> None:
    slowly(scene)
    with scene.memory(plan=OTHER_FORM) as memory:
        memory.work(4)
    wanted = scene.fresh_answers()
    with scene.memory() as memory:  # back to the first settings
        assert answers(memory) == wanted
    assert [path.name for path in scene.index.glob("index-*.sqlite")] == ["index-1.sqlite"]


def test_whoever_has_the_old_one_open_keeps_it(scene: Scene) -> None:
    reader = open_reader(scene.database)
    before = reader.execute("SELECT body FROM units ORDER BY id").fetchall()
    scene.write_month(1, "red")
    with scene.memory(plan=OTHER_FORM) as memory:
        memory.refresh()
        assert scene.database.name == "index-2.sqlite"
        assert reader.execute("SELECT body FROM units ORDER BY id").fetchall() == before
    reader.close()


def test_one_that_cannot_be_made_leaves_the_old_one_answering(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Path) -> Path:
        raise DiskFull("The disk is full.")

    monkeypatch.setattr(index_home, "next_index", full)
    with scene.memory(plan=OTHER_FORM) as memory:
        assert memory.search("fact 117").hits
        memory.refresh()
        assert scene.database.name == "index-1.sqlite"
        monkeypatch.undo()
        memory.refresh()
        assert scene.database.name == "index-1.sqlite"  # not at once again
        scene.clock.advance(RETRY_SECONDS)
        memory.refresh()
        assert scene.database.name == "index-2.sqlite"


def test_what_is_forgotten_meanwhile_is_in_no_index(scene: Scene) -> None:
    slowly(scene)
    with scene.memory(plan=OTHER_FORM) as memory:
        memory.work(6)
        assert begun_index(scene.index) is not None
        hit = next(hit for hit in memory.search("fact 117").hits if "117" in hit.snippet)
        memory.forget(hit)
        memory.work(2)
        for path in scene.index.iterdir():
            assert b"fact 117 is" not in path.read_bytes(), path.name
        memory.refresh()
        assert not any("117" in hit.snippet for hit in memory.search("fact 117").hits)


def test_beside_another_process_it_is_renewed_in_memory(scene: Scene) -> None:
    with scene.memory() as first:
        wanted = answers(first)
        with scene.memory(plan=OTHER_FORM) as second:
            second.refresh()
            assert second.status().note == ""
            assert [second.search(one).hits for one in QUESTIONS] == wanted
        assert [first.search(one).hits for one in QUESTIONS] == wanted
    assert scene.database.name == "index-1.sqlite"
    assert index_faults(current_index(scene.index)) == ()


def test_a_search_without_an_index_does_not_wait_for_all_of_it(scene: Scene) -> None:
    slowly(scene)
    patient = MemoryPlan(patience_seconds=2)
    with scene.memory(scene.index.with_name("new"), patient) as memory:
        answer = memory.search("Who is my dentist?")
        assert "Okafor" in answer.hits[0].snippet
        assert "Files not yet read: " in answer.note
        memory.store("My cat is called Mia")
        assert "Mia" in memory.search("What is my cat called?").hits[0].snippet
        while not memory.work(5):
            pass
        assert memory.search("fact 117").note == ""


def test_from_the_shell_a_search_waits_for_all_of_it(scene: Scene) -> None:
    slowly(scene)
    with scene.memory(scene.index.with_name("new")) as memory:
        assert "files" not in memory.search("fact 117").note
