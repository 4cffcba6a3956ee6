"""What waits for the owner's yes before it is remembered, for a terminal at the other end.

    {"fresh":[{"id":"3","text":"Anna likes tea"}],"told":""}

Only news travels: what the last message gave, and what was just done. `/keep 3` and `/no 3` decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.client import ClientEvent, InboxChanged
from moltbot_desktop.sdk.inbox import Proposal

INBOX = "inbox"


def inbox_event(event: ClientEvent) -> JsonObject | None:
    """The payload; None for what tells no news of the inbox."""
    if not isinstance(event, InboxChanged) or not (event.fresh or event.told):
        return None
    fresh: list[JsonValue] = [
        {"id": one.id, "text": one.text} for one in event.waiting if one.id in event.fresh
    ]
    return {"fresh": fresh, "told": event.told}


def decoded_inbox(payload: JsonObject) -> InboxChanged:
    """The news as a terminal shows them; what is no text is left out."""
    rows = payload.get("fresh")
    found = rows if isinstance(rows, Sequence) and not isinstance(rows, str) else ()
    fresh = tuple(
        Proposal(str(one.get("id", "")), str(one.get("text", "")), "", "", "", SessionKey(""))
        for one in found
        if isinstance(one, Mapping)
    )
    told = payload.get("told")
    return InboxChanged(
        fresh, (), tuple(one.id for one in fresh), told if isinstance(told, str) else ""
    )
