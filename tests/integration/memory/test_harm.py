"""Kills, damage, full disks, two processes and clocks that jump: a few of each at random.

`dev.py bench memory --only trouble` does a hundred times as many.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import apsw
import pytest

from moltbot_desktop.core.errors import DiskFull, StorageError
from moltbot_desktop.memory import store
from moltbot_desktop.memory.consistency import index_facts, index_faults
from moltbot_desktop.memory.index_home import RETRY_SECONDS
from moltbot_desktop.storage.locks import FileLock
from tests.fakes.disk import full_after, read_only
from tests.fakes.harm import (
    WORKS,
    Scene,
    answers,
    at_work,
    damage_trial,
    full_disk_trial,
    kill_trial,
)
from tests.fakes.memory import ConceptEmbedder

YEAR = 365 * 24 * 3600
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills need fork")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path, months=4)
    scene.build()
    return scene


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("work", sorted(WORKS))
def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path, work: str, seed: int) -> None:
    scene = Scene(tmp_path, months=16)  # so that most of the time it writes
    scene.build()
    assert kill_trial(scene, work, random.Random(f"{work} {seed}")) == ()


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_damaged_no_wrong_text_is_shown(scene: Scene, seed: int) -> None:
    trial = damage_trial(scene, random.Random(seed))
    assert trial.faults == (), trial.kind


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_cache_changes_no_answer(scene: Scene, seed: int) -> None:
    trial = damage_trial(scene, random.Random(seed), cache=True)
    assert trial.faults == (), trial.kind


@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError])
@pytest.mark.parametrize("at", [0, 5, 33, 60])
def test_a_disk_that_refuses_any_write_stops_no_search(
    scene: Scene, at: int, error: type[apsw.Error]
) -> None:
    trial = full_disk_trial(scene, at, error)
    assert trial.faults == ()
    assert trial.kind == "full"


def test_a_note_that_does_not_fit_is_refused_and_the_day_stays_whole(scene: Scene) -> None:
    with scene.memory() as memory:
        note = memory.store("this one fits")
        day = scene.workspace / note.path
        before = day.read_bytes()
        with full_after(len(before) + 100):
            with pytest.raises(DiskFull):
                memory.store("too long " * 100)
            assert "fact 117" in memory.search("fact 117").hits[0].snippet
        assert day.read_bytes() == before
        memory.store("too long " * 100)


def test_a_read_only_folder_is_read(scene: Scene) -> None:
    wanted = scene.fresh_answers()
    embedder = ConceptEmbedder("dentist teeth", "blue")
    with scene.memory(embedder=embedder) as memory:
        with read_only(scene.index):
            assert answers(memory) == wanted
            assert "may not be read or written" in memory.status().note
            # It was read, not made anew.
            assert not any("belongs to Anna" in text for text in embedder.asked)
        scene.clock.advance(RETRY_SECONDS)
        assert answers(memory) == wanted
        assert memory.status().note == ""


def test_one_process_writes_while_another_searches(scene: Scene) -> None:
    with at_work(scene, "store") as worker:
        worker.hear(3)
        with scene.memory() as memory:
            for _ in range(5):
                worker.hear()
                found = memory.search(f"new fact {worker.said[-1]} ends").hits
                assert any(f"new fact {worker.said[-1]} ends" in hit.snippet for hit in found)
    assert scene.faults() == ()
    with scene.memory() as memory:  # the writer was killed: this one takes over
        answers(memory)
        with pytest.raises(StorageError):
            FileLock(scene.index / "lock").acquire()
    assert scene.faults_after() == ()


def test_two_that_start_at_once_on_nothing_both_answer(scene: Scene) -> None:
    for _ in range(2):
        shutil.rmtree(scene.index)
        with at_work(scene, "index") as worker, scene.memory() as memory:
            assert answers(memory) == scene.fresh_answers()
            worker.hear()
            assert worker.said == ["done"]
        assert scene.faults_after() == ()


def test_clocks_and_times_of_files_that_jump_hide_no_change(scene: Scene) -> None:
    with scene.memory() as memory:
        for turn, jump in enumerate([YEAR, -2 * YEAR, YEAR, 0]):
            scene.clock.advance(jump)
            path = scene.workspace / "memory" / "2025-02-01.md"
            path.write_text(f"fact 117 is number {turn} today\n")
            time = path.stat().st_mtime + random.Random(turn).choice([YEAR, -YEAR])
            os.utime(path, (time, time))
            assert f"number {turn} today" in memory.search("fact 117").hits[0].snippet
    assert scene.faults_after() == ()


TAMPERED = {
    "DELETE FROM units_fts WHERE rowid = 3": "1 notes are missing in the full text",
    "INSERT INTO units_fts(rowid, text) VALUES (9999, 'x')": "1 entries of the full text",
    "DELETE FROM units WHERE id = 3": "1 entries of the full text have no note",
    "DELETE FROM units_vec WHERE unit = 3": "",  # a text without any direction has none
    "UPDATE units SET embedded = 0 WHERE id = 3": "1 vectors belong to no note",
    "UPDATE units SET body = 'something else' WHERE id = 3": "1 notes have another text",
    "UPDATE units SET file = 99 WHERE id = 3": "1 notes belong to no file",
    "UPDATE windows SET last = 99999 WHERE id = 1": "1 windows begin or end",
    "DROP TABLE meta": "tables are missing: meta",
}


@pytest.mark.parametrize("sql", TAMPERED)
def test_the_check_sees_what_does_not_fit_together(scene: Scene, sql: str) -> None:
    assert index_faults(scene.database) == ()
    opened = store.IndexStore.open(scene.database)
    opened._connection.execute("PRAGMA foreign_keys=0").fetchall()
    opened._rows(sql)
    opened.close()
    assert TAMPERED[sql] in " ".join(index_faults(scene.database)) or not TAMPERED[sql]
    assert bool(index_faults(scene.database)) == bool(TAMPERED[sql])


def test_damage_is_found_at_idle_and_healed(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = scene.fresh_answers()
    data = scene.database.read_bytes()
    scene.database.write_bytes(data.replace(b"fact 117 is", b"fact 777 is"))
    monkeypatch.setattr(store, "CHECKED_AT_OPEN", 0)  # as if it were a large one
    with scene.memory() as memory:
        memory.status()
        assert not memory.check()
        assert memory.check()
        assert answers(memory) == wanted
    assert scene.database.name == "index-2.sqlite"
    assert index_facts(scene.database).unread == 0


def test_a_check_of_a_sound_index_changes_nothing(scene: Scene) -> None:
    before = scene.database.read_bytes()
    with scene.memory() as memory:
        assert memory.check()
    assert scene.database.read_bytes() == before
