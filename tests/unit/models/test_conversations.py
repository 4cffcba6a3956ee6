"""Whose words are in memory, and what waits aside."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.models.conversations import NOBODY, AsideLimits, Conversations
from moltbot_desktop.models.warm import WarmStates
from tests.fakes.asking import Never
from tests.fakes.sequence_memory import BYTES_PER_TOKEN, FakeSequenceMemory

ANNA = [1, *range(100, 200)]
BEN = [1, *range(300, 400)]
TITLE = [1, *range(500, 550)]


def _asked(
    conversations: Conversations, memory: FakeSequenceMemory, name: str, tokens: list[int]
) -> int:
    """One generation; how many tokens it had to evaluate."""
    conversations.enter(name, tokens)
    kept = 0
    while kept < min(len(memory.tokens), len(tokens)) and memory.tokens[kept] == tokens[kept]:
        kept += 1
    if not memory.rewinds and kept < len(memory.tokens):
        kept = 0
    memory.reads(tokens)
    return len(tokens) - kept


def test_work_of_nobody_costs_a_conversation_nothing() -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory)
    assert _asked(conversations, memory, "anna", ANNA) == len(ANNA)
    assert _asked(conversations, memory, NOBODY, TITLE) == len(TITLE) - 1
    assert _asked(conversations, memory, "anna", [*ANNA, 7, 8]) == 2


def test_two_conversations_in_turn_read_only_what_is_new() -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory)
    anna, ben = list(ANNA), list(BEN)
    _asked(conversations, memory, "anna", anna)
    _asked(conversations, memory, "ben", ben)
    for number in range(5):
        anna, ben = [*anna, number], [*ben, number]
        assert _asked(conversations, memory, "anna", anna) == 1
        assert _asked(conversations, memory, NOBODY, TITLE) > 1
        assert _asked(conversations, memory, "ben", ben) == 1


def test_staying_in_a_conversation_copies_nothing() -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory)
    for number in range(3):
        _asked(conversations, memory, "anna", [*ANNA, number])
    assert (memory.taken, memory.put) == (0, 0)


def test_a_new_conversation_starts_from_the_words_it_shares_with_the_last() -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory)
    _asked(conversations, memory, "anna", ANNA)
    assert _asked(conversations, memory, "ben", [*ANNA[:80], 9]) == 1


def test_what_is_still_in_memory_is_not_brought_back() -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory)
    _asked(conversations, memory, "anna", ANNA)
    conversations.enter(NOBODY, TITLE)  # and cancelled before it read anything
    assert _asked(conversations, memory, "anna", [*ANNA, 7]) == 1
    assert memory.put == 0


@pytest.mark.parametrize(
    "limits",
    [AsideLimits(states=1), AsideLimits(bytes=BYTES_PER_TOKEN * 150)],
    ids=["states", "bytes"],
)
def test_above_the_cap_the_longest_unused_is_read_again(limits: AsideLimits) -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, limits=limits)
    _asked(conversations, memory, "anna", ANNA)
    _asked(conversations, memory, "ben", BEN)
    _asked(conversations, memory, NOBODY, TITLE)
    assert _asked(conversations, memory, "ben", [*BEN, 7]) == 1
    _asked(conversations, memory, NOBODY, TITLE)
    assert _asked(conversations, memory, "anna", [*ANNA, 7]) == len(ANNA)


def test_a_state_larger_than_the_cap_is_not_taken_at_all() -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, limits=AsideLimits(bytes=10))
    _asked(conversations, memory, "anna", ANNA)
    _asked(conversations, memory, NOBODY, TITLE)
    assert memory.taken == 0
    assert _asked(conversations, memory, "anna", [*ANNA, 7]) == len(ANNA)


def test_a_memory_that_cannot_be_cut_comes_back_whole_or_is_read_again() -> None:
    memory = FakeSequenceMemory(rewinds=False)
    conversations = Conversations(memory)
    _asked(conversations, memory, "anna", ANNA)
    _asked(conversations, memory, NOBODY, TITLE)
    assert _asked(conversations, memory, "anna", [*ANNA, 7]) == 1
    _asked(conversations, memory, NOBODY, TITLE)
    assert _asked(conversations, memory, "anna", [*ANNA[:-1], 7]) == len(ANNA)


def _turn(conversations: Conversations, memory: FakeSequenceMemory, number: int) -> int:
    """A turn of a memory that cannot be cut: marked in front of the request, then its tail and
    answer, which the next prompt does not have. Tokens evaluated."""
    front = [*ANNA, *range(1000, 1000 + 10 * number)]
    evaluated = _asked(conversations, memory, "anna", front)
    conversations.mark("anna")
    memory.reads([*front, 7, 7, 7])
    return evaluated


def test_a_memory_that_cannot_be_cut_goes_on_from_the_front_of_the_last_request() -> None:
    memory = FakeSequenceMemory(rewinds=False)
    conversations = Conversations(memory)
    assert [_turn(conversations, memory, number) for number in range(4)] == [len(ANNA), 10, 10, 10]
    for _ in range(2):
        _asked(conversations, memory, NOBODY, TITLE)
    assert _turn(conversations, memory, 4) == 10


def test_a_memory_that_cannot_be_cut_comes_back_from_the_disk_and_goes_on(tmp_path: Path) -> None:
    memory = FakeSequenceMemory(rewinds=False)
    conversations = Conversations(memory, _warm(tmp_path))
    for number in range(2):
        _turn(conversations, memory, number)
    assert [conversations.save(one, Never()) for one in conversations.unsaved()] == [True]
    memory = FakeSequenceMemory(rewinds=False)
    conversations = Conversations(memory, _warm(tmp_path))
    assert [_turn(conversations, memory, number) for number in (2, 3)] == [10, 10]


def test_marks_are_capped_and_only_for_the_conversation_in_memory() -> None:
    memory = FakeSequenceMemory(rewinds=False)
    conversations = Conversations(memory, limits=AsideLimits(bytes=BYTES_PER_TOKEN * 105))
    _turn(conversations, memory, 0)
    taken = memory.taken
    conversations.mark("ben")
    conversations.mark(NOBODY)
    _turn(conversations, memory, 3)  # too large by now
    assert memory.taken == taken


def test_a_memory_that_can_be_cut_needs_no_marks() -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory)
    _asked(conversations, memory, "anna", ANNA)
    conversations.mark("anna")
    assert memory.taken == 0


def test_a_refused_state_is_read_again() -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory)
    _asked(conversations, memory, "anna", ANNA)
    _asked(conversations, memory, NOBODY, TITLE)
    memory.refuses = True
    assert _asked(conversations, memory, "anna", [*ANNA, 7]) == len(ANNA) + 1


def test_after_a_restart_a_conversation_goes_on_from_the_disk(tmp_path: Path) -> None:
    first = _saved_by_an_earlier_run(tmp_path, {"anna": ANNA, "ben": BEN})
    assert first == 2
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, _warm(tmp_path))
    assert memory.put == 0, "nothing is read before somebody asks"
    assert _asked(conversations, memory, "anna", [*ANNA, 7]) == 1
    assert _asked(conversations, memory, "ben", [*BEN, 7]) == 1


def test_after_a_restart_a_new_conversation_begins_with_what_the_last_one_read(
    tmp_path: Path,
) -> None:
    frozen = list(range(100, 180))
    _saved_by_an_earlier_run(tmp_path, {"ben": BEN, "anna": [*frozen, 1, 2, 3]})
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, _warm(tmp_path))
    assert _asked(conversations, memory, "carl", [*frozen, 7, 8]) == 2
    assert [one.conversation for one in conversations.unsaved()] == ["carl"]


def test_what_is_on_disk_is_not_written_again(tmp_path: Path) -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, _warm(tmp_path))
    _asked(conversations, memory, "anna", ANNA)
    [anna] = conversations.unsaved()
    assert conversations.save(anna, Never())
    assert conversations.unsaved() == []
    _asked(conversations, memory, NOBODY, TITLE)
    assert conversations.unsaved() == []
    _asked(conversations, memory, "anna", [*ANNA, 7])
    assert [one.conversation for one in conversations.unsaved()] == ["anna"]


def test_a_saved_state_that_llama_refuses_is_removed(tmp_path: Path) -> None:
    _saved_by_an_earlier_run(tmp_path, {"anna": ANNA})
    memory = FakeSequenceMemory(refuses=True)
    assert _asked(Conversations(memory, _warm(tmp_path)), memory, "anna", ANNA) == len(ANNA)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_read_from_disk_that_gains_nothing(tmp_path: Path) -> None:
    _saved_by_an_earlier_run(tmp_path, {"anna": ANNA})
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, _warm(tmp_path))
    assert _asked(conversations, memory, "anna", BEN) == len(BEN)
    assert memory.put == 0


def test_a_forgotten_conversation_is_neither_aside_nor_on_disk(tmp_path: Path) -> None:
    _saved_by_an_earlier_run(tmp_path, {"anna": ANNA})
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, _warm(tmp_path))
    _asked(conversations, memory, "anna", ANNA)
    conversations.forget("anna")
    assert list(tmp_path.iterdir()) == [] and conversations.unsaved() == []
    memory.reads([])
    assert _asked(conversations, memory, "anna", ANNA) == len(ANNA)


def test_what_is_forgotten_while_it_is_written_does_not_stay_on_disk(tmp_path: Path) -> None:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, _warm(tmp_path))
    _asked(conversations, memory, "anna", ANNA)
    [anna] = conversations.unsaved()
    conversations.forget("anna")
    assert not conversations.save(anna, Never())
    assert list(tmp_path.iterdir()) == []
    _asked(conversations, memory, "anna", ANNA)  # a new one of the same name is saved again
    [anna] = conversations.unsaved()
    assert conversations.save(anna, Never())


def _warm(folder: Path) -> WarmStates:
    return WarmStates(folder, 2**20, b"k" * 16)


def _saved_by_an_earlier_run(folder: Path, read: dict[str, list[int]]) -> int:
    memory = FakeSequenceMemory()
    conversations = Conversations(memory, _warm(folder))
    for name, tokens in read.items():
        _asked(conversations, memory, name, tokens)
    return sum(conversations.save(unsaved, Never()) for unsaved in conversations.unsaved())
