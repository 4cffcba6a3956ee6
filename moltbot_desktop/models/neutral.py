"""Contents that look like control tokens, made harmless.

A rendered prompt is tokenised with its control tokens real, so `<|im_start|>` inside a web page
would open a message of its own. Every such text in a content gets a zero width space (U+200B)
after its first character: a person sees no difference, a tokenizer no longer finds the token. It is
not removed or escaped, because the model should still be able to talk about it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from moltbot_desktop.core.json import JsonObject, JsonValue

BREAK = "\u200b"
# Marks of turns as no ordinary text has them: <|user|>, <|turn>, <turn|>, <｜User｜>, [/INST],
# <end_of_turn>. Plain tags (<name>) are left alone: a file may be full of them.
_MARK = re.compile(
    r"<[|｜][^\s<>{}'\"]{1,60}>"
    r"|<[^\s<>{}'\"|｜]{1,60}[|｜]>"
    r"|</?[a-z]{1,20}_of_[a-z]{1,20}>"
    r"|\[/?[A-Z_]{3,20}\]"
)
_BRACKETED = re.compile(r"[<‹\[]\S+[>›\]]")


def printed_marks(printed: str, defined_tokens: Collection[str] = ()) -> frozenset[str]:
    """The marks in what a template prints, or in its source: structure, whatever their type in
    the vocabulary.

    Args:
        defined_tokens: texts of the vocabulary's USER_DEFINED tokens. llama.cpp finds these in any
            text, so of them plain tags count as well.
    """
    tags = (token for token in defined_tokens if _BRACKETED.fullmatch(token) and token in printed)
    return frozenset([*_MARK.findall(printed), *tags])


class Neutraliser:
    """Breaks up certain texts wherever they stand, overlapping ones too."""

    def __init__(self, markers: Iterable[str]) -> None:
        """`markers`: texts to break; white space and single characters cannot be and are left."""
        self._markers = frozenset(m for m in markers if len(m) > 1 and not m.isspace())
        # By length and not as one big alternation: some vocabularies have 6,000 control tokens.
        self._lengths = sorted({len(marker) for marker in self._markers})
        firsts = "".join(sorted({re.escape(marker[0]) for marker in self._markers}))
        self._first = re.compile(f"[{firsts}]") if firsts else None

    def text(self, text: str) -> str:
        """`text` in which no marker stands any more."""
        if self._first is None:
            return text
        starts = [found.start() for found in self._first.finditer(text)]
        cuts = [start + 1 for start in starts if self._marker_at(text, start)]
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        return BREAK.join(pieces)

    def value(self, value: JsonValue) -> JsonValue:
        """The same for every text inside a JSON value, names included; plain dicts and lists."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(name): self.value(item) for name, item in value.items()}
        if isinstance(value, Sequence):
            return [self.value(item) for item in value]
        return value

    def mapping(self, value: JsonObject) -> dict[str, JsonValue]:
        return {self.text(name): self.value(item) for name, item in value.items()}

    def _marker_at(self, text: str, start: int) -> bool:
        return any(text[start : start + length] in self._markers for length in self._lengths)
