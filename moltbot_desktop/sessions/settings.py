"""What is set for one conversation: how hard to think, which model, where its answers go.

    settings = store.settings(key)
    store.change_settings(key, lambda old: replace(old, think="high"))

A typed view of an entry of `sessions.json`, under the reference's names. A value that cannot be
right counts as not set and stays in the file until it is set anew, and so does every field that
this program does not know: somebody else's settings are not ours to clean up.

"", None and 0 mean not set; whoever asks knows what holds then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from moltbot_desktop.core.json import JsonObject, JsonValue

_NAME, _READ = "name", "read"
_MAX_TEXT = 2_000
_MAX_NUMBER = 2**53 - 1  # what a reader in JavaScript can hold

_Read = Callable[[JsonValue], object]
"""Makes a field's value of what stands in the file, None of what is not usable."""


def _text(name: str, *among: str) -> str:
    """A setting that is a text, one of `among` when there are any."""

    def read(value: JsonValue) -> str | None:
        if not isinstance(value, str) or not 0 < len(value) <= _MAX_TEXT:
            return None
        return value if not among or value in among else None

    return field(default="", metadata={_NAME: name, _READ: read})


def _id(name: str) -> str:
    """A platform's id, which some write as a number."""

    def read(value: JsonValue) -> str | None:
        number = _whole(value)
        text = value if number is None else str(number)
        return text if isinstance(text, str) and 0 < len(text) <= _MAX_TEXT else None

    return field(default="", metadata={_NAME: name, _READ: read})


def _number(name: str) -> int | None:
    """A whole number that is not negative."""
    return field(default=None, metadata={_NAME: name, _READ: _whole})


def _count(name: str) -> int:
    """A number that begins at nothing."""
    return field(default=0, metadata={_NAME: name, _READ: _whole})


def _flag(name: str) -> bool:
    def read(value: JsonValue) -> bool | None:
        return value if isinstance(value, bool) else None

    return field(default=False, metadata={_NAME: name, _READ: read})


def _whole(value: JsonValue) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MAX_NUMBER else None


@dataclass(frozen=True)
class Origin:
    """Where a conversation comes from, as its channel tells it."""

    label: str = _text("label")
    provider: str = _text("provider")
    surface: str = _text("surface")
    chat_type: str = _text("chatType")
    sender: str = _text("from")
    to: str = _text("to")
    account_id: str = _text("accountId")
    thread_id: str = _id("threadId")
    other: JsonObject = field(default_factory=dict)


def _origin(value: JsonValue) -> Origin | None:
    if not isinstance(value, Mapping):
        return None
    values, rest = _decoded(value, Origin)
    return Origin(**values, other=rest)


