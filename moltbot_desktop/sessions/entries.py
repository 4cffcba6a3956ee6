"""What a transcript is made of, and how one entry is written as a line of JSON.

The shapes are the reference's, so that its tools can read our files and we can read its::

    {"type":"session","version":3,"id":…,"timestamp":…,"cwd":…}                       line 1
    {"type":"message","id":…,"parentId":…,"timestamp":…,"message":{"role":…,"content":[…]}}
    {"type":"custom","customType":"outcome"|"labels"|"memories"|"settings"|"branch"|"news"|"run",…,
     "data":{…}}
    {"type":"compaction",…,"summary":…,"firstKeptEntryId":…,"tokensBefore":…}

Ours on top: `sessionKey` in line 1, `runId` and `unfinished` beside `message`, `confidence` in a
tool call, `display` and `call` in a tool result's `details` (the latter and entries of the type
"run": `sessions.fact_lines`). Decoding never fails: what has another shape
becomes an `OtherEntry`, is kept in the file and takes no part in the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.core.run_facts import NO_FACTS, CallFacts, RunFacts
from moltbot_desktop.security.labels import SOURCES, StoredLabels
from moltbot_desktop.sessions import fact_lines

FORMAT_VERSION = 3
MAX_TEXT_CHARACTERS = 1_000_000
"""Longer texts (a runaway tool) are cut, so that no line can grow past what readers accept."""
CUT_MARK = "\n…(cut)"
MEMORIES = "memories"
_HEADED = "headed"
"""The first part of a message is what the program put before the words."""
"""`customType` of a `MemoriesEntry`, and the name of the list inside."""


@dataclass(frozen=True)
class TranscriptHeader:
    """Line 1. `key` is "" in files that the reference wrote."""

    session_id: SessionId
    key: SessionKey
    started: str
    cwd: str


@dataclass(frozen=True)
class TranscriptEntry:
    """Base of all entries.

    Attributes:
        id: unique inside its transcript.
        parent_id: the entry before it, "" for the first.
        time: ISO 8601 with offset.
    """

    id: str
    parent_id: str
    time: str


@dataclass(frozen=True)
class UserEntry(TranscriptEntry):
    """What a person said, as the model reads it: `text` begins with what the program put `before`
    the words, from where they come and what was said there earlier."""

    run_id: RunId
    text: str
    before: str = ""

    @property
    def words(self) -> str:
        """The words alone, for titles."""
        return self.text.removeprefix(self.before)


@dataclass(frozen=True)
class AssistantEntry(TranscriptEntry):
    """What the model said or called. `unfinished`: the run ended in the middle of it."""

    run_id: RunId
    message: ChatMessage
    unfinished: bool = False


@dataclass(frozen=True)
class ToolResultEntry(TranscriptEntry):
    """A tool's answer: `message` as the model saw it, `display` as the person saw it."""

    run_id: RunId
    message: ChatMessage
    ok: bool
    display: str
    facts: CallFacts = NO_FACTS


@dataclass(frozen=True)
class OutcomeEntry(TranscriptEntry):
    """How a run ended. `unfinished_entry` names an answer that turned out not to be whole."""

    run_id: RunId
    outcome: RunOutcome
    unfinished_entry: str = ""


@dataclass(frozen=True)
class LabelsEntry(TranscriptEntry):
    """Security labels that hold from here on."""

    labels: StoredLabels


@dataclass(frozen=True)
class MemoriesEntry(TranscriptEntry):
    """Which memories a run's answer was made with; an older version keeps the line unread."""

    run_id: RunId
    memories: tuple[UsedMemory, ...]


@dataclass(frozen=True)
class RunEntry(TranscriptEntry):
    """How a run began; written before its model is asked for the first time. An older version
    keeps the line unread."""

    run_id: RunId
    facts: RunFacts


