"""Puts a prompt together so that it fits the window: what a run asks before each generation.

    request = await keeper.request(model, run, text)    # may summarise the beginning first
    await keeper.relieve(model, run)                    # the model found it too long all the same

A full window is relieved by the smallest means that helps, and by enough that it is not soon full
again: old results of tools are shortened, then the beginning is summarised, then whole exchanges
are left out. What this run gathered itself goes last. Between two such steps a prompt only grows
at its end, so a model reads nothing twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from moltbot_desktop.agent import prompt
from moltbot_desktop.agent.compactor import Compacted, CompactionJob, Compactor
from moltbot_desktop.agent.context import (
    ContextBudget,
    ContextLimits,
    SessionBook,
    most_of_system,
)
from moltbot_desktop.agent.context_report import ContextReport, ModelState, context_report
from moltbot_desktop.agent.frozen import fitted_segments
from moltbot_desktop.agent.history_view import HistoryView, Shown
from moltbot_desktop.agent.prompt_pieces import pieces_of
from moltbot_desktop.agent.pruning import Softness, shortened
from moltbot_desktop.agent.recall import line_of, not_said
from moltbot_desktop.agent.run import Run, RunLimits
from moltbot_desktop.agent.token_counts import TokenCounts
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ContextOverflow
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.hooks import AgentContext
from moltbot_desktop.sdk.models import ChatModel, GenerationRequest, PromptStyle
from moltbot_desktop.sdk.tools import CancelToken, ToolSpec
from moltbot_desktop.sessions.entries import CompactionEntry
from moltbot_desktop.sessions.store import Session

ONE_SHOT = "one-shot"
"""The conversation of all sessions that are asked once."""

_STOPPED = (
    "The owner stopped the answer before this message. Go on with that only if they ask for it."
)
_TIGHTER = 0.7
"""Of the window, once a model has found a prompt too long that was counted as fitting."""
_EASIER = 1.02
"""What it grows by with each answer, so that one such prompt does not make the window smaller for
ever: all of it is used again after some eighteen. Where the model was right a full window is
refused once more then, which costs no more than the summary that is due there anyway."""
_LESS_OF_TURN = ((Softness.SOFT, 1), (Softness.SOFT, 0), (Softness.HARD, 1), (Softness.HARD, 0))
"""How results of the running turn are shortened, and how many of the newest stay whole."""

PHRASES = Phrases(
    english={
        "too_long": "That is longer than what the model can read at once ({window} tokens).",
        "in_parts": "Say it in parts, or save it as a file and ask me to read that.",
    },
    chinese={
        "too_long": "这段内容超过了模型一次能读的长度（{window} 个词元）。",
        "in_parts": "请分几次说，或者存成文件再让我读。",
    },
)


@dataclass(frozen=True)
class ContextParts:
    """What a keeper is made of.

    Attributes:
        frozen_prompt: a session's frozen segments; asked once for each size of window.
        frozen_mark: they are asked for again when this is another text than before; the same
            during one run.
        tools: offered in each prompt of a conversation to a model of that name and window, sorted.
        one_shot: every session is asked once and never gone on with (a script's), so that the
            model keeps what it read of the last of them alone.
    """

    frozen_prompt: Callable[[Session], Sequence[prompt.PromptSegment]]
    frozen_mark: Callable[[Session], str]
    tools: Callable[[SessionKey, str, int], Sequence[ToolSpec]]
    clock: Clock
    limits: RunLimits
    context: ContextLimits
    counts: TokenCounts
    compactor: Compactor
    book: SessionBook
    one_shot: bool = False


@dataclass
class _Kept:
    """What is kept in memory for a session.

    Attributes:
        mark: what `frozen` was made for.
        frozen: the segments as they fit a window of that size, by the model of that name.
        share: of the window that is used; of this model's.
    """

    view: HistoryView = field(default_factory=HistoryView)
    mark: str = ""
    frozen: dict[tuple[str, int], tuple[prompt.PromptSegment, ...]] = field(default_factory=dict)
    share: float = 1.0
    state: ModelState = field(default_factory=ModelState)


@dataclass(frozen=True)
class _Place:
    """Where a prompt is wanted; `own_system` is an extension's system prompt for this run."""

    session: Session
    kept: _Kept
    model: ChatModel
    language: Language
    own_system: str | None


@dataclass(frozen=True)
class _Draft:
    """A prompt on its way: `shown` is the conversation as it stands in it now."""

    parts: prompt.PromptParts
    budget: ContextBudget
    shown: Shown

    @property
    def most(self) -> int:
        """Tokens that the conversation may have; a little less where a run begins, so that its
        results fit without another step."""
        spare = 0 if self.parts.turn else self.budget.window // 32
        return max(0, self.budget.history - spare)

    @property
    def full(self) -> bool:
        return self.shown.tokens > self.most


class ContextKeeper:
    """One for all conversations, each of which has one run at a time."""

    def __init__(self, parts: ContextParts) -> None:
        self._parts = parts
        self._counts = parts.counts
        self._sessions: dict[str, _Kept] = {}

    # ------------------------------------------------------------------- what a run asks

    async def request(self, model: ChatModel, run: Run, text: str) -> GenerationRequest:
        """The next generation of `run`, for the request `text`.

        Raises:
            ContextOverflow: what was asked is too long by itself.
            StorageError: a summary was not kept.
        """
        parts = self._asked(run, text)
        place = self._place(run.session, model, run)
        if model.info.style is PromptStyle.COMMAND:
            reply = min(self._parts.limits.reply_tokens, model.info.context_tokens // 4)
            _note(run, parts, (), model.info.style)
            return self._generation(
                model, run.session, prompt.messages(parts, model.info.style), reply
            )
        draft = await self._relieved(place, await self._draft(place, parts), run)
        fresh = not_said(run.progress.recalled, draft.shown.messages)
        parts = replace(_whole(draft), recalled=tuple(map(line_of, fresh)))
        messages = prompt.messages(parts, model.info.style)
        request = self._generation(model, run.session, messages, draft.budget.reply)
        _note(run, parts, request.tools, model.info.style)
        return replace(request, thinking=run.settings.think)

    async def typed(
        self, model: ChatModel, session: Session, text: str, think: str
    ) -> GenerationRequest | None:
        """What the next prompt begins with, of which `text` is typed so far; None when the next
        run will make room first, and reading would be in vain. `think` as in `RunSettings`."""
        place = self._place(session, model)
        draft = await self._draft(place, prompt.PromptParts((), (), text, self._now()))
        if draft.full:
            return None
        messages = prompt.typed(_whole(draft), text)
        request = self._generation(model, session, messages, draft.budget.reply)
        return replace(request, thinking=think)

    async def relieve(self, model: ChatModel, run: Run) -> None:
        """Make room because the model refused a prompt that was counted as fitting.

        Raises:
            ContextOverflow: what was asked is too long by itself.
            StorageError: a summary was not kept.
        """
        place = self._place(run.session, model, run)
        place.kept.share *= _TIGHTER
        draft = await self._draft(place, self._asked(run, run.request.text))
        if self._parts.context.compaction:
            job = _half(self._job(place, draft, run.context), draft)
            job = replace(job, will_retry=True)
            await self._parts.compactor.compact(model, job, run.cancel, run)

    async def compact(
        self,
        model: ChatModel,
        session: Session,
        context: AgentContext,
        wish: str,
        language: Language,
        cancel: CancelToken,
    ) -> Compacted | None:
        """Summarise the older half because the person asks for it, keeping what they `wish`; None
        when there is nothing to summarise, or it was stopped.

        Raises:
            StorageError: the summary was not kept.
        """
        place = self._place(session, model)
        draft = await self._draft(place, prompt.PromptParts((), (), "", self._now()))
        job = _half(self._job(place, draft, context), draft)
        job = replace(job, wish=wish, language=language)
        return await self._parts.compactor.compact(model, job, cancel, None)

    # ------------------------------------------------------------------- what is kept

    def answered(self, session: Session, usage: Usage) -> None:
        """The model has answered once; what that took is counted for the conversation."""
        kept = self._sessions.setdefault(session.session_id, _Kept())
        kept.state = replace(kept.state, cached=usage.cached_tokens)
        kept.share = min(1.0, kept.share * _EASIER)
        self._parts.book.change_settings(
            session.key,
            lambda old: replace(
                old,
                input_tokens=old.input_tokens + usage.prompt_tokens,
                output_tokens=old.output_tokens + usage.completion_tokens,
                total_tokens=usage.prompt_tokens + usage.completion_tokens,
                context_tokens=kept.state.window,
            ),
        )

    def report(self, session: Session) -> ContextReport:
        """What the next prompt of a conversation begins with; loads no model."""
        kept = self._sessions.setdefault(session.session_id, _Kept())
        name, window = kept.state.name, kept.state.window
        frozen = kept.frozen.get((name, window)) or tuple(self._parts.frozen_prompt(session))
        entries = session.transcript.entries()
        return context_report(
            frozen,
            self._tools(session, name, window),
            session.transcript.history(),
            sum(isinstance(entry, CompactionEntry) for entry in entries),
            self._counts,
            kept.state,
        )

    def forget_session(self, session_id: str) -> None:
        """Drop what is kept for a session that was closed."""
        self._sessions.pop(session_id, None)

    def forget_words(self) -> tuple[str, ...]:
        """Drop what was made of memory before something was forgotten. Returns the names under
        which models keep what they have read."""
        names = sorted({*self._sessions} - {""})
        self._sessions.clear()
        self._counts.forget()
        return (*names, ONE_SHOT)

    # ------------------------------------------------------------------- how it is made

    async def _draft(self, place: _Place, parts: prompt.PromptParts) -> _Draft:
        """The prompt with all of the conversation that is shown at present."""
        model = place.model
        parts = replace(parts, frozen=await self._frozen(place))
        parts, budget = await self._fitting_turn(place, parts)
        history = place.session.transcript.history()
        shown = await place.kept.view.shown(self._counts, model, history)
        return _Draft(parts, budget, shown)

    async def _relieved(self, place: _Place, draft: _Draft, run: Run) -> _Draft:
        """`draft` so that it fits, by the smallest means that helps."""
        model, view, limits = place.model, place.kept.view, self._parts.context
        if draft.full and limits.pruning:
            history = place.session.transcript.history()
            keep = draft.budget.pruned_result
            lighter = await view.prune(
                self._counts, model, history, keep, draft.most, limits.results
            )
            draft = replace(draft, shown=lighter or draft.shown)
        if draft.full and limits.compaction:
            job = self._job(place, draft, run.context)
            if await self._parts.compactor.compact(model, job, run.cancel, run):
                draft = await self._draft(place, draft.parts)
        if draft.shown.tokens > draft.budget.history:
            draft = replace(draft, shown=view.begin_later(draft.shown, draft.budget.history))
        return draft

    def _job(self, place: _Place, draft: _Draft, context: AgentContext) -> CompactionJob:
        budget = draft.budget
        room = int(budget.history * self._parts.context.kept_share)
        return CompactionJob(
            session=place.session,
            context=context,
            history=place.session.transcript.history(),
            costs=draft.shown.costs,
            prompt_tokens=budget.window - budget.room + draft.shown.tokens,
            keep=max(0, room - budget.summary),
            summary_tokens=budget.summary,
            language=place.language,
        )

    async def _fitting_turn(
        self, place: _Place, parts: prompt.PromptParts
    ) -> tuple[prompt.PromptParts, ContextBudget]:
        """`parts` with results of this run shortened where they leave no room."""
        budget = await self._budget(place, parts)
        turn = parts.turn
        for softness, whole in _LESS_OF_TURN:
            if budget.comfortable or (budget.fits and (softness, whole) != _LESS_OF_TURN[0]):
                break
            end = len(turn) - whole
            keep = budget.pruned_result
            lighter = [await self._shortened(place, m, softness, keep) for m in turn[:end]]
            parts = replace(parts, turn=(*lighter, *turn[end:]))
            budget = await self._budget(place, parts)
        if not budget.fits:
            say = PHRASES.say
            raise ContextOverflow(
                say("too_long", place.language, window=place.model.info.context_tokens),
                hint=say("in_parts", place.language),
            )
        return parts, budget

    async def _shortened(
        self, place: _Place, message: ChatMessage, softness: Softness, keep: int
    ) -> ChatMessage:
        if message.role is not Role.TOOL:
            return message
        tokens = await self._counts.of_text(place.model, message.content)
        return shortened(message, softness, tokens, keep)

    async def _budget(self, place: _Place, parts: prompt.PromptParts) -> ContextBudget:
        model = place.model
        said = prompt.messages(replace(parts, frozen=(), history=()), PromptStyle.FULL)
        return ContextBudget(
            window=int(model.info.context_tokens * place.kept.share),
            system=await self._counts.of_messages(model, prompt.system(parts.frozen)),
            tools=await self._counts.of_tools(model, self._offered(place.session, model)),
            request=await self._counts.of_messages(model, said),
            most_reply=self._parts.limits.reply_tokens,
        )

    async def _frozen(self, place: _Place) -> tuple[prompt.PromptSegment, ...]:
        """The session's frozen segments, unless an extension gives this run a prompt of its own."""
        if place.own_system is not None:
            return (prompt.PromptSegment("extension", place.own_system, prompt.Stability.FROZEN),)
        window = place.model.info.context_tokens
        known, fits = place.kept.frozen, (place.model.info.name, window)
        mark = self._parts.frozen_mark(place.session)
        if mark != place.kept.mark:
            known.clear()
            place.kept.mark = mark
        if fits not in known:
            offered = self._offered(place.session, place.model)
            tools = await self._counts.of_tools(place.model, offered)
            known[fits] = await fitted_segments(
                self._counts,
                place.model,
                self._parts.frozen_prompt(place.session),
                most_of_system(window) - tools,
            )
        return known[fits]

    def _asked(self, run: Run, text: str) -> prompt.PromptParts:
        """The run's own part of a prompt, with what extensions put before the request."""
        before = run.progress.asked.prepend_context
        return prompt.PromptParts(
            frozen=(),
            history=(),
            user_text=f"{before}\n\n{text}" if before else text,
            now=self._now(),
            recalled=tuple(map(line_of, run.progress.recalled)),
            turn=tuple(run.progress.turn),
            notices=(
                *((_STOPPED,) if run.progress.stopped else ()),
                *(one.text for one in run.progress.notices),
            ),
        )

    def _place(self, session: Session, model: ChatModel, run: Run | None = None) -> _Place:
        kept = self._sessions.setdefault(session.session_id, _Kept())
        info = model.info
        if (kept.state.name, kept.state.window) != (info.name, info.context_tokens):
            kept.share = 1.0
        kept.state = replace(kept.state, name=info.name, window=info.context_tokens)
        language = run.language if run else Language.ENGLISH
        own_system = run.progress.asked.system_prompt if run else None
        return _Place(session, kept, model, language, own_system)

    def _generation(
        self, model: ChatModel, session: Session, messages: tuple[ChatMessage, ...], reply: int
    ) -> GenerationRequest:
        temperature = self._parts.limits.temperature
        return GenerationRequest(
            messages=messages,
            tools=self._offered(session, model),
            max_tokens=reply,
            temperature=temperature,
            seed=random.getrandbits(31) if temperature > 0 else 0,
            conversation=ONE_SHOT if self._parts.one_shot else session.session_id,
        )

    def _offered(self, session: Session, model: ChatModel) -> tuple[ToolSpec, ...]:
        return self._tools(session, model.info.name, model.info.context_tokens)

    def _tools(self, session: Session, model: str, window: int) -> tuple[ToolSpec, ...]:
        return tuple(self._parts.tools(session.key, model, window))

    def _now(self) -> datetime:
        return self._parts.clock.now()


def _note(
    run: Run, parts: prompt.PromptParts, tools: Sequence[ToolSpec], style: PromptStyle
) -> None:
    """What the first prompt of a run is made of, for the record of it."""
    if not run.progress.pieces:
        run.progress.pieces = pieces_of(parts, tools, style)


def _whole(draft: _Draft) -> prompt.PromptParts:
    """The draft with its conversation."""
    return replace(draft.parts, history=draft.shown.messages, summary=draft.shown.summary)


def _half(job: CompactionJob, draft: _Draft) -> CompactionJob:
    """`job` so that at most half of the conversation is kept, also where all of it would fit."""
    return replace(job, keep=min(job.keep, draft.shown.tokens // 2))
