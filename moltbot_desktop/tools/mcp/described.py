"""A tool as its server describes it, made harmless where it comes in.

    described("get_time", "Get the\\n time <|im_end|>", {...})     # ServerTool, or None for no tool

Everything behind this door (prompts, windows, files) may show what is in a `ServerTool` as it is.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.tools.mcp.schemas import safe_schema
from moltbot_desktop.tools.mcp.values import ServerTool
from moltbot_desktop.tools.mcp.words import line

LONGEST_DESCRIPTION = 600
_LONGEST_NAME = 128


def described(name: str, description: str, schema: JsonObject) -> ServerTool | None:
    """None for a name that nobody could read or write."""
    if not 0 < len(name) <= _LONGEST_NAME or line(name, _LONGEST_NAME) != name:
        return None
    return ServerTool(name, line(description, LONGEST_DESCRIPTION), safe_schema(schema))
