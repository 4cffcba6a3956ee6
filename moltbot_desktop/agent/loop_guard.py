"""The loop breaker: the same call with the same result over and over is not progress."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall

ASK_AFTER = 3
STOP_AFTER = 5


def canonical(value: Mapping[str, JsonValue]) -> str:
    """JSON with sorted keys: equal values give equal text."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


@dataclass
class LoopGuard:
    """Counts identical (call, result) pairs of one run."""

    _seen: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def count(self, call: ToolCall, result: Mapping[str, JsonValue]) -> int:
        """How often this call has now given this result, this time included."""
        key = (call.name, canonical(call.arguments), canonical(result))
        self._seen[key] += 1
        return self._seen[key]
