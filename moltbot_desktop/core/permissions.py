"""How long a yes holds, and what a card offers beside it.

    Offer(terms=(Term.ONCE, Term.RUN), about="git status in notes")
    Offer().terms                       # (Term.ONCE,)

Once is always there. What more is offered depends on the call (`security.grants`); an answer that
was not offered counts as none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Term(StrEnum):
    """How long a yes holds; each one longer than the one before."""

    ONCE = "once"
    """For the call that is shown, and no other."""
    RUN = "run"
    """Until the answer that is being made is done."""
    HOUR = "hour"
    """An hour, or until the program ends."""
    ALWAYS = "always"
    """Until it is taken back."""


@dataclass(frozen=True)
class Offer:
    """What a card has besides its question.

    Attributes:
        terms: how long the owner may say yes for, the shortest first.
        about: what a yes that is longer than once holds for, in words; "" where only once is.
        changes: how files would be changed, as a unified diff; "" where nothing can be shown.
        batch: the same for the cards of one step of the model, which are shown together.
    """

    terms: tuple[Term, ...] = (Term.ONCE,)
    about: str = ""
    changes: str = ""
    batch: str = ""


ONLY_ONCE = Offer()