@dataclass(frozen=True)
class SessionSettings:
    """Attributes:
    think, verbose, reasoning, elevated: levels, as the directives of those names set them.
    exec_host, exec_security, exec_ask, exec_node: where and how commands run.
    model_provider, model: "" when the agent's own model is used.
    activation: of groups, whether the assistant must be mentioned.
    send_policy: whether anything may be sent there at all.
    queue_mode, queue_debounce_ms, queue_cap, queue_drop: of messages that come during a run.
    usage: what is told about tokens below an answer.
    label: the person's own name for this conversation.
    display_name: what the channel calls it.
    subject: of a group, its title there.
    spawned_by: the session key whose run started this one.
    input_tokens, output_tokens: of all runs; total_tokens: in the last prompt and its answer;
        context_tokens: the window that was used.
    compaction_count: how often the beginning was summarised.
    memory_flush_at: milliseconds since 1970.
    memory_flush_compaction_count: the count at the last flush, which happens once per count.
    last_channel, last_to, last_account_id, last_thread_id: where the last answer went.
    chat_type: direct, group or channel.
    aborted_last_run: the person stopped the last run, which the next prompt mentions.
    archived_at: milliseconds since 1970; put away, shown on request only. Ours.
    editor_folder: the project that was open in the editor it goes on in. Ours.
    other: the entry's remaining fields, and values that are not usable, as they stand there.
    """

    think: str = _text("thinkingLevel", "off", "minimal", "low", "medium", "high", "xhigh")
    verbose: str = _text("verboseLevel", "off", "on", "full")
    reasoning: str = _text("reasoningLevel", "off", "on", "stream")
    elevated: str = _text("elevatedLevel", "off", "on", "ask", "full")
    exec_host: str = _text("execHost", "sandbox", "gateway", "node")
    exec_security: str = _text("execSecurity", "deny", "allowlist", "full")
    exec_ask: str = _text("execAsk", "off", "on-miss", "always")
    exec_node: str = _text("execNode")
    model_provider: str = _text("providerOverride")
    model: str = _text("modelOverride")
    activation: str = _text("groupActivation", "mention", "always")
    send_policy: str = _text("sendPolicy", "allow", "deny")
    queue_mode: str = _text(
        "queueMode",
        *("collect", "followup", "steer", "steer-backlog", "interrupt"),
        *("steer+backlog", "queue"),
    )
    queue_debounce_ms: int | None = _number("queueDebounceMs")
    queue_cap: int | None = _number("queueCap")
    queue_drop: str = _text("queueDrop", "old", "new", "summarize")
    usage: str = _text("responseUsage", "off", "on", "tokens", "full", "cost")
    label: str = _text("label")
    display_name: str = _text("displayName")
    subject: str = _text("subject")
    spawned_by: str = _text("spawnedBy")
    input_tokens: int = _count("inputTokens")
    output_tokens: int = _count("outputTokens")
    total_tokens: int = _count("totalTokens")
    context_tokens: int = _count("contextTokens")
    compaction_count: int = _count("compactionCount")
    memory_flush_at: int | None = _number("memoryFlushAt")
    memory_flush_compaction_count: int | None = _number("memoryFlushCompactionCount")
    last_channel: str = _text("lastChannel")
    last_to: str = _text("lastTo")
    last_account_id: str = _text("lastAccountId")
    last_thread_id: str = _id("lastThreadId")
    chat_type: str = _text("chatType")
    aborted_last_run: bool = _flag("abortedLastRun")
    archived_at: int | None = _number("archivedAt")
    editor_folder: str = _text("editorFolder")
    origin: Origin = field(default=Origin(), metadata={_NAME: "origin", _READ: _origin})
    other: JsonObject = field(default_factory=dict)


_NO_COUNTS: Mapping[str, Any] = dict.fromkeys(
    ("input_tokens", "output_tokens", "total_tokens", "context_tokens"), 0
)
_OF_ONE_CONVERSATION: Mapping[str, Any] = {
    **_NO_COUNTS,
    **dict.fromkeys(("memory_flush_at", "memory_flush_compaction_count", "archived_at")),
    "compaction_count": 0,
    "label": "",
    "aborted_last_run": False,
}


def decode_settings(raw: JsonObject) -> SessionSettings:
    """The settings in an entry; never fails."""
    values, rest = _decoded(raw, SessionSettings)
    return SessionSettings(**values, other=rest)


def encode_settings(settings: SessionSettings | Origin) -> JsonObject:
    """The entry's fields for `settings`, without those that are not set."""
    found: dict[str, JsonValue] = dict(settings.other)
    for one in fields(settings):
        now = getattr(settings, one.name)
        if _NAME in one.metadata and now != one.default:
            found[one.metadata[_NAME]] = encode_settings(now) if isinstance(now, Origin) else now
    return found


def lasting(settings: SessionSettings) -> JsonObject:
    """The part that must outlive `sessions.json`: all of it but counts, which runs bring anew, and
    fields that are not ours. It is kept in the transcript too."""
    return encode_settings(replace(settings, other={}, **_NO_COUNTS))


def last_alike(one: SessionSettings, other: SessionSettings) -> bool:
    """Whether the `lasting` parts of the two are the same."""
    counts = {name: getattr(other, name) for name in _NO_COUNTS}
    return replace(one, other=other.other, **counts) == other


def restored(settings: SessionSettings, kept: JsonObject) -> SessionSettings:
    """`settings` with the lasting part as a transcript kept it."""
    counts = {name: getattr(settings, name) for name in _NO_COUNTS}
    return replace(decode_settings(kept), other=settings.other, **counts)


def carried_over(settings: SessionSettings) -> SessionSettings:
    """What a fresh conversation of the same key begins with: everything but what was counted in
    the old one, happened in it, or names it."""
    return replace(settings, **_OF_ONE_CONVERSATION)


def _decoded(
    raw: JsonObject, kind: type[SessionSettings | Origin]
) -> tuple[dict[str, Any], JsonObject]:
    """The fields of `kind` that `raw` has, and what is left of it."""
    rest = dict(raw)
    found: dict[str, Any] = {}
    for one in fields(kind):
        name = one.metadata.get(_NAME, "")
        value = one.metadata[_READ](raw[name]) if name and name in raw else None
        if value is not None:
            found[one.name] = value
            del rest[name]
    return found, rest
