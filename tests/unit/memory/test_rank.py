"""How signals become an order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.layout import Layout
from moltbot_desktop.memory.picking import fit
from moltbot_desktop.memory.rank import (
    Positions,
    Weights,
    bm25,
    coverage,
    standing_out,
    with_neighbours,
)
from moltbot_desktop.memory.segment import query_words
from moltbot_desktop.memory.vectors import is_usable, pack
from tests.unit.memory.test_layout import units, windows


def layout(*files: int) -> Layout:
    return Layout(units(*files), windows((1, 10, 9 + len(files))))


def at(*places: int) -> Positions:
    return np.array(places, dtype=np.intp)


def test_rare_words_count_more_and_never_against_a_text() -> None:
    score = bm25([(at(0, 1, 2), 1.0), (at(2), 1.0)], layout(1, 1, 1).terms)
    assert score[2] > score[0] == score[1] > 0


def test_a_single_note_scores_above_nothing() -> None:
    assert bm25([(at(0), 1.0)], layout(1).terms)[0] > 0


def test_coverage_is_the_share_of_what_is_asked() -> None:
    words = query_words("How tall is my brother?")
    share, sure = coverage(words, {"brother": at(0), "tall": at()}, 2)
    assert share.tolist() == sure.tolist() == [0.5, 0.0]


def test_a_chinese_word_is_covered_by_its_pairs_and_hinted_at_by_its_characters() -> None:
    words = query_words("车牌号码")
    share, _ = coverage(words, {"车牌": at(0), "牌号": at()}, 2)
    # 号码 is a word for a kind of answer; 车牌 is what is asked about.
    assert 0.7 < share[0] < 1


def test_characters_hint_at_a_word_and_answer_for_it_only_together() -> None:
    share, sure = coverage(query_words("牙医"), {"牙": at(0, 1), "医": at(0)}, 2)
    assert share.tolist() == [0.5, 0.25]
    assert sure.tolist() == [0.5, 0.0]


def test_neighbours_of_the_same_file_share_their_score() -> None:
    score = np.array([0.0, 1.0, 0.0, 0.0])
    weights = Weights(before=0.5, after=0.25, further=0.1)
    same, others = layout(1, 1, 1, 1), layout(1, 2, 3, 3)
    assert with_neighbours(score, same, weights, np.arange(4)).tolist() == [0.25, 1, 0.5, 0.1]
    assert with_neighbours(score, same, weights, at(3, 0)).tolist() == [0.1, 0.25]
    assert with_neighbours(score, others, weights, np.arange(4)).tolist() == [0, 1, 0, 0]
    assert with_neighbours(np.array([1.0]), layout(1), weights, at(0)).tolist() == [1]


def test_cosines_count_above_their_average_only() -> None:
    found = standing_out(np.array([0.9, 0.1, np.nan, 0.2], dtype=np.float32), 4)
    assert found[0] == 1
    assert found[1] == found[2] == 0
    assert standing_out(None, 2).tolist() == [0, 0]
    assert standing_out(np.array([np.nan], dtype=np.float32), 1).tolist() == [0]


def test_a_vector_that_points_nowhere_is_unusable() -> None:
    assert is_usable(pack([1, 2]), 2)
    for vector in ([0, 0], [float("nan"), 1], [float("inf"), 1], [1, 2, 3]):
        assert not is_usable(pack(vector), 2)


@given(text=st.text(max_size=300), room=st.integers(0, 200), force=st.booleans())
def test_a_snippet_fits_its_room_and_is_the_texts_own(text: str, room: int, force: bool) -> None:
    snippet = fit(text, room, force=force)
    assert len(snippet) <= room
    assert snippet in text
    assert snippet or not text or not force or room == 0


def test_a_snippet_ends_with_a_sentence() -> None:
    text = "This is the first sentence of it. " * 3 + "And a last one that does not fit any more."
    assert fit(text, 105) == ("This is the first sentence of it. " * 3).strip()
    assert fit("x" * 200, 150) == ""
    assert fit("x" * 200, 150, force=True) == "x" * 150
