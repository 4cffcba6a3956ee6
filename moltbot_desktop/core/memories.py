"""Which memory had a part in an answer: its place and a digest of its words, never the words.

    digest = words_digest("My dentist is Dr. Okafor")
    used = UsedMemory("MEMORY.md", 12, 12, 0.93, digest, Use.RECALLED)

It is kept with the conversation, and a memory that is forgotten must not live on there. So the
words are looked up again when a person unfolds the line, and are gone when the memory is.
"""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

_DIGEST_BYTES = 8


class Use(StrEnum):
    """How a memory came into an answer."""

    RECALLED = "recalled"
    """Brought up before the answer, because it has what was asked for."""
    FOUND = "found"
    """The assistant looked for it."""
    QUOTED = "quoted"
    """It is the answer."""


@dataclass(frozen=True)
class UsedMemory:
    """A place in memory as it was when an answer was made with it.

    Attributes:
        path: relative to the workspace, with `/`.
        start_line: from 1, inclusive, like `end_line`.
        score: 0..1, of the search that found it.
        digest: `words_digest` of its text.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    digest: str
    use: Use


def words_digest(text: str) -> str:
    """16 hex digits that two wordings of one fact share: case, width, blanks and the full stop at
    the end do not count."""
    return hashlib.blake2b(folded(text).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def folded(text: str) -> str:
    """`text` as it is compared: one form of each sign, lower case, single blanks."""
    plain = unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode()).casefold()
    return " ".join(plain.split()).rstrip(".。!！ ")
