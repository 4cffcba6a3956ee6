"""Undo: whatever the tools did to a tree, it stands as before; nobody's work is lost by it."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import textwrap
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import ToolContext, ToolResult
from moltbot_desktop.tools.apply_patch import ApplyPatch
from moltbot_desktop.tools.delete_file import DeleteFile
from moltbot_desktop.tools.edit import Edit
from moltbot_desktop.tools.files import Write
from moltbot_desktop.tools.move_file import MoveFile
from moltbot_desktop.tools.trash import Trash
from moltbot_desktop.tools.undo import FileHands, NothingToUndo
from moltbot_desktop.tools.undo_tool import Undo
from tests.fakes.tool_context import call, tool_context

NOW = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)
LONG_AGO = 1_000_000_000_123_456_789


class Seen(NamedTuple):
    content: bytes
    mode: int
    changed: int


def tree(folder: Path) -> dict[str, Seen]:
    """Every file and link with its permissions and the time of its last change, to the
    nanosecond; folders by name."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.split("/")[0] == ".moltbot":
            continue
        status = path.lstat()
        if path.is_symlink():
            found[name] = Seen(os.fsencode(path.readlink()), 0, status.st_mtime_ns)
        elif path.is_dir():
            found[name] = Seen(b"", 0, 0)
        else:
            mode = stat.S_IMODE(status.st_mode)
            found[name] = Seen(path.read_bytes(), mode, status.st_mtime_ns)
    return found


def made_tree(folder: Path) -> Path:
    (folder / "d" / "e").mkdir(parents=True)
    for number, name in enumerate(("a.txt", "b.txt", "d/c.txt", "d/e/f.txt")):
        path = folder / name
        path.write_bytes(f"first {name}\r\nsame\nlast\n".encode())
        path.chmod((0o644, 0o600, 0o755, 0o440)[number])
        os.utime(path, ns=(LONG_AGO - number, LONG_AGO + number))
    (folder / "link").symlink_to("a.txt")
    (folder / "d" / "up").symlink_to("../b.txt")
    os.utime(folder / "link", ns=(LONG_AGO, LONG_AGO + 77), follow_symlinks=False)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return made_tree(folder)


@pytest.fixture
def hands(tmp_path: Path) -> FileHands:
    return FileHands(ManualClock(NOW), Trash(tmp_path / "Trash"))


def run_as(workspace: Path, run: str) -> ToolContext:
    return replace(tool_context(workspace), run_id=RunId(run))


def do(hands: FileHands, context: ToolContext, name: str, **given: JsonValue) -> ToolResult:
    tools = {
        "write": Write, "edit": Edit, "move": MoveFile, "delete": DeleteFile, "patch": ApplyPatch,
        "undo": Undo,
    }  # fmt: skip
    return call(tools[name](hands), context, **given)


# ------------------------------------------------------------------ anything, and back


_NAMES = ("a.txt", "b.txt", "d/c.txt", "d/e/f.txt", "new.txt", "d/new/deep.txt", "link", "d/up")
_PATH = st.sampled_from(_NAMES)
_TEXT = st.sampled_from(["x\n", "first\r\nsame\n", "same", "déjà vu\n"])
_STEP = st.one_of(
    st.tuples(st.just("write"), st.fixed_dictionaries({"path": _PATH, "content": _TEXT})),
    st.tuples(
        st.just("edit"),
        st.fixed_dictionaries(
            {"path": _PATH, "oldText": st.sampled_from(["same", "first"]), "newText": _TEXT}
        ),
    ),
    st.tuples(st.just("move"), st.fixed_dictionaries({"path": _PATH, "to": _PATH})),
    st.tuples(st.just("delete"), st.fixed_dictionaries({"path": _PATH})),
    st.tuples(st.just("patch"), st.tuples(_PATH, _PATH, _PATH).map(lambda three: {"input": (
        f"*** Begin Patch\n*** Update File: {three[0]}\n-same\n+other\n"
        f"*** Delete File: {three[1]}\n*** Add File: {three[2]}\n+added\n*** End Patch"
    )})),
)  # fmt: skip


