"""What comes over the line, and what is said to it. Pure.

    push = read_push(raw)                     # Push("CALLBACK", ROBOT, "213d841d_97…", "{…}")
    acknowledged(push, kept=True)             # '{"code": 200, …}'

https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from moltbot_desktop.sdk.foreign_json import group, read_object, text

ROBOT = "/v1.0/im/bot/messages/get"
CALLBACK = "CALLBACK"
SYSTEM = "SYSTEM"
GOODBYE = "disconnect"
PING = "ping"
_LONGEST_ID = 200


@dataclass(frozen=True)
class Push:
    """Attributes:
    kind: ``SYSTEM``, ``EVENT`` or ``CALLBACK``.
    id: of this push, which an answer names; not of the message in it.
    data: JSON in a text.
    """

    kind: str
    topic: str
    id: str
    data: str

    @property
    def is_goodbye(self) -> bool:
        """The platform is silent for ten seconds now, then closes the line."""
        return (self.kind, self.topic) == (SYSTEM, GOODBYE)


def read_push(raw: str) -> Push | None:
    """None for what is no push."""
    found = read_object(raw)
    if found is None:
        return None
    head = group(found.get("headers"))
    kind, topic = text(found.get("type")), text(head.get("topic"))
    name = text(head.get("messageId"))
    if not kind or len(name) > _LONGEST_ID:
        return None
    return Push(kind, topic, name, text(found.get("data")))


def acknowledged(push: Push, *, kept: bool) -> str:
    """What is answered to a push. One that asks whether we live has its own data back."""
    data = push.data if push.kind == SYSTEM else json.dumps({"response": None})
    head = {"messageId": push.id, "contentType": "application/json"}
    code, message = (200, "OK") if kept else (500, "internal error")
    return json.dumps({"code": code, "message": message, "headers": head, "data": data})
