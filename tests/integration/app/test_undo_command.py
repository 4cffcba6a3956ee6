"""undo in the shell and /undo: the same journal, in the person's language."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.app.file_hands import file_hands
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.undo_command import run_undo_command
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.undo_desk import UndoDesk
from moltbot_desktop.tools.files import Write
from tests.fakes.tool_context import call, tool_context

T = TypeVar("T")
CLOCK = ManualClock(datetime(2026, 11, 22, 8, 0, tzinfo=UTC))
TASK = "20261122-080000-000001"


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    paths = Paths(tmp_path / "home", tmp_path / "user", tmp_path / "program")
    paths.default_workspace.mkdir(parents=True)
    (paths.default_workspace / "a.md").write_text("old")
    hands = file_hands(paths, CLOCK)
    call(Write(hands), tool_context(paths.default_workspace), path="a.md", content="new")
    return paths


def shell(paths: Paths, *words: str) -> int:
    arguments = parse(["undo", *words])
    return run_undo_command(paths, load_config(paths.home), CLOCK, arguments, Language.ENGLISH)


def test_the_shell_lists_and_undoes(paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell(paths, "--list", "--json") == 0
    assert [task["id"] for task in json.loads(capsys.readouterr().out)] == [TASK]
    assert shell(paths) == 0
    assert capsys.readouterr().out == "As before: a.md.\n"
    assert (paths.default_workspace / "a.md").read_text() == "old"


def test_what_was_changed_since_needs_anyway(
    paths: Paths, capsys: pytest.CaptureFixture[str]
) -> None:
    (paths.default_workspace / "a.md").write_text("theirs")
    assert shell(paths) == 1
    assert f"moltbot-desktop undo {TASK} --anyway" in capsys.readouterr().out
    assert (paths.default_workspace / "a.md").read_text() == "theirs"
    assert shell(paths, TASK, "--anyway", "--json") == 0
    assert json.loads(capsys.readouterr().out)["paths"] == ["a.md"]
    assert (paths.default_workspace / "a.md").read_text() == "old"


@pytest.mark.parametrize("words", ["", TASK, f"{TASK} anyway", f"仍然 {TASK}"])
def test_a_command_undoes(paths: Paths, words: str) -> None:
    async def at_once(work: Callable[[], T]) -> T:
        return work()

    desk = UndoDesk(file_hands(paths, CLOCK).book(paths.default_workspace), at_once)
    assert TASK in asyncio.run(desk.undo("列表", Language.CHINESE))
    assert asyncio.run(desk.undo(words, Language.CHINESE)) == "已恢复原样：a.md。"
    assert (paths.default_workspace / "a.md").read_text() == "old"
