"""No person sees the name of a tool in place of what it does, or two truths about one call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import moltbot_desktop
from moltbot_desktop.ui.conversation import ToolState
from moltbot_desktop.ui.words import tool_state_words, tool_words


def tools() -> Iterator[str]:
    """The names that are given to a `ToolSpec` anywhere in the program."""
    for path in sorted((Path(moltbot_desktop.__file__).parent / "tools").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ToolSpec":
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    yield str(name.value)


def test_every_tool_has_words() -> None:
    names = set(tools())
    assert names >= {"memory_store", "message", "find_tool", "sessions_send", "reminder_cancel"}
    assert [name for name in names if tool_words(name).done == name] == []


@pytest.mark.parametrize("state", ToolState)
def test_only_what_has_happened_is_told_as_done(state: ToolState) -> None:
    title = tool_words("memory_store").at(state)
    assert (title == "Remembered") == (state is ToolState.OK)
    assert not (title == "Remembered" and tool_state_words(state))


def test_a_tool_that_is_not_ours_has_its_own_name() -> None:
    assert {tool_words("x_tool").at(state).rstrip("…") for state in ToolState} == {"x_tool"}
