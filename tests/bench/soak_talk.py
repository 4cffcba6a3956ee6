"""Who talks to the program in a soak, and what became of what they said.

    talk.say(number)               # a request about that number, in one conversation
    talk.look()                    # reads what was answered
    talk.waiting, talk.fates()     # numbers without an answer; how each ended

Pipes have ids and are said again until they are acknowledged; IRC has none, so nobody speaks there
while somebody is away.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from tests.fakes.irc_people import Person
from tests.fakes.pipes import Script

SUMS: tuple[tuple[str, Callable[[int], int]], ...] = (
    ("Add {0} and 1000", lambda number: number + 1000),
    ("What is {0} times 7?", lambda number: number * 7),
    ("What is {0} plus 250?", lambda number: number + 250),
)
_TO_NEW = ("A new conversation", "Something went wrong here; it was not done")
"""How answers to `/new` begin."""
_NUMBER = re.compile(r"\d+")


def request(number: int) -> str:
    return SUMS[number % len(SUMS)][0].format(number)


def is_right(number: int, answer: str) -> bool:
    """The sum itself stands in it, or it asks back about the very numbers that were said."""
    told = {int(one) for one in _NUMBER.findall(answer.replace(",", ""))}
    asked = {int(one) for one in _NUMBER.findall(request(number))}
    result = SUMS[number % len(SUMS)][1](number)
    return asked <= told and (result in told or "?" in answer)


class Fate(StrEnum):
    """What became of a message."""

    RIGHT = "right"
    EXCUSED = "excused"
    """Answered with what was in the way, and something was."""
    AGAIN = "again"
    """Said once more after a kill, word for word, where the platform has no key to know it by."""
    WRONG = "wrong"
    DOUBLED = "doubled"
    LOST = "lost"


class Talk(Protocol):
    """One conversation.

    Attributes:
        keyed: an answer that comes again bears the key that it had, and counts once.
        said: when each number was said, seconds of the monotonic clock.
        told: when each was answered first.
    """

    keyed: bool
    said: dict[int, float]
    told: dict[int, float]

    def say(self, number: int) -> None: ...

    def begin_anew(self, number: int) -> None:
        """`/new`, when nobody waits for an answer here; `number` was not used before."""
        ...

    def look(self) -> None: ...

    def answers(self) -> Mapping[int, list[str]]: ...


def waiting(talk: Talk) -> int:
    return len(talk.said) - len(talk.told)


def fates(talk: Talk, troubled: Callable[[float, float], bool]) -> dict[int, Fate]:
    """`troubled`: whether something was in the way between two times."""
    found = {}
    answers = talk.answers()
    for number, at in talk.said.items():
        texts = answers.get(number, [])
        if not texts:
            found[number] = Fate.LOST
        elif len(texts) > 1:
            # It was sent, and the program was killed before it had noted that.
            again = len(set(texts)) == 1 and troubled(at, talk.told[number])
            found[number] = Fate.AGAIN if again and not talk.keyed else Fate.DOUBLED
        elif is_right(number, texts[0]):
            found[number] = Fate.RIGHT
        else:
            excused = troubled(at, talk.told[number])
            found[number] = Fate.EXCUSED if excused else Fate.WRONG
    return found


def counted(talks: Iterable[Mapping[int, Fate]]) -> Counter[Fate]:
    return Counter(fate for one in talks for fate in one.values())


@dataclass
class PipeTalk:
    """With one peer over a pipe; the number is the message's id."""

    script: Script
    peer: Mapping[str, str]
    said: dict[int, float] = field(default_factory=dict)
    told: dict[int, float] = field(default_factory=dict)
    keyed: bool = True

    def say(self, number: int) -> None:
        self.said[number] = time.monotonic()
        self.script.say(str(number), self.peer, request(number))

    def begin_anew(self, number: int) -> None:
        self.script.say(str(number), self.peer, "/new")

    def look(self) -> None:
        """Only what came since the last look is gone through."""
        for key, one in list(self.script.answers.copy().items())[self._seen :]:
            self._seen += 1
            number = one.get("replyTo")
            if number is not None and int(str(number)) in self.said:
                self.told.setdefault(int(str(number)), self.script.when[key])

    _seen: int = 0

    def answers(self) -> Mapping[int, list[str]]:
        found: dict[int, list[str]] = {}
        for one in self.script.answers.copy().values():
            number = one.get("replyTo")
            if number is not None and int(str(number)) in self.said:
                found.setdefault(int(str(number)), []).append(str(one["text"]))
        return found


@dataclass
class IrcTalk:
    """A person's private talk with one account. She comes anew with the server."""

    account: str
    who: str
    person: Person | None = None
    said: dict[int, float] = field(default_factory=dict)
    told: dict[int, float] = field(default_factory=dict)
    keyed: bool = False
    _before: list[str] = field(default_factory=list)

    def say(self, number: int) -> None:
        assert self.person is not None
        self.said[number] = time.monotonic()
        self.person.write("PRIVMSG", self.account, request(number))

    def begin_anew(self, number: int) -> None:
        assert self.person is not None
        self.person.write("PRIVMSG", self.account, "/new")

    async def come(self, port: int) -> None:
        self.person = await Person.come(self.who, port)

    async def go(self) -> None:
        if self.person is not None:
            self._before += self._lines()
            await self.person.go()
            self.person = None

    def _lines(self) -> list[str]:
        if self.person is None:
            return []
        told = tuple(self.person.lines)
        return [text for nick, to, text in told if nick == self.account and to == self.who]

    def look(self) -> None:
        """One at a time is said here, so what comes answers it."""
        for number in self.answers():
            self.told.setdefault(number, time.monotonic())

    def answers(self) -> Mapping[int, list[str]]:
        return by_number((*self._before, *self._lines()), list(self.said))


def by_number(texts: Iterable[str], said: Sequence[int]) -> dict[int, list[str]]:
    """Which of `said` each of `texts` answers, both in their order, one having been said at a time.

    By the number in it; where there is none, it answers a `/new`, else what was said last. What a
    kill makes the program say again may come when the next number is said already: where that one
    is answered after all, the words without a number were those of the number before.
    """
    found: dict[int, list[str]] = {}
    for text in texts:
        told = [int(one) for one in _NUMBER.findall(text)]
        left = next((one for one in said if one not in found), None)
        about = left if left in told else next((n for n in told if n in said), None)
        if about is None and not text.startswith(_TO_NEW):
            about = left
        elif about is not None and (before := said[: said.index(about)]):
            earlier, own = found.get(before[-1], []), found.get(about, [])
            if own and own == earlier[-1:] and not _NUMBER.search(own[0]):
                earlier.append(own.pop())
        if about is not None:
            found.setdefault(about, []).append(text)
    return found
