"""Choosing the next token from logits. Pure: arrays in, a number out."""

from __future__ import annotations

from collections.abc import Collection

from moltbot_desktop.models.arrays import Array, Floats, np

# Tokens less likely than this share of the likeliest are never drawn: keeps small models on the
# rails at any temperature without a fixed number of candidates.
MIN_SHARE = 0.05


def probabilities(logits: Floats, temperature: float = 1.0) -> Array:
    """Softmax of `logits` / `temperature`; minus infinity becomes 0."""
    scaled = (logits.astype(np.float64) - float(logits.max())) / temperature
    weights = np.exp(scaled)
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def choose(
    logits: Floats, temperature: float, random: np.random.Generator, top_p: float = 1.0
) -> int:
    """A token: the likeliest at temperature 0, else drawn from the likeliest ones that have a
    share of `top_p` of all chances together. At least one logit is finite."""
    if temperature <= 0:
        return int(logits.argmax())
    chances = probabilities(logits, temperature)
    chances[chances < MIN_SHARE * chances.max()] = 0
    if top_p < 1:
        order = np.argsort(-chances, kind="stable")
        before = np.cumsum(chances[order]) - chances[order]
        chances[order[(before >= top_p) & (before > 0)]] = 0  # the likeliest stays
    return int(random.choice(len(chances), p=chances / chances.sum()))


def restrict(logits: Floats, allowed: Collection[int]) -> Floats:
    """`logits` with minus infinity for every token outside `allowed`."""
    kept = np.full_like(logits, -np.inf)
    indices = np.fromiter(allowed, dtype=np.int64, count=len(allowed))
    kept[indices] = logits[indices]
    return kept
