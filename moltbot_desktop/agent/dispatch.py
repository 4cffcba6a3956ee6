"""The one way to a tool: checked arguments, a verdict, the owner's answer, then the call.

Model, confirmed question and slash command all come through `Dispatcher.run`; nothing else calls
`Tool.run`. Whatever happens, a `ToolRan` comes back: a tool's failure is something the model (or
the person) can act on, not an exception.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.agent.found_tools import FIND_TOOL
from moltbot_desktop.agent.own_names import with_own_names
from moltbot_desktop.agent.parts import asked_of, mark_of, path_texts
from moltbot_desktop.agent.permitting import Cards, Consent, Permitting, Question
from moltbot_desktop.agent.provenance import source_of, taint_in_words
from moltbot_desktop.agent.recorded import RecordedCalls
from moltbot_desktop.agent.refusals import (
    argument_problem,
    blocked,
    card_title,
    malformed,
    not_allowed,
    not_carried_out,
    refused,
)
from moltbot_desktop.agent.rehearsing import DiffNotes
from moltbot_desktop.agent.texts import PHRASES
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import in_one_line
from moltbot_desktop.core.ids import DEFAULT_AGENT
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.run_facts import Ruling
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.commands import CommandTool, JudgedCommand
from moltbot_desktop.sdk.foreseen import ForeseeingTool, Foreseen
from moltbot_desktop.sdk.hooks import AfterToolCall, BeforeToolCall, ToolCallContext
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.tools import (
    AnyTool,
    Effect,
    SituatedTool,
    ToolContext,
    ToolInput,
    ToolResult,
    ToolSpec,
    WaitingTool,
)
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import (
    Command,
    Decision,
    Place,
    Presence,
    Situation,
    Verdict,
    decide,
)
from moltbot_desktop.sessions.keys import parse_session_key
from moltbot_desktop.skills.environment import NO_ENVIRONMENT, SkillEnvironment
from moltbot_desktop.tools.missing import MissingTool

_log = logging.getLogger(__name__)

UNTRUSTED = "untrusted"
"""The mark of notes written while content of others is in the conversation."""

RunBlocking = Callable[[Callable[[], ToolResult]], Awaitable[ToolResult]]
"""Runs a blocking call on a worker thread; the threads belong to `app`."""

FindEnvironment = Callable[[], Awaitable[SkillEnvironment]]


async def _no_environment() -> SkillEnvironment:
    return NO_ENVIRONMENT


def _normal() -> Mode:
    return Mode.NORMAL


def _none_lent() -> tuple[AnyTool, ...]:
    return ()


def _nobody(_call: ToolCall, _text: str) -> None:
    pass


@dataclass
class Scope:
    """What the calls of one run share.

    Attributes:
        labels: rise as results come in.
        told: how far a slow call is; called on the event loop.
        allowed: names of the tools the settings let this run use; None for all there are.
        find_environment: variables that programs get because skills of this run ask for them;
            looked for once, when a program is to be started.
        consent: what the owner has said yes to for the length of this run.
        recorded: of a replay, what came of the calls of then; None in every other run.
    """

    context: ToolContext
    presence: Presence
    cards: Cards
    labels: Labels = field(default_factory=Labels)
    told: Callable[[ToolCall, str], None] = _nobody
    allowed: frozenset[str] | None = None
    find_environment: FindEnvironment = _no_environment
    consent: Consent = field(default_factory=Consent)
    recorded: RecordedCalls | None = None
    _environment: SkillEnvironment | None = None

    def may_use(self, tool: str) -> bool:
        """Whether the settings let this run use `tool`."""
        return self.allowed is None or tool in self.allowed

    @property
    def replays(self) -> bool:
        """Whether nothing may happen: both are asked, so that neither can be lost on the way."""
        return self.recorded is not None or self.presence is Presence.REPLAY

    async def environment_for(self, spec: ToolSpec) -> SkillEnvironment:
        """What a tool hands on to programs; nothing where it starts none, so that no other tool
        sees a key and no password store is opened for it."""
        if spec.effect is not Effect.EXEC:
            return NO_ENVIRONMENT
        if self._environment is None:
            self._environment = await self.find_environment()
        return self._environment


class Dispatcher:
    """Runs calls. One instance for the program; a `Scope` for each run."""

    def __init__(
        self,
        tools: Sequence[AnyTool],
        missing: Mapping[str, MissingTool],
        around: Surroundings,
        approvals: Approvals | Permitting,
        run_blocking: RunBlocking,
        hooks: HookBus | None = None,
        lent: Callable[[], tuple[AnyTool, ...]] = _none_lent,
        mode: Callable[[], Mode] = _normal,
    ) -> None:
        """`approvals`: who is asked; alone, nothing of what the owner says outlasts its run.
        `lent`: tools of plugins, which come and go; the same tuple while nothing changed. One
        that has the name of one of `tools` is left out. `mode`: the owner's, asked for each
        call."""
        self._own = {tool.spec.name: tool for tool in tools}
        self._lent = lent
        self._taken_in: tuple[AnyTool, ...] = ()
        self._all_missing = missing
        self._take_in(())
        self._around = around
        self._permitting = approvals if isinstance(approvals, Permitting) else Permitting(approvals)
        self._run_blocking = run_blocking
        self._hooks = hooks or HookBus()
        self._mode = mode

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All tools there are now, sorted by name."""
        self._look()
        return self._specs

    @property
    def missing_names(self) -> frozenset[str]:
        """Tools this build lacks and can say so."""
        self._look()
        return frozenset(self._missing)

    async def run(self, call: ToolCall, scope: Scope) -> ToolRan:
        """Carry `call` out as far as it is allowed."""
        self._look()
        tool = self._tools.get(call.name)
        if scope.replays:
            return self._replayed(tool, call, scope)
        if tool is None:
            return self._no_such_tool(call, scope)
        if not scope.may_use(call.name):
            return not_allowed(call, scope.context.language)
        call = with_own_names(tool.spec, call)
        problem = argument_problem(tool.spec, call.arguments)
        if problem:
            return malformed(call, problem)
        asked = await self._hooks.before_tool_call(
            BeforeToolCall(_whose(scope), call.name, call.arguments)
        )
        if asked.block:
            return blocked(call, asked.block_reason or "", scope.context.language)
        if asked.arguments is not None:
            # Not the model's words any more: nothing of them was made up by it.
            call = replace(call, arguments=asked.arguments, unseen_arguments=())
            if problem := argument_problem(tool.spec, call.arguments):
                return malformed(call, problem)
        environment = await scope.environment_for(tool.spec)
        judged = await _judged(tool, call, scope.context, environment)
        ahead = _foreseen(tool, call, scope.context)
        question = self._question(tool, call, scope, judged, ahead)
        verdict = question.verdict
        if ahead.refusal is not None and verdict.decision is not Decision.DENY:
            _raise_labels(scope, tool, call, ahead.refusal)
            ruling = Ruling(verdict.decision.value, verdict.rule)
            return ToolRan(call, ahead.refusal, "failed", ruling)
        permit = await self._permitting.permit(question, scope.consent, scope.cards, scope.context)
        ruling = Ruling(verdict.decision.value, verdict.rule, permit.by)
        if not permit.allowed:
            no = refused(call, verdict, permit.by, scope.context.language)
            return replace(no, ruling=ruling)
        context = _opened(scope.context, tool.spec, call, verdict)
        if scope.labels.untrusted:
            context = replace(context, provenance=UNTRUSTED)
        loop = asyncio.get_running_loop()

        def report(text: str) -> None:
            loop.call_soon_threadsafe(scope.told, call, environment.hidden(text))

        begun = loop.time()
        context = replace(context, report=report, environment=environment.variables)
        context = replace(context, judged=ahead.mark if judged is None else judged.mark)
        result = _without_secrets(await self._call(tool, call, context), environment)
        seconds = loop.time() - begun
        _raise_labels(scope, tool, call, result)
        self._hooks.tell_soon(_after(call, result, scope, seconds))
        outcome = "ok" if result.ok else "failed"
        await self._permitting.done(permit, outcome)
        return ToolRan(call, result, outcome, ruling, seconds)

    async def foresee(self, calls: Sequence[ToolCall], scope: Scope) -> None:
        """Where several of these calls need a card, show their cards together. What one call finds
        may change what another one needs; then that is asked for again when its turn comes."""
        self._look()
        questions = []
        for written in calls if len(calls) > 1 and not scope.replays else ():
            tool = self._tools.get(written.name)
            if tool is None or not scope.may_use(written.name):
                continue
            call = with_own_names(tool.spec, written)
            if argument_problem(tool.spec, call.arguments):
                continue
            environment = await scope.environment_for(tool.spec)
            try:
                judged = await _judged(tool, call, scope.context, environment)
            except MoltbotError:  # it says so when its turn comes
                continue
            ahead = _foreseen(tool, call, scope.context)
            if ahead.refusal is not None:  # so does this
                continue
            question = self._question(tool, call, scope, judged, ahead)
            if await self._permitting.needs_card(question, scope.consent, scope.context):
                questions.append(question)
        if len(questions) > 1:
            await self._permitting.foresee(
                tuple(questions), scope.consent, scope.cards, scope.context
            )

    def forget_foreseen(self, scope: Scope) -> None:
        """The calls of a step are over: cards of those that were not made go."""
        self._permitting.forget(scope.consent, scope.cards)

    async def may_go_on(self, question: str, call: ToolCall, scope: Scope) -> bool:
        """The owner's answer to "the same result again and again, go on?"."""
        if scope.presence is not Presence.PRESENT:
            return False
        reason = PHRASES.say("why_loop", scope.context.language)
        return await self._permitting.go_on(call, question, reason, scope.cards)

    def _look(self) -> None:
        """Take over what is lent now."""
        lent = self._lent()
        if lent is not self._taken_in:
            self._take_in(lent)

    def _take_in(self, lent: tuple[AnyTool, ...]) -> None:
        self._taken_in = lent
        self._tools = {**{tool.spec.name: tool for tool in lent}, **self._own}
        self._specs = tuple(tool.spec for _, tool in sorted(self._tools.items()))
        self._missing = {
            name: one for name, one in self._all_missing.items() if name not in self._tools
        }

    def _replayed(self, tool: AnyTool | None, call: ToolCall, scope: Scope) -> ToolRan:
        """A call in a replay: what came of it then, or nothing. No tool is run, no card shown, no
        extension told, no key looked for and nothing written into the book."""
        spec = tool.spec if tool is not None else None
        if spec is not None:
            if not scope.may_use(call.name):
                return not_allowed(call, scope.context.language)
            call = with_own_names(spec, call)
            if problem := argument_problem(spec, call.arguments):
                return malformed(call, problem)
        found = scope.recorded.answer(call, spec) if scope.recorded is not None else None
        if found is not None:
            return found
        if spec is None:
            return self._no_such_tool(call, scope)
        effect = spec.effect_of(call.arguments)
        verdict = decide(Situation(effect, Place.NONE, scope.labels, Presence.REPLAY))
        return not_carried_out(call, verdict, scope.context.language)

    def _no_such_tool(self, call: ToolCall, scope: Scope) -> ToolRan:
        missing = self._missing.get(call.name)
        if missing is not None:
            data: Mapping[str, JsonValue] = {"error": f"{call.name} is not in this build"}
            return ToolRan(
                call,
                ToolResult(data, missing.sentence(scope.context.language), ok=False),
                "unavailable",
            )
        usable = [spec for spec in self._specs if scope.may_use(spec.name)]
        # A server's names are a stranger's words: find_tool shows them, and taints.
        names = [spec.name for spec in usable if spec.effect is not Effect.FOREIGN]
        problem = f"there is no tool {call.name[:64]!r}; there are: {', '.join(names)}"
        if FIND_TOOL in names and len(names) < len(usable):
            problem += f"; {FIND_TOOL} finds those of servers"
        return malformed(call, problem)

    def _verdict(
        self, tool: AnyTool, call: ToolCall, scope: Scope, judged: JudgedCommand | None
    ) -> Verdict:
        """R8: a policy that fails is a no."""
        texts = path_texts(tool, call, scope.context.workspace)
        around = replace(self._around, library=scope.context.library)
        places = [place_of(text, around) for text in texts] or [Place.NONE]
        effect = self._effect(tool, call, scope)
        command = None if judged is None else _as_policy_sees(judged)
        mode = self._mode()
        verdicts = [
            decide(Situation(effect, place, scope.labels, scope.presence, command, mode))
            for place in places
        ]
        order = (Decision.AUTO, Decision.ASK, Decision.DENY)
        return max(verdicts, key=lambda verdict: order.index(verdict.decision))

    def _question(
        self,
        tool: AnyTool,
        call: ToolCall,
        scope: Scope,
        judged: JudgedCommand | None,
        ahead: Foreseen,
    ) -> Question:
        verdict, context = self._verdict(tool, call, scope, judged), scope.context
        language, labels = context.language, scope.labels
        around = replace(self._around, workspace=context.workspace, library=context.library)
        why = PHRASES.say(f"why_{verdict.why.value}", language)
        reason = in_one_line(taint_in_words(labels, language), why)
        title = ahead.title or card_title(call, language)
        seen: tuple[object, ...] = (verdict.rule, labels, ahead.mark)
        if judged is not None:
            reason, title = in_one_line(reason, judged.notes), judged.title
            seen = (*seen, judged.mark)
        effect = self._effect(tool, call, scope)

        def mark() -> str:
            return mark_of(call, around, path_texts(tool, call, context.workspace), seen)

        async def changes() -> str:
            if not tool.spec.rehearses or isinstance(tool, WaitingTool):
                return ""
            notes = DiffNotes()
            await self._call(tool, call, replace(context, rehearsal=notes))
            return notes.text()

        asked = asked_of(tool, call, effect, context, around, labels, judged, ahead.sites)
        return Question(call, verdict, title, reason, asked, mark, changes)

    def _effect(self, tool: AnyTool, call: ToolCall, scope: Scope) -> Effect:
        if isinstance(tool, SituatedTool):
            return tool.effect_in(ToolInput(call.arguments), scope.context)
        return tool.spec.effect_of(call.arguments)

    async def _call(self, tool: AnyTool, call: ToolCall, context: ToolContext) -> ToolResult:
        given = ToolInput(call.arguments)
        try:
            if isinstance(tool, WaitingTool):
                return await tool.wait(given, context)
            return await self._run_blocking(lambda: tool.run(given, context))
        except MoltbotError as error:
            return ToolResult({"error": str(error)}, str(error), ok=False)
        except (Exception, SystemExit):  # noqa: BLE001 - border: a tool's bug must not end the conversation
            _log.exception("tool %s failed", call.name)
            problem = f"{call.name} failed inside; the details are in the log"
            return ToolResult({"error": problem}, problem, ok=False)


