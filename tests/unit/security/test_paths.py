"""The path guard: whatever a model writes, nothing outside the allowed folders is reached."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.security.beneath import folder_below
from moltbot_desktop.security.paths import check_spelling, open_to_read, resolve_inside
from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import Place

TRAVERSALS = (
    "..", "../", "../secret.txt", "../../etc/passwd", "a/../../secret.txt", "./../secret.txt",
    "notes/../../secret.txt", "..\\secret.txt", "..\\..\\etc\\passwd", "a\\..\\..\\secret.txt",
    "/etc/passwd", "/", "//server/share/x",
    "\\\\server\\share\\x", "\\\\?\\C:\\x", "\\\\.\\pipe\\x",
    "C:\\Windows\\system.ini", "C:/Windows/system.ini", "C:secret", "file.txt:stream",
    "file.txt::$DATA", "~", "~/", "~/.ssh/id_rsa", "~root/x", "~other", "out/secret.txt", "out",
    "out/../secret.txt", "deep/out2/secret.txt", "loop", "loop/x", "loop2/x",
    "loop/../secret-link", "a\x00b",
    "a\x00/../../secret.txt", "a\nb", "a\rb", "a\tb", "\x1b[2J", "a\x7f", "a\u202eb", "a\u2028b",
    "con", "CON", "Con.txt", "nul", "NUL.tar.gz", "aux", "prn.md", "com1", "COM9.log", "lpt3",
    "com¹", "conin$", "dir/con/x", "name.", "name ", "dir./x", "dir /x", "...", ". .", "   ",
    "", "x" * 300, "x" * 5000, "a/" + "y" * 256, "汉" * 90, "\udc80", "/proc/self/environ",
    "/dev/null", "../workspace-other/x", "hardout/../../secret.txt", "//etc/passwd", "a//../..//x",
)  # fmt: skip


@pytest.fixture(scope="module")
def grounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with links that lead out, and a secret beside it."""
    base = tmp_path_factory.mktemp("guard")
    (base / "secret.txt").write_text("secret")
    (base / "workspace-other").mkdir()
    (base / "workspace-other" / "x").write_text("other")
    workspace = base / "workspace"
    (workspace / "notes").mkdir(parents=True)
    (workspace / "deep").mkdir()
    (workspace / "notes" / "a.md").write_text("hello")
    (workspace / "out").symlink_to(base)
    (workspace / "deep" / "out2").symlink_to("../..")
    (workspace / "in").symlink_to("notes")
    (workspace / "loop").symlink_to("loop")
    (workspace / "loop2").symlink_to("loop3")
    (workspace / "loop3").symlink_to("loop2")
    (workspace / "secret-link").symlink_to(base / "secret.txt")
    (workspace / "dangling").symlink_to(base / "not-there.txt")
    return workspace


@pytest.mark.parametrize("text", [*TRAVERSALS, "secret-link", "dangling"], ids=repr)
def test_a_path_that_leads_out_is_refused(grounds: Path, text: str) -> None:
    with pytest.raises(PathRefused):
        resolve_inside(grounds, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("notes/a.md", "notes/a.md"),
        ("./notes//a.md", "notes/a.md"),
        ("notes/../notes/a.md", "notes/a.md"),
        ("in/a.md", "notes/a.md"),
        (".", "."),
        ("new/deeper/file.txt", "new/deeper/file.txt"),
        ("笔记/今天.md", "笔记/今天.md"),
        ("console.txt", "console.txt"),
        (".hidden", ".hidden"),
        ("a..b", "a..b"),
        ("name with spaces.md", "name with spaces.md"),
    ],
)
def test_a_path_inside_is_resolved(grounds: Path, text: str, expected: str) -> None:
    assert resolve_inside(grounds, text) == (grounds.resolve() / expected)


@pytest.mark.parametrize(
    "text",
    [
        "PROGRA~1/x",
        "notes/LONGNA~2.TXT",
        "a\\GIT~1",
        "C:secret",
        "\\\\?\\C:\\x",
        "a:b",
        "NUL.",
        "x.",
    ],
)
def test_what_only_windows_gives_a_meaning_is_refused_there(text: str) -> None:
    with pytest.raises(PathRefused):
        check_spelling(text, windows=True)


@pytest.mark.parametrize("text", ["notes~", "a.txt.~1~", "C:\\Users\\a\\notes.md", "a\\b.md"])
def test_ordinary_windows_paths_are_spelled_well(text: str) -> None:
    check_spelling(text, windows=True)


def _around(workspace: Path) -> Surroundings:
    return Surroundings(workspace, workspace.parent / "home", workspace.parent / "user")


