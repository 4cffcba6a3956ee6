"""Old results get shorter, nothing else does, and the newest answers keep theirs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.pruning import CLEARED, Pruning, Softness, border, head_and_tail, pruned
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.sessions.runs import Exchange


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
    shorter = pruned(exchanges, Pruning(softness, before), rough, keep=50)
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
    assert pruned(exchanges, Pruning(Softness.HARD, "gone"), rough, 10) == exchanges