async def _judged(
    tool: AnyTool, call: ToolCall, context: ToolContext, environment: SkillEnvironment
) -> JudgedCommand | None:
    """What a tool that starts programs makes of this call; None for any other."""
    effect = tool.spec.effect_of(call.arguments)
    if not isinstance(tool, CommandTool) or effect not in (Effect.EXEC, Effect.OPEN_EXTERNAL):
        return None
    context = replace(context, environment=environment.variables)
    return await tool.judged(ToolInput(call.arguments), context)


def _foreseen(tool: AnyTool, call: ToolCall, context: ToolContext) -> Foreseen:
    """What a tool that sees more than its arguments says of this call."""
    if isinstance(tool, ForeseeingTool):
        return tool.foreseen(ToolInput(call.arguments), context)
    return Foreseen("")


def _raise_labels(scope: Scope, tool: AnyTool, call: ToolCall, result: ToolResult) -> None:
    sources = source_of(tool.spec, call, result) if result.taints else ()
    scope.labels = scope.labels.joined(Labels(result.taints, result.private, sources))


def _as_policy_sees(judged: JudgedCommand) -> Command:
    return Command(judged.power, judged.walled, judged.network, judged.wary)


def _whose(scope: Scope) -> ToolCallContext:
    parsed = parse_session_key(scope.context.session)
    return ToolCallContext(parsed.agent if parsed else DEFAULT_AGENT, scope.context.session)


