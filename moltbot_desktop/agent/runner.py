"""Carries a run out: the turn machine decides, this does it and writes down what happened.

Order of truth: the person's words are on disk before anything else; every result is in the
transcript before the model sees it; the outcome is written exactly once, whatever happens.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from moltbot_desktop.agent import command_style, follow_up, prompt
from moltbot_desktop.agent.answering import answer_of, correction
from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.emitter import RunEmitter
from moltbot_desktop.agent.recall import (
    MOST_RECALLED,
    Recaller,
    line_of,
    not_said,
)
from moltbot_desktop.agent.results import ResultShelf
from moltbot_desktop.agent.run import Progress, Run, RunCancel, RunLimits, RunRequest
from moltbot_desktop.agent.tool_steps import ToolSteps
from moltbot_desktop.agent.turn import (
    AskToGoOn,
    CallModel,
    Effect,
    Event,
    GoOnAnswered,
    ModelAnswered,
    Recall,
    Recalled,
    RunTools,
    Stop,
    ToolsRan,
    TurnMachine,
    TurnSetup,
)
from moltbot_desktop.agent.typos import respelled
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ContextOverflow, MoltbotError
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.ids import DEFAULT_AGENT, SessionId
from moltbot_desktop.core.memories import Use
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.hooks import AgentContext, AgentEnd, AgentStartAnswer, BeforeAgentStart
from moltbot_desktop.sdk.memory import SearchHit, used_memory
from moltbot_desktop.sdk.models import (
    ChatModel,
    FinishReason,
    GenerationRequest,
    PromptStyle,
)
from moltbot_desktop.sdk.tools import ToolContext, ToolSpec
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import parse_session_key
from moltbot_desktop.sessions.store import Session

__all__ = ["AgentParts", "AgentRunner", "RunCancel", "RunLimits", "RunRequest"]

_log = logging.getLogger(__name__)
_REPLY_SHARE = 4
"""A quarter of the window is kept for the reply."""

_ONE_SHOT = "one-shot"


@dataclass(frozen=True)
class AgentParts:
    """What a runner is made of.

    Attributes:
        model: lends the chat model for one run; loads it when it is not in memory.
        frozen_prompt: the session's frozen segments, made once per session.
        library: folders outside the workspace whose files tools may read: skills.
        recaller: looks into memory for what a request asks about; None when that is off.
        one_shot: every session is asked once and never gone on with (a script's), so that the
            model keeps what it read of the last of them alone.
        hooks: of extensions, told and asked on the way.
    """

    model: Callable[[], AbstractAsyncContextManager[ChatModel]]
    recaller: Recaller | None
    dispatcher: Dispatcher
    workspace: Path
    clock: Clock
    frozen_prompt: Callable[[], Sequence[prompt.PromptSegment]]
    limits: RunLimits
    library: tuple[Path, ...] = ()
    default_language: Language = Language.ENGLISH
    one_shot: bool = False
    hooks: HookBus = field(default_factory=HookBus)


class AgentRunner:
    """Runs requests. Sessions run side by side, a session's own runs one after the other."""

    def __init__(self, parts: AgentParts) -> None:
        self._parts = parts
        self._shelf = ResultShelf()
        self._tools = ToolSteps(parts.dispatcher, parts.hooks, self._shelf, parts.clock)
        self._pending: dict[str, ToolCall] = {}
        self._ended: dict[str, follow_up.Ended] = {}
        self._kept: dict[str, _KeptHistory] = {}
        self._frozen: dict[str, tuple[prompt.PromptSegment, ...]] = {}

    async def run(
        self,
        request: RunRequest,
        session: Session,
        emit: Callable[[RunEvent], None],
        cancel: RunCancel,
    ) -> RunOutcome:
        """Carry `request` out to its one outcome. The person's words must already be stored.

        Known errors and time-outs become outcomes; cancelling the task stores `cancelled` and
        raises on.
        """
        started = self._parts.clock.monotonic()
        run = self._prepared(request, session, emit, cancel)
        run.emitter.started(request.text)
        try:
            run = _with_past(run)
            async with asyncio.timeout(self._parts.limits.seconds), self._parts.model() as model:
                stop = await self._turns(run, model)
        except TimeoutError:
            cancel.cancel()
            text = run.say("timed_out", seconds=self._parts.limits.seconds)
            stop = Stop(OutcomeKind.TIMED_OUT, text, text)
        except MoltbotError as error:
            stop = Stop(OutcomeKind.FAILED, str(error), str(error))
        except Exception as error:  # noqa: BLE001 - border: a bug ends its run, never the program
            _log.exception("run %s failed", request.run_id)
            text = run.say("bug", kind=type(error).__name__)
            stop = Stop(OutcomeKind.FAILED, text, text)
        except asyncio.CancelledError:
            cancel.cancel()
            self._finish(run, Stop(OutcomeKind.CANCELLED, run.progress.streamed), started)
            raise
        return self._finish(run, stop, started)

    async def read_along(self, session: Session, text: str, cancel: RunCancel) -> None:
        """Let the model read what will stand in the next prompt, while the person still types.

        Raises:
            ModelError: the model cannot be loaded; the run that follows will say so.
        """
        async with self._parts.model() as model:
            if model.info.style is PromptStyle.COMMAND:
                return
            frozen = self._frozen_of(session.session_id)
            parts = prompt.PromptParts(frozen, (), text, self._parts.clock.now())
            reply = self._reply_tokens(model)
            tools = self._parts.dispatcher.specs
            stored = session.transcript.messages()
            history = await self._fitting_history(session, model, stored, parts, tools, reply)
            request = GenerationRequest(
                messages=prompt.typed(replace(parts, history=history), text),
                tools=tools,
                conversation=self._conversation_of(session.session_id),
            )
            await model.prefill(request, cancel)

    def forget_session(self, session_id: str) -> None:
        """Drop what is kept in memory for a session that was closed."""
        self._frozen.pop(session_id, None)
        self._pending.pop(session_id, None)
        self._ended.pop(session_id, None)
        self._kept.pop(session_id, None)
        self._shelf.forget(SessionId(session_id))

    def forget_words(self) -> tuple[str, ...]:
        """Drop what was made of memory before something was forgotten: frozen prompts, counts of
        tokens. Returns the names under which models keep what they have read."""
        names = {*self._frozen, *self._kept} - {""}
        self._shelf.clear()
        self._frozen.clear()
        self._kept.clear()
        return (*sorted(names), _ONE_SHOT)

    def _prepared(
        self,
        request: RunRequest,
        session: Session,
        emit: Callable[[RunEvent], None],
        cancel: RunCancel,
    ) -> Run:
        language = language_of(request.text, self._parts.default_language)
        emitter = RunEmitter(request.run_id, request.key, emit)
        ended = self._ended.pop(session.session_id, None)
        context = ToolContext(
            request.run_id,
            request.key,
            self._parts.workspace,
            request.text,
            language,
            cancel,
            library=self._parts.library,
            kept=partial(self._shelf.find, session.session_id),
        )
        scope = Scope(context, request.presence, emitter, told=emitter.tool_updated)
        parsed = parse_session_key(request.key)
        around = AgentContext(
            parsed.agent if parsed else DEFAULT_AGENT,
            request.key,
            self._parts.workspace,
            request.channel,
        )
        return Run(
            request, session, language, emitter, cancel, scope, around, (), Progress(), ended
        )

    async def _turns(self, run: Run, model: ChatModel) -> Stop:
        confirmed = self._confirmed(run)
        if isinstance(confirmed, Stop):
            return confirmed
        text, now = run.request.text, self._parts.clock.now()
        certain = confirmed or follow_up.completed_calls(run.ended, text, now)
        if model.info.style is PromptStyle.COMMAND:
            certain = certain or command_style.to_forget(text)
        machine = TurnMachine(
            TurnSetup(
                text,
                run.language,
                now,
                model.info.style,
                model.info.confidence_gate,
                self._parts.limits.tool_calls,
                certain,
                follow_up.completed_requests(run.ended, text),
                respelled(text) if model.info.style is PromptStyle.COMMAND else None,
                self._parts.dispatcher.missing_names,
            )
        )
        if model.info.style is PromptStyle.FULL:
            run.progress.asked = await self._parts.hooks.before_agent_start(
                BeforeAgentStart(run.context, text, run.history)
            )
            run.progress.recalled = await self._recalled(run)
        effect = machine.start()
        while not isinstance(effect, Stop):
            if run.cancel.cancelled:
                return Stop(OutcomeKind.CANCELLED, "", run.say("cancelled"))
            effect = machine.feed(await self._carry_out(effect, model, run))
        if effect.pending is not None:
            self._pending[run.session.session_id] = effect.pending
            run.emitter.tool_not_run(effect.pending)
        if model.info.style is PromptStyle.COMMAND:
            self._ended[run.session.session_id] = machine.ended(effect)
        return effect

    def _confirmed(self, run: Run) -> tuple[ToolCall, ...] | Stop:
        """The call that this request says yes to; a no ends the run; else the question lapses."""
        pending = self._pending.pop(run.session.session_id, None)
        if pending is None:
            return ()
        if command_style.says_yes(run.request.text):
            return (replace(pending, confidence=1.0),)
        if command_style.says_no(run.request.text):
            return Stop(OutcomeKind.ANSWERED, run.say("not_confirmed"))
        return ()

    async def _carry_out(self, effect: Effect, model: ChatModel, run: Run) -> Event:
        match effect:
            case CallModel():
                try:
                    return await self._call_model(effect, model, run)
                except ContextOverflow:
                    if model.info.style is PromptStyle.FULL:
                        raise
                    # A command model reads this message alone: a new conversation is no help.
                    return ModelAnswered(run.say("too_long"), FinishReason.STOP)
            case RunTools():
                return ToolsRan(await self._tools.run(effect.calls, run, model))
            case Recall():
                return Recalled(await self._strong_quote(effect.query, run))
            case AskToGoOn():
                dispatcher = self._parts.dispatcher
                return GoOnAnswered(
                    await dispatcher.may_go_on(effect.question, effect.call, run.scope)
                )
            case Stop():
                raise AssertionError("Stop is not carried out")

    async def _call_model(self, effect: CallModel, model: ChatModel, run: Run) -> ModelAnswered:
        if effect.correction is not None:
            run.progress.turn += correction(effect.correction)
        if run.progress.turn and model.info.style is PromptStyle.FULL:
            said = run.request.said()
            run.progress.turn += [ChatMessage(Role.USER, text) for text in said]
        request = await self._request(model, run, effect.request)
        return await answer_of(model, request, run)

    async def _request(self, model: ChatModel, run: Run, text: str) -> GenerationRequest:
        style = model.info.style
        parts = prompt.PromptParts(
            frozen=self._frozen_for(run) if style is PromptStyle.FULL else (),
            history=(),
            user_text=_with_context(run.progress.asked, text or run.request.text),
            now=self._parts.clock.now(),
            recalled=tuple(map(line_of, run.progress.recalled)),
            turn=tuple(run.progress.turn),
        )
        tools = self._parts.dispatcher.specs
        reply = self._reply_tokens(model)
        if style is PromptStyle.FULL:
            history = await self._fitting_history(
                run.session, model, run.history, parts, tools, reply
            )
            fresh = not_said(run.progress.recalled, history)
            parts = replace(parts, history=history, recalled=tuple(map(line_of, fresh)))
        temperature = self._parts.limits.temperature
        return GenerationRequest(
            messages=prompt.messages(parts, style),
            tools=tools,
            max_tokens=reply,
            temperature=temperature,
            seed=random.getrandbits(31) if temperature > 0 else 0,
            conversation=self._conversation_of(run.session.session_id),
        )

    def _conversation_of(self, session_id: str) -> str:
        """The name under which the model keeps what it has read."""
        return _ONE_SHOT if self._parts.one_shot else session_id

    def _reply_tokens(self, model: ChatModel) -> int:
        return min(self._parts.limits.reply_tokens, model.info.context_tokens // _REPLY_SHARE)

    def _frozen_for(self, run: Run) -> tuple[prompt.PromptSegment, ...]:
        """The session's frozen segments, unless an extension gives this run a prompt of its own."""
        own = run.progress.asked.system_prompt
        if own is None:
            return self._frozen_of(run.session.session_id)
        return (prompt.PromptSegment("extension", own, prompt.Stability.FROZEN),)

    def _frozen_of(self, session_id: str) -> tuple[prompt.PromptSegment, ...]:
        if session_id not in self._frozen:
            self._frozen[session_id] = tuple(self._parts.frozen_prompt())
        return self._frozen[session_id]

    async def _fitting_history(
        self,
        session: Session,
        model: ChatModel,
        stored: tuple[ChatMessage, ...],
        parts: prompt.PromptParts,
        tools: Sequence[ToolSpec],
        reply: int,
    ) -> tuple[ChatMessage, ...]:
        """History cut to the window, by the model's own tokenizer.

        Cut rarely and then by a lot: where it begins decides what the model must read again. So
        the beginning stays where it is until the window is full, and then half of it is kept.
        """
        fixed = "".join(message.content for message in prompt.messages(parts, PromptStyle.FULL))
        described = "".join(
            f"{spec.name}{spec.description}{dict(spec.parameters)}" for spec in tools
        )
        used = await model.count_tokens(fixed + described) + reply
        budget = model.info.context_tokens - used
        known = self._kept.setdefault(session.session_id, _KeptHistory())
        kept = stored[known.start :]
        costs = await known.costs_of(kept, model, budget)
        if sum(costs) > budget:
            kept = prompt.trimmed_history(kept, costs, budget // 2)
            if not kept:  # the last exchange alone is longer than that
                kept = prompt.trimmed_history(stored[known.start :], costs, budget)
            known.start = len(stored) - len(kept)
        return kept

    async def _strong_quote(self, query: str, run: Run) -> str:
        for hit in await self._own_memories(query, 1, run):
            run.progress.used.add((used_memory(hit, Use.QUOTED),))
            return run.say("quote", text=hit.snippet, path=hit.path)
        return ""

    async def _recalled(self, run: Run) -> tuple[SearchHit, ...]:
        hits = await self._own_memories(run.request.text, MOST_RECALLED, run)
        if hits and not run.scope.labels.private:
            run.scope.labels = run.scope.labels.joined(Labels(private=True))
            run.session.transcript.append_labels(run.scope.labels.as_mapping())
        run.progress.used.add(used_memory(hit, Use.RECALLED) for hit in hits)
        return hits

    async def _own_memories(self, query: str, most: int, run: Run) -> tuple[SearchHit, ...]:
        """Nothing for a turn that the owner did not write: a schedule's, a heartbeat's."""
        recaller = self._parts.recaller
        if recaller is None or run.request.presence is Presence.NOBODY:
            return ()
        return await recaller.worth_having(query, most)

    def _finish(self, run: Run, stop: Stop, started: float) -> RunOutcome:
        """Write the outcome down and tell it; the only place where a run ends."""
        outcome = RunOutcome(
            stop.kind,
            stop.text,
            stop.reason,
            run.progress.usage,
            self._parts.clock.monotonic() - started,
        )
        transcript = run.session.transcript
        if stop.text:
            message = ChatMessage(Role.ASSISTANT, stop.text)
            unfinished = stop.kind is OutcomeKind.CANCELLED
            transcript.append_assistant(message, run.request.run_id, unfinished=unfinished)
        memories = run.progress.used.strongest if _shows_an_answer(stop) else ()
        if memories:
            transcript.append_memories(run.request.run_id, memories)
            run.emitter.memories_used(memories)
        transcript.append_outcome(run.request.run_id, outcome)
        if run.progress.streamed and run.progress.streamed.strip() != stop.text:
            run.emitter.retracted()
        run.emitter.ended(outcome)
        self._parts.hooks.tell_soon(_agent_end(run, outcome))
        return outcome


def _with_context(asked: AgentStartAnswer, text: str) -> str:
    """The request with what extensions put before it."""
    return f"{asked.prepend_context}\n\n{text}" if asked.prepend_context else text


def _shows_an_answer(stop: Stop) -> bool:
    """Whether `stop` has words of the assistant's, not a question or why it failed."""
    return bool(stop.text) and stop.kind in (OutcomeKind.ANSWERED, OutcomeKind.CANCELLED)


def _agent_end(run: Run, outcome: RunOutcome) -> AgentEnd:
    asked = ChatMessage(Role.USER, run.request.text)
    said = (ChatMessage(Role.ASSISTANT, outcome.text),) if outcome.text else ()
    well = outcome.kind in (OutcomeKind.ANSWERED, OutcomeKind.SILENT, OutcomeKind.NEEDS_YOU)
    return AgentEnd(
        run.context,
        (asked, *run.progress.turn, *said),
        success=well,
        error="" if well else outcome.reason,
        duration_ms=int(outcome.seconds * 1000),
    )


def _with_past(run: Run) -> Run:
    """What the conversation holds so far."""
    transcript = run.session.transcript
    run.scope.labels = Labels.from_mapping(transcript.labels())
    return replace(run, history=transcript.messages())


@dataclass
class _KeptHistory:
    """How much of a session's history the model is shown, and what its messages cost.

    Attributes:
        start: index of the first message that is shown.
    """

    start: int = 0
    _costs: dict[tuple[str, str, str], int] = field(default_factory=dict)

    async def costs_of(
        self, messages: Sequence[ChatMessage], model: ChatModel, budget: int
    ) -> list[int]:
        """Tokens of each message. Once the newer ones are over `budget`, which is known then,
        the older ones are not counted any more but taken for too long."""
        costs: list[int] = []
        used = 0
        for message in reversed(messages):
            if used <= budget:
                key = (model.info.name, message.content, str(message.tool_calls))
                if key not in self._costs:
                    self._costs[key] = await _cost(model, message)
                costs.append(self._costs[key])
            else:
                costs.append(budget + 1)
            used += costs[-1]
        return costs[::-1]


async def _cost(model: ChatModel, message: ChatMessage) -> int:
    """Tokens of a message in a prompt, with some for its frame."""
    calls = "".join(f"{call.name}{dict(call.arguments)}" for call in message.tool_calls)
    return await model.count_tokens(message.content + calls) + 8
