"""Two people wrote in the same file: what both of them wrote. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher


def both(base: str, mine: str, theirs: str) -> str:
    """`base` with the changes of both; where both changed the same lines, theirs then mine."""
    old, own, other = (one.split("\n") for one in (base, mine, theirs))
    lines: list[str] = []
    at_old = at_own = at_other = 0
    for in_old, in_own, in_other, count in _same(old, own, other):
        lines += _joined(old[at_old:in_old], own[at_own:in_own], other[at_other:in_other])
        lines += old[in_old : in_old + count]
        at_old, at_own, at_other = in_old + count, in_own + count, in_other + count
    return "\n".join(lines)


def _joined(old: Sequence[str], own: Sequence[str], other: Sequence[str]) -> Sequence[str]:
    if own in (old, other):
        return other
    if other == old:
        return own
    # "" is the end of their last line: what was added at the end of the file follows it at once.
    before = other[:-1] if own and other[-1:] == [""] else other
    return [*before, *own]


def _same(
    old: Sequence[str], own: Sequence[str], other: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Runs of lines that stand in all three: where in each, and how many; an empty one last."""
    in_own = SequenceMatcher(None, old, own, autojunk=False).get_matching_blocks()
    in_other = SequenceMatcher(None, old, other, autojunk=False).get_matching_blocks()
    one = two = 0
    while one < len(in_own) and two < len(in_other):
        mine, theirs = in_own[one], in_other[two]
        begin = max(mine.a, theirs.a)
        end = min(mine.a + mine.size, theirs.a + theirs.size)
        if end > begin:
            yield begin, mine.b + begin - mine.a, theirs.b + begin - theirs.a, end - begin
        if mine.a + mine.size < theirs.a + theirs.size:
            one += 1
        else:
            two += 1
    yield len(old), len(own), len(other), 0
