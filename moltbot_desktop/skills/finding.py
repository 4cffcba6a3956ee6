"""Finds skills by words, where the prompt has no room to list them all.

find_skills(view.usable, "keep a diary")     # best first, a few of them
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from moltbot_desktop.skills.discovery import Skill

MOST_FOUND = 5
_LATIN = re.compile(r"[a-z0-9]{2,}")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_SAME_BEGINNING = 5


def find_skills(skills: Sequence[Skill], words: str) -> tuple[Skill, ...]:
    """Those offered to the model whose name or description has some of `words`; the name says
    three times as much."""
    wanted = _words(words)
    ranked = []
    for skill in skills:
        if skill.offered_to_model:
            name, about = _words(skill.name), _words(skill.description)
            score = sum(3 * _has(name, word) + _has(about, word) for word in wanted)
            if score:
                ranked.append((-score, skill.name, skill))
    return tuple(skill for _, _, skill in sorted(ranked, key=lambda one: one[:2])[:MOST_FOUND])


def _has(words: frozenset[str], wanted: str) -> bool:
    """Whole words, or words that begin alike (invoice, invoices, invoicing)."""
    return wanted in words or any(
        len(wanted) >= _SAME_BEGINNING and one[:_SAME_BEGINNING] == wanted[:_SAME_BEGINNING]
        for one in words
    )


def _words(text: str) -> frozenset[str]:
    """Latin words, and every two Han characters that stand side by side."""
    lowered = text.casefold()
    runs = _HAN.findall(lowered)
    pairs = (run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1)))
    return frozenset((*_LATIN.findall(lowered), *pairs))
