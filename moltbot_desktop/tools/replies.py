"""Values that all tools make: the two results that are no success, and argument schemas."""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.tools import ToolResult


def failure(error: str, display: str) -> ToolResult:
    """`error` tells the model what to correct, `display` the person what went wrong."""
    return ToolResult({"error": error}, display, ok=False)


def ask(missing: str, question: str) -> ToolResult:
    """The argument `missing` was not given or is unclear; `question` goes to the person."""
    return ToolResult({"error": f"`{missing}` is missing"}, question, ok=False, question=question)


def arguments(required: tuple[str, ...] = (), **described: JsonValue) -> JsonObject:
    """The JSON Schema of a flat object; `described` maps each name to its schema."""
    return {
        "type": "object",
        "properties": described,
        "required": list(required),
        "additionalProperties": False,
    }


def text_argument(description: str = "") -> JsonObject:
    """Each description is paid for in every prompt: none where the name says enough."""
    return {"type": "string", **({"description": description} if description else {})}


def number_argument(description: str = "") -> JsonObject:
    return {"type": "integer", **({"description": description} if description else {})}


def one_line(text: str, most: int = 200) -> str:
    """`text` for a sentence: without line ends, and no longer than `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
