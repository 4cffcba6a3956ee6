"""A file is opened by the handles of its folders, so no link can lead out, whenever it is put."""

import os
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.memory import opening
from moltbot_desktop.memory.opening import open_below

WAYS = ["handle", "name"]


@pytest.fixture(params=WAYS)
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a note, opened in both of the ways systems offer."""
    monkeypatch.setattr(opening, "_BY_HANDLE", request.param == "handle")
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    (tmp_path / "ws" / "memory" / "a.md").write_text("mine")
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "a.md").write_text("secret")
    return tmp_path / "ws"


def read(folder: Path, *parts: str) -> bytes:
    with open_below(folder, parts) as file:
        return file.read()


def test_a_plain_file_is_read(folder: Path) -> None:
    assert read(folder, "memory", "a.md") == b"mine"


def test_the_folder_itself_may_be_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    assert read(tmp_path / "link", "memory", "a.md") == b"mine"


def test_no_link_is_followed(folder: Path, tmp_path: Path) -> None:
    (folder / "memory" / "link.md").symlink_to(tmp_path / "else" / "a.md")
    (folder / "linked").symlink_to(tmp_path / "else")
    (folder / "inner").symlink_to(folder / "memory")
    for parts in (("memory", "link.md"), ("linked", "a.md"), ("inner", "a.md")):
        with pytest.raises(PathRefused):
            read(folder, *parts)


@pytest.mark.parametrize("parts", [("..", "x"), (".",), ("",), ("a/b",), ("a\0",)])
def test_only_names_are_parts(folder: Path, parts: tuple[str, ...]) -> None:
    with pytest.raises(PathRefused):
        read(folder, *parts)


def test_a_folder_and_a_pipe_are_no_files(folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")
    for name in ("memory", "pipe.md"):
        with pytest.raises(PathRefused):
            read(folder, name)


def test_what_is_not_there_is_told_as_such(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(folder, "memory", "none.md")


@pytest.mark.parametrize("when", range(3))
def test_a_folder_replaced_by_a_link_at_any_moment_leads_nowhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: int
) -> None:
    """Just before each system call that opens something, the folder becomes a link."""
    calls = 0
    plain_open = os.open

    def swapping_open(path: object, *rest: object, **named: object) -> int:
        nonlocal calls
        if calls == when:
            (folder / "memory").rename(tmp_path / "moved")
            (folder / "memory").symlink_to(tmp_path / "else")
        calls += 1
        return plain_open(path, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", swapping_open)
    try:
        found = read(folder, "memory", "a.md")
    except PathRefused:
        return
    assert found == b"mine"