@dataclass(frozen=True)
class CompactionEntry(TranscriptEntry):
    """From here on prompts show `summary` in place of what stands before `first_kept_entry_id`,
    which stays in the file.

    Attributes:
        first_kept_entry_id: of an entry that may stand before this one.
        tokens_before: what the conversation cost in a prompt until now.
        read_files, changed_files: paths that tools were given before, the oldest first.
    """

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    read_files: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()


@dataclass(frozen=True)
class BranchSummaryEntry(TranscriptEntry):
    """What was said on a branch that the conversation came back from. The reference writes it and
    shows it to the model; ours goes on without one. `from_id`: where that branch ended."""

    summary: str
    from_id: str = ""


@dataclass(frozen=True)
class SettingsEntry(TranscriptEntry):
    """What is set for the conversation from here on, all of it: see `sessions.settings.lasting`."""

    settings: JsonObject


@dataclass(frozen=True)
class NewsEntry(TranscriptEntry):
    """What went on without the person, such as a planned job, told where they look. For them
    alone: no prompt has it.

    Attributes:
        about: whose news it is, in a few words.
        serious: something went wrong.
    """

    about: str
    text: str
    serious: bool = False


@dataclass(frozen=True)
class BranchEntry(TranscriptEntry):
    """The conversation goes on from its parent, another way than before: see `sessions.tree`."""


@dataclass(frozen=True)
class OtherEntry(TranscriptEntry):
    """An entry of a kind this version does not use (a plugin's own)."""

    kind: str
    raw: JsonObject


# ----------------------------------------------------------------------------- writing


def encode_header(header: TranscriptHeader) -> JsonObject:
    return {
        "type": "session",
        "version": FORMAT_VERSION,
        "id": header.session_id,
        "timestamp": header.started,
        "cwd": header.cwd,
        "sessionKey": header.key,
    }


def encode_entry(entry: TranscriptEntry) -> JsonObject:
    """The line for `entry`; `decode_entry` gives an equal entry back."""
    match entry:
        case UserEntry():
            return _line(entry, "message", _user_fields(entry))
        case AssistantEntry():
            return _line(entry, "message", _assistant_fields(entry))
        case ToolResultEntry():
            return _line(entry, "message", _tool_result_fields(entry))
        case OutcomeEntry():
            return _custom(entry, "outcome", _outcome_data(entry), entry.run_id)
        case LabelsEntry():
            return _custom(entry, "labels", dict(entry.labels))
        case MemoriesEntry():
            used: JsonObject = {MEMORIES: [_encode_memory(one) for one in entry.memories]}
            return _custom(entry, MEMORIES, used, entry.run_id)
        case RunEntry():
            return _custom(entry, "run", fact_lines.encode_run(entry.facts), entry.run_id)
        case SettingsEntry():
            return _custom(entry, "settings", entry.settings)
        case NewsEntry():
            about, text = bounded_text(entry.about), bounded_text(entry.text)
            return _custom(entry, "news", {"about": about, "text": text, "serious": entry.serious})
        case BranchEntry():
            return _custom(entry, "branch", {})
        case CompactionEntry():
            return _line(entry, "compaction", _compaction_fields(entry))
        case BranchSummaryEntry():
            told: JsonObject = {"fromId": entry.from_id, "summary": bounded_text(entry.summary)}
            return _line(entry, "branch_summary", told)
        case OtherEntry():
            return entry.raw
    raise TypeError(f"not a transcript entry: {type(entry).__name__}")


def _line(entry: TranscriptEntry, kind: str, fields: JsonObject) -> JsonObject:
    parent = entry.parent_id or None
    return {"type": kind, "id": entry.id, "parentId": parent, "timestamp": entry.time, **fields}


def _custom(
    entry: TranscriptEntry, kind: str, data: JsonObject, run_id: RunId | None = None
) -> JsonObject:
    run: JsonObject = {} if run_id is None else {"runId": run_id}
    return _line(entry, "custom", {"customType": kind, **run, "data": data})


