"""A transcript is a tree: from its last line one way leads to a beginning, whatever it holds."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sessions.entries import TranscriptEntry, UserEntry
from moltbot_desktop.sessions.tree import (
    branches_of,
    cut_after,
    cut_before,
    linked,
    path_through,
    path_to,
)


def line(entry_id: str, parent: str | None, *, run: str = "", role: str = "user") -> JsonObject:
    message: JsonObject = {"role": role, "content": entry_id}
    return {"type": "message", "id": entry_id, "parentId": parent, "runId": run, "message": message}


def ended(entry_id: str, parent: str, run: str) -> JsonObject:
    data: JsonObject = {"kind": "answered"}
    base: JsonObject = {"type": "custom", "customType": "outcome", "id": entry_id, "runId": run}
    return {**base, "parentId": parent, "data": data}


def ids(path: Sequence[TranscriptEntry]) -> str:
    return " ".join(entry.id for entry in path)


FORK = (line("a", None), line("b", "a"), line("c", "b"), line("d", "a"), line("e", "d"))


def test_the_last_line_says_where_the_conversation_stands():
    entries = linked(FORK)
    assert ids(path_to(entries, "e")) == "a d e"
    assert ids(path_to(entries, "c")) == "a b c"
    assert path_to(entries, "nobody") == ()


def test_a_second_beginning_is_one():
    entries = linked([line("a", None), line("b", "a"), line("c", None)])
    assert ids(path_to(entries, "c")) == "c"


def test_an_entry_whose_parent_was_damaged_goes_on_from_the_line_before():
    assert ids(path_to(linked([line("a", None), line("c", "gone")]), "c")) == "a c"


def test_what_names_no_parent_is_put_into_the_row():
    """The reference's gateway writes such lines, and its first version wrote no ids at all."""
    told: JsonObject = {"type": "message", "id": "x", "message": {"role": "assistant"}}
    old: JsonObject = {"type": "message", "message": {"role": "user", "content": "hi"}}
    assert ids(path_to(linked([line("a", None), told, line("b", "a")]), "b")) == "a x b"
    assert len(path_to(linked([old, old, old]), "~2")) == 3


def test_an_id_that_is_there_twice_hides_nothing():
    entries = linked([line("a", None), line("a", "a"), line("b", "a")])
    assert len({entry.id for entry in entries}) == 3
    assert len(path_to(entries, entries[-1].id)) == 3


def test_a_path_over_an_entry_ends_at_the_newest_below_it():
    entries = linked([*FORK, line("f", "b")])
    assert ids(path_through(entries, "b")) == "a b f"
    assert path_through(entries, "nobody") == ()


def test_a_cut_before_a_message_that_waited_keeps_the_answer_it_waited_for():
    entries = linked(
        [
            line("u1", None, run="1"),
            line("u2", "u1", run="2"),
            line("a1", "u2", run="1", role="assistant"),
            ended("o1", "a1", "1"),
            line("a2", "o1", run="2", role="assistant"),
            ended("o2", "a2", "2"),
        ]
    )
    asked = entries[1]
    assert isinstance(asked, UserEntry)
    cut = cut_before(tuple(entries), asked)
    assert (cut.point, ids(cut.copies)) == ("u1", "a1 o1")
    after_first = cut_after(tuple(entries), entries[2])
    assert (after_first.point, ids(after_first.copies)) == ("u1", "a1 o1")
    assert cut_after(tuple(entries), entries[-1]).copies == ()


def test_branches_are_told_apart_by_where_they_part():
    first, second = branches_of(linked(FORK))
    assert (first.tip, first.asked, first.last, first.current) == ("c", 3, "c", False)
    assert (second.tip, second.first, second.last, second.current) == ("e", "d", "e", True)


def test_a_place_that_was_left_without_a_word_is_no_branch():
    turned: JsonObject = {"type": "custom", "customType": "branch", "id": "t", "parentId": "a"}
    back: JsonObject = {"type": "custom", "customType": "branch", "id": "k", "parentId": "b"}
    there = [line("a", None), line("b", "a"), turned]
    assert [branch.tip for branch in branches_of(linked(there))] == ["b", "t"]
    assert [branch.tip for branch in branches_of(linked([*there, back]))] == ["k"]


def test_a_line_that_bears_the_name_given_to_another_one_is_no_circle():
    """Somebody else's file: the names that doubles get may be there already."""
    entries = linked([line("a~2", None), line("a", "a~2"), line("a", "a"), line("a~2", "a")])
    assert len({entry.id for entry in entries}) == 4
    assert len(path_to(entries, entries[-1].id)) == 4


NAMES = st.sampled_from(["a", "b", "a~1", "a~2", "~1", "a~2~2", ""])
LINES = st.fixed_dictionaries(
    {"type": st.just("message"), "message": st.just({"role": "user", "content": "x"})},
    optional={"id": NAMES, "parentId": NAMES | st.none() | st.integers(), "runId": NAMES},
)


@settings(max_examples=150)
@given(st.lists(LINES, max_size=10))
def test_any_lines_make_a_tree(records):
    entries = linked(records)
    assert len({entry.id for entry in entries}) == len(records)
    for place, entry in enumerate(entries):
        assert entry.parent_id == "" or entry.parent_id in {e.id for e in entries[:place]}
    if entries:
        path = path_to(entries, entries[-1].id)
        assert path[-1] is entries[-1]
        assert [one.current for one in branches_of(entries)].count(True) == 1
        chosen = path[len(path) // 2]
        cut = cut_after(path, chosen)
        kept = (*path_to(entries, cut.point), *cut.copies)
        assert chosen in kept
