"""Where a conversation parts: said in other words, answered again, turned back."""

from __future__ import annotations

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.sdk.sessions import Fork
from moltbot_desktop.sessions.entries import BranchEntry, TranscriptEntry, UserEntry
from moltbot_desktop.sessions.forks import forks_of, tip_over


def said(own: str, after: str, text: str, run: str = "") -> UserEntry:
    return UserEntry(own, after, "", RunId(run or f"r-{own}"), text)


def turned(own: str, after: str) -> BranchEntry:
    return BranchEntry(own, after, "")


ONE, TWO = said("1", "", "one"), said("2", "1", "two")


def test_what_went_one_way_has_none() -> None:
    assert forks_of(()) == forks_of((ONE, TWO)) == ()


def test_other_words_in_the_place_of_a_message_are_another_way() -> None:
    entries = (ONE, TWO, turned("t", "1"), said("3", "t", "deux"), said("4", "3", "then"))
    assert forks_of(entries) == (Fork("r-3", (("r-2",), ("r-3",)), ("r-2", "r-3")),)


def test_the_same_words_again_are_another_answer_of_one_message() -> None:
    entries: tuple[TranscriptEntry, ...] = (ONE, TWO, turned("t", "1"), said("3", "t", "two"))
    entries = (
        *entries,
        turned("u", "1"),
        said("4", "u", "deux"),
        turned("v", "1"),
        said("5", "v", "two"),
    )
    (fork,) = forks_of(entries)
    assert fork.ways == (("r-2", "r-3", "r-5"), ("r-4",))
    assert fork.latest == ("r-5", "r-4")


def test_of_words_that_were_left_the_answer_stood_on_last_is_turned_to() -> None:
    entries: tuple[TranscriptEntry, ...] = (ONE, turned("t", ""), said("2", "t", "one"))
    entries = (*entries, turned("back", "1"), turned("u", ""), said("3", "u", "uno"))
    (fork,) = forks_of(entries)
    assert fork == Fork("r-3", (("r-1", "r-2"), ("r-3",)), ("r-1", "r-3"))
    assert tip_over(entries, "r-1") == "back"
    assert tip_over(entries, "r-2") == "2"
    assert tip_over(entries, "nobody") == ""


def test_the_answer_that_was_given_last_is_turned_to_when_nobody_turned_back() -> None:
    entries: tuple[TranscriptEntry, ...] = (ONE, turned("t", ""), said("2", "t", "one"))
    entries = (*entries, turned("u", ""), said("3", "u", "uno"))
    assert forks_of(entries)[0].latest == ("r-2", "r-3")


def test_a_message_is_turned_to_where_it_stood_last_its_copies_counted() -> None:
    copy = said("1b", "t", "one", run="r-1")
    entries = (ONE, TWO, turned("t", ""), copy, said("3", "1b", "deux"), turned("u", ""))
    assert tip_over((*entries, said("4", "u", "uno")), "r-1") == "3"


def test_a_copy_on_another_branch_is_the_same_message() -> None:
    """One that waited for its turn is copied when what stood before its answer is left."""
    copy = said("1b", "t", "one", run="r-1")
    entries = (ONE, TWO, turned("t", ""), copy, said("3", "1b", "deux"))
    assert forks_of(entries) == (Fork("r-3", (("r-2",), ("r-3",)), ("r-2", "r-3")),)


def test_each_place_of_the_branch_it_stands_on_is_told_and_no_other() -> None:
    entries: tuple[TranscriptEntry, ...] = (ONE, TWO, turned("t", "1"), said("3", "t", "deux"))
    entries = (*entries, turned("u", ""), said("4", "u", "uno"), turned("back", "3"))
    assert [one.said for one in forks_of(entries)] == ["r-1", "r-3"]


def test_going_back_without_a_word_is_no_way() -> None:
    assert forks_of((ONE, TWO, turned("t", "1"))) == ()


def test_a_turn_that_nobody_asked_for_is_no_message() -> None:
    assert forks_of((ONE, said("x", "1", ""), turned("t", "1"), said("y", "t", ""))) == ()


def test_a_message_without_a_run_goes_by_its_entry() -> None:
    first, other = (UserEntry(one, "", "", RunId(""), one) for one in "ab")
    assert forks_of((first, other)) == (Fork("b", (("a",), ("b",)), ("a", "b")),)
