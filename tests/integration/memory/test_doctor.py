"""`memory doctor` with real files: finds what is wrong, mends what can be made anew."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.memory.doctor import Patient, examine, treat
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.memory.sources import Sources
from moltbot_desktop.sdk.health import Finding, Health
from moltbot_desktop.storage.locks import FileLock
from tests.fakes.disk import posix_only, read_only
from tests.fakes.harm import Scene
from tests.fakes.memory import ConceptEmbedder


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path)
    scene.build()
    return scene


def patient(scene: Scene) -> Patient:
    return Patient(
        Sources(scene.workspace),
        scene.workspace,
        scene.index,
        ConceptEmbedder("dentist teeth", "blue"),
        "",
        proposals=lambda: 0,
    )


def findings(scene: Scene) -> dict[str, Finding]:
    return {finding.check: finding for finding in examine(patient(scene))}


def troubles(found: Sequence[Finding]) -> list[tuple[str, str]]:
    return [(one.check, one.code) for one in found if one.health is Health.TROUBLE]


def treated(scene: Scene) -> list[str]:
    before = scene.markdown()
    with scene.memory() as memory:
        done = [finding.code for finding in treat(memory, scene.workspace, scene.index)]
    assert scene.markdown() == before
    return done


def test_a_sound_memory_is_well_and_looking_changes_nothing(scene: Scene) -> None:
    before = scene.database.read_bytes()
    found = findings(scene)
    assert all(finding.health is Health.OK for finding in found.values())
    assert found["index"].facts["files"] == found["notes"].facts["count"] == 9
    assert scene.database.read_bytes() == before


def test_no_index_yet_is_no_trouble(tmp_path: Path) -> None:
    found = findings(Scene(tmp_path))
    assert found["index"].code == "absent"
    assert not troubles(tuple(found.values()))
    assert not (tmp_path / "index").exists()


def test_a_damaged_index_is_set_aside_and_made_anew(scene: Scene) -> None:
    wanted = scene.fresh_answers()
    data = scene.database.read_bytes()
    scene.database.write_bytes(data.replace(b"Dr. Okafor", b"Dr. Okapor"))
    assert findings(scene)["index"].code == "damaged"
    assert treated(scene) == ["set_aside", "up_to_date"]
    assert not troubles(examine(patient(scene)))
    assert scene.build() == wanted


@pytest.mark.parametrize("what", ["noise", "folder", "nothing"])
def test_whatever_stands_in_place_of_the_index_is_replaced(scene: Scene, what: str) -> None:
    scene.database.unlink()
    if what == "folder":
        scene.database.mkdir()
    else:
        scene.database.write_bytes(b"" if what == "nothing" else random.Random(1).randbytes(9000))
    assert "index" in dict(troubles(examine(patient(scene)))) or what == "nothing"
    treated(scene)
    assert not troubles(examine(patient(scene)))


def test_a_damaged_cache_is_thrown_away(scene: Scene) -> None:
    (scene.index / "embeddings.sqlite").write_bytes(b"hello" * 5000)
    assert troubles(examine(patient(scene))) == [("cache", "damaged")]
    assert treated(scene) == ["cache_made_anew", "up_to_date"]
    assert not troubles(examine(patient(scene)))


def test_files_that_are_not_searched_are_named(scene: Scene) -> None:
    (scene.workspace / "memory" / "large.md").write_bytes(b"x" * 10_000_001)
    (found,) = [one for one in examine(patient(scene)) if one.health is Health.TROUBLE]
    assert (found.check, found.code) == ("notes", "unreadable")
    assert found.facts["path"] == "memory/large.md"


def test_half_written_files_are_told_and_removed(scene: Scene) -> None:
    remains = scene.workspace / "memory" / ".0123456789abcdef.tmp"
    remains.write_text("a note that was forgotten since")
    own = scene.workspace / "memory" / ".draft.tmp"
    own.touch()
    assert ("notes", "remains") in [(one.check, one.code) for one in examine(patient(scene))]
    assert treated(scene) == ["remains_removed", "up_to_date"]
    assert not remains.exists()
    assert own.exists()


def test_changed_settings_and_changed_notes_are_told_and_caught_up(scene: Scene) -> None:
    scene.write_month(3, "red")
    (scene.workspace / "memory" / "2025-04-01.md").unlink()
    assert findings(scene)["freshness"].facts == {"count": 2}
    treated(scene)
    assert findings(scene)["freshness"].code == "current"
    other = replace(patient(scene), sources=Sources(scene.workspace, MemoryPlan(chunk_tokens=200)))
    assert ("freshness", "older_rules") in [(one.check, one.code) for one in examine(other)]


def test_another_model_is_told(scene: Scene) -> None:
    embedder = ConceptEmbedder("dentist teeth", "blue")
    embedder.model_id = "other"
    other = replace(patient(scene), embedder=embedder)
    assert ("model", "other") in [(one.check, one.code) for one in examine(other)]
    none = replace(patient(scene), embedder=None, no_embedder="none is installed")
    assert ("model", "none") in [(one.check, one.code) for one in examine(none)]


def test_beside_a_running_program_nothing_is_mended(scene: Scene) -> None:
    with FileLock(scene.index / "lock"):
        assert findings(scene)["holder"].code == "another"
        assert treated(scene) == ["busy"]


@posix_only
def test_folders_without_the_right_to_write_are_named(scene: Scene) -> None:
    with read_only(scene.index):
        assert ("folders", "closed") in troubles(examine(patient(scene)))


@posix_only
def test_an_index_others_may_read_is_closed(scene: Scene) -> None:
    scene.index.chmod(0o755)
    assert findings(scene)["folders"].code == "open"
    assert treated(scene)[0] == "made_private"
    assert scene.index.stat().st_mode & 0o777 == 0o700


def test_an_inbox_that_cannot_be_read_is_trouble(scene: Scene) -> None:
    def broken() -> int:
        raise StorageError("The inbox is damaged.")

    assert troubles(examine(replace(patient(scene), proposals=broken))) == [("inbox", "unreadable")]
    waiting = {one.check: one for one in examine(replace(patient(scene), proposals=lambda: 3))}
    assert waiting["inbox"].facts == {"count": 3}


def test_switched_off_is_all_that_is_said(scene: Scene) -> None:
    shutil.rmtree(scene.index)
    off = replace(patient(scene), sources=Sources(scene.workspace, MemoryPlan(enabled=False)))
    assert [one.code for one in examine(off)] == ["switched_off"]
