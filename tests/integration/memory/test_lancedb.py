"""memory-lancedb over real LanceDB: the notes stay the truth, whatever happens to the table."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.memory_slot import SlottedMemory
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from tests.fakes.memory import ConceptEmbedder
from tests.fakes.memory_slot import opened_memory, plugin_memory

LANCE = "memory-lancedb"
ENGLISH = Language.ENGLISH
ROOT = Path(__file__).resolve().parents[3]


def concepts() -> ConceptEmbedder:
    return ConceptEmbedder("dentist teeth tooth", "garage car parking")


@contextmanager
def lance(folder: Path, embedder: ConceptEmbedder | None = None) -> Iterator[SlottedMemory]:
    """Opened, and no question may have fallen back on the program's own engine."""
    with opened_memory(folder, LANCE, embedder) as memory:
        yield memory
        assert memory.glance(ENGLISH).engine == LANCE


def found(memory: SlottedMemory, question: str) -> list[str]:
    return [hit.snippet for hit in memory.search(question).hits]


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / "ws" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"- {line}\n" for line in lines), "utf-8")
    return path


def traces(folder: Path, word: str) -> list[str]:
    """Files below the caches that still have the word."""
    files = [path for path in (folder / "index").rglob("*") if path.is_file()]
    return [str(path) for path in files if word.encode() in path.read_bytes()]


def test_a_note_changed_moved_or_deleted_in_an_editor_is_found_as_it_is(tmp_path: Path) -> None:
    note = write(tmp_path, "memory/plan.md", "The garage is on Elm Street", "Tom likes tea")
    with lance(tmp_path) as memory:
        assert found(memory, "garage") == ["The garage is on Elm Street"]
        write(tmp_path, "memory/plan.md", "Tom likes tea", "The garage is on Oak Road")
        assert found(memory, "garage") == ["The garage is on Oak Road"]
        note.rename(note.with_name("it's plans.md"))
        assert [hit.path for hit in memory.search("garage").hits] == ["memory/it's plans.md"]
        note.with_name("it's plans.md").unlink()
        assert found(memory, "garage") == []
        assert memory.status().files == 0


def test_words_are_found_in_other_forms_and_chinese_by_parts(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "My dentists were running", "我的车牌号是沪A12345", "Café Luna")
    with lance(tmp_path) as memory:
        assert found(memory, "Which dentist runs?") == ["My dentists were running"]
        assert found(memory, "车牌号是什么？") == ["我的车牌号是沪A12345"]
        assert found(memory, "cafe") == ["Café Luna"]
        assert found(memory, "How are you?") == []


def test_meaning_finds_what_has_no_word_of_the_question_and_is_never_strong(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "My dentist is Dr. Okafor", "The garage is on Elm Street")
    with lance(tmp_path, concepts()) as memory:
        (hit,) = memory.search("Who looks after my teeth?").hits
        assert (hit.snippet, hit.why) == ("My dentist is Dr. Okafor", ("meaning",))
        assert 0 < hit.score < 0.6
        assert memory.status().vectors
    # What has a vector keeps it: nothing is asked of the model again but the question.
    again = concepts()
    with lance(tmp_path, again) as memory:
        assert found(memory, "Who looks after my teeth?") == ["My dentist is Dr. Okafor"]
        assert again.asked == ["Who looks after my teeth?"]


def test_another_model_gets_a_table_of_its_own_and_nothing_is_lost(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "My dentist is Dr. Okafor")
    for embedder in (concepts(), None, ConceptEmbedder("teeth dentist", model_id="concepts-2")):
        with lance(tmp_path, embedder) as memory:
            assert found(memory, "Who is my dentist?") == ["My dentist is Dr. Okafor"]
            assert len(list((tmp_path / "index/engines" / LANCE).glob("*.lance"))) == 1


def test_marks_go_with_their_places(tmp_path: Path) -> None:
    with lance(tmp_path) as memory:
        memory.store("The garage is on Elm Street", mark="web: example.org")
        (hit,) = memory.search("garage").hits
        assert "example.org" in hit.mark


def test_the_slot_goes_to_and_fro_and_nothing_is_lost(tmp_path: Path) -> None:
    facts = {"dentist": "My dentist is Dr. Okafor", "garage": "The garage is on Elm Street"}
    for plugin, word in ((LANCE, "dentist"), ("memory-core", "garage"), (LANCE, ""), ("", "")):
        with opened_memory(tmp_path, plugin, concepts()) as memory:
            if word:
                memory.store(facts[word])
            kept = {key: fact for key, fact in facts.items() if plugin != LANCE or key == "dentist"}
            kept = facts if not word or word == "garage" else kept
            assert {key: found(memory, f"my {key}")[0] for key in kept} == kept
            assert memory.glance(ENGLISH).engine == plugin


@pytest.mark.parametrize("answering", [LANCE, "memory-core", ""])
def test_what_is_forgotten_stands_in_no_file_of_any_engine(tmp_path: Path, answering: str) -> None:
    write(tmp_path, "MEMORY.md", *(f"fact {number} of many" for number in range(300)))
    with lance(tmp_path, concepts()) as memory:
        memory.store("My dentist is Dr. Zebulon")
        assert found(memory, "dentist") == ["My dentist is Dr. Zebulon"]
    assert traces(tmp_path, "Zebulon")
    with opened_memory(tmp_path, answering, concepts()) as memory:
        assert "Zebulon" in memory.forget(memory.search("dentist").hits[0])
        assert found(memory, "dentist") == []
        assert found(memory, "fact 117")[0] == "fact 117 of many"
    assert traces(tmp_path, "Zebulon") == []


