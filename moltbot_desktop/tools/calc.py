"""`calc`: exact arithmetic, in symbols or words."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.arithmetic import CalcError, calculate
from moltbot_desktop.tools.replies import arguments, ask, failure, text_argument

_PHRASES = Phrases(
    {
        "ask": "What shall I calculate? For example: 12 times 7.",
        "result": "{expression} = {value}",
        "too_long": "That is too long for me to calculate.",
        "unknown_word": "I cannot calculate with “{near}”.",
        "incomplete": "The calculation is not complete.",
        "unbalanced": "The parentheses do not match.",
        "zero_division": "Dividing by zero has no result.",
        "too_large": "The result would be too large.",
        "negative_root": "A negative number has no such root.",
        "too_deep": "That is nested too deeply for me.",
    },
    {
        "ask": "要算什么？例如：12乘以7。",
        "result": "{expression} = {value}",
        "too_long": "算式太长了，我算不了。",
        "unknown_word": "“{near}”我不会算。",
        "incomplete": "算式不完整。",
        "unbalanced": "括号不匹配。",
        "zero_division": "除以零没有结果。",
        "too_large": "结果太大了，算不了。",
        "negative_root": "负数没有这样的根。",
        "too_deep": "括号层数太多，我算不了。",
    },
)


class Calc:
    """Arithmetic by code, so that no model has to do it in its head."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "calc",
            "Exact arithmetic.",
            arguments(("expression",), expression=text_argument("12 * 3, 20% of 50")),
            Effect.NONE,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        expression = given.text("expression")
        try:
            value = calculate(expression)
        except CalcError as error:
            return self._no_value(error, context)
        shown = expression.rstrip("=？? ")
        display = _PHRASES.say("result", context.language, expression=shown, value=value)
        return ToolResult({"value": value}, display)

    @staticmethod
    def _no_value(error: CalcError, context: ToolContext) -> ToolResult:
        if error.trouble.value == "empty":
            return ask("expression", _PHRASES.say("ask", context.language))
        display = _PHRASES.say(error.trouble.value, context.language, near=error.near)
        where = f" near {error.near!r}" if error.near else ""
        return failure(f"{error.trouble.value.replace('_', ' ')}{where}", display)
