"""Carries a compaction out: memories first, then the summary, then one entry in the transcript.

    done = await compactor.compact(model, job, cancel, run)       # None: nothing came of it

Whatever goes wrong leaves the conversation as it was. A model that cannot be reached now may be
able to later, so nothing is written then; one that writes nothing usable is replaced by a summary
that needs no model, because without any the conversation could not go on. The labels of a
conversation belong to its transcript, and with it to each summary of it: text of strangers stays
text of strangers.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from moltbot_desktop.agent.compaction import (
    CompactionPlan,
    Facts,
    facts_of,
    fewer,
    planned,
    with_facts,
    words_of,
)
from moltbot_desktop.agent.context import ContextLimits, SessionBook
from moltbot_desktop.agent.memory_flush import MemoryFlush, flush_due
from moltbot_desktop.agent.run import Run
from moltbot_desktop.agent.summarising import Summariser, SummaryTask
from moltbot_desktop.agent.token_counts import TokenCounts
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ContextOverflow, ModelError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.hooks import AfterCompaction, AgentContext, BeforeCompaction
from moltbot_desktop.sdk.models import ChatModel
from moltbot_desktop.sdk.tools import CancelToken
from moltbot_desktop.sessions.entries import CompactionEntry
from moltbot_desktop.sessions.runs import PromptHistory
from moltbot_desktop.sessions.store import Session

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class CompactionJob:
    """What is to be made shorter.

    Attributes:
        costs: tokens of the exchanges of `history` that prompts show.
        prompt_tokens: of the whole prompt as it would be now.
        keep: tokens that exchanges may cost afterwards.
        summary_tokens: how long the summary may be.
        wish: what the person asks to be kept.
        will_retry: an answer was begun and is begun again afterwards.
    """

    session: Session
    context: AgentContext
    history: PromptHistory
    costs: tuple[int, ...]
    prompt_tokens: int
    keep: int
    summary_tokens: int
    language: Language
    wish: str = ""
    will_retry: bool = False


@dataclass(frozen=True)
class Compacted:
    """What a compaction did; tokens are those of the conversation in a prompt."""

    exchanges: int
    tokens_before: int
    tokens_after: int
    notes: int = 0


@dataclass
class Compactor:
    """One for all conversations. `book` keeps the counts that outlive the program."""

    counts: TokenCounts
    flush: MemoryFlush
    hooks: HookBus
    book: SessionBook
    limits: ContextLimits
    clock: Clock

    async def compact(
        self, model: ChatModel, job: CompactionJob, cancel: CancelToken, run: Run | None
    ) -> Compacted | None:
        """Summarise the older exchanges; None when there are none, or it was stopped or failed.

        Args:
            run: in the middle of which this happens; it is told, and memories are written in its
                name. None for a person's command.

        Raises:
            StorageError: the summary was not kept.
        """
        plan = planned(job.history, job.costs, job.keep)
        if plan is None:
            return None
        before = _cost_before(job)
        if run is not None:
            run.emitter.compaction_started(before)
        messages = len(job.history.messages)
        await self.hooks.tell(BeforeCompaction(job.context, messages, before))
        notes = await self._flush(model, job, plan, run)
        done = await self._summarised(model, job, plan, notes, cancel)
        if run is not None:
            told = done or Compacted(0, before, before, notes)
            run.emitter.compaction_ended(
                told.exchanges,
                told.tokens_before,
                told.tokens_after,
                told.notes,
                will_retry=job.will_retry and done is not None,
            )
        if done is not None:
            gone = sum(len(one.messages) for one in plan.summarised)
            after = AfterCompaction(job.context, messages - gone, gone, done.tokens_after)
            await self.hooks.tell(after)
        return done

    async def _summarised(
        self,
        model: ChatModel,
        job: CompactionJob,
        plan: CompactionPlan,
        notes: int,
        cancel: CancelToken,
    ) -> Compacted | None:
        known = job.history.compaction
        before = words_of(known.summary) if known else ""
        size = job.summary_tokens
        task = SummaryTask(plan.summarised, before, job.language, job.wish, size)
        words = await self._words(model, task, cancel)
        if words is None or cancel.cancelled:
            return None
        facts = facts_of(plan.summarised, known)
        summary = await self._with_facts(model, words, facts, size)
        job.session.transcript.append_compaction(
            summary,
            plan.first_kept_entry_id,
            _cost_before(job),
            read_files=facts.read,
            changed_files=facts.changed,
        )
        self._counted(job)
        kept = sum(job.costs[len(job.costs) - len(plan.kept) :])
        after = await self.counts.of_text(model, summary) + kept
        return Compacted(len(plan.summarised), _cost_before(job), after, notes)

    async def _words(self, model: ChatModel, task: SummaryTask, cancel: CancelToken) -> str | None:
        summariser = Summariser(self.counts)
        try:
            return await summariser.words(model, task, cancel)
        except ModelError as error:
            _log.warning("the model wrote no summary: %s", error)
            if error.retryable and not isinstance(error, ContextOverflow):
                return None
            return await summariser.plain(model, task)

    async def _with_facts(self, model: ChatModel, words: str, facts: Facts, size: int) -> str:
        """The words, and as many facts as fit beside them."""
        while True:
            text = with_facts(words, facts)
            if facts == Facts() or await self.counts.of_text(model, text) <= size:
                return text
            facts = fewer(facts)

    async def _flush(
        self, model: ChatModel, job: CompactionJob, plan: CompactionPlan, run: Run | None
    ) -> int:
        """Memories written before this summary; once for each count of summaries."""
        if run is None or not self.limits.flush or not self.flush.possible(model, run):
            return 0
        key, count = job.session.key, _compactions(job)
        flushed = self.book.settings(key).memory_flush_compaction_count
        if not flush_due(
            job.prompt_tokens,
            model.info.context_tokens,
            self.limits.reserve_floor,
            self.limits.soft_threshold,
            count,
            flushed,
        ):
            return 0
        now = int(self.clock.now().timestamp() * 1000)
        # Before it happens: one that breaks off is not begun again in the same cycle.
        self.book.change_settings(
            key,
            lambda old: replace(old, memory_flush_at=now, memory_flush_compaction_count=count),
        )
        return await self.flush.run(model, plan.summarised, run)

    def _counted(self, job: CompactionJob) -> None:
        count = _compactions(job)
        self.book.change_settings(job.session.key, lambda old: replace(old, compaction_count=count))


def _compactions(job: CompactionJob) -> int:
    """How often the beginning was summarised so far, as the transcript has it."""
    entries = job.session.transcript.entries()
    return sum(isinstance(entry, CompactionEntry) for entry in entries)


def _cost_before(job: CompactionJob) -> int:
    return sum(job.costs)
