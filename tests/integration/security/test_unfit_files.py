"""A pipe, a device or ten gigabytes where a file is expected: told, and nobody waits for it."""

from __future__ import annotations

import io
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from moltbot_desktop.app import terminal
from moltbot_desktop.app.heartbeats import _instructions
from moltbot_desktop.app.typed import typed_line
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.gateway.client import MAX_MESSAGE_CHARACTERS
from moltbot_desktop.gateway.helper_book import HelperBook
from moltbot_desktop.sessions.index import load_index
from moltbot_desktop.storage.bounded import read_named
from moltbot_desktop.storage.jsonl import read_jsonl

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
KINDS = ["pipe", "endless", "folder"]


def put(path: Path, kind: str) -> Path:
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "endless":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_settings_that_are_no_file_leave_the_defaults_and_are_told(
    tmp_path: Path, kind: str
) -> None:
    put(tmp_path / "moltbot.json", kind)
    loaded = load_config(tmp_path)
    assert loaded.warnings[0].serious


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_of_the_settings_that_is_no_file_is_told(tmp_path: Path, kind: str) -> None:
    (tmp_path / "moltbot.json").write_text('{"$include": "./other.json5"}', encoding="utf-8")
    put(tmp_path / "other.json5", kind)
    assert load_config(tmp_path).warnings


@pytest.mark.parametrize("kind", KINDS)
def test_logs_and_books_that_are_no_files_are_told(tmp_path: Path, kind: str) -> None:
    with pytest.raises(StorageError):
        read_jsonl(put(tmp_path / "a.jsonl", kind))
    with pytest.raises(StorageError):
        HelperBook(put(tmp_path / "runs.json", kind)).all()


def test_a_list_of_conversations_that_is_no_file_counts_as_damaged(tmp_path: Path) -> None:
    assert load_index(put(tmp_path / "sessions.json", "pipe")).damaged


@pytest.mark.expect_log
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_heartbeat_is_to_do_is_nothing(tmp_path: Path, kind: str) -> None:
    assert _instructions(put(tmp_path / "HEARTBEAT.md", kind)) == ""


def test_who_names_a_pipe_at_the_shell_means_it(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, b"one\ntwo\n")
        os.close(writing)
        assert read_named(Path(f"/dev/fd/{reading}"), 100) == b"one\ntwo\n"
    finally:
        os.close(reading)


def test_a_line_without_end_is_one_message_that_is_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = b"x" * (10 * MAX_MESSAGE_CHARACTERS) + b"\nnext\n"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    first = terminal._piped()
    assert first is not None and MAX_MESSAGE_CHARACTERS < len(first) < len(data) // 2
    assert terminal._piped() == "next"
    assert terminal._piped() is None


def test_an_answer_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y" * 1_000_000))
    assert 0 < len(typed_line()) < 10_000
