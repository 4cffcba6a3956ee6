"""Memories for a request: which are brought up, in what words, and which an answer was made with.

    hits = await recaller.recalled("Who is my dentist?")
    lines = [line_of(hit) for hit in not_said(hits, history)]     # the prompt's tail
    used.add(used_memory(hit, Use.RECALLED) for hit in hits)      # kept with the answer

One search and no second model. What is marked (written while a stranger's text was in the
conversation) and what is no note of the owner's (a transcript) is never brought up unasked: the
model may look for it, and the conversation is labelled then.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.messages import ChatMessage
from moltbot_desktop.sdk.memory import MemoryEngine, SearchHit
from moltbot_desktop.sdk.memory_plugins import RecallRule

_LOOKED_AT = 8
"""More than are brought up, because some of them are nothing to bring up."""
_LONGEST_LINE = 300
_MOST_USED = 6

_log = logging.getLogger(__name__)

InThread = Callable[[Callable[[], tuple[SearchHit, ...]]], Awaitable[tuple[SearchHit, ...]]]


class Recalls(Protocol):
    """What a run asks for memories; see `Recaller`, whose methods these are."""

    async def recalled(self, request: str) -> tuple[SearchHit, ...]: ...

    async def answering(self, query: str) -> tuple[SearchHit, ...]: ...


@dataclass(frozen=True)
class Recaller:
    """Looks into memory before a model answers.

    Attributes:
        in_thread: runs a blocking search elsewhere than on the event loop.
        strong_hit: score from which a memory answers a question by itself.
        rule: what is brought up unasked now; None for nothing.
    """

    memory: MemoryEngine
    in_thread: InThread
    strong_hit: float
    rule: Callable[[], RecallRule | None] = RecallRule

    async def recalled(self, request: str) -> tuple[SearchHit, ...]:
        """What the rule brings up for a request, best first."""
        rule = self.rule()
        if rule is None or len(request.strip()) < rule.shortest:
            return ()
        return await self._own(request, rule.most, rule.least_score)

    async def answering(self, query: str) -> tuple[SearchHit, ...]:
        """The note that answers `query` by itself; none when there is no such."""
        return await self._own(query, 1, self.strong_hit)

    async def _own(self, query: str, most: int, least_score: float) -> tuple[SearchHit, ...]:
        """The owner's own notes of such a score, best first; at most `most`.

        None when memory cannot be searched: an answer without it is better than no answer.
        """
        try:
            hits = await self.in_thread(
                lambda: self.memory.search(query, max_results=_LOOKED_AT).hits
            )
        except MoltbotError as error:
            _log.warning("nothing recalled: %s", error)
            return ()
        own = [hit for hit in hits if not hit.mark and hit.source == "memory"]
        return tuple(hit for hit in own if hit.score >= least_score)[:most]


def line_of(hit: SearchHit) -> str:
    """``- My dentist is Dr. Okafor (memory/2026-11-20.md:3)``, on one line whatever it holds."""
    words = " ".join(hit.snippet.split())
    if len(words) > _LONGEST_LINE:
        words = words[: _LONGEST_LINE - 1] + "…"
    return f"{words} ({hit.path}:{hit.start_line})"


def not_said(hits: Iterable[SearchHit], history: Sequence[ChatMessage]) -> tuple[SearchHit, ...]:
    """`hits` without those whose words stand in `history`, which the model reads anyway."""
    hits = tuple(hits)
    said = _letters("".join(message.content for message in history)) if hits else ""
    return tuple(hit for hit in hits if _letters(hit.snippet) not in said)


def _letters(text: str) -> str:
    """What stays of a text in quotes, in JSON or on several lines."""
    return "".join(filter(str.isalnum, text.casefold()))


@dataclass
class UsedMemories:
    """What a run has used of memory so far, each place once."""

    _found: dict[tuple[str, str], UsedMemory] = field(default_factory=dict)

    def add(self, memories: Iterable[UsedMemory]) -> None:
        for used in memories:
            self._found.setdefault((used.path, used.digest), used)

    @property
    def strongest(self) -> tuple[UsedMemory, ...]:
        """Best first; as many as a person wants to know about."""
        return tuple(sorted(self._found.values(), key=lambda used: -used.score)[:_MOST_USED])
