"""No person sees two truths about one call, and the table of tools follows the window."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.ui.entries import ToolState
from moltbot_desktop.ui.words import tool_state_words, tool_title, window_language


def test_without_a_translation_the_window_speaks_english() -> None:
    assert window_language() is Language.ENGLISH


@pytest.mark.parametrize("state", ToolState)
def test_only_what_has_happened_is_told_as_done(state: ToolState) -> None:
    title = tool_title("memory_store", state)
    assert (title == "Remembered") == (state is ToolState.OK)
    assert not (title == "Remembered" and tool_state_words(state))


def test_a_tool_that_is_not_ours_has_its_own_name() -> None:
    assert {tool_title("x_tool", state).rstrip("…") for state in ToolState} == {"x_tool"}
