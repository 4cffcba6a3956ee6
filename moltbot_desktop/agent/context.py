"""How the window that was really allocated is shared, and what of it is used.

    budget = ContextBudget(window=2048, system=310, tools=620, request=90, most_reply=1024)
    budget.history      # tokens left for the conversation so far
    budget.reply        # tokens kept for the answer

All sizes are tokens by the model's own tokenizer. Shares and not fixed reserves, so that a window
of 2,000 works as one of 128,000 does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from moltbot_desktop.agent.pruning import PruningRules
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sessions.settings import SessionSettings

_SMALLEST_REPLY = 16
"""Of the window, as a fraction: a sixteenth."""
_MOST_OF_SYSTEM = 0.6


class SessionBook(Protocol):
    """What is set and counted for a conversation; `sessions.store.SessionStore`."""

    def settings(self, key: SessionKey) -> SessionSettings: ...

    def change_settings(
        self, key: SessionKey, change: Callable[[SessionSettings], SessionSettings]
    ) -> object: ...


@dataclass(frozen=True)
class ContextLimits:
    """What the settings say about a full window.

    Attributes:
        compaction: whether the beginning is summarised; without it, it is left out.
        pruning: whether old results of tools are shortened first; `results` says which and how.
        flush: whether the model may write memories before a summary.
        kept_share: how much of the room for the conversation a compaction leaves in use, 0.1-0.9.
        reserve_floor, soft_threshold: tokens, for when a flush is due; see `agent.memory_flush`.
        flush_task: what the model is asked then, "" for the usual text.
    """

    compaction: bool = True
    pruning: bool = True
    results: PruningRules = field(default_factory=PruningRules)
    flush: bool = True
    kept_share: float = 0.5
    reserve_floor: int = 20_000
    soft_threshold: int = 4_000
    flush_task: str = ""


@dataclass(frozen=True)
class ContextBudget:
    """The shares of one prompt, in tokens.

    Attributes:
        system: the frozen segments.
        request: the person's words, the tail behind them, and what this run added.
        most_reply: as the settings have it.
    """

    window: int
    system: int
    tools: int
    request: int
    most_reply: int

    @property
    def margin(self) -> int:
        """What templates print around the parts and no count of texts can know."""
        return self.window // 64 + 16

    @property
    def room(self) -> int:
        """What is left for the conversation and the reply; negative when there is no room."""
        return self.window - self.margin - self.system - self.tools - self.request

    @property
    def smallest_reply(self) -> int:
        return self.window // _SMALLEST_REPLY

    @property
    def reply(self) -> int:
        """A quarter of the window, less where prompt and tools leave little."""
        share = max(self.room // 2, self.smallest_reply)
        return max(1, min(self.most_reply, self.window // 4, share))

    @property
    def history(self) -> int:
        return max(0, self.room - self.reply)

    @property
    def comfortable(self) -> bool:
        """Whether something of the conversation fits too."""
        return self.history >= self.window // 8

    @property
    def fits(self) -> bool:
        """Whether request and a short reply fit, with no conversation at all."""
        return self.room >= self.smallest_reply

    @property
    def summary(self) -> int:
        """How long a summary may be."""
        return max(48, min(1_024, self.window // 10, self.history // 4))

    @property
    def pruned_result(self) -> int:
        """What is left of an old result of a tool."""
        return max(48, min(1_000, self.window // 32))


def most_of_system(window: int) -> int:
    """Tokens that the frozen segments may have; the tools' descriptions come on top."""
    return int(window * _MOST_OF_SYSTEM)
