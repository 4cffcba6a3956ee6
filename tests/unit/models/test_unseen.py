"""Arguments that stand nowhere in what the model has read are named."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.unseen import unseen_arguments
from moltbot_desktop.sdk.tools import Effect, ToolSpec

TOOL = ToolSpec(
    "send",
    "",
    {
        "type": "object",
        "properties": {
            "to": {"type": "string"},
            "tone": {"type": "string", "enum": ["friendly", "formal"]},
        },
    },
    Effect.NONE,
)
READ = ["Write to  Dr.\nOkafor, phone 555-0142", "他住在上海市浦东新区"]


def _unseen(**arguments: object) -> tuple[str, ...]:
    return unseen_arguments(ToolCall("1", "send", arguments), TOOL, READ)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["Dr. Okafor", "dr. okafor", "555-0142", "上海市浦东", "Bob", ""])
def test_what_was_read_or_is_too_short_to_tell_is_not_named(value: str) -> None:
    assert _unseen(to=value) == ()


@pytest.mark.parametrize("value", ["Dr. Okafir", "555-0143", "北京市海淀区", "Robert"])
def test_what_was_never_read_is_named(value: str) -> None:
    assert _unseen(to=value) == ("to",)


def test_a_value_that_the_schema_lists_and_a_number_are_never_unseen() -> None:
    assert _unseen(tone="friendly", count=123456) == ()


def test_a_tool_nobody_knows_is_judged_all_the_same() -> None:
    assert unseen_arguments(ToolCall("1", "x", {"a": "Robert"}), None, READ) == ("a",)
