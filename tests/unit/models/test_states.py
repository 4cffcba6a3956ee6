"""What is reused of a memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.models.states import common_prefix, usable_prefix

TOKENS = st.lists(st.integers(0, 2), max_size=12)


@given(TOKENS, TOKENS)
def test_the_common_prefix_is_the_longest_there_is(left: list[int], right: list[int]) -> None:
    length = common_prefix(left, right)
    assert left[:length] == right[:length]
    assert length == min(len(left), len(right)) or left[length] != right[length]


@given(TOKENS, TOKENS)
def test_a_memory_that_can_be_cut_is_used_up_to_the_first_difference(
    held: list[int], tokens: list[int]
) -> None:
    usable = usable_prefix(held, [*tokens, 0], rewinds=True)
    assert usable == min(common_prefix(held, [*tokens, 0]), len(tokens))


@given(TOKENS, TOKENS)
def test_a_memory_that_cannot_be_cut_is_used_whole_or_not(
    held: list[int], tokens: list[int]
) -> None:
    goes_on = tokens[: len(held)] == held and len(tokens) > len(held)
    assert usable_prefix(held, tokens, rewinds=False) == (len(held) if goes_on else 0)
