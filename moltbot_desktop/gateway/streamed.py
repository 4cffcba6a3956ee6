"""A long answer that is sent in parts while it is written: what of it may go out now.

    answer = Streamed()
    answer.add(delta)
    so_far = answer.due(BlockRules(), quiet=False)    # "" while nothing is to be sent
    answer.rest()                                     # a tool begins: all that was said before it

A part is told by the text up to its end, not by its number: whoever sends it looks how much of
that text is on its way already (`sent_of`), and sends what follows. So a crash in the middle
neither loses nor doubles anything, wherever the model's pauses put the borders the second time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from moltbot_desktop.agent.tokens import is_silent
from moltbot_desktop.gateway.chunks import Break, next_end

_PART = "part"


@dataclass(frozen=True)
class BlockRules:
    """Attributes:
    least, most: characters of a part.
    join: characters that are waited for while the model writes on; no fewer than `least`.
    idle: seconds of quiet after which `least` will do.
    at_end: nothing goes out before the model is done with what it says.
    """

    least: int = 800
    most: int = 1_200
    join: int = 0
    idle: float = 1.0
    prefer: Break = Break.PARAGRAPH
    at_end: bool = False

    @property
    def waits(self) -> bool:
        """Whether a pause of the model makes a difference."""
        return not self.at_end and self.join > self.least


@dataclass
class Streamed:
    """What the model says since its last tool.

    Attributes:
        text: from its first visible character.
        at: so much of it was given out.
    """

    text: str = ""
    at: int = 0

    def add(self, delta: str) -> None:
        self.text = self.text + delta if self.text else delta.lstrip()

    def due(self, rules: BlockRules, *, quiet: bool = False) -> str:
        """The text up to the end of a part that may go out; "" for none.

        Args:
            quiet: the model has paused.
        """
        least = rules.least if quiet else max(rules.least, rules.join)
        most = max(rules.most, least)
        if rules.at_end or len(self.text) - self.at < least or is_silent(self.text):
            return ""
        end = next_end(self.text, self.at, most=most, least=least, prefer=rules.prefer)
        return self._up_to(end) if end > self.at else ""

    def rest(self) -> str:
        """All of it, when something of it was not given out yet; "" else."""
        if not self.text[self.at :].strip() or is_silent(self.text):
            return ""
        return self._up_to(len(self.text))

    def _up_to(self, end: int) -> str:
        self.at = end
        return self.text[:end]


def part_name(so_far: str) -> str:
    """Of the part that ends a text: how much of it there is, and which text it is."""
    whole = so_far.rstrip()
    return f"{_PART}:{len(whole)}:{digest_of(whole)}"


def sent_of(text: str, names: Iterable[str]) -> int:
    """How many characters of `text` are on their way, by the names of what was sent for it."""
    return max((here for here, digest in _parts(names) if _begins(text, here, digest)), default=0)


def caught_up(so_far: str, before: Iterable[str]) -> bool:
    """Whether an answer that is written anew has come as far as its earlier tries went. Until then
    nobody can tell whether it says the same, and how much of it was sent."""
    return all(here <= len(so_far.rstrip()) for here, _ in _parts(before))


def _parts(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    for name in names:
        kind, _, rest = name.partition(":")
        length, _, digest = rest.partition(":")
        if kind == _PART and length.isascii() and length.isdecimal():
            yield int(length), digest


def _begins(text: str, length: int, digest: str) -> bool:
    return length <= len(text) and digest_of(text[:length]) == digest


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
