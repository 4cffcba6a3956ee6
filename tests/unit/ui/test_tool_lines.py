"""What a tool's line in the conversation is about: a person's words, none that only the model and
its tool understand."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.ui.entries import ToolEntry, ToolState
from moltbot_desktop.ui.entry_drawing import _about, _one_line

PRESS: JsonObject = {"action": "press", "marks": "23 24"}
CLICK: JsonObject = {"action": "act", "kind": "type", "ref": "e5", "text": "apples"}


@pytest.mark.parametrize(
    ("state", "arguments", "display", "about"),
    [
        (ToolState.RUNNING, {"action": "observe", "window": "calc"}, "", "calc"),
        (ToolState.RUNNING, PRESS, "", ""),
        (ToolState.RUNNING, CLICK, "", "apples"),
        (ToolState.OK, PRESS, "Pressed in “calc”: button “1”", "Pressed in “calc”: button “1”"),
        (ToolState.OK, {"path": "a.md"}, "Read a.md", "a.md"),
        (ToolState.RUNNING, {"path": "a.md"}, "half of it", "half of it"),
    ],
)
def test_a_line_says_what_was_done_and_where(
    state: ToolState, arguments: JsonObject, display: str, about: str
) -> None:
    assert _about(ToolEntry("tool", state, arguments, display)) == about


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("exactly10!", "exactly10!"),
        ("eleven ones", "eleven on…"),
        ("五个汉字吧", "五个汉字吧"),
        ("这是六个汉字", "这是六个…"),
        ("a汉字汉字汉", "a汉字汉字…"),
        ("two\n lines", "two lines"),
    ],
)
def test_a_line_is_as_wide_in_chinese_as_in_english(text: str, line: str) -> None:
    assert _one_line(text, 10) == line
