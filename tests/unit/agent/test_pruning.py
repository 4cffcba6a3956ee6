"""Old results get shorter, nothing else does, and the newest answers keep theirs."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.history_view import HistoryView
from moltbot_desktop.agent.pruning import (
    CLEARED,
    Pruning,
    PruningRules,
    Softness,
    border,
    head_and_tail,
    pruned,
)
from moltbot_desktop.agent.token_counts import TokenCounts
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.security.tool_names import expanded
from moltbot_desktop.sessions.runs import Exchange, PromptHistory
from tests.fakes.chat_model import says
from tests.fakes.windowed_model import WindowedModel


def exchange(number: int, results: int) -> Exchange:
    steps = [
        message
        for _ in range(results)
        for message in (
            ChatMessage(Role.ASSISTANT, "I look."),
            ChatMessage(Role.TOOL, f"<{number}>" + "leaf " * 200),
        )
    ]
    asked = ChatMessage(Role.USER, "leaf " * 300)
    return Exchange(f"e{number}", (asked, *steps, ChatMessage(Role.ASSISTANT, "leaf " * 300)))


def rough(message: ChatMessage) -> int:
    return len(message.content) // 4


@given(st.lists(st.integers(0, 3), max_size=8), st.integers(1, 5), st.sampled_from(Softness))
def test_only_old_results_change_and_the_newest_answers_are_whole(
    results: list[int], kept: int, softness: Softness
) -> None:
    exchanges = [exchange(number, one) for number, one in enumerate(results)]
    before = border(exchanges, kept)
    shorter = pruned(exchanges, Pruning(softness, before, 50), rough)
    ids = [one.first_entry_id for one in exchanges]
    whole = ids.index(before) if before else 0
    assert shorter[whole:] == tuple(exchanges[whole:])
    answers = sum(m.role is Role.ASSISTANT for one in shorter[whole:] for m in one.messages)
    assert answers >= min(kept, answers) if not before else answers >= kept
    for old, new in zip(exchanges[:whole], shorter[:whole], strict=True):
        for one, other in zip(old.messages, new.messages, strict=True):
            assert (one == other) == (one.role is not Role.TOOL or softness is Softness.NONE)
            assert softness is not Softness.HARD or one == other or other.content == CLEARED


@given(st.text(max_size=3_000), st.integers(1, 2_000), st.integers(1, 400))
def test_a_cut_text_keeps_its_ends_and_is_never_longer(text: str, tokens: int, keep: int) -> None:
    cut = head_and_tail(text, tokens, keep)
    assert len(cut) <= len(text)
    if cut != text:
        half = len(text) * keep // (2 * tokens)
        assert cut.startswith(text[:half])
        assert cut.endswith(text[len(text) - half :])


def test_a_border_that_is_gone_prunes_nothing() -> None:
    exchanges = (exchange(0, 1), exchange(1, 1))
    assert pruned(exchanges, Pruning(Softness.HARD, "gone", 10), rough) == exchanges


def test_the_settings_say_whose_results_and_what_is_left_of_them() -> None:
    results = [
        ChatMessage(Role.TOOL, "leaf " * 200, tool_call_id=name, tool_name=name)
        for name in ("read", "exec", "memory_get")
    ]
    calls = tuple(ToolCall(m.tool_name, m.tool_name, {}) for m in results)
    asked = (ChatMessage(Role.USER, "look"), ChatMessage(Role.ASSISTANT, "", calls))
    one = Exchange("e0", (*asked, *results, ChatMessage(Role.ASSISTANT, "seen")))

    def shortened_tools(rules: PruningRules) -> list[str]:
        how = Pruning(Softness.HARD, "e1", 20, rules)
        before, _ = pruned((one, replace(one, first_entry_id="e1")), how, rough)
        return [m.tool_name for m in before.messages if m.content == rules.placeholder]

    assert shortened_tools(PruningRules(placeholder="gone")) == ["read", "exec", "memory_get"]
    assert shortened_tools(PruningRules(allow=expanded(["Bash", "memory_*"]))) == [
        *("exec", "memory_get")
    ]
    both = PruningRules(allow=expanded(["group:fs", "exec"]), deny=expanded(["exec"]))
    assert shortened_tools(both) == ["read"]


def test_old_results_look_the_same_however_the_room_changes() -> None:
    async def scenario() -> None:
        view, counts, model = HistoryView(), TokenCounts(), WindowedModel(8_192, lambda _: says(""))
        history = PromptHistory(None, tuple(exchange(n, 2) for n in range(6)), "", 6)
        rules = PruningRules(1)
        assert await view.prune(counts, model, history, 50, 8_200, rules) is not None
        before = await view.shown(counts, model, history)
        assert "left out" in before.messages[2].content
        assert await view.prune(counts, model, history, 10, 1, rules) is None  # not to be had
        assert await view.shown(counts, model, history) == before

    asyncio.run(scenario())


def test_what_may_not_be_left_out_keeps_its_ends() -> None:
    async def scenario() -> None:
        model = WindowedModel(8_192, lambda _: says(""))
        history = PromptHistory(None, tuple(exchange(n, 3) for n in range(6)), "", 6)
        for clears in (True, False):
            view = HistoryView()
            rules = PruningRules(1, clears=clears)
            fewer = await view.prune(TokenCounts(), model, history, 200, 8_200, rules)
            assert (fewer is not None) is clears

    asyncio.run(scenario())
