"""What of a conversation stands in its prompts between two summaries, and what that costs.

    view = views.setdefault(session_id, HistoryView())
    shown = await view.shown(counts, model, history)           # summary, exchanges, their tokens

A view moves rarely and then by a lot: where the conversation begins in a prompt, and how old
results look there, decides what the model must read again. In memory only; the transcript has all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from moltbot_desktop.agent.prompt import Harmless, harmless
from moltbot_desktop.agent.pruning import Pruning, PruningRules, Softness, border, pruned
from moltbot_desktop.agent.token_counts import TokenCounts
from moltbot_desktop.core.messages import Role
from moltbot_desktop.sdk.models import ChatModel
from moltbot_desktop.sessions.runs import Exchange, PromptHistory

_BLOCK = 32
"""Tokens of what frames a summary in a prompt."""
_ENOUGH = 0.75
"""Pruning must bring a full history down to this share of its room, or it is not worth it."""
_HALF = 0.5


@dataclass(frozen=True)
class Shown:
    """The conversation as the next prompt has it.

    Attributes:
        summary: of what was said before `exchanges`.
        costs: tokens of each exchange.
        summary_cost: tokens of the summary.
        said: `messages` where they are known.
    """

    summary: str
    exchanges: tuple[Exchange, ...]
    costs: tuple[int, ...]
    summary_cost: int
    said: Harmless | None = None

    @cached_property
    def tokens(self) -> int:
        return sum(self.costs) + self.summary_cost

    @cached_property
    def messages(self) -> Harmless:
        return self.said or _said_in(self.exchanges)


@dataclass
class HistoryView:
    """One conversation's view.

    Attributes:
        start: first entry's id of the oldest exchange that is shown; "" for all.
        summarised: id of the compaction since which this holds.
        _costs: of the exchanges that were shown last, by first entry's id: the model's name, the
            exchange, its tokens. An exchange that is still the same object needs no counting.
        _last: the model's name, all exchanges that were shown last, their tokens and messages.
    """

    pruning: Pruning = field(default_factory=Pruning)
    start: str = ""
    summarised: str = ""
    _costs: dict[str, tuple[str, Exchange, int]] = field(default_factory=dict)
    _last: tuple[str, tuple[Exchange, ...], list[int], Harmless] = ("", (), [], Harmless())

    async def shown(self, counts: TokenCounts, model: ChatModel, history: PromptHistory) -> Shown:
        """What prompts have of `history` now."""
        known = history.compaction
        if known is not None and known.id != self.summarised:
            self.pruning, self.start, self.summarised = Pruning(), "", known.id
        exchanges = _from(self.start, history.exchanges)
        return await self._made(counts, model, history, exchanges, self.pruning)

    async def prune(
        self,
        counts: TokenCounts,
        model: ChatModel,
        history: PromptHistory,
        keep: int,
        most: int,
        rules: PruningRules,
    ) -> Shown | None:
        """The view with old results shortened, to about `keep` tokens each, so that it costs
        clearly less than `most` tokens; None, and nothing has changed, when that cannot be had."""
        exchanges = _from(self.start, history.exchanges)
        before = border(exchanges, rules.kept_answers)
        if not before:
            return None
        for softness in (Softness.SOFT, Softness.HARD) if rules.clears else (Softness.SOFT,):
            wanted = Pruning(softness, before, keep, rules)
            lighter = await self._made(counts, model, history, exchanges, wanted)
            if lighter.tokens <= _ENOUGH * most:
                self.pruning = wanted
                return lighter
        return None

    def begin_later(self, shown: Shown, most: int) -> Shown:
        """`shown` without its oldest exchanges, so that it costs at most `most` tokens: by half
        where it can, so that this happens seldom."""
        room = max(0, most - shown.summary_cost)
        kept = _newest(shown.costs, int(room * _HALF)) or _newest(shown.costs, room)
        start = len(shown.exchanges) - kept
        exchanges, costs = shown.exchanges[start:], shown.costs[start:]
        if exchanges:
            self.start = exchanges[0].first_entry_id
        if shown.summary_cost + sum(costs) > most:  # a summary made for a larger window
            return Shown("", exchanges, costs, 0)
        return Shown(shown.summary, exchanges, costs, shown.summary_cost)

    async def _made(
        self,
        counts: TokenCounts,
        model: ChatModel,
        history: PromptHistory,
        exchanges: tuple[Exchange, ...],
        pruning: Pruning,
    ) -> Shown:
        lighter = exchanges
        if pruning.softness is not Softness.NONE:
            sizes = await _result_sizes(counts, model, exchanges)
            lighter = pruned(exchanges, pruning, lambda m: sizes.get(m.content, 0))
        summary = history.compaction.summary if history.compaction else ""
        cost = await counts.of_text(model, summary) + _BLOCK if summary else 0
        name, before, known, said = self._last
        if before and name == model.info.name and lighter[: len(before)] == before:
            # What most turns find: all is as it was, and one exchange more.
            later = lighter[len(before) :]
            costs = [*known, *[await counts.of_messages(model, one.messages) for one in later]]
            said = Harmless((*said, *_said_in(later))) if later else said
        else:
            costs = await self._costs_of(counts, model, lighter)
            said = _said_in(lighter)
        self._last = (model.info.name, lighter, costs, said)
        return Shown(summary, lighter, tuple(costs), cost, said)

    async def _costs_of(
        self, counts: TokenCounts, model: ChatModel, exchanges: Sequence[Exchange]
    ) -> list[int]:
        """Tokens of each exchange. Once the newer ones are over the window, which is known then,
        the older ones are not counted any more but estimated."""
        costs: list[int] = []
        counted: dict[str, tuple[str, Exchange, int]] = {}
        name, used, most = model.info.name, 0, model.info.context_tokens
        for one in reversed(exchanges):
            known = self._costs.get(one.first_entry_id)
            if known is not None and known[0] == name and known[1] is one:
                cost = known[2]
            elif used <= most:
                cost = await counts.of_messages(model, one.messages)
                known = (name, one, cost)
            else:
                known = None
                cost = sum(len(message.content) for message in one.messages) // 3 + 1
            if known is not None:
                counted[one.first_entry_id] = known
            costs.append(cost)
            used += cost
        self._costs = counted  # of what is not shown any more nothing is kept
        return costs[::-1]


def _said_in(exchanges: Sequence[Exchange]) -> Harmless:
    return harmless([message for one in exchanges for message in one.messages])


async def _result_sizes(
    counts: TokenCounts, model: ChatModel, exchanges: Sequence[Exchange]
) -> dict[str, int]:
    results = (m for one in exchanges for m in one.messages if m.role is Role.TOOL)
    return {m.content: await counts.of_text(model, m.content) for m in results}


def _from(start: str, exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    if not start:
        return exchanges
    ids = [one.first_entry_id for one in exchanges]
    return exchanges[ids.index(start) :] if start in ids else exchanges


def _newest(costs: Sequence[int], room: int) -> int:
    """How many of the newest fit."""
    used = 0
    for number, cost in enumerate(reversed(costs)):
        used += cost
        if used > room:
            return number
    return len(costs)
