"""No person sees the name of a tool of ours in place of what it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import moltbot_desktop
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.tool_words import argument_word, tool_words


def tools() -> Iterator[str]:
    """The names that are given to a `ToolSpec` in the rooms that bring tools."""
    program = Path(moltbot_desktop.__file__).parent
    for path in sorted(
        (*(program / "tools").rglob("*.py"), *(program / "extensions").rglob("*.py"))
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ToolSpec":
                name = node.args[0] if node.args else None
                if isinstance(name, ast.Constant):
                    yield str(name.value)


@pytest.mark.parametrize("language", Language)
def test_every_tool_has_words(language: Language) -> None:
    names = set(tools())
    assert names >= {"memory_store", "message", "find_tool", "sessions_send", "reminder_cancel"}
    assert [name for name in names if tool_words(name, language).done == name] == []


def test_a_tool_that_is_not_ours_has_its_own_name() -> None:
    words = tool_words("x_tool", Language.CHINESE)
    assert {words.doing, words.done, words.meant} == {"x_tool"}


def test_an_argument_is_called_by_a_word_and_no_two_of_a_tool_by_the_same() -> None:
    assert argument_word("path", Language.CHINESE) == "路径"
    assert argument_word("path", Language.ENGLISH) == "path"
    assert argument_word("x_1", Language.CHINESE) == "x_1"
    for tool in (
        "text content",
        "name label title",
        "path to from",
        "oldText newText",
        "id target",
    ):
        words = [argument_word(one, Language.CHINESE) for one in tool.split()]
        assert len(set(words)) == len(words)
