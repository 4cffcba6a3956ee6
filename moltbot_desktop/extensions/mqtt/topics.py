"""Topics with one place for a sender's name; pure.

    listen = address("moltbot/in/+")
    listen.name_in("moltbot/in/kitchen")     # "kitchen"
    listen.filled("kitchen")                 # "moltbot/in/kitchen"; "" for a name that is none

What a broker lets somebody publish decides who they are: rights belong to its access list.
"""

from __future__ import annotations

from dataclasses import dataclass

_MOST_CHARACTERS = 200
_WILD = frozenset("+#")
_NEVER = frozenset("+#/\0")


@dataclass(frozen=True)
class Address:
    """The levels of a topic before and behind the sender's."""

    before: tuple[str, ...]
    behind: tuple[str, ...]

    @property
    def filter(self) -> str:
        """To subscribe to."""
        return "/".join((*self.before, "+", *self.behind))

    def name_in(self, topic: str) -> str:
        """Whose topic it is; "" when it is none of these."""
        levels = tuple(topic.split("/"))
        place = len(self.before)
        fits = (
            len(levels) == place + 1 + len(self.behind)
            and levels[:place] == self.before
            and levels[place + 1 :] == self.behind
        )
        return levels[place] if fits and _is_name(levels[place]) else ""

    def filled(self, name: str) -> str:
        """The topic of a sender; "" for what can be no sender's name."""
        return "/".join((*self.before, name, *self.behind)) if _is_name(name) else ""


def address(written: str) -> Address | None:
    """None unless exactly one level is "+" and no other has a wildcard, and it is no topic of the
    broker's own (those begin with "$")."""
    levels = written.split("/")
    if levels.count("+") != 1 or "\0" in written or written.startswith("$"):
        return None
    place = levels.index("+")
    others = levels[:place] + levels[place + 1 :]
    if any(_WILD & set(one) for one in others) or not any(others):
        return None
    return Address(tuple(levels[:place]), tuple(levels[place + 1 :]))


def overlap(one: Address, other: Address) -> bool:
    """Whether some topic belongs to both."""
    first, second = one.filter.split("/"), other.filter.split("/")
    if len(first) != len(second):
        return False
    return all(a == b or "+" in (a, b) for a, b in zip(first, second, strict=True))


def _is_name(text: str) -> bool:
    return bool(text) and len(text) <= _MOST_CHARACTERS and not _NEVER & set(text)
