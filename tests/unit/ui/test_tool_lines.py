"""What a tool's line in the conversation is about: a person's words, none that only the model and
its tool understand."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.ui.entries import ToolEntry, ToolState
from moltbot_desktop.ui.entry_drawing import _about

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
