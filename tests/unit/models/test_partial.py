"""The unfinished form of a download: it gets its name only as what it was checked as."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.core.errors import DownloadFailed, StorageError
from moltbot_desktop.models.partial import PartialFile, RemoteFile

REMOTE = RemoteFile("e", 6, "0" * 64)


@pytest.fixture
def partial(tmp_path: Path) -> PartialFile:
    partial = PartialFile(tmp_path / "x.gguf")
    partial.prepare()
    partial.restart(REMOTE)
    return partial


def received(partial: PartialFile, block: bytes) -> None:
    with partial.open() as file:
        partial.add(file, block)


def test_what_was_received_gets_the_name(partial: PartialFile) -> None:
    received(partial, b"abc")
    received(partial, b"def")
    assert partial.finish().read_bytes() == b"abcdef"
    assert partial.recorded() is None and not partial.part.exists()


def test_a_part_removed_in_between_never_gets_the_name(partial: PartialFile) -> None:
    """The bytes after the removal make a new file, which holds the end alone."""
    received(partial, b"abc")
    PartialFile(partial.target).discard()
    received(partial, b"def")
    with pytest.raises(DownloadFailed, match="changed on the disk"):
        partial.finish()
    assert not partial.target.exists() and not partial.part.exists()
    assert partial.length == 0


def test_a_part_that_cannot_be_written_is_trouble_with_the_disk(partial: PartialFile) -> None:
    partial.discard()
    partial.part.mkdir()
    with pytest.raises(StorageError):
        partial.open()
