"""Copies into the models folder: one at a time, and nothing of a killed one stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.models.copying import copy_into
from moltbot_desktop.models.partial import PARTIAL_FOLDER
from moltbot_desktop.storage.locks import FileLock


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.gguf"
    path.write_bytes(b"model")
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "files" / "x.gguf"


def test_what_a_killed_copy_left_is_removed_by_the_next(source: Path, target: Path) -> None:
    left = target.parent / PARTIAL_FOLDER / "killed.gguf.copy"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"mod")
    part = left.with_name("other.gguf.part")
    part.touch()
    counts: list[int] = []
    copy_into(target, source, 5, counts.append)
    assert target.read_bytes() == b"model" and counts == [5]
    assert not left.exists() and part.exists()


def test_a_second_copy_waits_for_the_first(source: Path, target: Path) -> None:
    """Else it would take the first one's bytes for left over."""
    going_on = target.parent / PARTIAL_FOLDER / "other.gguf.copy"
    going_on.parent.mkdir(parents=True)
    going_on.touch()
    with (
        FileLock(going_on.with_name("import.lock")),
        pytest.raises(StoreBusy, match="being added"),
    ):
        copy_into(target, source, 5, lambda count: None)
    assert going_on.exists() and not target.exists()
    copy_into(target, source, 5, lambda count: None)
    assert target.exists()
