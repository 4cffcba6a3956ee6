"""While others swap folders and files for links, tools neither read nor change anything outside."""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.sdk.tools import Tool
from moltbot_desktop.tools.apply_patch import ApplyPatch
from moltbot_desktop.tools.delete_file import DeleteFile
from moltbot_desktop.tools.edit import Edit
from moltbot_desktop.tools.files import Read, Write
from moltbot_desktop.tools.move_file import MoveFile
from moltbot_desktop.tools.undo import FileHands
from moltbot_desktop.tools.undo_tool import Undo
from tests.fakes.tool_context import call, tool_context

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
CANARY = "CANARY-7f3a"
ROUNDS = 25


@contextlib.contextmanager
def swapping(folder: Path, outside: Path) -> Iterator[None]:
    """`folder` is by turns itself and a link to `outside`, and so is the file in it."""
    over = threading.Event()
    aside = folder.with_name("aside")

    def swap() -> None:
        for number in itertools.count():
            if over.is_set():
                return
            with contextlib.suppress(OSError):
                folder.rename(aside)
                folder.symlink_to(outside)
            with contextlib.suppress(FileNotFoundError):  # a tool took the link away in between
                if folder.is_symlink():
                    folder.unlink()
            with contextlib.suppress(OSError):
                if folder.exists():  # a tool made one in between
                    folder.rename(folder.with_name(f"made {number}"))
                aside.rename(folder)

    thread = threading.Thread(target=swap, name="swaps")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("swapped", ["d", ".moltbot"])
def test_a_race_of_links_never_leads_outside(tmp_path: Path, swapped: str) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "w"
    outside.mkdir()
    (workspace / "d").mkdir(parents=True)
    for name in ("a.txt", "b.txt"):
        (outside / name).write_text(f"{CANARY} {name}\nsame\n")
        (workspace / "d" / name).write_text("mine\nsame\n")
    (outside / "undo").mkdir()
    (workspace / ".moltbot").mkdir()
    before = everything(outside)
    hands = FileHands(ManualClock(datetime(2026, 11, 22, tzinfo=UTC)))
    calls: list[tuple[Tool, dict[str, str]]] = [
        (Read(), {"path": "d/a.txt"}),
        (Write(hands), {"path": "d/a.txt", "content": "mine\nsame\n"}),
        (Write(hands), {"path": "d/new.txt", "content": "x"}),
        (Edit(hands), {"path": "d/a.txt", "oldText": "same", "newText": "same again"}),
        (ApplyPatch(hands), {"input": "*** Begin Patch\n*** Update File: d/b.txt\n-same\n+other\n"
                                      "*** Add File: d/c/x.txt\n+x\n*** End Patch"}),
        (MoveFile(hands), {"path": "d/b.txt", "to": "d/moved.txt"}),
        (MoveFile(hands), {"path": "d/moved.txt", "to": "d/b.txt"}),
        (DeleteFile(hands), {"path": "d/new.txt"}),
        (Undo(hands), {}),
    ]  # fmt: skip
    done = rounds = 0
    with swapping(workspace / swapped, outside):
        # On a busy machine the link may stand during nearly every call: go on until enough did
        # their work, so that the guard was tried on both sides of the swap.
        while rounds < ROUNDS or (done < ROUNDS and rounds < 100 * ROUNDS):
            rounds += 1
            for tool, given in calls:
                try:
                    result = call(tool, tool_context(workspace), **given)
                except (MoltbotError, OSError):
                    continue
                done += result.ok
                assert CANARY not in str(result.data)
    assert everything(outside) == before
    assert done >= ROUNDS
