"""``${NAME}`` in a text value is replaced by the environment variable of that name.

Only capital letters, digits and underscore make a name; ``$${NAME}`` is the literal ``${NAME}``.
Lower-case names and a bare ``$NAME`` stay as they are. Keys are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from moltbot_desktop.core.json import JsonValue

_REFERENCE = re.compile(r"(\$?)\$\{([A-Z_][A-Z0-9_]*)\}")


class MissingVariable(Exception):
    """A variable that is not set, or empty.

    Attributes:
        path: where it is named, e.g. ``channels.list[0].token``.
    """

    def __init__(self, path: str, name: str) -> None:
        super().__init__(f"{path}: {name}")
        self.path = path
        self.name = name


def substitute(value: JsonValue, path: str, environment: Mapping[str, str]) -> JsonValue:
    """`value` with all references replaced.

    Raises:
        MissingVariable: one of them has no value.
    """
    if isinstance(value, str):
        return _in_text(value, path, environment)
    if isinstance(value, Mapping):
        return {
            name: substitute(item, f"{path}.{name}" if path else name, environment)
            for name, item in value.items()
        }
    if isinstance(value, Sequence):
        return [
            substitute(item, f"{path}[{number}]", environment) for number, item in enumerate(value)
        ]
    return value


def _in_text(text: str, path: str, environment: Mapping[str, str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        escaped, name = match.groups()
        if escaped:
            return match.group()[1:]
        found = environment.get(name, "")
        if not found:
            raise MissingVariable(path, name)
        return found

    return _REFERENCE.sub(replaced, text)
