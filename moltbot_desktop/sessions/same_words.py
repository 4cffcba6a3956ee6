"""Where a text says the same as a note: the same words in a row, whatever stands between them.

    spans("So **your** dentist is\\nDr. Okafor!", "My dentist is Dr. Okafor")    # ((5, 36),)

Case, width, punctuation, line ends and Markdown do not count, and neither does who speaks: an
assistant answers "your dentist" to what was said as "my dentist". A Chinese character is a word.
Other wordings are not found; they would need a guess, and what is found here may be erased.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import accumulate

Span = tuple[int, int]

_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# \w leaves out the marks above and below letters, which many scripts cannot do without.
_WORD = re.compile(rf"[{_HAN}]|(?:(?![{_HAN}_])\w[\u0300-\u036f\u093e-\u094d]*)+")
_SPEAKER = {
    **dict.fromkeys(("my", "your", "our"), "my"),
    **dict.fromkeys(("mine", "yours", "ours"), "mine"),
    **dict.fromkeys(("i", "you", "me", "we", "us"), "i"),
    **dict.fromkeys(("am", "are", "m", "re"), "is"),
    **dict.fromkeys(("myself", "yourself"), "myself"),
    **dict.fromkeys(("was", "were"), "was"),
    **dict.fromkeys("我你您", "我"),
}
_SEAM = "\0"


def spans(text: str, words: str) -> tuple[Span, ...]:
    """Where `words` stand in `text`, as offsets of the first character and behind the last."""
    wanted = [word for word, _ in _tokens(words)]
    if not wanted or not _may_hold(text, wanted):
        return ()
    found = list(_tokens(text))
    return tuple(
        (found[first][1][0], found[first + len(wanted) - 1][1][1])
        for first in _runs([word for word, _ in found], wanted)
    )


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _may_hold(text: str, wanted: list[str]) -> bool:
    """A look at the rarest word, many times faster than cutting all of a transcript into words."""
    telling = (word for word in wanted if word not in _SPEAKER.values())
    return max(telling, key=len, default="") in _plain(text)


def _tokens(text: str) -> Iterator[tuple[str, Span]]:
    for match in _WORD.finditer(text):
        word = _plain(match[0])
        yield _SPEAKER.get(word, word), match.span()


def _runs(found: list[str], wanted: list[str]) -> Iterator[int]:
    """Indexes at which `wanted` begins in `found`, without overlaps."""
    whole = _SEAM.join(["", *found, ""])
    needle = _SEAM.join(["", *wanted, ""])
    begins = accumulate((len(word) + 1 for word in found), initial=0)
    starts = {offset: at for at, offset in enumerate(begins)}
    at = whole.find(needle)
    while at >= 0:
        yield starts[at]
        at = whole.find(needle, at + len(needle) - 1)
