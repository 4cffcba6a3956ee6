"""Forgetting over a `FakeMemory`, with conversations that a test writes down.

    forgetting = FakeForgetting(memory)
    forgetting.said = {"I like tea": [("s1", "2026-11-18", 2)]}    # session, day, places

`blotted` lists what was taken out as (session, words); a session in `busy` refuses.
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.sdk.forgetting import Elsewhere, Forgotten, Place, SaidIn
from moltbot_desktop.sdk.memory import SearchHit, StoredNote
from tests.fakes.memory import FakeMemory


class FakeForgetting:
    """Implements `sdk.forgetting.Forgetting`."""

    def __init__(self, memory: FakeMemory) -> None:
        self.memory = memory
        self.said: dict[str, list[tuple[str, str, int]]] = {}
        self.busy: set[str] = set()
        self.others: dict[str, tuple[tuple[Place, int], ...]] = {}
        self.blotted: list[tuple[str, str]] = []
        self._last: SearchHit | None = None

    @property
    def last_words(self) -> str:
        return self._last.snippet if self._last else ""

    def forget(self, hit: SearchHit, *, undo: bool = True) -> Forgotten:
        removed = self.memory.forget(hit)
        self._last = hit if undo else None
        return Forgotten(removed, (hit.path,))

    def said_in(self, words: str) -> tuple[SaidIn, ...]:
        return tuple(SaidIn(*one) for one in self.said.get(words, ()))

    def blot(self, said: Sequence[SaidIn], words: str) -> tuple[str, ...]:
        gone = [one.session for one in said if one.session not in self.busy]
        self.said[words] = [one for one in self.said[words] if one[0] not in gone]
        self.blotted += [(session, words) for session in gone]
        return tuple("" if one.session in gone else "It is open elsewhere." for one in said)

    def elsewhere(self, words: str) -> Elsewhere:
        return Elsewhere(self.others.get(words, ()))

    def blot_elsewhere(self, words: str) -> Elsewhere:
        return Elsewhere(self.others.pop(words, ()))

    def bring_back(self) -> StoredNote:
        hit, self._last = self._last, None
        if hit is None:
            raise UserInputInvalid("There is no forgotten note to bring back.")
        self.memory.files[hit.path].insert(hit.start_line - 1, hit.snippet)
        return StoredNote(hit.path, hit.start_line)
