"""What policy is told that an undo would change, without reading a file, is never too little."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.tools.changing import Put, Remove
from moltbot_desktop.tools.undo import FileHands, NothingToUndo

CLOCK = ManualClock(datetime(2026, 11, 21, tzinfo=UTC))
STEP = st.tuples(
    st.sampled_from(["put", "put", "remove", "undo", "others"]),
    st.sampled_from(["a.md", "b.md", "c.md"]),
    st.sampled_from([b"1", b"2", b"two"]),
    st.booleans(),
)


@given(st.lists(STEP, min_size=1, max_size=8))
@settings(max_examples=40, deadline=None)
def test_it_names_at_least_the_files_that_an_undo_takes(
    steps: list[tuple[str, str, bytes, bool]],
) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        book = FileHands(CLOCK).book(root)
        for number, (what, name, data, same_time) in enumerate(steps):
            path = root / name
            if what == "put":
                book.changer.carry_out([Put(path, data)], f"run {number}")
            elif what == "remove" and path.exists():
                book.changer.carry_out([Remove(path)], f"run {number}")
            elif what == "others":
                path.write_bytes(data)
            elif what == "undo":
                named = set(book.would_change())
                try:
                    undone = book.undo()
                except NothingToUndo:
                    continue
                assert {*undone.paths, *undone.changed_since, *undone.lost} <= named
            if same_time and path.exists():
                os.utime(path, (1, 1))


def test_the_last_task_is_named_alone(tmp_path: Path) -> None:
    book = FileHands(CLOCK).book(tmp_path)
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(b"[ ]")
        os.utime(tmp_path / name, (1, 1))  # clocks of files are coarser than two writes
        book.changer.carry_out([Put(tmp_path / name, b"[x]")], f"run {name}")
    assert book.would_change() == ("b.md",)
    assert book.would_change(book.tasks()[-1].id) == ("a.md",)
    assert book.would_change("no such task") == ()


def test_a_task_with_nothing_left_to_take_back_hides_none_before_it(tmp_path: Path) -> None:
    book = FileHands(CLOCK).book(tmp_path)
    before = {}
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_bytes(b"old")
        before[name] = (tmp_path / name).stat()
        book.changer.carry_out([Put(tmp_path / name, b"new")], f"run {name}")
    (tmp_path / "b.md").write_bytes(b"old")  # somebody put it back to the last detail
    os.utime(tmp_path / "b.md", ns=(before["b.md"].st_atime_ns, before["b.md"].st_mtime_ns))
    named = book.would_change()
    assert book.undo().paths == ("a.md",)
    assert "a.md" in named
