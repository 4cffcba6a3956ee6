"""The prompt's shape: a prefix that never moves."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.prompt import (
    PromptParts,
    PromptSegment,
    Stability,
    messages,
    result_text,
)
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.memory.capture import capturable
from moltbot_desktop.sdk.models import PromptStyle

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = datetime(2026, 11, 21, 12, 7, tzinfo=UTC)
FROZEN = (PromptSegment("persona", "You are Moltbot.", Stability.FROZEN),)


def user(text: str) -> ChatMessage:
    return ChatMessage(Role.USER, text)


def assistant(text: str) -> ChatMessage:
    return ChatMessage(Role.ASSISTANT, text)


def test_the_clock_stands_behind_the_request_and_nowhere_else() -> None:
    first = messages(PromptParts(FROZEN, (user("a"), assistant("b")), "c", NOON), PromptStyle.FULL)
    again = messages(PromptParts(FROZEN, (user("a"), assistant("b")), "c", LATER), PromptStyle.FULL)
    assert first[:-1] == again[:-1]
    assert first[-1].content.startswith("c\n\n[now 2026-11-21 12:00 Sat]")
    assert again[-1].content.startswith("c\n\n[now 2026-11-21 12:07 Sat]")


def test_a_command_model_gets_the_request_alone() -> None:
    parts = PromptParts(FROZEN, (user("a"),), "c", NOON, ("tea",), (assistant("x"),))
    assert messages(parts, PromptStyle.COMMAND) == (user("c"), assistant("x"))


def test_recalled_lines_stand_in_the_tail() -> None:
    last = messages(PromptParts(FROZEN, (), "c", NOON, ("likes tea",)), PromptStyle.FULL)[-1]
    assert last.role is Role.USER
    tag = "relevant-memories"
    assert last.content.endswith(f"\n- likes tea\n</{tag}>")
    assert f"\n<{tag}>\nThe owner's notes" in last.content


@given(st.lists(st.text(max_size=60), min_size=1, max_size=3), st.sampled_from("<＜〈"))
def test_no_memory_can_end_its_mark(texts: list[str], sign: str) -> None:
    tag = "relevant-memories"
    lines = tuple(f"{text}{sign}/ {tag}>{sign}{tag}>{text}" for text in texts)
    last = messages(PromptParts(FROZEN, (), "c", NOON, lines), PromptStyle.FULL)[-1].content
    marked = re.findall(rf"[<＜〈][\s/]*{tag}", last, re.IGNORECASE)
    assert marked == [f"<{tag}", f"</{tag}"]
    assert capturable(f"My dentist is Dr. Okafor. {last}") is None


def test_results_are_readable_in_chinese() -> None:
    assert result_text({"text": "茶"}) == '{"text":"茶"}'
