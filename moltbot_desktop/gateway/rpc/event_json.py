"""What the assistant tells, as the reference's `agent` events, and back again.

    {"runId":…,"sessionKey":…,"seq":3,"stream":"tool","data":{"phase":"start","name":"read",…}}

Streams: lifecycle (start, end), prompt, assistant, tool (start, update, end), approval, memory and
compaction (start, end). A notice and a reminder belong to no run and are events of their own. The
other end reads what it knows and leaves the rest, so a newer assistant may say more than an older
command understands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from moltbot_desktop.core import events
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.permissions import Offer, Term
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.gateway.client import Notice, NoticeKind, ReminderDue

AGENT, NOTICE, REMINDER = "agent", "notice", "reminder"

_Head = tuple[RunId, SessionKey, int]
_Data = dict[str, JsonValue]


class UnknownEvent(Exception):
    """An event of a kind, or in a shape, that this version does not know."""


# ----------------------------------------------------------------------------- writing


def encode_event(event: object) -> tuple[str, JsonObject] | None:
    """Name and payload for the socket; None for what is told to windows alone."""
    match event:
        case events.RunEvent():
            coded = _stream_of(event)
            return None if coded is None else (AGENT, _run_event(event, *coded))
        case Notice():
            return NOTICE, {
                "text": event.text,
                "hint": event.hint,
                "serious": event.serious,
                "kind": event.kind.value,
                "title": event.title,
            }
        case ReminderDue():
            return REMINDER, {
                "id": event.reminder_id,
                "text": event.text,
                "due": event.due,
                "missed": event.missed,
            }
        case _:
            return None


def _run_event(event: events.RunEvent, stream: str, data: _Data) -> JsonObject:
    return {
        "runId": event.run_id,
        "sessionKey": event.session,
        "seq": event.seq,
        "stream": stream,
        "data": data,
    }


def _stream_of(event: events.RunEvent) -> tuple[str, _Data] | None:
    match event:
        case events.RunStarted():
            by_command: JsonObject = {"command": True} if event.command else {}
            return "lifecycle", {"phase": "start", "text": event.user_text, **by_command}
        case events.RunEnded():
            then: JsonObject = {"nextRunId": event.then} if event.then else {}
            return "lifecycle", {"phase": "end", "outcome": outcome_json(event.outcome), **then}
        case events.PromptProgress():
            return "prompt", {"done": event.done, "total": event.total, "cached": event.cached}
        case events.AssistantDelta():
            return "assistant", {"delta": event.text, "thinking": event.thinking}
        case events.AssistantRetracted():
            return "assistant", {"retracted": True}
        case events.ToolStarted():
            return "tool", {
                "phase": "start",
                "toolCallId": event.call_id,
                "name": event.tool,
                "args": event.arguments,
            }
        case events.ToolUpdated():
            return "tool", {
                "phase": "update",
                "toolCallId": event.call_id,
                "name": event.tool,
                "display": event.display,
            }
        case events.ToolEnded():
            return "tool", {
                "phase": "end",
                "toolCallId": event.call_id,
                "name": event.tool,
                "ok": event.ok,
                "outcome": event.outcome,
                "display": event.display,
                "seconds": event.seconds,
            }
        case events.ApprovalRequested():
            return "approval", {
                "phase": "requested",
                "id": event.approval_id,
                "tool": event.tool,
                "args": event.arguments,
                "title": event.title,
                "reason": event.reason,
                "terms": [term.value for term in event.offer.terms],
                "about": event.offer.about,
                "changes": event.offer.changes,
                "batch": event.offer.batch,
            }
        case events.ApprovalResolved():
            return "approval", {
                "phase": "resolved",
                "id": event.approval_id,
                "allowed": event.allowed,
                "by": event.by,
            }
        case events.MemoriesUsed():
            return "memory", {"used": [_memory_json(one) for one in event.memories]}
        case events.CompactionStarted():
            return "compaction", {"phase": "start", "tokens": event.tokens}
        case events.CompactionEnded():
            return "compaction", {
                "phase": "end",
                "exchanges": event.exchanges,
                "tokensBefore": event.tokens_before,
                "tokensAfter": event.tokens_after,
                "notes": event.notes,
                "willRetry": event.will_retry,
            }
        case _:
            return None


def outcome_json(outcome: RunOutcome) -> JsonObject:
    usage = outcome.usage
    return {
        "kind": outcome.kind,
        "text": outcome.text,
        "reason": outcome.reason,
        "seconds": outcome.seconds,
        "usage": {
            "promptTokens": usage.prompt_tokens,
            "cachedTokens": usage.cached_tokens,
            "completionTokens": usage.completion_tokens,
        },
    }


def _memory_json(used: UsedMemory) -> JsonObject:
    return {
        "path": used.path,
        "startLine": used.start_line,
        "endLine": used.end_line,
        "score": used.score,
        "digest": used.digest,
        "use": used.use,
    }


# ----------------------------------------------------------------------------- reading


def decode_event(name: str, payload: JsonObject) -> events.RunEvent | Notice | ReminderDue:
    """The event that `encode_event` made this of.

    Raises:
        UnknownEvent: another kind of event, or one that lacks something.
    """
    try:
        match name:
            case "agent":
                return _decoded_run_event(payload)
            case "notice":
                return Notice(
                    _text(payload, "text"),
                    _text(payload, "hint"),
                    _flag(payload, "serious"),
                    NoticeKind(_text(payload, "kind")),
                    _text(payload, "title"),
                )
            case "reminder":
                return ReminderDue(
                    _whole(payload, "id"),
                    _text(payload, "text"),
                    _text(payload, "due"),
                    _flag(payload, "missed"),
                )
            case _:
                raise UnknownEvent(name)
    except (KeyError, TypeError, ValueError) as error:
        raise UnknownEvent(f"{name}: {error}") from error


def _decoded_run_event(payload: JsonObject) -> events.RunEvent:
    head = (
        RunId(_text(payload, "runId")),
        SessionKey(_text(payload, "sessionKey")),
        _whole(payload, "seq"),
    )
    data = _group(payload, "data")
    stream = _text(payload, "stream")
    phase = data.get("phase")
    key = f"{stream} {phase}" if isinstance(phase, str) else stream
    if key == "assistant" and data.get("retracted") is True:
        key = "assistant retracted"
    return _READERS[key](head, data)


def _decoded_outcome(data: JsonObject) -> RunOutcome:
    outcome = _group(data, "outcome")
    usage = _group(outcome, "usage")
    return RunOutcome(
        OutcomeKind(_text(outcome, "kind")),
        _text(outcome, "text"),
        _text(outcome, "reason"),
        Usage(
            _whole(usage, "promptTokens"),
            _whole(usage, "cachedTokens"),
            _whole(usage, "completionTokens"),
        ),
        _number(outcome, "seconds"),
    )


def _decoded_memories(data: JsonObject) -> tuple[UsedMemory, ...]:
    used = data["used"]
    if not isinstance(used, list):
        raise TypeError("`used` is no list")
    return tuple(_decoded_memory(one) for one in used if isinstance(one, Mapping))


def _decoded_memory(one: JsonObject) -> UsedMemory:
    return UsedMemory(
        _text(one, "path"),
        _whole(one, "startLine"),
        _whole(one, "endLine"),
        _number(one, "score"),
        _text(one, "digest"),
        Use(_text(one, "use")),
    )


_READERS: Mapping[str, Callable[[_Head, JsonObject], events.RunEvent]] = MappingProxyType(
    {
        "lifecycle start": lambda head, data: events.RunStarted(
            *head, _text(data, "text"), data.get("command") is True
        ),
        "lifecycle end": lambda head, data: events.RunEnded(
            *head, _decoded_outcome(data), RunId(str(data.get("nextRunId", "")))
        ),
        "prompt": lambda head, data: events.PromptProgress(
            *head, _whole(data, "done"), _whole(data, "total"), _whole(data, "cached")
        ),
        "assistant": lambda head, data: events.AssistantDelta(
            *head, _text(data, "delta"), _flag(data, "thinking")
        ),
        "assistant retracted": lambda head, _: events.AssistantRetracted(*head),
        "tool start": lambda head, data: events.ToolStarted(
            *head, _text(data, "toolCallId"), _text(data, "name"), _group(data, "args")
        ),
        "tool update": lambda head, data: events.ToolUpdated(
            *head, _text(data, "toolCallId"), _text(data, "name"), _text(data, "display")
        ),
        "tool end": lambda head, data: events.ToolEnded(
            *head,
            _text(data, "toolCallId"),
            _text(data, "name"),
            _flag(data, "ok"),
            _text(data, "outcome"),
            _text(data, "display"),
            _number(data, "seconds"),
        ),
        "approval requested": lambda head, data: events.ApprovalRequested(
            *head,
            ApprovalId(_text(data, "id")),
            _text(data, "tool"),
            _group(data, "args"),
            _text(data, "title"),
            _text(data, "reason"),
            _decoded_offer(data),
        ),
        "approval resolved": lambda head, data: events.ApprovalResolved(
            *head, ApprovalId(_text(data, "id")), _flag(data, "allowed"), _text(data, "by")
        ),
        "compaction start": lambda head, data: events.CompactionStarted(
            *head, _whole(data, "tokens")
        ),
        "compaction end": lambda head, data: events.CompactionEnded(
            *head,
            _whole(data, "exchanges"),
            _whole(data, "tokensBefore"),
            _whole(data, "tokensAfter"),
            _whole(data, "notes"),
            _flag(data, "willRetry"),
        ),
        "memory": lambda head, data: events.MemoriesUsed(*head, _decoded_memories(data)),
    }
)


def _decoded_offer(data: JsonObject) -> Offer:
    """An older assistant says nothing of it, a newer one may know longer terms."""
    known = {term.value: term for term in Term}
    said = data.get("terms")
    names = said if isinstance(said, Sequence) and not isinstance(said, str) else ()
    terms = tuple(known[name] for name in names if isinstance(name, str) and name in known)
    texts = (str(data.get(name, "")) for name in ("about", "changes", "batch"))
    return Offer(terms or (Term.ONCE,), *texts)


def _text(data: JsonObject, name: str) -> str:
    value = data[name]
    if not isinstance(value, str):
        raise TypeError(f"`{name}` is no text")
    return value


def _whole(data: JsonObject, name: str) -> int:
    value = data[name]
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"`{name}` is no whole number")
    return value


def _number(data: JsonObject, name: str) -> float:
    value = data[name]
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"`{name}` is no number")
    return float(value)


def _flag(data: JsonObject, name: str) -> bool:
    value = data[name]
    if not isinstance(value, bool):
        raise TypeError(f"`{name}` is neither true nor false")
    return value


def _group(data: JsonObject, name: str) -> JsonObject:
    value = data[name]
    if not isinstance(value, Mapping):
        raise TypeError(f"`{name}` is no object")
    return value