def _after(call: ToolCall, result: ToolResult, scope: Scope, seconds: float) -> AfterToolCall:
    error = "" if result.ok else str(result.data.get("error", result.display))
    milliseconds = int(seconds * 1000)
    # Extensions hear of it while the run goes on with these very data.
    data = MappingProxyType(dict(result.data))
    return AfterToolCall(_whose(scope), call.name, call.arguments, data, error, milliseconds)


def _without_secrets(result: ToolResult, environment: SkillEnvironment) -> ToolResult:
    """What a program printed of the keys it was given is neither kept nor shown."""
    if not environment.secret:
        return result
    data = {name: environment.hidden_in(value) for name, value in result.data.items()}
    return replace(
        result,
        data=data,
        display=environment.hidden(result.display),
        question=environment.hidden(result.question),
        sent=environment.hidden(result.sent),
    )


def _opened(context: ToolContext, spec: ToolSpec, call: ToolCall, verdict: Verdict) -> ToolContext:
    """The context with the folder that the owner's yes opened, for this call alone."""
    if verdict.decision is not Decision.ASK or not spec.path_arguments:
        return context
    texts = [str(call.arguments[name]) for name in spec.path_arguments if name in call.arguments]
    folders = tuple(
        (context.workspace / Path(text).expanduser()).resolve().parent for text in texts
    )
    return replace(context, allowed_folders=context.allowed_folders + folders)
