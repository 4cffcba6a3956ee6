"""The built-in tools' specs as a prompt offers them, for tests of the models room."""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.tools import Effect, ToolSpec


def _tool(name: str, description: str, effect: Effect, **properties: JsonObject) -> ToolSpec:
    required = [key for key, schema in properties.items() if "default" not in schema]
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema, effect)


_TEXT: JsonObject = {"type": "string"}
_NUMBER: JsonObject = {"type": "integer", "default": 1}

BUILT_IN = (
    _tool("calc", "Exact arithmetic.", Effect.NONE, expression=_TEXT),
    _tool("exec", "Run a command.", Effect.EXEC, command=_TEXT),
    _tool("find_files", "Find files by name.", Effect.FILE_FIND, pattern=_TEXT),
    _tool("memory_get", "Read memory.", Effect.MEMORY_READ, path=_TEXT, lines=_NUMBER),
    _tool("memory_search", "Search memory.", Effect.MEMORY_READ, query=_TEXT),
    _tool("memory_store", "Keep a fact.", Effect.MEMORY_WRITE, text=_TEXT),
    _tool("open", "Open by the system.", Effect.OPEN_EXTERNAL, target=_TEXT),
    _tool("read", "Read a file.", Effect.FILE_READ, path=_TEXT, offset=_NUMBER, limit=_NUMBER),
    _tool("reminder_add", "Remind.", Effect.REMINDER_WRITE, when=_TEXT, text=_TEXT),
    _tool("reminder_list", "List reminders.", Effect.REMINDER_READ),
    _tool("screenshot", "Take a picture.", Effect.SCREENSHOT),
    _tool("weather_query", "Weather.", Effect.WEB_READ, city=_TEXT),
    _tool("web_fetch", "Read a page.", Effect.WEB_READ, url=_TEXT),
    _tool("write", "Write a file.", Effect.FILE_WRITE, path=_TEXT, content=_TEXT),
)
