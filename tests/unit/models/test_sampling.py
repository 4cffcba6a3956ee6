"""Drawing tokens from logits."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from moltbot_desktop.models.sampling import MIN_SHARE, choose, probabilities, restrict

LOGITS = np.array([0.0, 2.0, 1.0, -np.inf, -5.0], np.float32)


def _drawn(temperature: float, count: int = 400) -> set[int]:
    random = Random(1)
    return {choose(LOGITS, temperature, random) for _ in range(count)}


def test_at_temperature_0_the_likeliest_token_is_taken() -> None:
    assert _drawn(0.0) == {1}


def test_at_a_temperature_likely_tokens_are_drawn_and_unlikely_ones_never() -> None:
    assert _drawn(1.0) == {0, 1, 2}
    assert probabilities(LOGITS)[4] < MIN_SHARE * probabilities(LOGITS)[1]


@pytest.mark.parametrize(
    ("top_p", "drawn"), [(0.0, {1}), (0.5, {1}), (0.8, {1, 2}), (1.0, {0, 1, 2})]
)
def test_only_the_likeliest_that_have_the_share_are_drawn(top_p: float, drawn: set[int]) -> None:
    random = Random(1)
    assert {choose(LOGITS, 1.0, random, top_p) for _ in range(400)} == drawn


def test_tokens_are_drawn_as_often_as_their_chances_say() -> None:
    random, count = Random(7), 20_000
    drawn = np.bincount([choose(LOGITS, 1.0, random) for _ in range(count)], minlength=5)
    likely = probabilities(LOGITS)[[0, 1, 2]]
    assert (drawn[[0, 1, 2]] / count).tolist() == pytest.approx(
        (likely / likely.sum()).tolist(), abs=0.02
    )


class _Highest(Random):
    """Draws the highest number there is."""

    def random(self) -> float:
        return 1 - 2**-53


def test_the_highest_number_draws_a_token_too() -> None:
    tokens = {choose(np.full(n, 0.1, np.float32), 1.0, _Highest()) for n in range(1, 200)}
    assert tokens == set(range(199))


def test_a_forbidden_token_is_never_drawn_at_any_temperature() -> None:
    assert 3 not in _drawn(50.0)


def test_probabilities_add_up_and_follow_the_order_of_the_logits() -> None:
    chances = probabilities(LOGITS)
    assert chances.sum() == pytest.approx(1)
    assert list(np.argsort(chances)) == list(np.argsort(LOGITS))


def test_huge_logits_do_not_overflow() -> None:
    assert probabilities(np.array([3e38, -3e38], np.float32)).tolist() == [1.0, 0.0]


def test_restricting_leaves_only_the_allowed_tokens() -> None:
    kept = restrict(LOGITS, {0, 2})
    assert kept[[0, 2]].tolist() == [0.0, 1.0] and np.isneginf(kept[[1, 3, 4]]).all()
    assert np.isneginf(restrict(LOGITS, set())).all()
