"""What every memory engine promises; run against the real one and the fake."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import PathRefused, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.memories import Use
from moltbot_desktop.sdk.memory import MemoryEngine, used_memory
from tests.fakes.memory import FakeMemory
from tests.fakes.memory_slot import opened_memory


@pytest.fixture(params=["own", "memory-core", "memory-lancedb", "fake"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryEngine]:
    """The program's own engine, and each bundled plugin's in the slot."""
    if request.param == "fake":
        yield FakeMemory()
        return
    with opened_memory(tmp_path, "" if request.param == "own" else request.param) as engine:
        yield engine
        # Nothing that was asked fell back on the program's own engine.
        assert engine.glance(Language.ENGLISH).engine == request.param.replace("own", "")


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("My dentist is Dr. Okafor, phone 555-0142", "Who is my dentist?"),
        ("我的车牌号是沪A12345", "车牌号"),
    ],
)
def test_a_stored_fact_is_found_by_a_question_about_it(
    memory: MemoryEngine, fact: str, question: str
) -> None:
    memory.store("The garage is on Elm Street")
    note = memory.store(fact)
    best = memory.search(question).hits[0]
    assert (best.snippet, best.path, best.start_line) == (fact, note.path, note.line)
    assert 0 <= best.score <= 1
    assert best.source == "memory"
    assert best.why


def test_a_question_about_nothing_stored_finds_nothing(memory: MemoryEngine) -> None:
    memory.store("My dentist is Dr. Okafor")
    assert memory.search("capital of France").hits == ()
    assert memory.search("").hits == ()


def test_results_are_at_most_as_many_as_asked_for(memory: MemoryEngine) -> None:
    for number in range(5):
        memory.store(f"The garage number {number} is on Elm Street")
    assert len(memory.search("garage", max_results=2).hits) == 2


def test_the_same_fact_of_the_same_day_is_known_already(memory: MemoryEngine) -> None:
    first = memory.store("My dentist is Dr. Okafor")
    again = memory.store("My dentist is Dr. Okafor")
    assert not first.already_known
    assert again.already_known
    assert (again.path, again.line) == (first.path, first.line)


def test_a_memory_file_can_be_read_in_part(memory: MemoryEngine) -> None:
    note = memory.store("My dentist is Dr. Okafor")
    excerpt = memory.get(note.path, start_line=note.line, lines=1)
    assert "Okafor" in excerpt.text
    assert excerpt.start_line == note.line
    assert excerpt.total_lines >= 1


def test_other_files_are_refused(memory: MemoryEngine) -> None:
    with pytest.raises(PathRefused):
        memory.get("../secret.md")


def test_a_forgotten_fact_is_not_found_again_and_others_stay(memory: MemoryEngine) -> None:
    memory.store("The garage is on Elm Street")
    memory.store("My dentist is Dr. Okafor")
    hit = memory.search("Who is my dentist?").hits[0]
    assert "Okafor" in memory.forget(hit)
    assert memory.search("dentist").hits == ()
    assert memory.search("garage").hits


def test_what_is_forgotten_twice_is_told(memory: MemoryEngine) -> None:
    memory.store("My dentist is Dr. Okafor")
    hit = memory.search("Who is my dentist?").hits[0]
    memory.forget(hit)
    with pytest.raises(UserInputInvalid):
        memory.forget(hit)


def test_a_used_memory_is_found_again_while_its_words_stand_there(memory: MemoryEngine) -> None:
    memory.store("The garage is on Elm Street")
    memory.store("My dentist is Dr. Okafor")
    hit = memory.search("Who is my dentist?").hits[0]
    used = used_memory(hit, Use.RECALLED)
    assert "Okafor" not in str(used)
    again = memory.find_again(used)
    assert again is not None
    assert (again.snippet, again.path, again.start_line) == (hit.snippet, hit.path, hit.start_line)
    memory.forget(hit)
    assert memory.find_again(used) is None
    assert memory.find_again(replace(used, path="memory/gone.md")) is None


def test_a_used_memory_is_found_where_it_has_moved_to(memory: MemoryEngine) -> None:
    memory.store("The garage is on Elm Street")
    memory.store("My dentist is Dr. Okafor")
    used = used_memory(memory.search("Who is my dentist?").hits[0], Use.FOUND)
    memory.forget(memory.search("garage").hits[0])
    again = memory.find_again(used)
    assert again is not None
    assert again.start_line < used.start_line
    assert again.snippet == "My dentist is Dr. Okafor"


def test_status_counts_what_is_there(memory: MemoryEngine) -> None:
    memory.store("My dentist is Dr. Okafor")
    status = memory.status()
    assert status.files == 1
    assert status.chunks == 1


@pytest.mark.parametrize("language", Language)
def test_how_memory_stands_is_told_in_either_language(
    memory: MemoryEngine, language: Language
) -> None:
    memory.store("The garage is on Elm Street")
    status = memory.status(language)
    assert (status.files, status.chunks) == (1, 1)
