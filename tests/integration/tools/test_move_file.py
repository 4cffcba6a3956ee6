"""move_file gives a file another place and never takes one away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.emitter import RunEmitter
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.move_file import MoveFile
from moltbot_desktop.tools.undo import FileHands
from tests.fakes.tool_context import call, tool_context

HANDS = FileHands(ManualClock(datetime(2026, 11, 22, tzinfo=UTC)))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    for name in ("scan.pdf", "taken.txt", "memory/2026-11-21.md", "skills/own/notes.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (tmp_path / "outside.txt").write_text("outside")
    return folder


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".moltbot" not in path.parts
    }


def test_a_file_moves_into_a_new_folder_and_back(workspace: Path) -> None:
    before = files(workspace)
    there = call(MoveFile(HANDS), tool_context(workspace), path="scan.pdf", to="bills/26/rent.pdf")
    assert there.data == {"ok": True, "from": "scan.pdf", "path": "bills/26/rent.pdf"}
    assert (workspace / "bills/26/rent.pdf").read_text() == "scan.pdf"
    assert not (workspace / "scan.pdf").exists()
    call(MoveFile(HANDS), tool_context(workspace), path="bills/26/rent.pdf", to="scan.pdf")
    assert files(workspace) == before


@pytest.mark.parametrize(
    ("path", "to", "error"),
    [
        ("scan.pdf", "taken.txt", "exists already"),
        ("scan.pdf", "scan.pdf", "there already"),
        ("scan.pdf", "skills", "write skills/scan.pdf"),
        ("scan.pdf", "new/", "write new/scan.pdf"),
        ("scan.pdf", "taken.txt/x.pdf", "is a file"),
        ("scan.pdf", "../x.pdf", "outside"),
        ("scan.pdf", "memory/2026-11-22.md", "memory"),
        ("memory/2026-11-21.md", "x.md", "memory"),
        ("scan.pdf", "Memory/2026-11-22.md", "memory"),
        ("memory", "old", "single files"),
        ("skills", "old", "single files"),
        ("nothing.pdf", "x.pdf", "not found"),
        ("../outside.txt", "x.txt", "outside"),
        ("scan.pdf", "a:b.pdf", "colon"),
    ],
)
def test_what_cannot_be_moved_stays(workspace: Path, path: str, to: str, error: str) -> None:
    before = files(workspace)
    result = call(MoveFile(HANDS), tool_context(workspace, Language.CHINESE), path=path, to=to)
    assert not result.ok
    assert error in str(result.data["error"])
    assert not result.display.isascii()
    assert files(workspace) == before


def test_a_link_to_the_outside_is_not_moved(workspace: Path, tmp_path: Path) -> None:
    (workspace / "link.txt").symlink_to(tmp_path / "outside.txt")
    assert not call(MoveFile(HANDS), tool_context(workspace), path="link.txt", to="x.txt").ok
    assert (tmp_path / "outside.txt").read_text() == "outside"


def test_an_opened_folder_is_no_place_to_move_to(workspace: Path, tmp_path: Path) -> None:
    context = tool_context(workspace, allowed=(tmp_path,))
    assert not call(MoveFile(HANDS), context, path="scan.pdf", to="../x.pdf").ok


async def at_once(work: Callable[[], ToolResult]) -> ToolResult:
    return work()


@pytest.mark.parametrize(
    ("path", "to", "untrusted", "outcome"),
    [
        ("scan.pdf", "bills/scan.pdf", False, "ok"),
        ("scan.pdf", "bills/scan.pdf", True, "denied"),
        ("scan.pdf", "skills/own/SKILL.md", False, "denied"),
        ("skills/own/notes.txt", "notes.txt", False, "denied"),
        ("scan.pdf", "MEMORY.md", False, "denied"),
        ("../outside.txt", "x.txt", False, "denied"),
    ],
)
def test_both_places_are_judged(
    workspace: Path, tmp_path: Path, path: str, to: str, untrusted: bool, outcome: str
) -> None:
    """With nobody there to ask, what needs a yes is denied."""
    around = Surroundings(workspace, tmp_path / "state", tmp_path)
    dispatcher = Dispatcher([MoveFile(HANDS)], {}, around, Approvals(lambda: "card"), at_once)
    emitter = RunEmitter(RunId("r"), SessionKey("k"), lambda _event: None)
    scope = Scope(tool_context(workspace), Presence.SCRIPT, emitter, Labels(untrusted, False))
    ran = asyncio.run(dispatcher.run(ToolCall("1", "move_file", {"path": path, "to": to}), scope))
    assert ran.outcome == outcome
