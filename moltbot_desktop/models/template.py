"""Chat template of a model file: messages and tools to prompt text.

    template = ChatTemplate(source, bos_token=..., eos_token=..., control_tokens=frozenset(...))
    prompt = template.render_prompt(messages, tools)   # RenderedPrompt(text, ...)
    text = template.render(messages, tools)            # the text alone

`source` is the file's `tokenizer.chat_template` ("" for none: ChatML). `control_tokens` are the
texts of the vocabulary's CONTROL tokens (token type 3); for the starter model its USER_DEFINED
ones as well. Of other models `defined_tokens` are these: the ones that the template prints are
structure, like any mark of a turn in its source. The rendered text holds them for real, contents
never do (`neutral.py`): tokenise the prompt with `special=True` and without an extra BOS, which
most templates print; when the text does not begin with `bos_token` and the model wants one, add it.

What a template can do is found out by rendering small conversations with it, not by reading it:

    refuses or forgets the system role  -> system text goes before the first user message
    shows no tools                      -> a block that teaches them goes into the system text
    prints one call of a message, or refuses two
                                        -> one call and its result after the other
    forgets past calls or prints them unreadably, but has a known syntax
                                        -> calls are written into plain messages in that syntax
    writes calls in a syntax unknown to `formats/`, or not at all
                                        -> the same in Hermes' syntax, results as well
    forgets all but the last request    -> a command model (the starter): left as it is
    fails                               -> once more with everything in plain messages, then ChatML
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType
from typing import TYPE_CHECKING

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.models.formats.contract import CallFormat, described
from moltbot_desktop.models.formats.detection import (
    GENERIC_FORMAT,
    PLAIN_CALL,
    PROBE_CALLS,
    PROBE_TOOL,
    format_of,
    told_format,
)
from moltbot_desktop.models.formats.function_xml import FunctionXmlFormat
from moltbot_desktop.models.formats.section import TEXT_MARKS
from moltbot_desktop.models.neutral import Neutraliser, printed_marks
from moltbot_desktop.models.prompt_plan import (
    PromptPlan,
    message_data,
    neutral_message,
    neutral_tool,
)
from moltbot_desktop.models.thinking import (
    THINK,
    open_thinking,
    thinking_marks,
    thinking_variables,
)
from moltbot_desktop.sdk.models import ThinkingControl
from moltbot_desktop.sdk.tools import ToolSpec

if TYPE_CHECKING:
    from moltbot_desktop.models import jinja_sandbox
else:
    jinja_sandbox = LateModule("moltbot_desktop.models.jinja_sandbox")

# What `strftime_now` says when the engine gives no date. The true time stands in the last message.
DEFAULT_DATE = date(2026, 1, 1)
_CHATML = ("<|im_start|>", "<|im_end|>")
_CHATML_PLAN = PromptPlan(
    GENERIC_FORMAT,
    tools_in_text=True,
    calls_in_text=True,
    results_in_text=True,
    fold_system=False,
)
_NO_VARIABLES: JsonObject = MappingProxyType({})
_PROBE_VARIABLES: JsonObject = MappingProxyType({"add_generation_prompt": True})
_REQUEST = "probe question"
_RESULT = "probe result"


@dataclass(frozen=True)
class RenderedPrompt:
    """A prompt ready to be tokenised.

    Attributes:
        stops: texts that end the answer although the vocabulary does not mark them as end of
            generation (ChatML fallback: ``<|im_end|>``); give them to the scanner.
        thinking: beginnings and ends of thinking blocks; give them to the scanner.
        thinking_end: "" or what ends the block inside which the prompt ends.
        fallback_reason: "" or why the model's own template was not used.
    """

    text: str
    stops: tuple[str, ...] = ()
    thinking: tuple[tuple[str, str], ...] = (THINK,)
    thinking_end: str = ""
    fallback_reason: str = ""

    @property
    def opens_thinking(self) -> bool:
        """The prompt ends inside a thinking block."""
        return bool(self.thinking_end)


@dataclass(frozen=True)
class TemplateAbilities:
    """What a template turned out to do.

    Attributes:
        problem: "" or why it is never used (none in the file, does not compile or render).
        shows_system: the system message is printed.
        shows_tools: the tools it is given are printed.
        shows_calls: past calls and their results are printed, in a syntax we read.
        one_call: only when no message has more than one.
        knows_syntax: `call_format` is the model's own, even where past calls are not printed.
        shows_results: messages of tools are printed.
        forgets: earlier turns are dropped on purpose. Only our starter does that: a command model
            with tools of its own, whose calls it prints only when it knows them.
        call_format: syntax of calls in this template's prompts.
        thinking: what it can be told about how much the model thinks.
    """

    problem: str = ""
    shows_system: bool = False
    shows_tools: bool = False
    shows_calls: bool = False
    one_call: bool = False
    knows_syntax: bool = False
    shows_results: bool = False
    forgets: bool = False
    call_format: CallFormat = GENERIC_FORMAT
    thinking: ThinkingControl = ThinkingControl.NONE

    @property
    def plans(self) -> tuple[PromptPlan, ...]:
        """Ways to put a conversation, best first; none for a template that is never used."""
        if self.problem:
            return ()
        shown = self.shows_tools and self.knows_syntax
        best = PromptPlan(
            self.call_format,
            tools_in_text=not shown and not self.forgets,
            calls_in_text=not self.shows_calls,
            results_in_text=not self.shows_calls and not (shown and self.shows_results),
            fold_system=not self.shows_system and not self.forgets,
            one_call=self.one_call,
            corrections_in_text=not self.forgets,
        )
        plain = replace(best, tools_in_text=True, calls_in_text=True, results_in_text=True)
        return (best,) if self.forgets else (best, plain)


COMMAND_ABILITIES = TemplateAbilities(
    shows_calls=True,
    knows_syntax=True,
    forgets=True,
    call_format=FunctionXmlFormat(strips_values=True),
)


class ChatTemplate:
    """A compiled template. Immutable after construction; safe on any thread."""

    def __init__(
        self,
        source: str,
        *,
        bos_token: str = "",
        eos_token: str = "",
        control_tokens: frozenset[str] = frozenset(),
        defined_tokens: frozenset[str] = frozenset(),
        today: date = DEFAULT_DATE,
    ) -> None:
        """Compile and probe; never fails (see `abilities.problem`).

        Args:
            today: for templates that print a date; keep it fixed while a prefix is to be reused.
        """
        self._tokens: JsonObject = {"bos_token": bos_token, "eos_token": eos_token}
        self._control_tokens = control_tokens
        self._thinking = thinking_marks(source)
        self._compiled: jinja_sandbox.CompiledTemplate | None = None
        problem = "" if source.strip() else "the file has no chat template"
        if not problem:
            try:
                self._compiled = jinja_sandbox.CompiledTemplate(source, today)
            except jinja_sandbox.TemplateRefused as refused:
                problem = str(refused)
        self._printed: list[str] = []  # for the probes; some templates put their marks together
        self._abilities = TemplateAbilities(problem) if problem else self._probed()
        structure = self.call_format.structure | frozenset(_CHATML) | TEXT_MARKS
        for printed in (source, *self._printed):
            structure |= printed_marks(printed, defined_tokens)
        structure |= {mark for pair in self._thinking for mark in pair}
        self._neutral = Neutraliser(control_tokens | structure)

    @property
    def abilities(self) -> TemplateAbilities:
        return self._abilities

    @property
    def call_format(self) -> CallFormat:
        """Syntax of calls in this template's prompts."""
        return self._abilities.call_format

    @property
    def shows_tools(self) -> bool:
        """The template itself prints the tools it is given."""
        return self._abilities.shows_tools

    @property
    def shows_calls(self) -> bool:
        """The template itself prints past calls and results, in a syntax we read."""
        return self._abilities.shows_calls

    @property
    def problem(self) -> str:
        """ "" or why the file's template is never used."""
        return self._abilities.problem

    def render(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec] = (),
        *,
        add_generation_prompt: bool = True,
        extra: JsonObject = _NO_VARIABLES,
    ) -> str:
        """`render_prompt(...).text`."""
        prompt = self.render_prompt(
            messages, tools, add_generation_prompt=add_generation_prompt, extra=extra
        )
        return prompt.text

    def render_prompt(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSpec] = (),
        *,
        add_generation_prompt: bool = True,
        extra: JsonObject = _NO_VARIABLES,
    ) -> RenderedPrompt:
        """Messages as the model expects them; never fails: a template error means ChatML.

        Args:
            extra: template variables, e.g. ``{"enable_thinking": False}``.
        """
        given = {**extra, "add_generation_prompt": add_generation_prompt}
        turns = [neutral_message(message, self._neutral) for message in messages]
        offered = [neutral_tool(tool, self._neutral) for tool in tools]
        reason = self.problem
        for plan in self._abilities.plans:
            try:
                return self._prompt(self._run(*plan.applied(turns, offered), given))
            except jinja_sandbox.TemplateRefused as refused:
                reason = reason or str(refused)
        turns, _ = replace(_CHATML_PLAN, call_format=self.call_format).applied(turns, offered)
        text = _chatml(turns, add_generation_prompt)
        return RenderedPrompt(text, stops=_CHATML[1:], fallback_reason=reason)

    def _prompt(self, text: str) -> RenderedPrompt:
        end = open_thinking(text, self._thinking)
        return RenderedPrompt(text, thinking=self._thinking, thinking_end=end)

    def _run(
        self, turns: Sequence[ChatMessage], tools: Sequence[JsonObject], given: JsonObject
    ) -> str:
        if self._compiled is None:
            raise jinja_sandbox.TemplateRefused(self.problem)
        variables = {**given, **self._tokens, "messages": message_data(turns)}
        if tools:
            return self._compiled.render({**variables, "tools": list(tools)})
        try:
            return self._compiled.render({**variables, "tools": None})
        except (
            jinja_sandbox.TemplateRefused
        ):  # templates made for tool use alone loop over them untested
            return self._compiled.render({**variables, "tools": []})

    def _probed(self) -> TemplateAbilities:
        user = ChatMessage(Role.USER, _REQUEST)
        if user.content not in self._tried([user]):
            return TemplateAbilities(self._failure([user]))
        system = ChatMessage(Role.SYSTEM, "probe rules")
        answer = ChatMessage(Role.ASSISTANT, "probe answer")
        dialogue = self._tried([user, answer, ChatMessage(Role.USER, "probe more")])
        if dialogue and user.content not in dialogue:
            return COMMAND_ABILITIES
        with_tools = self._tried([user], [PROBE_TOOL])
        both, one, plain = map(self._syntax, (PROBE_CALLS, PROBE_CALLS[:1], (PLAIN_CALL,)))
        told = told_format(with_tools, self._control_tokens)
        syntax = both or one or plain or told
        return TemplateAbilities(
            shows_system=system.content in self._tried([system, user]),
            shows_tools=PROBE_TOOL.name in with_tools and PROBE_TOOL.description in with_tools,
            shows_calls=bool(both or one),
            one_call=both is None and one is not None,
            knows_syntax=syntax is not None,
            shows_results=_RESULT in self._tried(_called((PLAIN_CALL,)), [PROBE_TOOL]),
            call_format=syntax or GENERIC_FORMAT,
            thinking=self._thinking_control(user),
        )

    def _thinking_control(self, user: ChatMessage) -> ThinkingControl:
        off, low, high = (
            self._tried([user], given=thinking_variables(level)) for level in ("off", "low", "high")
        )
        if off != low and off:
            return ThinkingControl.SWITCH
        return ThinkingControl.EFFORT if low != high else ThinkingControl.NONE

    def _syntax(self, calls: Sequence[ToolCall]) -> CallFormat | None:
        """The syntax in which one message with these calls is printed, with their results."""
        printed = self._tried(_called(calls), [PROBE_TOOL])
        _, _, rest = printed.partition(_REQUEST)
        written, found, _ = rest.partition(_RESULT)
        return format_of(written, calls) if found and rest.count(_RESULT) == len(calls) else None

    def _tried(
        self,
        turns: Sequence[ChatMessage],
        tools: Sequence[ToolSpec] = (),
        given: JsonObject = _NO_VARIABLES,
    ) -> str:
        """The output for a probe; "" when the template refuses it."""
        variables = {**_PROBE_VARIABLES, **given}
        try:
            printed = self._run(turns, [described(tool) for tool in tools], variables)
        except jinja_sandbox.TemplateRefused:
            return ""
        self._printed.append(printed)
        return printed

    def _failure(self, turns: Sequence[ChatMessage]) -> str:
        try:
            self._run(turns, [], _PROBE_VARIABLES)
        except jinja_sandbox.TemplateRefused as refused:
            return str(refused)
        return "the template does not print the user's message"


def _called(calls: Sequence[ToolCall]) -> list[ChatMessage]:
    """A request, one message with calls, their results."""
    results = [
        ChatMessage(Role.TOOL, _RESULT, tool_call_id=call.id, tool_name=call.name) for call in calls
    ]
    return [
        ChatMessage(Role.USER, _REQUEST),
        ChatMessage(Role.ASSISTANT, "", tool_calls=tuple(calls)),
        *results,
    ]


def _chatml(turns: Sequence[ChatMessage], add_generation_prompt: bool) -> str:
    begin, end = _CHATML
    said = "".join(f"{begin}{turn.role.value}\n{turn.content}{end}\n" for turn in turns)
    return said + (f"{begin}assistant\n" if add_generation_prompt else "")
