"""Carries a run out: the turn machine decides, this does it and writes down what happened.

Order of truth: the person's words are on disk before the model is asked (a call is flushed, and
they with it, before its tool runs); every result is in the transcript before the model sees it;
the outcome is written exactly once, whatever happens.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from moltbot_desktop.agent import command_style, follow_up, named_file, prompt
from moltbot_desktop.agent.answering import answer_of, correction
from moltbot_desktop.agent.bootstrap import Audience, audience_of
from moltbot_desktop.agent.brought_files import brought_files
from moltbot_desktop.agent.compactor import Compacted, Compactor
from moltbot_desktop.agent.context import ContextLimits, SessionBook
from moltbot_desktop.agent.context_report import ContextReport
from moltbot_desktop.agent.direct import DirectCall, DirectParts, no_environment, run_directly
from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.emitter import RunEmitter
from moltbot_desktop.agent.fitting import ContextKeeper, ContextParts
from moltbot_desktop.agent.found_tools import FoundTools
from moltbot_desktop.agent.memory_flush import MemoryFlush
from moltbot_desktop.agent.recall import Recalls
from moltbot_desktop.agent.results import ResultShelf
from moltbot_desktop.agent.run import Progress, Run, RunCancel, RunLimits, RunRequest
from moltbot_desktop.agent.run_settings import RunSettings, of_conversation
from moltbot_desktop.agent.texts import server_and_tool
from moltbot_desktop.agent.token_counts import TokenCounts
from moltbot_desktop.agent.tool_steps import SkillRead, ToolSteps, no_skill
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
    ToolRan,
    ToolsRan,
    TurnMachine,
    TurnSetup,
)
from moltbot_desktop.agent.typos import respelled
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ContextOverflow, MoltbotError, StorageError
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.ids import DEFAULT_AGENT, SessionId, SessionKey
from moltbot_desktop.core.memories import Use
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.core.run_facts import RunFacts
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.attachments import parted
from moltbot_desktop.sdk.hooks import AgentContext, AgentEnd, BeforeAgentStart
from moltbot_desktop.sdk.memory import SearchHit, used_memory
from moltbot_desktop.sdk.models import (
    ChatModel,
    FinishReason,
    PromptStyle,
)
from moltbot_desktop.sdk.schedule import SystemNotice, SystemNotices
from moltbot_desktop.sdk.tools import ToolContext, ToolSpec, nobodys
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sources import Source, SourceKind
from moltbot_desktop.sessions.keys import parse_session_key
from moltbot_desktop.sessions.store import Session
from moltbot_desktop.skills.environment import SkillEnvironment

__all__ = ["AgentParts", "AgentRunner", "RunCancel", "RunLimits", "RunRequest"]

_LOOKS_INTO_MEMORY = "memory_search"
"""A run that may not use this tool gets nothing of memory unasked either."""
_log = logging.getLogger(__name__)


def _never_anew(_session: Session) -> str:
    return ""


def _all_tools(_key: SessionKey, _model: str) -> frozenset[str] | None:
    return None


@dataclass(frozen=True)
class AgentParts:
    """What a runner is made of.

    Attributes:
        model: lends a chat model for one run, the agent's own for ""; loads it when it is not in
            memory.
        usual: what holds for a run where neither it nor its conversation says anything.
        frozen_prompt: the session's frozen segments, made once per session.
        frozen_mark: another text when they are to be made anew.
        prepare: called before each run, to get ready what the frozen segments are made of; tells
            whether that is private.
        library: folders outside the workspace whose files tools may read: skills.
        of_stranger: as in `ToolContext`.
        recaller: looks into memory for what a request asks about; None when that is off.
        one_shot: every session is asked once and never gone on with (a script's), so that the
            model keeps what it read of the last of them alone.
        context: what the settings say about a full window.
        book: settings and counts of conversations.
        hooks: of extensions, told and asked on the way.
        notices: what happened since the last prompt of a conversation; None for nothing ever.
        allowed: names of the tools that the settings let a conversation use with a model of that
            name; None for all.
        found: which of the tools stand in a prompt; None for all that are allowed.
        environment: variables that the skills of a conversation ask for, for programs it starts.
        skill_read: whose skill's file a call read, for the record of the run.
    """

    model: Callable[[str], AbstractAsyncContextManager[ChatModel]]
    recaller: Recalls | None
    dispatcher: Dispatcher
    workspace: Path
    clock: Clock
    frozen_prompt: Callable[[Session], Sequence[prompt.PromptSegment]]
    limits: RunLimits
    book: SessionBook
    usual: Callable[[], RunSettings] = RunSettings
    library: Callable[[], tuple[Path, ...]] = tuple
    of_stranger: Callable[[Path], bool] = nobodys
    default_language: Language = Language.ENGLISH
    one_shot: bool = False
    context: ContextLimits = field(default_factory=ContextLimits)
    hooks: HookBus = field(default_factory=HookBus)
    prepare: Callable[[Session], Awaitable[bool]] | None = None
    frozen_mark: Callable[[Session], str] = _never_anew
    notices: SystemNotices | None = None
    allowed: Callable[[SessionKey, str], frozenset[str] | None] = _all_tools
    found: FoundTools | None = None
    environment: Callable[[SessionKey], Awaitable[SkillEnvironment]] = no_environment
    skill_read: SkillRead = no_skill


class AgentRunner:
    """Runs requests. Sessions run side by side, a session's own runs one after the other."""

    def __init__(self, parts: AgentParts) -> None:
        self._parts = parts
        self._shelf = ResultShelf()
        self._tools = ToolSteps(parts.dispatcher, parts.hooks, self._shelf, parts.skill_read)
        self._pending: dict[str, ToolCall] = {}
        self._ended: dict[str, follow_up.Ended] = {}
        self._context = _context_keeper(parts)

    @property
    def parts(self) -> AgentParts:
        """What it is made of, for a replay."""
        return self._parts

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
        seconds = run.settings.seconds or self._parts.limits.seconds
        run.emitter.started(request.text)
        try:
            run.scope.labels = Labels.from_mapping(session.transcript.labels())
            lent = self._parts.model(run.settings.other_model)
            async with asyncio.timeout(seconds), lent as model:
                stop = await self._turns(run, model)
        except TimeoutError:
            cancel.cancel()
            text = run.say("timed_out", seconds=f"{seconds:g}")
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

    async def direct(
        self, wanted: DirectCall, session: Session, emit: Callable[[RunEvent], None]
    ) -> ToolRan | None:
        """Call a tool that a person's command names, without a model; None when there is none.

        Raises:
            TimeoutError: it took too long.
        """
        parts = self._parts
        direct = DirectParts(
            parts.dispatcher,
            parts.workspace,
            parts.library(),
            parts.allowed,
            parts.limits.seconds,
            parts.environment,
            parts.of_stranger,
        )
        return await run_directly(direct, wanted, session, emit)

    async def read_along(self, session: Session, text: str, cancel: RunCancel) -> None:
        """Let the model read what will stand in the next prompt, while the person still types.

        Raises:
            ModelError: the model cannot be loaded; the run that follows will say so.
        """
        settings = self._settings(session.key, RunSettings())
        async with self._parts.model(settings.other_model) as model:
            if model.info.style is PromptStyle.COMMAND:
                return
            request = await self._context.typed(model, session, text, settings.think)
            if request is not None:
                await model.prefill(request, cancel)

    async def compact(self, session: Session, wish: str, cancel: RunCancel) -> Compacted | None:
        """Summarise the older half of a conversation because the person asks for it; None when
        there is nothing to summarise, or it was stopped. No run of it may go on meanwhile.

        Raises:
            ModelError: the model cannot be loaded.
            StorageError: the summary was not kept.
        """
        language = language_of(wish, self._parts.default_language)
        around = self._around(session.key)
        settings = self._settings(session.key, RunSettings())
        async with self._parts.model(settings.other_model) as model:
            if model.info.style is PromptStyle.COMMAND:
                return None  # it reads no history
            return await self._context.compact(model, session, around, wish, language, cancel)

    def context(self, session: Session) -> ContextReport:
        """What the next prompt of a conversation begins with, by part; loads no model."""
        return self._context.report(session)

    def forget_session(self, session_id: str) -> None:
        """Drop what is kept in memory for a session that was closed."""
        self._context.forget_session(session_id)
        self.leave_off(session_id)
        self._shelf.forget(SessionId(session_id))

    def leave_off(self, session_id: str) -> None:
        """The session goes on elsewhere than it stood: what was asked back there is not answered
        by what is said here."""
        self._pending.pop(session_id, None)
        self._ended.pop(session_id, None)

    def forget_words(self) -> tuple[str, ...]:
        """Drop what was made of memory before something was forgotten: frozen prompts, counts of
        tokens. Returns the names under which models keep what they have read."""
        self._shelf.clear()
        return self._context.forget_words()

    def _prepared(
        self,
        request: RunRequest,
        session: Session,
        emit: Callable[[RunEvent], None],
        cancel: RunCancel,
    ) -> Run:
        language = language_of(parted(request.text)[0], self._parts.default_language)
        emitter = RunEmitter(request.run_id, request.key, emit)
        ended = self._ended.pop(session.session_id, None)
        context = ToolContext(
            request.run_id,
            request.key,
            self._parts.workspace,
            request.text,
            language,
            cancel,
            library=self._parts.library(),
            of_stranger=self._parts.of_stranger,
            kept=partial(self._shelf.find, session.session_id),
        )
        scope = Scope(
            context,
            request.presence,
            emitter,
            told=emitter.tool_updated,
            find_environment=partial(self._parts.environment, request.key),
            recorded=request.recorded,
        )
        around = replace(self._around(request.key), channel=request.channel)
        return Run(
            request,
            session,
            language,
            emitter,
            cancel,
            scope,
            around,
            Progress(),
            ended,
            self._settings(request.key, request.settings),
        )

    def _settings(self, key: SessionKey, own: RunSettings) -> RunSettings:
        """What holds for a run: its own, the conversation's, everybody's."""
        kept = of_conversation(self._parts.book.settings(key))
        return own.over(kept).over(self._parts.usual())

    def _around(self, key: SessionKey) -> AgentContext:
        parsed = parse_session_key(key)
        agent = parsed.agent if parsed else DEFAULT_AGENT
        return AgentContext(agent, key, self._parts.workspace)

    async def _turns(self, run: Run, model: ChatModel) -> Stop:
        run.scope.allowed = self._parts.allowed(run.request.key, model.info.name)
        text, now = run.request.text, self._parts.clock.now()
        certain = self._certain(run, model, now)
        if isinstance(certain, Stop):
            return certain
        if model.info.style is PromptStyle.COMMAND:
            text = brought_files(text).words
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
            if self._parts.prepare is not None and await self._parts.prepare(run.session):
                _label(run, Labels(private=True))
            if self._parts.hooks.listens(BeforeAgentStart):
                past = run.session.transcript.messages()
                run.progress.asked = await self._parts.hooks.before_agent_start(
                    BeforeAgentStart(run.context, text, past)
                )
            run.progress.recalled = await self._recalled(run)
            run.progress.notices = self._noticed(run.request.key)
            run.progress.stopped = self._parts.book.settings(run.request.key).aborted_last_run
            for notice in run.progress.notices:
                _label(run, _labels_of(notice))
        if not run.request.text and not run.progress.notices:
            return Stop(OutcomeKind.SILENT)  # what there was to tell was told before
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
        if effect.kind in (OutcomeKind.ANSWERED, OutcomeKind.SILENT):
            self._told_of(run)
        return effect

    def _noticed(self, key: SessionKey) -> tuple[SystemNotice, ...]:
        try:
            return self._parts.notices.waiting(key) if self._parts.notices is not None else ()
        except StorageError as error:  # they wait for the next prompt
            _log.warning("notices cannot be read: %s", error)
            return ()

    def _told_of(self, run: Run) -> None:
        """The notices in this run's prompt were answered: they are not told again."""
        if run.progress.stopped:
            self._parts.book.change_settings(
                run.request.key, lambda old: replace(old, aborted_last_run=False)
            )
        if self._parts.notices is None or not run.progress.notices:
            return
        try:
            self._parts.notices.seen(run.request.key, run.progress.notices[-1].id)
        except StorageError as error:  # told once more is better than an answer lost
            _log.warning("notices cannot be marked as told: %s", error)

    def _certain(self, run: Run, model: ChatModel, now: datetime) -> tuple[ToolCall, ...] | Stop:
        """The calls that need no model, or the end of a run that needs none."""
        text = run.request.text
        confirmed = self._confirmed(run) if text else ()
        if isinstance(confirmed, Stop):
            return confirmed
        certain = confirmed or follow_up.completed_calls(run.ended, text, now)
        if certain or model.info.style is PromptStyle.FULL:
            return certain
        brought = brought_files(text)
        if brought.unseen:
            names = ", ".join(brought.unseen)
            return Stop(OutcomeKind.ANSWERED, run.say("no_eyes", names=names))
        words = brought.words
        return brought.calls or named_file.to_read(words) or command_style.to_forget(words)

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
            if said:  # somebody else than the one who asked may have said it
                stored = Labels.from_mapping(run.session.transcript.labels())
                run.scope.labels = run.scope.labels.joined(stored)
        text = effect.request or run.request.text
        if model.info.style is PromptStyle.COMMAND:
            text = parted(text)[0]
        before = run.progress.usage
        request = await self._context.request(model, run, text)
        found = self._parts.found
        for tool in found.worded_by_strangers(request.tools) if found is not None else ():
            server = " · ".join(server_and_tool(tool.name) or ())
            _label(run, Labels(untrusted=True, sources=(Source(SourceKind.SERVER, server),)))
        self._note(run, model)
        await run.request.on_disk()
        try:
            answer = await answer_of(model, request, run)
        except ContextOverflow:
            if model.info.style is PromptStyle.COMMAND or run.progress.relieved:
                raise
            run.progress.relieved = True
            await self._context.relieve(model, run)
            request = await self._context.request(model, run, text)
            answer = await answer_of(model, request, run)
        self._context.answered(run.session, run.progress.usage.less(before))
        return answer

    def _note(self, run: Run, model: ChatModel) -> None:
        """Write down how the run begins, before a model is asked that may be stopped or killed."""
        if run.progress.noted:
            return
        run.progress.noted = True
        info = model.info
        facts = RunFacts(
            info.name,
            info.context_tokens,
            info.style.value,
            run.settings.think,
            self._parts.limits.temperature,
            run.request.channel,
            run.request.presence.value,
            run.progress.pieces,
        )
        run.session.transcript.append_run(run.request.run_id, facts)

    async def _strong_quote(self, query: str, run: Run) -> str:
        recaller = self._recaller(query, run)
        for hit in await recaller.answering(query) if recaller else ():
            run.progress.used.add((used_memory(hit, Use.QUOTED),))
            return run.say("quote", text=hit.snippet, path=hit.path)
        return ""

    async def _recalled(self, run: Run) -> tuple[SearchHit, ...]:
        recaller = self._recaller(run.request.text, run)
        hits = await recaller.recalled(run.request.text) if recaller else ()
        if hits:
            _label(run, Labels(private=True))
        run.progress.used.add(used_memory(hit, Use.RECALLED) for hit in hits)
        return hits

    def _recaller(self, query: str, run: Run) -> Recalls | None:
        """Nothing for a turn that the owner did not write (a schedule's, a heartbeat's), and
        nothing in a conversation that others hear, whoever writes there."""
        recaller = self._parts.recaller
        if recaller is None or not query or run.request.presence is Presence.NOBODY:
            return None
        if audience_of(run.request.key) is not Audience.OWNER:
            return None
        if not run.scope.may_use(_LOOKS_INTO_MEMORY):
            return None
        return recaller

    def _finish(self, run: Run, stop: Stop, started: float) -> RunOutcome:
        """Write the outcome down and tell it; the only place where a run ends."""
        outcome = RunOutcome(
            stop.kind,
            stop.text,
            stop.reason,
            run.progress.usage,
            self._parts.clock.monotonic() - started,
        )
        memories = run.progress.used.strongest if _shows_an_answer(stop) else ()
        run.session.transcript.append_end(
            run.request.run_id,
            outcome,
            ChatMessage(Role.ASSISTANT, stop.text) if stop.text else None,
            memories,
            unfinished=stop.kind is OutcomeKind.CANCELLED,
        )
        if memories:
            run.emitter.memories_used(memories)
        if run.progress.streamed and run.progress.streamed.strip() != stop.text:
            run.emitter.retracted()
        run.emitter.ended(outcome)
        self._parts.hooks.tell_soon(_agent_end(run, outcome))
        return outcome


def _labels_of(notice: SystemNotice) -> Labels:
    sources = (Source(SourceKind.NOTICE, notice.text),) if notice.untrusted else ()
    return Labels(notice.untrusted, notice.private, sources)


def _label(run: Run, labels: Labels) -> None:
    """Words with those labels are in the prompt."""
    joined = run.scope.labels.joined(labels)
    if joined != run.scope.labels:
        run.scope.labels = joined
        run.session.transcript.append_labels(joined.as_mapping())


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


def _offered(parts: AgentParts, key: SessionKey, model: str, window: int) -> tuple[ToolSpec, ...]:
    allowed = parts.allowed(key, model)
    specs = parts.dispatcher.specs
    if allowed is not None:
        specs = tuple(one for one in specs if one.name in allowed)
    return specs if parts.found is None else parts.found.offered(specs, key, window)


def _context_keeper(parts: AgentParts) -> ContextKeeper:
    counts = TokenCounts()
    flush = MemoryFlush(parts.dispatcher, counts, parts.context.flush_task)
    return ContextKeeper(
        ContextParts(
            frozen_prompt=parts.frozen_prompt,
            frozen_mark=parts.frozen_mark,
            tools=partial(_offered, parts),
            clock=parts.clock,
            limits=parts.limits,
            context=parts.context,
            counts=counts,
            compactor=Compactor(counts, flush, parts.hooks, parts.book, parts.context, parts.clock),
            book=parts.book,
            one_shot=parts.one_shot,
        )
    )
