"""English and Chinese for text that is not made by Qt widgets.

Rooms below `ui` speak to a person too: tool cards, errors of a run, the terminal. They take a
`Language` and look their sentences up in a `Phrases` table; windows use Qt's own `tr()`.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    ENGLISH = "en"
    CHINESE = "zh"


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff"


def language_of(text: str, otherwise: Language = Language.ENGLISH) -> Language:
    """The language a person wrote `text` in: Chinese as soon as it has a Han character.

    `otherwise` is the answer for text without any letter ("12+3").
    """
    if any(map(_is_han, text)):
        return Language.CHINESE
    return Language.ENGLISH if any(map(str.isalpha, text)) else otherwise


class _WithWords(string.Formatter):
    def format_field(self, value: object, format_spec: str) -> str:
        one, bar, many = format_spec.partition("|")
        if not bar:
            return format(value, format_spec)
        return f"{value:,} {one if value == 1 else many}"


_WITH_WORDS = _WithWords()


@dataclass(frozen=True)
class Phrases:
    """A table of sentences with ``{name}`` slots, the same keys in both languages."""

    english: Mapping[str, str]
    chinese: Mapping[str, str]

    def __post_init__(self) -> None:
        if self.english.keys() != self.chinese.keys():
            raise ValueError(f"untranslated: {self.english.keys() ^ self.chinese.keys()}")

    def say(self, key: str, language: Language, /, **values: object) -> str:
        """The sentence; ``{count:tool|tools}`` is a number with the word that goes with it.
        `values` may have any names: a call's arguments are what their tool names them."""
        table = self.chinese if language is Language.CHINESE else self.english
        return _WITH_WORDS.vformat(table[key], (), values)


def in_one_line(message: str, hint: str) -> str:
    """A message and what to do about it as sentences one after the other."""
    if not message or not hint:
        return message or hint
    chinese = language_of(message) is Language.CHINESE
    if message[-1] not in ".!?…。！？":
        message += "。" if chinese else "."
    return f"{message}{hint}" if chinese and message[-1] in "。！？" else f"{message} {hint}"
