"""Which messages of a broker were kept already, as the one cursor that an account has; pure.

    kept = Kept.parsed(account.cursor)
    mark = mark_of(7, "moltbot/in/kitchen", b"hello")
    mark in kept.marks
    kept = kept.with_one(mark)

A broker gives again what was not acknowledged, with the number that it had (MQTT 3.1.1, 4.4.0-1)
and marked as given before (3.3.1-1). Only among those so marked does a mark count: numbers are used
again, and somebody may say the same twice.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

_MOST = 300
"""More than a broker has under way at a time; mosquitto: 20."""


@dataclass(frozen=True)
class Kept:
    """The last ones, oldest first."""

    marks: tuple[str, ...] = ()

    @classmethod
    def parsed(cls, text: str) -> Kept:
        """Nothing known where `text` is none of ours."""
        try:
            found = json.loads(text or "[]")
        except (ValueError, RecursionError):
            return cls()
        if not isinstance(found, list):
            return cls()
        return cls(tuple(one for one in found[-_MOST:] if isinstance(one, str)))

    def with_one(self, mark: str) -> Kept:
        return Kept((*self.marks, mark)[-_MOST:])

    @property
    def text(self) -> str:
        return json.dumps(self.marks)


def mark_of(number: int, topic: str, payload: bytes) -> str:
    return f"{number}:{hashlib.sha256(topic.encode() + bytes(1) + payload).hexdigest()[:16]}"