def test_what_is_forgotten_before_the_engine_was_asked_stays_nowhere(tmp_path: Path) -> None:
    with lance(tmp_path) as memory:
        memory.store("My dentist is Dr. Zebulon")
        (hit,) = memory.search("dentist").hits
    with lance(tmp_path) as memory:
        memory.own.forget(hit)
        assert traces(tmp_path, "Zebulon") == []
        assert found(memory, "dentist") == []


@pytest.mark.expect_log("made anew")
@pytest.mark.parametrize("part", ["_versions", "data", "_indices", "everything"])
def test_a_damaged_table_is_made_anew_in_the_same_search(tmp_path: Path, part: str) -> None:
    write(tmp_path, "MEMORY.md", "My dentist is Dr. Okafor", "The garage is on Elm Street")
    with lance(tmp_path, concepts()) as memory:
        assert len(found(memory, "dentist")) == 1
    (table,) = (tmp_path / "index/engines" / LANCE).glob("*.lance")
    for path in [one for one in table.rglob("*") if one.is_file()]:
        if part in path.parts or part == "everything":
            path.write_bytes(b"\x00nonsense" * 20)
    with lance(tmp_path, concepts()) as memory:
        assert found(memory, "Who is my dentist?") == ["My dentist is Dr. Okafor"]
        assert memory.status().chunks == 2


@pytest.mark.expect_log("made anew")
def test_a_cache_deleted_while_it_is_open_is_made_anew(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "My dentist is Dr. Okafor")
    with lance(tmp_path) as memory:
        assert len(found(memory, "dentist")) == 1
        shutil.rmtree(tmp_path / "index/engines")
        assert found(memory, "dentist") == ["My dentist is Dr. Okafor"]


WRITER = """
    import sys
    from pathlib import Path
    from tests.fakes.memory import ConceptEmbedder
    from tests.fakes.memory_slot import opened_memory

    with opened_memory(Path(sys.argv[1]), "memory-lancedb", ConceptEmbedder("dentist")) as memory:
        memory.search("warm up")
        print("ready", flush=True)
        for turn in range(1000):
            for number in range(20):
                path = Path(sys.argv[1]) / "ws" / "memory" / f"{number}.md"
                path.write_text("".join(f"- turn {turn} fact {at}\\n" for at in range(30)))
            memory.search("fact")
"""


def test_a_kill_while_it_reads_leaves_no_wrong_answer(tmp_path: Path) -> None:
    write(tmp_path, "memory/first.md", "My dentist is Dr. Okafor")
    for pause in (0.05, 0.4):
        writer = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        with writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            time.sleep(pause)
            writer.send_signal(signal.SIGKILL)
        with lance(tmp_path, ConceptEmbedder("dentist")) as memory:
            assert found(memory, "dentist") == ["My dentist is Dr. Okafor"]
            own = memory.own.refresh()
            status = memory.status()
            assert (status.files, status.chunks) == (own.files, own.chunks)


def test_a_database_elsewhere_is_asked_only_by_a_way_out_and_the_own_answers_meanwhile(
    tmp_path: Path,
) -> None:
    write(tmp_path, "MEMORY.md", "My dentist is Dr. Okafor")
    uri = "s3://anna-notes/lance"
    with opened_memory(tmp_path, LANCE, uri=uri) as memory:  # lent NO_WAY
        answer = memory.search("Who is my dentist?")
        assert answer.hits[0].snippet == "My dentist is Dr. Okafor"
        assert "anna-notes" in answer.note and "own memory answers" in answer.note
        assert memory.glance(ENGLISH).engine == ""


def test_a_folder_of_the_persons_own(tmp_path: Path) -> None:
    write(tmp_path, "MEMORY.md", "My dentist is Dr. Okafor")
    with opened_memory(tmp_path, LANCE, dbPath=str(tmp_path / "my lance")) as memory:
        assert found(memory, "dentist") == ["My dentist is Dr. Okafor"]
        assert memory.glance(ENGLISH).engine == LANCE
    assert list((tmp_path / "my lance").glob("notes-main--*.lance"))
    assert not (tmp_path / "index/engines").exists()


def test_the_settings_say_what_is_brought_up_and_proposed(tmp_path: Path) -> None:
    usual = plugin_memory(tmp_path, LANCE)
    assert usual.recall is not None and usual.captures
    assert (usual.recall.most, usual.recall.least_score, usual.recall.shortest) == (3, 0.3, 5)
    quiet = plugin_memory(tmp_path, LANCE, autoRecall=False, autoCapture=False)
    assert quiet.recall is None and not quiet.captures


def test_many_notes_are_read_whole_and_get_their_vectors_by_and_by(tmp_path: Path) -> None:
    for number in range(70):
        write(tmp_path, f"memory/{number}.md", *(f"{number} fact {at}" for at in range(10)))
    clock = ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
    with opened_memory(tmp_path, LANCE, concepts(), clock) as memory:
        assert memory.status().files == 70
        assert found(memory, "69 fact 7")[0] == "69 fact 7"
        note = memory.search("fact", max_characters=200)
        assert sum(len(hit.snippet) for hit in note.hits) <= 200
