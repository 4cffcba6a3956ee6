"""Which settings nobody should read over a shoulder."""

from __future__ import annotations

import re
from collections.abc import Mapping

from moltbot_desktop.core.json import JsonValue

_SECRET = re.compile(r"token$|password|secret|api_?key", re.IGNORECASE)
_ELSEWHERE = ("${", "keyring:")
HIDDEN = "***"


def without_secrets(value: JsonValue) -> JsonValue:
    """`value` with keys and passwords hidden; where they are kept elsewhere may be seen."""
    if isinstance(value, Mapping):
        return {name: _hidden(name, item) for name, item in value.items()}
    return [without_secrets(item) for item in value] if isinstance(value, list) else value


def is_secret_name(name: str) -> bool:
    """Whether what is called so is probably a key or password."""
    return _SECRET.search(name) is not None


def _hidden(name: str, value: JsonValue) -> JsonValue:
    if isinstance(value, str) and is_secret_name(name) and not value.startswith(_ELSEWHERE):
        return HIDDEN
    return without_secrets(value)
