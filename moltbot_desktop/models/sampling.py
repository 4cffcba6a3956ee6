"""Choosing the next token from logits. Pure: arrays in, a number out."""

from __future__ import annotations

from collections.abc import Collection
from math import log
from random import Random

from moltbot_desktop.models.arrays import Array, Floats, np

# Tokens less likely than this share of the likeliest are never drawn: keeps small models on the
# rails at any temperature without a fixed number of candidates.
MIN_SHARE = 0.05


def probabilities(logits: Floats) -> Array:
    """Softmax of `logits`; minus infinity becomes 0."""
    weights = _weights(logits, float(logits.max()), 1.0)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def choose(logits: Floats, temperature: float, random: Random, top_p: float = 1.0) -> int:
    """A token: the likeliest at temperature 0, else drawn from the likeliest ones that have a
    share of `top_p` of all chances together. At least one logit is finite."""
    if temperature <= 0:
        return int(logits.argmax())
    best = float(logits.max())
    tokens = np.flatnonzero(logits >= best + temperature * log(MIN_SHARE))
    if top_p < 1:
        tokens = tokens[np.argsort(-logits[tokens], kind="stable")]
    weights = _weights(logits[tokens], best, temperature)
    together = np.cumsum(weights)
    if top_p < 1:
        with np.errstate(over="ignore"):  # minus infinity then, which is right
            of_all = np.exp((logits - best) / temperature).sum(dtype=np.float64)
        before = together - weights
        together = together[(before < top_p * of_all) | (before <= 0)]  # the likeliest stays
    # One number for one token, as numpy draws, whose `random` takes 10 ms to import: at the first
    # message, while the window waits for the interpreter.
    drawn = random.random() * float(together[-1])
    return int(tokens[np.searchsorted(together, drawn, side="right")])


def _weights(logits: Floats, best: float, temperature: float) -> Array:
    """Chances in proportion to the `best` one's, which is 1."""
    return np.asarray(np.exp((logits.astype(np.float64) - best) / temperature), dtype=np.float64)


def restrict(logits: Floats, allowed: Collection[int]) -> Floats:
    """`logits` with minus infinity for every token outside `allowed`."""
    kept = np.full_like(logits, -np.inf)
    indices = np.fromiter(allowed, dtype=np.int64, count=len(allowed))
    kept[indices] = logits[indices]
    return kept
