"""What is said in a conversation, as the model and the transcript see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from moltbot_desktop.core.json import JsonValue


class Role(StrEnum):
    """Who speaks. `TOOL` carries a tool's result back to the model."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


def _frozen(arguments: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return MappingProxyType(dict(arguments))


@dataclass(frozen=True)
class ToolCall:
    """One call the model asks for.

    Attributes:
        id: unique inside its run.
        confidence: smallest probability of a token of the call, 0..1; 1.0 when the model does not
            tell. Calls below the model's gate are shown instead of run.
        unseen_arguments: names of arguments whose text stands nowhere in the context.
    """

    id: str
    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    confidence: float = 1.0
    unseen_arguments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", _frozen(self.arguments))


@dataclass(frozen=True)
class ChatMessage:
    """One message of a prompt.

    Attributes:
        content: text, never None; a message that only calls tools has "".
        thinking: reasoning text, shown folded and never sent to a model again.
        tool_call_id: for `Role.TOOL`, the call this answers.
        tool_name: for `Role.TOOL`, the tool that answers.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    tool_call_id: str = ""
    tool_name: str = ""
