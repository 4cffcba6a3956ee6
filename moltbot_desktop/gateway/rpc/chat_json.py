"""The end of a run as the reference's `chat` event, for those who only want the answer.

    {"runId":…,"sessionKey":…,"seq":7,"state":"final","message":{"role":"assistant",…}}

`state` is final, aborted or error (then with `errorMessage`). The words as they come are in the
`agent` events.
"""

from __future__ import annotations

from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import ClientEvent

CHAT = "chat"
_ABORTED = (OutcomeKind.CANCELLED,)
_ERROR = (OutcomeKind.FAILED, OutcomeKind.TIMED_OUT, OutcomeKind.OUT_OF_BUDGET)


def chat_event(event: ClientEvent) -> JsonObject | None:
    """The payload; None for what is not the end of a run."""
    if not isinstance(event, RunEnded):
        return None
    outcome = event.outcome
    told: dict[str, JsonValue] = {
        "runId": event.run_id,
        "sessionKey": event.session,
        "seq": event.seq,
        "state": _state(outcome.kind),
    }
    if outcome.text:
        content: list[JsonValue] = [{"type": "text", "text": outcome.text}]
        told["message"] = {"role": "assistant", "content": content}
    if told["state"] == "error":
        told["errorMessage"] = outcome.reason or outcome.kind.value
    return told


def _state(kind: OutcomeKind) -> str:
    if kind in _ABORTED:
        return "aborted"
    return "error" if kind in _ERROR else "final"
