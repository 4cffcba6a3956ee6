"""Cosines: exact for a few thousand vectors, for the best of many, and expected for the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.rank import standing_out
from moltbot_desktop.memory.vectors import (
    EXACT_UP_TO,
    LEAST_CANDIDATES,
    VectorMatrix,
    _Signs,
)
from tests.bench.memory_material import (
    DIMENSIONS,
    TOP,
    Floats,
    best,
    in_clusters,
    like_sentences,
    unit,
)


def matrix_of(vectors: Floats, exact_up_to: int = EXACT_UP_TO) -> VectorMatrix:
    matrix = VectorMatrix(vectors.shape[1], exact_up_to=exact_up_to)
    matrix.add(np.arange(len(vectors)), vectors)
    return matrix


def told(matrix: VectorMatrix, query: Floats, wanted: int = TOP) -> Floats:
    found = matrix.cosines(query.tolist(), wanted)
    assert found is not None
    return found


# ------------------------------------------------------------------ few vectors


def test_few_vectors_are_multiplied() -> None:
    vectors = like_sentences(50)
    found = told(matrix_of(vectors), vectors[7])
    np.testing.assert_allclose(found, vectors @ vectors[7], atol=1e-6)
    assert found[7] == pytest.approx(1)
    assert matrix_of(vectors).numbers.tolist() == list(range(50))


def test_signs_are_looked_at_only_above_the_size_where_it_pays() -> None:
    vectors = like_sentences(2000)
    for exact_up_to, whole in ((2000, True), (1999, False)):
        found = told(matrix_of(vectors, exact_up_to), vectors[0])
        assert np.allclose(found, vectors @ vectors[0], atol=1e-6) == whole


@pytest.mark.parametrize(
    "query", [[0.0] * DIMENSIONS, [1.0], [float("nan")] * DIMENSIONS, [float("inf")] * DIMENSIONS]
)
@pytest.mark.parametrize("exact_up_to", [0, EXACT_UP_TO])
def test_nothing_is_told_to_a_query_that_points_nowhere(
    query: list[float], exact_up_to: int
) -> None:
    with np.errstate(all="ignore"):
        assert matrix_of(like_sentences(5), exact_up_to).cosines(query) is None


@pytest.mark.parametrize("exact_up_to", [0, EXACT_UP_TO])
def test_nothing_is_told_without_vectors(exact_up_to: int) -> None:
    assert VectorMatrix(2, exact_up_to=exact_up_to).cosines([1, 0]) is None
    assert VectorMatrix(0, exact_up_to=exact_up_to).cosines([]) is None
    other = VectorMatrix(3, exact_up_to=exact_up_to)
    other.add(np.arange(2), np.eye(2, dtype=np.float32))
    assert other.cosines([1, 0, 0]) is None


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e30, -3e38, 4.0])
@pytest.mark.parametrize("exact_up_to", [0, EXACT_UP_TO])
def test_a_damaged_vector_is_left_out_and_spoils_no_other(number: float, exact_up_to: int) -> None:
    """As if it were not there: estimates, too, are the same as without it."""
    vectors = like_sentences(1000)
    without = np.delete(vectors, 3, axis=0)
    expected = told(matrix_of(without, exact_up_to), vectors[0])
    damaged = vectors.copy()
    damaged[3, 5] = number
    matrix = matrix_of(damaged, exact_up_to)
    assert 3 not in matrix.numbers
    np.testing.assert_array_equal(told(matrix, vectors[0]), expected)


# ------------------------------------------------------------------ changes


@pytest.mark.parametrize("exact_up_to", [0, EXACT_UP_TO])
def test_what_was_added_and_removed_is_found_as_if_it_had_always_been_so(exact_up_to: int) -> None:
    vectors = like_sentences(3000)
    matrix = matrix_of(vectors[:2000], exact_up_to)
    told(matrix, vectors[0])  # signs are there before the changes
    gone = np.arange(100, 500)
    matrix.remove(gone)
    matrix.remove(gone)
    matrix.add(np.arange(2000, 2300), vectors[2000:2300])
    left = np.setdiff1d(np.arange(2300), gone)
    assert sorted(matrix.numbers.tolist()) == left.tolist()
    shares = []
    for query in vectors[2300:2340]:
        found = told(matrix, query)
        exact = vectors[matrix.numbers] @ query
        near = np.argsort(-found)[:TOP]
        np.testing.assert_allclose(found[near], exact[near], atol=1e-6)
        assert found.mean() == pytest.approx(exact.mean(), abs=0.01)
        shares.append(len(best(exact) & best(found)) / TOP)
    assert np.mean(shares) >= 0.995


def test_a_few_new_vectors_make_no_signs_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts vectors whose signs are made; time would prove nothing on a busy machine."""
    made: list[int] = []
    real = _Signs._packed

    def counted(self: _Signs, some: Floats) -> object:
        made.append(len(some))
        return real(self, some)

    monkeypatch.setattr(_Signs, "_packed", counted)
    vectors = like_sentences(5000)
    matrix = matrix_of(vectors[:4000], exact_up_to=0)
    told(matrix, vectors[0])
    assert sum(made) == 4000 + 1  # and the query's
    made.clear()
    matrix.remove(np.arange(5, 15))
    matrix.add(np.arange(4000, 4012), vectors[4000:4012])
    told(matrix, vectors[0])
    assert sum(made) == 12 + 1
    matrix.remove(np.arange(20, 3000))
    made.clear()
    told(matrix, vectors[0])
    assert sum(made) == len(matrix.numbers) + 1  # most are gone: told from their own average


