"""The same call with the same result is counted, whatever the order of keys."""

from __future__ import annotations

from moltbot_desktop.agent.loop_guard import LoopGuard, canonical
from moltbot_desktop.core.messages import ToolCall


def test_identical_calls_and_results_are_counted() -> None:
    guard = LoopGuard()
    assert guard.count(ToolCall("1", "read", {"a": 1, "b": 2}), {"x": [1, {"y": 2}]}) == 1
    assert guard.count(ToolCall("2", "read", {"b": 2, "a": 1}), {"x": [1, {"y": 2}]}) == 2


def test_another_result_or_argument_counts_anew() -> None:
    guard = LoopGuard()
    guard.count(ToolCall("1", "read", {"a": 1}), {"x": 1})
    assert guard.count(ToolCall("2", "read", {"a": 1}), {"x": 2}) == 1
    assert guard.count(ToolCall("3", "read", {"a": 2}), {"x": 1}) == 1


def test_canonical_text_has_sorted_keys_and_readable_chinese() -> None:
    assert (
        canonical({"b": ("茶",), "a": {"d": 1, "c": None}}) == '{"a":{"c":null,"d":1},"b":["茶"]}'
    )
