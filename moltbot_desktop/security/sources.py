"""Where the words of others in a conversation came from, so that a card can name it.

    one = Source(SourceKind.PAGE, "https://example.org/offer")
    one.stored                                   # "page:https://example.org/offer"
    joined_sources((one,), (another,))           # the first two and the last few

A source is a name to show and nothing else: no verdict depends on it. Its name is a stranger's own
(a sender may be called anything), so it is one short line without invisible characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MOST_FIRST, MOST_LAST = 2, 3
"""How many are kept: what tainted a conversation first, and what came last."""
_LONGEST_NAME = 100


class SourceKind(StrEnum):
    FILE = "file"
    PAGE = "page"
    SEARCH = "search"
    SENDER = "sender"
    SERVER = "server"
    """An MCP server, with its tool."""
    COMMAND = "command"
    MEMORY = "memory"
    """A note that was written while words of others were in the conversation."""
    CONVERSATION = "conversation"
    NOTICE = "notice"
    """What a job, a helper or a program reported."""
    TOOL = "tool"


@dataclass(frozen=True)
class Source:
    """One of them; `name` is made short and visible, whatever is given."""

    kind: SourceKind
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _shown(self.name))

    @property
    def stored(self) -> str:
        """The form in which a transcript keeps it."""
        return f"{self.kind.value}:{self.name}"

    @staticmethod
    def of_stored(text: str) -> Source:
        """Read back; a kind of a later version is a tool of that name."""
        kind, _, name = text.partition(":")
        try:
            return Source(SourceKind(kind), name)
        except ValueError:
            return Source(SourceKind.TOOL, text)


def joined_sources(before: Sequence[Source], more: Sequence[Source]) -> tuple[Source, ...]:
    """`before`, then what of `more` is new; of too many, those in the middle are left out."""
    every = tuple(dict.fromkeys((*before, *more)))
    if len(every) <= MOST_FIRST + MOST_LAST:
        return every
    return (*every[:MOST_FIRST], *every[-MOST_LAST:])


def _shown(name: str) -> str:
    """One short line of what can be seen: no line ends, no marks that turn text around."""
    spaced = " ".join(name[: 4 * _LONGEST_NAME].split())
    seen = "".join(one for one in spaced if unicodedata.category(one) not in _UNSEEN)
    line = " ".join(seen.split())
    return line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 1]}…"


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