# ------------------------------------------------------------------ many vectors


@pytest.mark.parametrize("made", [like_sentences, in_clusters])
def test_the_best_of_many_are_the_exact_ones(made) -> None:
    """The promise: of the 24 nearest vectors, .995 are found."""
    vectors = made(6040)
    kept, queries = vectors[:6000], vectors[6000:]
    matrix = matrix_of(kept, exact_up_to=0)
    shares = []
    for query in queries:
        exact, found = kept @ query, told(matrix, query)
        shares.append(len(best(exact) & best(found)) / TOP)
        near = sorted(best(found))
        np.testing.assert_allclose(found[near], exact[near], atol=1e-6)
    assert np.mean(shares) >= 0.995


def test_what_all_vectors_have_in_common_hides_no_difference() -> None:
    """Some models' vectors all point about the same way: two texts about anything are .8 alike."""
    vectors = like_sentences(6040, common=2.0)
    kept, queries = vectors[:6000], vectors[6000:]
    assert (kept @ queries[0]).mean() > 0.7
    matrix = matrix_of(kept, exact_up_to=0)
    shares = [len(best(kept @ query) & best(told(matrix, query))) / TOP for query in queries]
    assert np.mean(shares) >= 0.98


def test_the_more_places_are_wanted_the_more_cosines_are_exact() -> None:
    vectors = like_sentences(6000)
    matrix, exact = matrix_of(vectors, exact_up_to=0), vectors @ vectors[0]

    def count(wanted: int) -> int:
        return int(np.isclose(told(matrix, vectors[0], wanted), exact, atol=1e-7).sum())

    assert LEAST_CANDIDATES <= count(0) < count(100) < count(200) < 6000
    assert count(10**9) == 6000


def test_estimates_keep_the_average_and_are_better_than_it() -> None:
    """What ranking needs of the others: how far above the average of all each stands, about."""
    vectors = like_sentences(6040)
    kept = vectors[:6000]
    matrix = matrix_of(kept, exact_up_to=0)
    for query in vectors[6000:]:
        exact, found = kept @ query, told(matrix, query)
        assert np.isfinite(found).all()
        assert np.abs(found).max() <= 1 + 1e-6
        assert found.mean() == pytest.approx(exact.mean(), abs=0.01)
        assert np.sqrt(np.mean((found - exact) ** 2)) < 0.6 * exact.std()


def test_what_fusion_over_estimates_shows_is_worth_as_much() -> None:
    """Places found by words move past each other where they are nearly the same, no further."""
    vectors = like_sentences(6040)
    kept, chance = vectors[:6000], np.random.default_rng(1)
    matrix = matrix_of(kept, exact_up_to=0)
    worth = []
    for query in vectors[6000:]:
        words = np.where(chance.random(6000) < 0.05, chance.random(6000), 0)
        exact = words + standing_out(kept @ query, 6000)
        found = words + standing_out(told(matrix, query), 6000)
        worth.append(exact[list(best(found))].sum() / exact[list(best(exact))].sum())
    assert min(worth) > 0.95
    assert np.mean(worth) > 0.98


def test_vectors_that_are_all_the_same_are_all_alike() -> None:
    vectors = np.repeat(like_sentences(1), 1000, axis=0)
    np.testing.assert_allclose(told(matrix_of(vectors, exact_up_to=0), vectors[0]), 1, atol=1e-5)


@given(
    count=st.integers(1, 40),
    dimensions=st.sampled_from([1, 2, 7, 8, 9, 63, 64, 65, 130]),
    wanted=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_shape_gives_a_cosine_to_each_vector(
    count: int, dimensions: int, wanted: int, seed: int
) -> None:
    """Fewer vectors than candidates: all cosines are exact, whatever the signs say."""
    chance = np.random.default_rng(seed)
    vectors = unit(chance.integers(-2, 3, (count, dimensions)).astype(np.float32) + 0.25)
    query = chance.integers(-2, 3, dimensions).astype(np.float32) + 0.25
    found = told(matrix_of(vectors, exact_up_to=0), query, wanted)
    np.testing.assert_allclose(found, vectors @ (query / np.linalg.norm(query)), atol=1e-5)
