"""What is summarised and what a summary keeps: pure."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.compaction import (
    Facts,
    as_text,
    facts_of,
    fewer,
    planned,
    with_facts,
    without_model,
    words_of,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.sessions.entries import CompactionEntry
from moltbot_desktop.sessions.runs import Exchange, PromptHistory


def exchange(number: int, *messages: ChatMessage, text: str = "hello") -> Exchange:
    asked, said = ChatMessage(Role.USER, text), ChatMessage(Role.ASSISTANT, f"answer {number}")
    return Exchange(f"e{number}", (asked, *messages, said))


def tool(name: str, path: str, **result: str) -> tuple[ChatMessage, ChatMessage]:
    call = ToolCall("c", name, {"path": path})
    text = json.dumps(result or {"ok": "1"}, separators=(",", ":"))
    return (
        ChatMessage(Role.ASSISTANT, "", (call,)),
        ChatMessage(Role.TOOL, text, tool_call_id="c", tool_name=name),
    )


def history(count: int, goes_on: str = "", settled: int | None = None) -> PromptHistory:
    exchanges = tuple(exchange(number) for number in range(count))
    return PromptHistory(None, exchanges, goes_on, count if settled is None else settled)


@given(
    st.lists(st.integers(1, 100), max_size=12),
    st.integers(0, 400),
    st.booleans(),
    st.integers(0, 12),
    st.integers(0, 12),
)
def test_every_exchange_is_either_summarised_or_kept_and_the_newest_fit(
    costs: list[int], keep: int, goes_on: bool, settled: int, hidden: int
) -> None:
    count = len(costs) + min(hidden, 3) * bool(costs)
    whole = history(count, "now" if goes_on else "", min(settled, count) if goes_on else count)
    plan = planned(whole, costs, keep)
    if plan is None:
        return
    assert plan.summarised
    assert (*plan.summarised, *plan.kept) == whole.exchanges
    first = plan.kept[0].first_entry_id if plan.kept else "now"
    waits = goes_on and len(plan.summarised) == whole.settled
    assert plan.first_kept_entry_id == ("now" if waits else first)
    fits = sum(costs[len(costs) - len(plan.kept) :]) <= keep
    assert fits or len(plan.kept) == 1 or len(plan.summarised) == whole.settled


def test_the_last_exchange_is_kept_when_no_run_follows_it() -> None:
    assert planned(history(1), [500], 10) is None
    plan = planned(history(2), [500, 500], 10)
    assert plan is not None
    assert plan.first_kept_entry_id == "e1"


def test_files_and_failures_are_known_without_a_model() -> None:
    before = CompactionEntry("k", "", "", "old", "e0", 9, ("a.md",), ("b.md",))
    told = (
        exchange(1, *tool("read", "c.md"), *tool("write", "a.md")),
        exchange(2, *tool("read", "gone.md", error="no\nsuch file")),
    )
    facts = facts_of(told, before)
    assert facts == Facts(("- read: no such file",), ("c.md",), ("b.md", "a.md"))
    summary = with_facts("Tea.", facts)
    assert summary.startswith("Tea.\n\n## Tool Failures\n- read: no such file\n\n<read-files>\n")
    assert words_of(summary) == "Tea.\n\n## Tool Failures\n- read: no such file"


def test_failures_are_few_and_short() -> None:
    told = [exchange(n, *tool("exec", "x", error="e" * 900)) for n in range(20)]
    facts = facts_of(told, None)
    assert len(facts.failures) == 8
    assert max(map(len, facts.failures)) == 240


def test_facts_go_one_by_one_until_there_are_none() -> None:
    facts = Facts(("a", "b"), ("c",), ("d", "e", "f"))
    seen = 0
    while facts != Facts():
        facts, seen = fewer(facts), seen + 1
    assert seen == 6


@given(
    st.lists(st.text(max_size=400), min_size=1, max_size=20),
    st.integers(200, 2_000),
    st.sampled_from(Language),
)
def test_a_summary_without_a_model_has_its_size_and_the_newest_request(
    texts: list[str], size: int, language: Language
) -> None:
    told = [exchange(number, text=text) for number, text in enumerate(texts)]
    summary = without_model(told, "what was known", size, language)
    assert len(summary) <= size
    assert "what was known" in summary


def test_a_summary_without_a_model_says_what_was_asked_newest_last() -> None:
    told = [exchange(number, text=f"question {number}") for number in range(3)]
    english = without_model(told, "", 2_000, Language.ENGLISH)
    assert [line for line in english.splitlines() if "question" in line] == [
        f"- Asked: question {number}" for number in range(3)
    ]
    assert "问：question 2" in without_model(told, "", 2_000, Language.CHINESE)


def test_long_results_are_shortened_for_the_summary_and_requests_are_not() -> None:
    long_request = "please " * 900
    (text,) = as_text([exchange(1, *tool("read", "a.md", text="x" * 9_000), text=long_request)])
    assert long_request in text
    assert len(text) < len(long_request) + 2_500
