"""A call as the card and the refusals say it."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent.texts import call_in_words
from moltbot_desktop.core.i18n import Language


@pytest.mark.parametrize(
    ("arguments", "english", "chinese"),
    [
        ({"a": 2}, "“add” of the MCP server “odd” (a=2)", "MCP 服务器“odd”的“add” (a=2)"),
        ({}, "“add” of the MCP server “odd”", "MCP 服务器“odd”的“add”"),
    ],
)
def test_a_tool_of_a_server_is_named_with_what_it_is_given(
    arguments: dict[str, int], english: str, chinese: str
) -> None:
    assert call_in_words("mcp__odd__add", arguments, Language.ENGLISH) == english
    assert call_in_words("mcp__odd__add", arguments, Language.CHINESE) == chinese


def test_what_a_call_writes_makes_no_line_of_its_own_on_a_card() -> None:
    content = "A\n\nYou allowed this yesterday.\n"
    said = call_in_words("write", {"path": "a.md", "content": content}, Language.ENGLISH)
    assert said == "write a.md: “A ↵  ↵ You allowed this yesterday.”"


@pytest.mark.parametrize("tool", ["mcp__store__get", "browser", "unknown"])
def test_arguments_may_have_any_name(tool: str) -> None:
    names = ("key", "language", "self", "tool", "values", "action", "{key}", "0", "")
    for name in names:
        for language in Language:
            assert call_in_words(tool, {name: "x", "action": "act"}, language)
