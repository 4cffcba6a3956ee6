"""What people are shown of the skills that came with the program: a title and a line, in their
language.

    shown_words(skill, Language.CHINESE)      # Shown("生日", "记住生日和纪念日，…")

A model chooses a skill by its description, which has the words of both languages in it and is read
in each turn; so the words for people stand apart, in one file beside the folders, which no model
reads. What others wrote about a skill of theirs is shown as it is: nothing may call itself one
thing in the list and another in the chat.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.discovery import BUNDLED, Skill
from moltbot_desktop.storage.bounded import read_plain

SHOWN_FILE = "shown.json"
_LARGEST_FILE = 200_000
_FILES = 4
"""Folders of bundled skills that are remembered: a program has one, tests have more."""


@dataclass(frozen=True)
class Shown:
    """Words for people, each one line."""

    title: str
    description: str


def shown_words(skill: Skill, language: Language) -> Shown:
    """Its own name and description where there are no others."""
    if skill.source == BUNDLED:
        own = _read(skill.location.parents[1] / SHOWN_FILE).get((skill.name, language.value))
        if own is not None:
            return own
    return Shown(skill.name, skill.description)


@lru_cache(_FILES)
def _read(file: Path) -> Mapping[tuple[str, str], Shown]:
    """By name and language; read once, for it came with the program. A file that is not there or
    cannot be read has no words: the skills are there all the same."""
    try:
        written = json.loads(read_plain(file, _LARGEST_FILE))
        return {
            (name, language): Shown(*words)
            for name, languages in written.items()
            for language, words in languages.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