def _user_fields(entry: UserEntry) -> JsonObject:
    """What stands before the words is a part of its own, so that words which are taken out of one
    of the two leave the other one whole."""
    if not entry.before or not entry.text.startswith(entry.before):
        return {
            "runId": entry.run_id,
            "message": {"role": "user", "content": _text_parts(entry.text)},
        }
    parts = [*_text_parts(entry.before), *_text_parts(entry.words)]
    return {"runId": entry.run_id, _HEADED: True, "message": {"role": "user", "content": parts}}


def _text_parts(text: str) -> list[JsonValue]:
    return [{"type": "text", "text": bounded_text(text)}] if text else []


def bounded_text(text: str) -> str:
    """`text` as it can be stored: cut when huge, lone surrogates replaced."""
    whole = _without_surrogates(text)
    if len(whole) <= MAX_TEXT_CHARACTERS:
        return whole
    return whole[: MAX_TEXT_CHARACTERS - len(CUT_MARK)] + CUT_MARK


def _without_surrogates(text: str) -> str:
    """Half a surrogate pair is no text: no file, no model and no window takes it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _assistant_fields(entry: AssistantEntry) -> JsonObject:
    message = entry.message
    content: list[JsonValue] = []
    if message.thinking:
        content.append({"type": "thinking", "thinking": bounded_text(message.thinking)})
    content += _text_parts(message.content)
    content += [_encode_call(call) for call in message.tool_calls]
    mark: JsonObject = {"unfinished": True} if entry.unfinished else {}
    body: JsonObject = {"role": "assistant", "content": content}
    return {"runId": entry.run_id, **mark, "message": body}


def _encode_call(call: ToolCall) -> JsonObject:
    sure = call.confidence >= 1.0 or not isfinite(call.confidence)
    confidence: JsonObject = {} if sure else {"confidence": call.confidence}
    unseen: JsonObject = (
        {"unseenArguments": list(call.unseen_arguments)} if call.unseen_arguments else {}
    )
    return {
        "type": "toolCall",
        "id": call.id,
        "name": call.name,
        "arguments": plain_json(call.arguments),
        **confidence,
        **unseen,
    }


def plain_json(value: JsonValue) -> JsonValue:
    """`value` out of dicts, lists and storable scalars only, so that any encoder takes it."""
    if isinstance(value, str):
        return bounded_text(value)
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {bounded_text(str(name)): plain_json(item) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [plain_json(item) for item in value]
    return value


def _tool_result_fields(entry: ToolResultEntry) -> JsonObject:
    message = entry.message
    display: JsonObject = {"display": bounded_text(entry.display)} if entry.display else {}
    details = {**display, **fact_lines.encode_call(entry.facts)}
    body: JsonObject = {
        "role": "toolResult",
        "toolCallId": message.tool_call_id,
        "toolName": message.tool_name,
        "content": _text_parts(message.content),
        "isError": not entry.ok,
        **({"details": details} if details else {}),
    }
    return {"runId": entry.run_id, "message": body}


def _outcome_data(entry: OutcomeEntry) -> JsonObject:
    outcome, usage = entry.outcome, entry.outcome.usage
    unfinished: JsonObject = (
        {"unfinishedEntry": entry.unfinished_entry} if entry.unfinished_entry else {}
    )
    return {
        "kind": outcome.kind.value,
        "text": bounded_text(outcome.text),
        "reason": bounded_text(outcome.reason),
        "usage": {
            "input": usage.prompt_tokens,
            "cacheRead": usage.cached_tokens,
            "output": usage.completion_tokens,
        },
        "seconds": outcome.seconds if isfinite(outcome.seconds) else 0.0,
        **unfinished,
    }


def _encode_memory(used: UsedMemory) -> JsonObject:
    """Place and digest; the words stay in memory alone."""
    return {
        "path": bounded_text(used.path),
        "startLine": used.start_line,
        "endLine": used.end_line,
        "score": used.score if isfinite(used.score) else 0.0,
        "digest": used.digest,
        "use": used.use.value,
    }


def _compaction_fields(entry: CompactionEntry) -> JsonObject:
    files: JsonObject = {
        "readFiles": [bounded_text(path) for path in entry.read_files],
        "modifiedFiles": [bounded_text(path) for path in entry.changed_files],
    }
    return {
        "summary": bounded_text(entry.summary),
        "firstKeptEntryId": entry.first_kept_entry_id,
        "tokensBefore": entry.tokens_before,
        "details": files,
    }


# ----------------------------------------------------------------------------- reading


def decode_header(record: JsonObject) -> TranscriptHeader | None:
    """Line 1 of a transcript, or None when `record` is something else."""
    session_id = text_of(record, "id")
    if record.get("type") != "session" or not session_id:
        return None
    return TranscriptHeader(
        SessionId(session_id),
        SessionKey(text_of(record, "sessionKey")),
        text_of(record, "timestamp"),
        text_of(record, "cwd"),
    )


def decode_entry(record: JsonObject) -> TranscriptEntry:
    """The entry of one line; anything unexpected is an `OtherEntry`."""
    kind = text_of(record, "type")
    decoded: TranscriptEntry | None = None
    if kind == "message":
        decoded = _decode_message(record)
    elif kind == "custom":
        decoded = _decode_custom(record)
    elif kind == "compaction":
        decoded = _decode_compaction(record)
    elif kind == "branch_summary":
        decoded = BranchSummaryEntry(
            *_base(record), text_of(record, "summary"), text_of(record, "fromId")
        )
    return decoded or OtherEntry(*_base(record), kind, record)


def text_of(record: JsonObject, name: str) -> str:
    value = record.get(name)
    return _without_surrogates(value) if isinstance(value, str) else ""


def _object_of(record: JsonObject, name: str) -> JsonObject:
    value = record.get(name)
    return value if isinstance(value, Mapping) else {}


def _number_of(record: JsonObject, name: str) -> float:
    """A finite number, 0 for anything else."""
    value = record.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    try:
        number = float(value)
    except OverflowError:  # JSON has whole numbers of any size
        return 0.0
    return number if isfinite(number) else 0.0


def _base(record: JsonObject) -> tuple[str, str, str]:
    return text_of(record, "id"), text_of(record, "parentId"), text_of(record, "timestamp")


def _decode_message(record: JsonObject) -> TranscriptEntry | None:
    message, base = _object_of(record, "message"), _base(record)
    run_id = RunId(text_of(record, "runId"))
    parts = _content_parts(message)
    match message.get("role"):
        case "user":
            headed = record.get(_HEADED) is True and bool(parts)
            before = text_of(parts[0], "text") if headed else ""
            return UserEntry(*base, run_id, _joined(parts, "text"), before)
        case "assistant":
            said = ChatMessage(
                Role.ASSISTANT,
                _joined(parts, "text"),
                tuple(_decode_call(part) for part in parts if part.get("type") == "toolCall"),
                _joined(parts, "thinking"),
            )
            return AssistantEntry(*base, run_id, said, record.get("unfinished") is True)
        case "toolResult":
            return _decode_tool_result(base, run_id, message, _joined(parts, "text"))
    return None


def _decode_tool_result(
    base: tuple[str, str, str], run_id: RunId, message: JsonObject, text: str
) -> ToolResultEntry:
    said = ChatMessage(
        Role.TOOL,
        text,
        tool_call_id=text_of(message, "toolCallId"),
        tool_name=text_of(message, "toolName"),
    )
    details = _object_of(message, "details")
    display, facts = text_of(details, "display"), fact_lines.decode_call(details)
    return ToolResultEntry(*base, run_id, said, message.get("isError") is not True, display, facts)


def _content_parts(message: JsonObject) -> list[JsonObject]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, Sequence):
        return []
    return [part for part in content if isinstance(part, Mapping)]


def _joined(parts: Sequence[JsonObject], kind: str) -> str:
    return "".join(text_of(part, kind) for part in parts if part.get("type") == kind)


def _decode_call(part: JsonObject) -> ToolCall:
    unseen = part.get("unseenArguments")
    names = unseen if isinstance(unseen, Sequence) and not isinstance(unseen, str) else ()
    return ToolCall(
        text_of(part, "id"),
        text_of(part, "name"),
        _object_of(part, "arguments"),
        _number_of(part, "confidence") if "confidence" in part else 1.0,
        tuple(name for name in names if isinstance(name, str)),
    )


def _labels_of(data: JsonObject) -> StoredLabels:
    held: dict[str, bool | tuple[str, ...]] = {}
    for name, value in data.items():
        if isinstance(value, bool):
            held[name] = value
        elif name == SOURCES and isinstance(value, list | tuple):
            held[name] = tuple(one for one in value if isinstance(one, str))
    return held


def _decode_custom(record: JsonObject) -> TranscriptEntry | None:
    data = _object_of(record, "data")
    match record.get("customType"):
        case "outcome":
            return _decode_outcome(record, data)
        case "labels":
            return LabelsEntry(*_base(record), _labels_of(data))
        case "memories":
            return _decode_memories(record, data)
        case "run":
            run_id = RunId(text_of(record, "runId"))
            return RunEntry(*_base(record), run_id, fact_lines.decode_run(data))
        case "settings":
            return SettingsEntry(*_base(record), data)
        case "branch":
            return BranchEntry(*_base(record))
        case "news":
            serious = data.get("serious") is True
            return NewsEntry(*_base(record), text_of(data, "about"), text_of(data, "text"), serious)
    return None


def _decode_outcome(record: JsonObject, data: JsonObject) -> OutcomeEntry | None:
    kind = text_of(data, "kind")
    if kind not in {known.value for known in OutcomeKind}:
        return None
    counts = _object_of(data, "usage")
    usage = Usage(
        int(_number_of(counts, "input")),
        int(_number_of(counts, "cacheRead")),
        int(_number_of(counts, "output")),
    )
    outcome = RunOutcome(
        OutcomeKind(kind),
        text_of(data, "text"),
        text_of(data, "reason"),
        usage,
        _number_of(data, "seconds"),
    )
    run_id = RunId(text_of(record, "runId"))
    return OutcomeEntry(*_base(record), run_id, outcome, text_of(data, "unfinishedEntry"))


def _decode_compaction(record: JsonObject) -> CompactionEntry:
    details = _object_of(record, "details")
    return CompactionEntry(
        *_base(record),
        text_of(record, "summary"),
        text_of(record, "firstKeptEntryId"),
        int(_number_of(record, "tokensBefore")),
        _texts_of(details, "readFiles"),
        _texts_of(details, "modifiedFiles"),
    )


def _texts_of(record: JsonObject, name: str) -> tuple[str, ...]:
    value = record.get(name)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return tuple(_without_surrogates(item) for item in value if isinstance(item, str))


def _decode_memories(record: JsonObject, data: JsonObject) -> MemoriesEntry | None:
    found = data.get(MEMORIES)
    if not isinstance(found, Sequence) or isinstance(found, str):
        return None
    used = tuple(_decode_memory(one) if isinstance(one, Mapping) else None for one in found)
    known = tuple(one for one in used if one is not None)
    if len(known) < len(used):
        return None  # of another version: kept as it is
    return MemoriesEntry(*_base(record), RunId(text_of(record, "runId")), known)


def _decode_memory(record: JsonObject) -> UsedMemory | None:
    use = text_of(record, "use")
    if use not in {known.value for known in Use} or not text_of(record, "path"):
        return None
    return UsedMemory(
        text_of(record, "path"),
        int(_number_of(record, "startLine")),
        int(_number_of(record, "endLine")),
        _number_of(record, "score"),
        text_of(record, "digest"),
        Use(use),
    )
