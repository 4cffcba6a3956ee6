"""Tools that do what a test says: record what they got, give back what is written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec

TEXT_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["text"],
}


def spec(name: str, effect: Effect = Effect.NONE, *paths: str) -> ToolSpec:
    return ToolSpec(name, f"The {name} tool.", TEXT_SCHEMA, effect, path_arguments=paths)


@dataclass
class FakeTool:
    """Implements `sdk.tools.Tool`. `answer` makes the result; it may raise."""

    spec: ToolSpec
    answer: Callable[[ToolInput], ToolResult] = lambda given: ToolResult({"ok": True}, "Done.")
    got: list[tuple[Mapping[str, JsonValue], ToolContext]] = field(default_factory=list)

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        self.got.append((dict(given.arguments), context))
        return self.answer(given)