@settings(
    max_examples=40,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # an example is short, and takes long
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.tuples(st.integers(0, 2), _STEP), max_size=9), st.booleans())
def test_undo_restores_bytes_permissions_and_times(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[int, tuple[str, dict[str, JsonValue]]]],
    with_trash: bool,
) -> None:
    base = tmp_path_factory.mktemp("undo")
    workspace = base / "w"
    workspace.mkdir()
    made_tree(workspace)
    hands = FileHands(ManualClock(NOW), Trash(base / "Trash") if with_trash else None)
    book = hands.book(workspace)
    seen = [tree(workspace)]
    for task in range(3):
        for number, (name, given_) in steps:
            if number == task:
                do(hands, run_as(workspace, f"run {task}"), name, **given_)
        if tree(workspace) != seen[-1]:
            seen.append(tree(workspace))
    while len(seen) > 1:
        assert tree(workspace) == seen.pop()
        book.undo()
        if tree(workspace) != seen[-1]:  # a task whose changes came to nothing stood in between
            book.undo()
    assert tree(workspace) == seen[0]
    with pytest.raises(NothingToUndo):
        book.undo()


def test_what_was_moved_and_then_written_over_comes_back_as_it_was(
    workspace: Path, hands: FileHands
) -> None:
    before = tree(workspace)
    do(hands, run_as(workspace, "1"), "move", path="a.txt", to="new.txt")
    do(hands, run_as(workspace, "1"), "write", path="new.txt", content="other")
    hands.book(workspace).undo()
    assert tree(workspace) == before


def test_an_undo_can_be_undone_and_done_again(workspace: Path, hands: FileHands) -> None:
    before = tree(workspace)
    do(hands, run_as(workspace, "1"), "write", path="a.txt", content="new")
    do(hands, run_as(workspace, "1"), "delete", path="d/c.txt")
    do(hands, run_as(workspace, "1"), "write", path="made/x.txt", content="x")
    after = {name: one.content for name, one in tree(workspace).items()}
    book = hands.book(workspace)
    book.undo()
    assert tree(workspace) == before
    undo = next(task for task in book.tasks() if task.undoes)
    book.undo(undo.id)
    assert {name: one.content for name, one in tree(workspace).items()} == after
    book.undo()
    assert tree(workspace) == before


def test_a_link_is_deleted_itself_and_comes_back(workspace: Path, hands: FileHands) -> None:
    before = tree(workspace)
    assert do(hands, run_as(workspace, "1"), "delete", path="link").ok
    assert not (workspace / "link").is_symlink()
    assert (workspace / "a.txt").exists()
    hands.book(workspace).undo()
    assert tree(workspace) == before


def test_a_large_file_goes_to_the_trash_and_comes_back(workspace: Path, hands: FileHands) -> None:
    with (workspace / "film.mkv").open("wb") as file:
        file.truncate(30 * 1024 * 1024)
    os.utime(workspace / "film.mkv", ns=(LONG_AGO, LONG_AGO))
    inode = (workspace / "film.mkv").stat().st_ino
    assert do(hands, run_as(workspace, "1"), "delete", path="film.mkv").ok
    assert not (workspace / "film.mkv").exists()
    hands.book(workspace).undo()
    status = (workspace / "film.mkv").stat()
    assert (status.st_ino, status.st_mtime_ns) == (inode, LONG_AGO)


def test_a_large_file_that_cannot_be_kept_stays(workspace: Path) -> None:
    with (workspace / "film.mkv").open("wb") as file:
        file.truncate(30 * 1024 * 1024)
    hands = FileHands(ManualClock(NOW))
    refused = do(hands, run_as(workspace, "1"), "delete", path="film.mkv")
    assert "larger than 20 MB" in refused.display
    assert (workspace / "film.mkv").exists()
    assert do(hands, run_as(workspace, "1"), "move", path="film.mkv", to="films/a.mkv").ok
    hands.book(workspace).undo()
    assert (workspace / "film.mkv").exists()
    assert not (workspace / "films").exists()


def test_what_is_deleted_is_in_the_desktops_trash(
    workspace: Path, hands: FileHands, tmp_path: Path
) -> None:
    for _ in range(2):
        (workspace / "été.txt").write_text("x")
        do(hands, run_as(workspace, "1"), "delete", path="été.txt")
    names = sorted(path.name for path in (tmp_path / "Trash/files").iterdir())
    assert names == ["été 2.txt", "été.txt"]
    info = (tmp_path / "Trash/info/été.txt.trashinfo").read_text()
    assert info.startswith("[Trash Info]\nPath=/")
    assert "%C3%A9t%C3%A9.txt\nDeletionDate=2026-11-22T08:00:00\n" in info


# ------------------------------------------------------------------ others were there


