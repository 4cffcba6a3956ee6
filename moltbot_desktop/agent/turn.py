"""The turn machine: what a run does next, decided without doing anything.

`start` and `feed` return an effect; the runner carries it out and feeds what came of it. The
machine never sees a model, a tool or a clock, so a run is tested as a playbook: given events,
expect effects.

    CallModel ─▶ ModelAnswered ─▶ RunTools ─▶ ToolsRan ─▶ CallModel … ─▶ Stop
                              └─▶ Recall ─▶ Recalled ─▶ Stop
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from moltbot_desktop.agent import command_style, follow_up, named_file
from moltbot_desktop.agent.loop_guard import ASK_AFTER, STOP_AFTER, LoopGuard
from moltbot_desktop.agent.texts import PHRASES, call_in_words, weekday_in_words
from moltbot_desktop.agent.tokens import SILENT_TOKEN, is_silent
from moltbot_desktop.agent.typos import Respelled
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.core.run_facts import NO_RULING, Ruling
from moltbot_desktop.sdk.models import FinishReason, MalformedCall, PromptStyle
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.tools.memory_forget import NOTES

MAX_REPAIRS = 2
_LEAST_SENT = 2
"""Letters of a sent text from which it can be said twice; below, nothing was sent."""
_LEAST_REPEATED = 10
"""Bytes from which a part of a sent text is a repetition: ten letters, four Chinese ones."""


@dataclass(frozen=True)
class TurnSetup:
    """What is known before the first step.

    Attributes:
        now: the person's own time, for a command model that is asked for it.
        gate: confidence a call needs to run unasked; 0 for no gate.
        certain: calls that the person's words make certain (a yes to a question, a correction);
            they run first, without the model, each if the one before it worked.
        completed: requests that `user_text` may be the rest of, tried before it stands alone.
        respelled: `user_text` without slips of the fingers, for a command model; None without any.
        missing_tools: names that this build answers with a plain "not yet".
    """

    user_text: str
    language: Language
    now: datetime
    style: PromptStyle = PromptStyle.FULL
    gate: float = 0.0
    max_tool_calls: int = 12
    certain: tuple[ToolCall, ...] = ()
    completed: tuple[str, ...] = ()
    respelled: Respelled | None = None
    missing_tools: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CallModel:
    """Ask the model.

    Attributes:
        request: the person's words; "" for those of this run.
        correction: answers a call it wrote wrongly.
    """

    request: str = ""
    correction: MalformedCall | None = None


@dataclass(frozen=True)
class RunTools:
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True)
class Recall:
    """Look whether memory has a strong hit for `query`."""

    query: str


@dataclass(frozen=True)
class AskToGoOn:
    """The same result again and again: the owner decides."""

    call: ToolCall
    question: str


@dataclass(frozen=True)
class Stop:
    """The end. `pending` is a call shown to the person as a question."""

    kind: OutcomeKind
    text: str = ""
    reason: str = ""
    pending: ToolCall | None = None


Effect = CallModel | RunTools | Recall | AskToGoOn | Stop


@dataclass(frozen=True)
class ModelAnswered:
    text: str
    reason: FinishReason
    calls: tuple[ToolCall, ...] = ()
    malformed: MalformedCall | None = None


@dataclass(frozen=True)
class ToolRan:
    """`outcome` as in `ToolEnded`; `ruling`: whether it was allowed, and who said so; `seconds`:
    of the tool's own work, without the time that the owner thought about it."""

    call: ToolCall
    result: ToolResult
    outcome: str
    ruling: Ruling = NO_RULING
    seconds: float = 0.0


@dataclass(frozen=True)
class ToolsRan:
    ran: tuple[ToolRan, ...]


@dataclass(frozen=True)
class Recalled:
    """The quote of a strong hit, ready to show, or ""."""

    quote: str


@dataclass(frozen=True)
class GoOnAnswered:
    allowed: bool


Event = ModelAnswered | ToolsRan | Recalled | GoOnAnswered