_DODGES = (
    "MEMORY.md", " MEMORY.md", "MEMORY.md ", "\tMEMORY.md", "./MEMORY.md", "memory.MD",
    "MEMORY.md.", "notes/../MEMORY.md", "in/../MEMORY.md", "skills\\x\\SKILL.md",
    "skills/x/SKILL.md", ".\\MEMORY.md", "notes\\..\\MEMORY.md", "MEMORY.md\x00",
    "MEMORY.md:stream", "skills/x/run.sh",
)  # fmt: skip


@pytest.mark.parametrize("text", _DODGES, ids=repr)
def test_no_spelling_gets_a_protected_file_past_policy(grounds: Path, text: str) -> None:
    """What policy takes for an ordinary file, the guard does not turn into a protected one."""
    try:
        path = resolve_inside(grounds, text)
    except PathRefused:
        return
    assert place_of(text, _around(grounds)) is Place.PROTECTED
    assert place_of(str(path), _around(grounds)) is Place.PROTECTED


def test_an_absolute_path_inside_is_fine(grounds: Path) -> None:
    assert resolve_inside(grounds, str(grounds / "notes" / "a.md")).name == "a.md"


def test_an_allowed_folder_opens_that_folder_only(grounds: Path) -> None:
    other = grounds.parent / "workspace-other"
    assert (
        resolve_inside(grounds, "../workspace-other/x", allowed=(other,)) == other.resolve() / "x"
    )
    with pytest.raises(PathRefused):
        resolve_inside(grounds, "../secret.txt", allowed=(other,))


def test_home_is_reached_only_where_allowed(grounds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = grounds.parent / "workspace-other"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    with pytest.raises(PathRefused):
        resolve_inside(grounds, "~/x")
    assert resolve_inside(grounds, "~/x", allowed=(home,)) == home.resolve() / "x"


def test_reading_looks_at_the_opened_file(grounds: Path) -> None:
    with open_to_read(resolve_inside(grounds, "notes/a.md"), (grounds,)) as file:
        assert file.read() == b"hello"


def test_a_file_swapped_for_a_link_after_the_check_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    workspace = tmp_path / "w"
    workspace.mkdir()
    (workspace / "a").write_text("mine")
    checked = resolve_inside(workspace, "a")
    (workspace / "a").unlink()
    (workspace / "a").symlink_to(tmp_path / "secret")
    with pytest.raises(PathRefused), open_to_read(checked, (workspace,)) as file:
        file.read()
    with pytest.raises(PathRefused), folder_below(workspace, checked.parent) as folder:
        os.close(folder.open(checked.name, os.O_WRONLY))


def test_a_folder_swapped_for_a_link_after_the_check_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("secret")
    workspace = tmp_path / "w"
    (workspace / "d").mkdir(parents=True)
    (workspace / "d" / "a").write_text("mine")
    checked = resolve_inside(workspace, "d/a")
    (workspace / "d" / "a").unlink()
    (workspace / "d").rmdir()
    (workspace / "d").symlink_to(tmp_path / "out")
    with pytest.raises(PathRefused), open_to_read(checked, (workspace,)) as file:
        file.read()
    with pytest.raises(PathRefused), folder_below(workspace, checked.parent) as folder:
        os.close(folder.open(checked.name, os.O_WRONLY))


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs there")
def test_a_fifo_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PathRefused), open_to_read(tmp_path / "pipe", (tmp_path,)) as file:
        file.read()


def _pieces() -> Iterator[str]:
    yield from ("..", ".", "/", "\\", "out", "notes", "a.md", "secret.txt", "~", "C:", "loop", "in")
    yield from ("deep", "out2", "\x00", " ", "secret-link", "dangling", "workspace-other", "//")


_SPELLINGS = ("MEMORY.md", "memory.md", "skills", "SKILL.md", "x", "..", ".", "/", "\\", " ", "in",
              "memory", "2026-11-21.md", ".ssh", "~", "\u3000", "\xa0", "notes")  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.lists(st.sampled_from(_SPELLINGS), max_size=7).map("".join))
def test_policy_and_guard_read_a_path_alike(grounds: Path, text: str) -> None:
    try:
        path = resolve_inside(grounds, text)
    except PathRefused:
        return
    assert place_of(text, _around(grounds)) is place_of(str(path), _around(grounds))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(text="loop/../secret-link")
@given(text=st.lists(st.sampled_from(tuple(_pieces())), max_size=8).map("/".join) | st.text())
def test_no_text_escapes(grounds: Path, text: str) -> None:
    try:
        path = resolve_inside(grounds, text)
    except PathRefused:
        return
    assert Path(os.path.realpath(path)).is_relative_to(os.path.realpath(grounds))
