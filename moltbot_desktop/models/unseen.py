"""Which arguments of a call stand nowhere in what the model has read.

A model that invents a recipient or a path writes a valid call. Text that occurs nowhere in the
context is marked, so that policy and window can ask before it acts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.tools import ToolSpec

# Shorter values ("5", "en", "now") occur by chance or are words of the language.
MIN_CHARACTERS = 4


def unseen_arguments(
    call: ToolCall, tool: ToolSpec | None, contents: Iterable[str]
) -> tuple[str, ...]:
    """Names of string arguments that occur in none of `contents`.

    Case and white space do not count; a value the schema itself lists is never unseen.
    """
    read = [_normalised(content) for content in contents]
    names = []
    for name, value in call.arguments.items():
        if not isinstance(value, str) or _is_choice(tool, name):
            continue
        wanted = _normalised(value)
        if len(wanted) >= MIN_CHARACTERS and not any(wanted in content for content in read):
            names.append(name)
    return tuple(names)


def _normalised(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_choice(tool: ToolSpec | None, name: str) -> bool:
    """Whether the schema gives the possible values."""
    properties = tool.parameters.get("properties") if tool else None
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    return isinstance(schema, Mapping) and ("enum" in schema or "const" in schema)
