"""The part of a message in which the words stand that were looked for. Pure."""

from __future__ import annotations

from collections.abc import Sequence

_BEFORE = 3
"""So much of the room, one part in three, is for what stands before the first word."""


def excerpt(text: str, words: Sequence[str], characters: int) -> str:
    """At most so many characters of `text`, in one line, with the first of `words` in it.

    Found by its own letters only; a word that the index knows in another form (Ｗidth, accents)
    gives the beginning.
    """
    line = " ".join(text.split())
    if len(line) <= characters:
        return line
    plain = line.lower()
    # lower() can make a text longer (İ); then places in the two are not the same.
    places = [plain.find(word.lower()) for word in words] if len(plain) == len(line) else []
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, min(first - characters // _BEFORE, len(line) - characters))
    end = start + characters
    head, tail = "…" if start else "", "…" if end < len(line) else ""
    return head + line[start + len(head) : end - len(tail)] + tail