class TurnMachine:
    """One run's decisions. Feed it each event once; after `Stop` it must not be fed."""

    def __init__(self, setup: TurnSetup) -> None:
        self._setup = setup
        self._guard = LoopGuard()
        self._repairs = 0
        self._calls = 0
        self._ran: tuple[ToolRan, ...] = ()
        self._answer_before_recall = ""
        self._readings: list[ModelAnswered] = []
        self._request = setup.user_text
        self._asked_back = False

    def start(self) -> Effect:
        if self._setup.certain:
            return self._run(self._setup.certain[:1])
        return CallModel(request=self._ways_to_read[0])

    @property
    def _ways_to_read(self) -> tuple[str, ...]:
        """Requests these words may complete, "" for what they are by themselves, and those without
        slips."""
        respelled = self._setup.respelled
        return (*self._setup.completed, "", *((respelled.text,) if respelled else ()))

    def feed(self, event: Event) -> Effect:
        match event:
            case ModelAnswered():
                return self._after_model(event)
            case ToolsRan():
                return self._after_tools(event.ran)
            case Recalled():
                self._asked_back = self._asked_back and not event.quote
                return self._answered(event.quote or self._answer_before_recall)
            case GoOnAnswered():
                return CallModel() if event.allowed else self._looped(ASK_AFTER)

    def _after_model(self, answer: ModelAnswered) -> Effect:
        if answer.reason is FinishReason.CANCELLED:
            return Stop(OutcomeKind.CANCELLED, answer.text, self._say("cancelled"))
        if len(self._readings) < len(self._ways_to_read):
            self._readings.append(answer)
            if len(self._readings) < len(self._ways_to_read):
                return CallModel(request=self._ways_to_read[len(self._readings)])
            self._request, answer = self._best_reading()
        said = self._setup.user_text
        if self._is_command and not self._ran and (whole := command_style.sum_in_words(said)):
            return self._run((ToolCall("sum", "calc", {"expression": whole}),))
        if answer.calls:
            return self._wants(answer.calls)
        if answer.malformed is not None:
            return self._repair(answer.malformed)
        if self._is_command:
            return self._small_talk(answer.text)
        if answer.reason is FinishReason.LENGTH and answer.text.strip():
            return self._answered(f"{answer.text.rstrip()}\n\n{self._say('cut')}")
        return self._answered(answer.text)

    def _best_reading(self) -> tuple[str, ModelAnswered]:
        """What the words mean: the rest of an earlier request, unless they say more alone."""
        alone = self._alone()
        completed = self._setup.completed
        readings = zip(completed, self._readings[: len(completed)], strict=True)
        made_sense = [one for one in readings if self._completes(one[1])]
        if not made_sense:
            return self._setup.user_text, alone
        best = max(made_sense, key=lambda one: _confidence(one[1]))
        said = self._setup.user_text
        if command_style.of_the_usual_place(alone.text, said) is not None:
            return said, alone  # the same again in other words is no city
        small_talk = not alone.calls and not command_style.does_not_know(alone.text)
        if small_talk and not command_style.asks_back(alone.text):
            # A time is an answer, although by itself it may sound like a question for the time.
            return best if follow_up.is_a_time(said, self._setup.now) else (said, alone)
        if self._is_a_request(alone) or _confidence(alone) > _confidence(best[1]):
            return said, alone
        return best

    def _alone(self) -> ModelAnswered:
        """The words by themselves: as they were typed, unless they say more without the slips."""
        typed, *without_slips = self._readings[len(self._setup.completed) :]
        if self._setup.respelled is None or not without_slips:
            return typed
        meant = without_slips[0]
        calls = tuple(map(self._setup.respelled.as_typed, meant.calls))
        gave_up = not typed.calls and command_style.about_itself(typed.text) == "beyond"
        same = [call.name for call in typed.calls] == [call.name for call in meant.calls]
        mends = same and any(map(self._setup.respelled.mends_a_time, meant.calls))
        if gave_up or mends or _confidence(meant) > _confidence(typed):
            return replace(meant, calls=calls)
        return typed

    def _is_a_request(self, alone: ModelAnswered) -> bool:
        """Whether the words ask for something, and are more than the value that was asked for."""
        gate, missing = self._setup.gate, self._setup.missing_tools
        said = self._setup.user_text
        return bool(alone.calls) and all(
            command_style.sure_enough(call, gate, missing)
            and not follow_up.is_all_value(call, said)
            for call in alone.calls
        )

    def _completes(self, answer: ModelAnswered) -> bool:
        """Whether words put together made sense: a call with something of the new ones, or a
        question for what is still missing."""
        if not answer.calls:
            return command_style.asks_back(answer.text)
        gate, missing = self._setup.gate, self._setup.missing_tools
        return all(
            command_style.sure_enough(call, gate, missing)
            and follow_up.holds_some_of(call, self._setup.user_text)
            for call in answer.calls
        )

    def _small_talk(self, text: str, *, gave_up: bool = False) -> Effect:
        for known in (command_style.of_the_usual_place, command_style.at_the_time_said):
            if (call := known(text, self._request)) is not None:
                return self._run((call,))
        own_words = command_style.about_itself(text)
        said = self._own_words(own_words) if own_words else text
        self._asked_back = command_style.asks_back(text)
        unknown = gave_up or command_style.does_not_know(text)
        if unknown and (own_sum := command_style.own_sum(self._setup.user_text)):
            return self._run((ToolCall("sum", "calc", {"expression": own_sum}),))
        asked = command_style.is_question(self._setup.user_text)
        if asked and unknown:
            self._answer_before_recall = said
            return Recall(self._setup.user_text)
        return self._answered(said)

    def _own_words(self, key: str) -> str:
        now = self._setup.now
        return self._say(
            key,
            time=f"{now:%H:%M}",
            date=f"{now:%Y-%m-%d}",
            weekday=weekday_in_words(now, self._setup.language),
        )

    def _wants(self, calls: tuple[ToolCall, ...]) -> Effect:
        if self._calls + len(calls) > self._setup.max_tool_calls:
            reason = self._say("budget", calls=self._setup.max_tool_calls)
            return Stop(OutcomeKind.OUT_OF_BUDGET, reason, reason)
        if self._is_command:
            if any(command_style.is_out_of_reach(call, self._request) for call in calls):
                return self._small_talk(self._say("beyond"), gave_up=True)
            calls = tuple(command_style.looked_up(call, self._request) for call in calls)
            calls = tuple(command_style.with_all_of_it(call, self._request) for call in calls)
            calls = tuple(command_style.asked_about(call, self._request) for call in calls)
            calls = tuple(command_style.with_own_sum(call, self._request) for call in calls)
            calls = tuple(map(command_style.with_a_task, calls))
            calls = tuple(map(named_file.as_file, calls))
        gate, missing = self._setup.gate, self._setup.missing_tools
        unsure = [call for call in calls if not command_style.sure_enough(call, gate, missing)]
        if unsure and command_style.hopeless(unsure[0], gate):
            return self._small_talk(self._say("beyond"), gave_up=True)
        if unsure:
            return self._ask_back(unsure[0])
        return self._run(calls)

    def _ask_back(self, call: ToolCall) -> Effect:
        words = call_in_words(call.name, call.arguments, self._setup.language)
        return Stop(
            OutcomeKind.NEEDS_YOU,
            self._say("confirm", call=words),
            self._say("unsure", call=words),
            pending=call,
        )

    def _run(self, calls: tuple[ToolCall, ...]) -> Effect:
        self._calls += len(calls)
        return RunTools(calls)

    def _repair(self, malformed: MalformedCall) -> Effect:
        self._repairs += 1
        if self._repairs > MAX_REPAIRS:
            reason = self._say("bad_calls", problem=malformed.problem)
            return Stop(OutcomeKind.FAILED, reason, reason)
        return CallModel(correction=malformed)

    def _after_tools(self, ran: tuple[ToolRan, ...]) -> Effect:
        self._ran += ran
        for one in ran:
            if one.result.question:
                asked = self._say("had_to_ask", question=one.result.question)
                return Stop(OutcomeKind.NEEDS_YOU, one.result.question, asked)
        done = len(self._ran)
        if done < len(self._setup.certain) and ran[-1].outcome == "ok":
            return self._run(self._setup.certain[done : done + 1])
        times = max(self._guard.count(one.call, one.result.data) for one in ran)
        if times >= STOP_AFTER:
            return self._looped(times)
        if self._is_command:
            told = self._ran if self._setup.certain else ran
            return self._answered("\n\n".join(one.result.display for one in told))
        if times == ASK_AFTER:
            call = ran[-1].call
            return AskToGoOn(call, self._say("loop_card", tool=call.name, times=times))
        return CallModel()

    def ended(self, stop: Stop) -> follow_up.Ended:
        """What the next message of the person may refer to; for a command model."""
        if not self._ran:
            asked = stop.kind is OutcomeKind.ANSWERED and self._asked_back
            return follow_up.Ended(self._request, asked)
        first = self._ran[0]
        if first.result.question:
            listed = _listed_notes(first.result)
            return follow_up.Ended(self._request, asked=True, call=first.call, notes=listed)
        return follow_up.Ended(self._request, call=first.call, reminder=self._reminder_of(first))

    def _reminder_of(self, ran: ToolRan) -> tuple[int, datetime] | None:
        """Number and time of the reminder that a call has set."""
        number, due = ran.result.data.get("id"), ran.result.data.get("due")
        set_one = ran.call.name == "reminder_add" and ran.result.ok
        if not set_one or not isinstance(number, int) or not isinstance(due, str):
            return None
        return number, datetime.fromisoformat(due).replace(tzinfo=self._setup.now.tzinfo)

    def _looped(self, times: int) -> Stop:
        reason = self._say("loop", tool=self._ran[-1].call.name, times=times)
        return Stop(OutcomeKind.OUT_OF_BUDGET, reason, reason)

    def _answered(self, text: str) -> Stop:
        if is_silent(text):
            return Stop(OutcomeKind.SILENT, "", SILENT_TOKEN)
        if any(_says_no_more(text, one.result.sent) for one in self._ran):
            return Stop(OutcomeKind.SILENT, "", "a tool has sent the same already")
        if text.strip():
            return Stop(OutcomeKind.ANSWERED, text.strip())
        if self._ran and self._ran[-1].result.display:
            return Stop(OutcomeKind.ANSWERED, self._ran[-1].result.display)
        reason = self._say("no_answer")
        return Stop(OutcomeKind.FAILED, reason, reason)

    @property
    def _is_command(self) -> bool:
        return self._setup.style is PromptStyle.COMMAND

    def _say(self, key: str, **values: object) -> str:
        return PHRASES.say(key, self._setup.language, **values)


def _says_no_more(text: str, sent: str) -> bool:
    """Whether an answer says nothing that was not sent; an empty one says nothing at all."""
    said, before = _bare(text), _bare(sent)
    if len(before) < _LEAST_SENT:
        return False
    # A short word stands in many a sentence by chance: "no" is an answer after "not now".
    return said in ("", before) or (len(said.encode()) >= _LEAST_REPEATED and said in before)


def _bare(text: str) -> str:
    """Letters and digits alone: marks, blanks and emoji make no other message."""
    return "".join(filter(str.isalnum, text.casefold()))


def _listed_notes(result: ToolResult) -> tuple[str, ...]:
    """Texts of the notes that `memory_forget` asks about."""
    notes = result.data.get(NOTES)
    if not isinstance(notes, Sequence) or isinstance(notes, str):
        return ()
    return tuple(str(one["text"]) for one in notes if isinstance(one, Mapping) and "text" in one)


def _confidence(answer: ModelAnswered) -> float:
    """Of the least certain call; 0 without one."""
    return min((call.confidence for call in answer.calls), default=0.0)
