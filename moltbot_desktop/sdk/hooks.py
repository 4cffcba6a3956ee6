"""The hooks: what the assistant tells an extension while it works, and what it may answer.

    async def handle(event: BeforeToolCall) -> ToolCallAnswer | None:
        if event.tool == "exec" and "rm" in str(event.arguments.get("command")):
            return ToolCallAnswer(block=True, block_reason="not in this house")
        return None

Fourteen hooks, the reference's names in `HOOKS`. Ten only tell: their handlers run side by side
and what they return is dropped. Four also ask: their handlers run one after the other, higher
priority first and otherwise in the order in which they came, and each sees what those before it
changed. In an answer None means "leave it": a later handler's field replaces an earlier one's,
except `prepend_context`, which is joined by a blank line, and `block` and `cancel`, which nobody
after can take back. `tool_result_persist` is called in the middle of writing and is a plain
function; every other handler may be either kind.

An answer asks for something, it never allows anything: changed arguments are checked against the
tool's schema and judged by the policy as if the model had written them.

Hooks that steer a prompt (`before_agent_start`) have no say with a command model: that one reads
the person's own words alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.core.ids import AgentId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage


@dataclass(frozen=True)
class AgentContext:
    """Whose run it is; `channel` is where the message came from, "desktop" for the owner's own."""

    agent_id: AgentId
    session: SessionKey
    workspace: Path
    channel: str = "desktop"


@dataclass(frozen=True)
class MessageContext:
    """The way a message takes; `conversation` is the peer or group on that channel."""

    channel: str
    account: str = "default"
    conversation: str = ""


@dataclass(frozen=True)
class ToolCallContext:
    """Whose call it is."""

    agent_id: AgentId
    session: SessionKey


@dataclass(frozen=True)
class SessionContext:
    """Whose conversation it is."""

    agent_id: AgentId
    session: SessionKey


@dataclass(frozen=True)
class HookEvent:
    """Base of what handlers get."""


@dataclass(frozen=True)
class BeforeAgentStart(HookEvent):
    """A run begins; `messages` is the conversation before `prompt`."""

    context: AgentContext
    prompt: str
    messages: tuple[ChatMessage, ...] = ()


@dataclass(frozen=True)
class AgentStartAnswer:
    """
    Attributes:
        system_prompt: takes the place of the whole system prompt for this run.
        prepend_context: stands before the request, with a blank line between.
    """

    system_prompt: str | None = None
    prepend_context: str | None = None


@dataclass(frozen=True)
class AgentEnd(HookEvent):
    """A run is over and its outcome stored; nobody waits for the handlers.

    Attributes:
        messages: the request, the calls and results of this run, and the answer.
        error: "" or why it failed, for a person.
    """

    context: AgentContext
    messages: tuple[ChatMessage, ...]
    success: bool
    error: str = ""
    duration_ms: int = 0


@dataclass(frozen=True)
class BeforeCompaction(HookEvent):
    """The history is about to be summarised; `token_count` None when nobody counted."""

    context: AgentContext
    message_count: int
    token_count: int | None = None


@dataclass(frozen=True)
class AfterCompaction(HookEvent):
    """`message_count` and `token_count` are those after it; `compacted_count` messages went."""

    context: AgentContext
    message_count: int
    compacted_count: int
    token_count: int | None = None


@dataclass(frozen=True)
class MessageReceived(HookEvent):
    """A message came in, one of a channel is kept by now; whether it is answered is decided after.

    Attributes:
        sender: the sender's id on that channel; "owner" for what is said at the desk, whose
            channel is "desktop" and whose conversation is the session's key.
        metadata: what else the channel said: message id, thread, name.
    """

    context: MessageContext
    sender: str
    content: str
    timestamp: datetime | None = None
    metadata: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class MessageSending(HookEvent):
    """A message is about to go out to `to`, an id on that channel."""

    context: MessageContext
    to: str
    content: str
    metadata: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class MessageAnswer:
    """`content` is sent instead; with `cancel` nothing is."""

    content: str | None = None
    cancel: bool | None = None


@dataclass(frozen=True)
class MessageSent(HookEvent):
    """It was sent, or `error` says why not."""

    context: MessageContext
    to: str
    content: str
    success: bool
    error: str = ""


@dataclass(frozen=True)
class BeforeToolCall(HookEvent):
    """A call that fits the tool's schema, before the policy judges it."""

    context: ToolCallContext
    tool: str
    arguments: JsonObject


@dataclass(frozen=True)
class ToolCallAnswer:
    """`arguments` replace all of the call's; `block` stops it, `block_reason` is told."""

    arguments: JsonObject | None = None
    block: bool | None = None
    block_reason: str | None = None


@dataclass(frozen=True)
class AfterToolCall(HookEvent):
    """A call ran, or failed with `error`; refused ones are not told."""

    context: ToolCallContext
    tool: str
    arguments: JsonObject
    result: JsonObject
    error: str = ""
    duration_ms: int = 0


@dataclass(frozen=True)
class ToolResultPersist(HookEvent):
    """A result is about to be written down; a returned message takes its place.

    Attributes:
        message: `Role.TOOL`; only its content may change, the rest is put back.
        synthetic: made by the program for a call that never ran.
    """

    context: ToolCallContext
    tool: str
    call_id: str
    message: ChatMessage
    synthetic: bool = False


@dataclass(frozen=True)
class SessionStart(HookEvent):
    """`resumed_from` is the session this one goes on with, "" for a new one."""

    context: SessionContext
    session_id: SessionId
    resumed_from: str = ""


@dataclass(frozen=True)
class SessionEnd(HookEvent):
    """A session was left for a new one, or the assistant stops; `message_count` of all sides."""

    context: SessionContext
    session_id: SessionId
    message_count: int
    duration_ms: int = 0


@dataclass(frozen=True)
class GatewayStart(HookEvent):
    """The assistant is ready. `port` is 0: it listens on no network port."""

    port: int = 0


@dataclass(frozen=True)
class GatewayStop(HookEvent):
    """The assistant is about to stop; handlers have their usual limit."""

    reason: str = ""


HOOKS: Mapping[str, type[HookEvent]] = MappingProxyType(
    {
        "before_agent_start": BeforeAgentStart,
        "agent_end": AgentEnd,
        "before_compaction": BeforeCompaction,
        "after_compaction": AfterCompaction,
        "message_received": MessageReceived,
        "message_sending": MessageSending,
        "message_sent": MessageSent,
        "before_tool_call": BeforeToolCall,
        "after_tool_call": AfterToolCall,
        "tool_result_persist": ToolResultPersist,
        "session_start": SessionStart,
        "session_end": SessionEnd,
        "gateway_start": GatewayStart,
        "gateway_stop": GatewayStop,
    }
)
"""The reference's name of each hook."""
