"""What becomes of a call that is not made, in words for the model and for the person. Pure.

    if problem := argument_problem(spec, call.arguments):
        return malformed(call, problem)
    refused(call, verdict, by, language).outcome     # "denied"
    card_title(call, language)                  # the card: "Forget …", and what may be made up

The model's side (`error`) is English and says what to do other than before; the person's side is in
their language and names the call in words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from moltbot_desktop.agent.texts import PHRASES, call_in_words
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.config.form.arguments import SchemaUnusable, argument_errors
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.run_facts import Ruling
from moltbot_desktop.sdk.tools import ToolResult, ToolSpec
from moltbot_desktop.security.policy import Decision, Verdict, Why

if TYPE_CHECKING:
    from jsonschema import ValidationError

_MOST_PROBLEMS = 8


def malformed(call: ToolCall, problem: str) -> ToolRan:
    """The call itself is wrong: no such tool, or arguments it does not take."""
    return ToolRan(call, ToolResult({"error": problem}, problem, ok=False), "failed")


def not_allowed(call: ToolCall, language: Language) -> ToolRan:
    """The settings (`tools` and those of the agent) keep it from this run."""
    display = PHRASES.say("not_allowed", language, tool=call.name)
    error = f"{call.name} is not among the tools of this agent"
    return ToolRan(call, ToolResult({"error": error}, display, ok=False), "denied")


def blocked(call: ToolCall, reason: str, language: Language) -> ToolRan:
    """An extension said no."""
    words = call_in_words(call.name, call.arguments, language)
    display = PHRASES.say("blocked", language, call=words, reason=reason)
    error = f"blocked by an extension: {reason}" if reason else "blocked by an extension"
    return ToolRan(call, ToolResult({"error": error}, display.strip(), ok=False), "denied")


def denied(call: ToolCall, verdict: Verdict, language: Language) -> ToolRan:
    """The policy said no, the mode did, or the owner."""
    words = call_in_words(call.name, call.arguments, language)
    key = "refused" if verdict.decision is Decision.DENY and "R8" not in verdict.rule else "denied"
    if verdict.decision is Decision.DENY and verdict.why is Why.MODE:
        key = "mode"
    data: Mapping[str, JsonValue] = {"error": f"denied: {verdict.rule}"}
    display = PHRASES.say(key, language, call=words)
    return ToolRan(call, ToolResult(data, display, ok=False), "denied")


def refused(call: ToolCall, verdict: Verdict, by: str, language: Language) -> ToolRan:
    """What was to be asked for was not allowed; `by` as in `permitting.Permit`.

    After too many cards the run ends with a question: the owner's next words let it go on.
    """
    if by not in ("owner", "expiry", "pause", "changed", "book"):
        return denied(call, verdict, language)
    words = call_in_words(call.name, call.arguments, language)
    display = PHRASES.say(f"no_{by}", language, call=words)
    said = {"owner": "the owner said no", "expiry": "nobody answered in time"}
    data: Mapping[str, JsonValue] = {"error": f"not done: {said.get(by, by)}"}
    question = display if by == "pause" else ""
    return ToolRan(call, ToolResult(data, display, ok=False, question=question), "denied")


def not_carried_out(call: ToolCall, verdict: Verdict, language: Language) -> ToolRan:
    """In a replay of a past run: nothing happens, and no such call was made then."""
    words = call_in_words(call.name, call.arguments, language)
    display = PHRASES.say("replay", language, call=words)
    data: Mapping[str, JsonValue] = {"error": "not carried out in a replay"}
    ruling = Ruling(verdict.decision.value, verdict.rule, "policy")
    return ToolRan(call, ToolResult(data, display, ok=False), "not_run", ruling)


def card_title(call: ToolCall, language: Language) -> str:
    """The call in words, with what the model may have made up."""
    title = call_in_words(call.name, call.arguments, language)
    made_up = [PHRASES.say("unseen", language, argument=name) for name in call.unseen_arguments]
    return f"{title} ({'; '.join(made_up)})" if made_up else title


def argument_problem(spec: ToolSpec, arguments: Mapping[str, JsonValue]) -> str:
    """What is wrong with the arguments that are there, in words a small model can act on.

    A missing one is no problem here: the tool asks the person for it.
    """
    schema = {key: value for key, value in spec.parameters.items() if key != "required"}
    try:
        errors = argument_errors(schema, arguments)
    except SchemaUnusable as broken:
        return f"this tool cannot be called: its schema is broken ({broken})"[:200]
    except (RecursionError, OverflowError, ValueError):
        return "the arguments are nested too deeply, or a number in them is too large"
    return "; ".join(_in_words(error) for error in errors[:_MOST_PROBLEMS])


def _in_words(error: ValidationError) -> str:
    where = ".".join(str(part) for part in error.absolute_path)
    return f"`{where}`: {error.message}"[:200] if where else error.message[:200]
