"""How many wrong tokens the local web server listens to: ten a minute, then none for a while.

    guesses = Guesses()
    guesses.rest(now)          # 0.0: the next token is looked at
    guesses.wrong(now)         # this one was wrong

A token that the person chose can be short, and a program on this computer can try thousands in a
second. Once ten were wrong within a minute, no token is looked at until the oldest of them is a
minute old, the right one neither: whoever is told that one token was right has guessed it. A
request without a token is no guess, so a page in a browser, which cannot send one, shuts nobody
out.
"""

from __future__ import annotations

from collections import deque

MOST_WRONG = 10
WITHIN_SECONDS = 60.0


class Guesses:
    """Lives on one event loop; times are seconds of a clock that is never set back."""

    def __init__(self) -> None:
        self._wrong: deque[float] = deque(maxlen=MOST_WRONG)

    def wrong(self, now: float) -> None:
        self._wrong.append(now)

    def rest(self, now: float) -> float:
        """The seconds until a token is looked at again; 0.0 when one is now."""
        if len(self._wrong) < MOST_WRONG:
            return 0.0
        return max(0.0, self._wrong[0] + WITHIN_SECONDS - now)