def test_what_others_changed_since_stays_until_it_is_said(
    workspace: Path, hands: FileHands
) -> None:
    context = run_as(workspace, "1")
    do(hands, context, "write", path="a.txt", content="mine")
    do(hands, context, "write", path="b.txt", content="mine too")
    (workspace / "a.txt").write_text("the person's work")
    told = do(hands, context, "undo")
    assert told.data["changed_since_left_alone"] == ["a.txt"]
    assert (workspace / "a.txt").read_text() == "the person's work"
    assert (workspace / "b.txt").read_bytes().startswith(b"first b.txt")
    book = hands.book(workspace)
    task = book.tasks()[-1]
    assert f"/undo {task.id} anyway" in told.display
    assert book.undo(task.id, anyway=True).changed_since == ()
    assert (workspace / "a.txt").read_bytes().startswith(b"first a.txt")
    newest = book.tasks()[0]
    book.undo(newest.id)  # the copy that was kept
    assert (workspace / "a.txt").read_text() == "the person's work"


def test_a_folder_that_others_use_stays(workspace: Path, hands: FileHands) -> None:
    do(hands, run_as(workspace, "1"), "write", path="made/x.txt", content="x")
    (workspace / "made" / "theirs.txt").write_text("theirs")
    hands.book(workspace).undo()
    assert [path.name for path in (workspace / "made").iterdir()] == ["theirs.txt"]


def test_a_patch_is_all_or_nothing(workspace: Path, hands: FileHands) -> None:
    before = tree(workspace)
    patch = (
        "*** Begin Patch\n*** Add File: new.txt\n+x\n*** Delete File: b.txt\n"
        "*** Update File: d/c.txt\n-nowhere\n+x\n*** End Patch"
    )
    assert not do(hands, run_as(workspace, "1"), "patch", input=patch).ok
    assert tree(workspace) == before


def test_a_change_that_fails_half_way_takes_the_rest_back(
    workspace: Path, hands: FileHands, tmp_path: Path
) -> None:
    """The trash vanishes between reserving a place in it and using it."""
    before = tree(workspace)

    class Vanishing(Trash):
        def reserve(self, path: Path, now: datetime) -> str | None:
            return "b.txt"

    broken = FileHands(ManualClock(NOW), Vanishing(tmp_path / "nowhere"))
    patch = (
        "*** Begin Patch\n*** Add File: d/new/x.txt\n+x\n*** Update File: a.txt\n-same\n+x\n"
        "*** Delete File: b.txt\n*** End Patch"
    )
    with pytest.raises(Exception, match="could not be used"):
        do(broken, run_as(workspace, "1"), "patch", input=patch)
    assert tree(workspace) == before


# ------------------------------------------------------------------ killed in the middle


_CHILD = """
import os, signal, sys
from datetime import datetime, UTC
from pathlib import Path
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.security import beneath
from moltbot_desktop.tools.changing import Put, Remove, Move
from moltbot_desktop.tools.undo import FileHands
from moltbot_desktop.tools import undo
from tests.fakes.tool_context import tool_context

workspace, what, left = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def counted(name):
    real = getattr(os, name)
    def wrapped(*args, **kw):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kw)
    setattr(os, name, wrapped)

hands = FileHands(ManualClock(datetime(2026, 11, 22, 8, tzinfo=UTC)))
root = workspace.resolve()
for name in ("open", "replace", "link", "unlink", "mkdir", "rmdir", "fsync", "write"):
    counted(name)
if what == "change":
    changes = [Put(root / "a.txt", b"new"), Remove(root / "b.txt"), Put(root / "n/x.txt", b"x"),
               Move(root / "d/c.txt", root / "n/moved.txt")]
    hands.carry_out(changes, tool_context(workspace))
else:
    hands.book(workspace).undo()
print("done")
"""


def killed_after(workspace: Path, what: str, calls: int) -> bool:
    """Run the child until its `calls`th call to the disk; whether it was killed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_CHILD), str(workspace), what, str(calls)],
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode != 0


def without_leftovers(folder: Path) -> dict[str, Seen]:
    return {name: one for name, one in tree(folder).items() if not name.endswith(".tmp")}


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
@pytest.mark.parametrize("calls", [3, 20, 40, 55, 58, 60, 62, 64, 66, 68, 70, 75])
def test_killed_while_it_changes_and_while_it_undoes_nothing_is_lost(
    tmp_path: Path, calls: int
) -> None:
    workspace = tmp_path / "w"
    workspace.mkdir()
    made_tree(workspace)
    before = tree(workspace)
    killed_after(workspace, "change", calls)
    book = FileHands(ManualClock(NOW)).book(workspace)
    if without_leftovers(workspace) != before:
        for late in (12, 25, 40):
            killed_after(workspace, "undo", late)
        with contextlib.suppress(NothingToUndo):  # the child had come to its end
            book.undo()
    assert without_leftovers(workspace) == before
