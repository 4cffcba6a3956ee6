"""A log that cannot be written costs its records and nothing else."""

from __future__ import annotations

import errno
import io
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from moltbot_desktop.app.logs import LogFile


class FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[LogFile]:
    handler = LogFile(tmp_path / "log", delay=True)
    yield handler
    handler.close()


def record(text: str, *values: object) -> logging.LogRecord:
    return logging.LogRecord("here", logging.INFO, __file__, 1, text, values, None)


def test_a_full_disk_is_not_told_for_every_record(
    file: LogFile, capsys: pytest.CaptureFixture[str]
) -> None:
    file.stream = FullDisk()  # type: ignore[assignment]
    for number in range(3):
        file.emit(record("number %d", number))
    assert capsys.readouterr().err == ""


def test_a_record_of_ours_that_is_wrong_is_told(
    file: LogFile, capsys: pytest.CaptureFixture[str]
) -> None:
    file.emit(record("number %d", "one"))
    assert "Logging error" in capsys.readouterr().err
