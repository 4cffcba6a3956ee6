"""What the LanceDB engine makes of words and vectors that fit."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.extensions.memory_lancedb.rows import Row, State
from moltbot_desktop.extensions.memory_lancedb.scoring import WordHits, rank, shown

UNITS = st.sampled_from(["0:a", "1:a", "0:b"])
SCORES = st.dictionaries(UNITS, st.floats(0, 20))
WORDS = st.lists(st.builds(WordHits, st.floats(0, 4), SCORES), max_size=5)


def row(part: int, text: str) -> Row:
    return Row("a.md", part, "s", part + 1, part + 1, text, text, "", State.WHOLE)


def test_who_has_all_that_is_asked_about_comes_before_who_has_half() -> None:
    tall, brother = WordHits(1.0, {"half": 9.0, "whole": 1.0}), WordHits(1.0, {"whole": 1.0})
    best, second = rank([tall, brother], {})
    assert (best.id, best.score) == ("whole", 1.0)
    assert (second.id, second.score) == ("half", 0.5)


def test_a_word_that_says_nothing_only_puts_in_order() -> None:
    fact, number = WordHits(1.0, {"0:a": 1.0, "1:a": 1.0}), WordHits(0.0, {"1:a": 3.0})
    assert [one.id for one in rank([fact, number], {})] == ["1:a", "0:a"]
    assert rank([number], {}) == []


@given(WORDS, st.dictionaries(UNITS, st.floats(-1, 1)))
def test_scores_lie_between_nothing_and_all_and_go_down_but_for_ties(
    words: list[WordHits], cosines: dict[str, float]
) -> None:
    ranked = rank(words, cosines)
    assert all(0 < one.score <= 1 and one.why for one in ranked)
    assert all(a.score >= b.score - 0.06 for a, b in itertools.pairwise(ranked))
    meaning = rank([], cosines)
    assert all(one.score < 0.6 for one in meaning)


def test_each_fact_is_shown_once_and_what_is_gone_not_at_all() -> None:
    rows = {
        "0:a.md": row(0, "Tom likes tea."),
        "1:a.md": row(1, "tom likes TEA"),
        "2:a.md": row(2, "x"),
    }
    ranked = rank([WordHits(1.0, {"0:a.md": 3.0, "1:a.md": 2.0, "2:a.md": 1.0, "9:gone": 1.0})], {})
    hits = shown(ranked, rows, max_results=5, max_characters=0)
    assert [hit.start_line for hit in hits] == [1, 3]
    assert shown(ranked, rows, max_results=1, max_characters=0) == hits[:1]


@given(st.integers(1, 400), st.lists(st.text("ab ", min_size=1, max_size=200), max_size=6))
def test_a_budget_of_characters_is_kept(budget: int, texts: list[str]) -> None:
    rows = {f"{at}:a.md": row(at, text) for at, text in enumerate(texts)}
    ranked = rank([WordHits(1.0, dict.fromkeys(rows, 1.0))], {})
    hits = shown(ranked, rows, max_results=6, max_characters=budget)
    assert sum(len(hit.snippet) for hit in hits) <= budget
    assert bool(hits) == bool(rows)
