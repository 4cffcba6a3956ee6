"""The contracts of a chat model and of an embedder.

Both are asked from the agent's event loop and answer there; what thread or process does the work
is the implementation's affair.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Protocol

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ChatMessage, ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.tools import CancelToken, ToolSpec


class Priority(IntEnum):
    """Who waits for whom at the model; lower goes first."""

    INTERACTIVE = 0
    QUERY = 1
    BACKGROUND = 2
    INDEX = 3


class PromptStyle(StrEnum):
    """How much of a prompt a model can use.

    `COMMAND` is the starter model: it knows the core tools by heart and reads only the last user
    message and this run's tool results; persona, tool list and history are left out.
    """

    FULL = "full"
    COMMAND = "command"


class ThinkingControl(StrEnum):
    """What can be said to a model about how much it thinks before it answers.

    `SWITCH`: that it does, or does not. `EFFORT`: how hard, but not that it does not.
    """

    NONE = "none"
    SWITCH = "switch"
    EFFORT = "effort"


@dataclass(frozen=True)
class ModelInfo:
    """Facts of the loaded file, never guesses.

    Attributes:
        name: for the person, e.g. ``starter`` or a file's stem.
        context_tokens: the window that was really allocated, at least 1.
        size_bytes: of the file.
        style: how much of a prompt it can use.
        confidence_gate: calls whose confidence (0 to 1) is lower are shown, not run; 0 for no
            gate.
        known_tools: names of tools the model knows by heart (`PromptStyle.COMMAND`).
        kv_cache: how the conversation is held in memory, ``f16`` or ``q8_0``; "" when unknown.
        kv_reason: "" or why that is not what the settings ask for.
        gpu_layers: layers that a graphics card computes.
        gpu_reason: "" or why those are fewer than the settings ask for.
        thinking: what of `GenerationRequest.thinking` has an effect.
    """

    name: str
    context_tokens: int
    size_bytes: int
    style: PromptStyle = PromptStyle.FULL
    confidence_gate: float = 0.0
    known_tools: tuple[str, ...] = ()
    kv_cache: str = ""
    kv_reason: str = ""
    gpu_layers: int = 0
    gpu_reason: str = ""
    thinking: ThinkingControl = ThinkingControl.NONE


@dataclass(frozen=True)
class Picture:
    """A picture as its file has it; `media_type` as in ``image/png``."""

    media_type: str
    data: bytes = field(repr=False)


ANY_TOOL = "*"
"""Stands in `GenerationRequest.force_tool` for whichever of the offered tools; no tool's name."""


@dataclass(frozen=True)
class GenerationRequest:
    """One generation.

    Attributes:
        messages: first the system message (frozen prefix), then history, last the newest.
        tools: offered tools, sorted by name.
        max_tokens: at most so many tokens of answer, thinking included; at least 1.
        temperature: 0 is greedy, else how evenly tokens are drawn; never negative.
        seed: for temperature > 0.
        top_p: for temperature > 0: only the likeliest tokens are drawn, as many as have this share
            of all chances together; above 0, 1 for no limit.
        force_tool: "" for free choice; a tool's name to force a call of it, or `ANY_TOOL`.
        answer_schema: JSON Schema of an object that the answer is to be, written as JSON; empty
            for any object. None for an answer in words. Not together with `tools`.
        conversation: name of the session this belongs to, "" for none. A model that keeps what it
            has read keeps it for this conversation while it works for others.
        pictures: shown with the last message, to a model that takes some; no other one is asked.
        thinking: "" for what the model does by itself, else ``off``, ``minimal``, ``low``,
            ``medium``, ``high`` or ``xhigh``; one without such a control takes no notice.
    """

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int = 1024
    temperature: float = 0.0
    seed: int = 0
    priority: Priority = Priority.INTERACTIVE
    force_tool: str = ""
    conversation: str = ""
    thinking: str = ""
    pictures: tuple[Picture, ...] = ()
    top_p: float = 1.0
    answer_schema: Mapping[str, JsonValue] | None = None


class FinishReason(StrEnum):
    """Why an answer ended. `LENGTH`: at `max_tokens` or where the window is full."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class PromptEvaluated:
    """Progress of reading the prompt.

    Attributes:
        done: tokens in the model's memory.
        total: tokens of the prompt.
        cached: tokens of `done` that were there before.
    """

    done: int
    total: int
    cached: int


@dataclass(frozen=True)
class TextDelta:
    """The next part of the answer, or of what the model thinks before it; whole characters."""

    text: str
    thinking: bool = False


@dataclass(frozen=True)
class ToolCallWritten:
    """A whole, schema-valid call; several may follow each other in one generation."""

    call: ToolCall


@dataclass(frozen=True)
class MalformedCall:
    """The model tried a call that cannot be used; `problem` tells it what to correct."""

    raw: str
    problem: str


@dataclass(frozen=True)
class GenerationDone:
    """The last event of every generation."""

    reason: FinishReason
    usage: Usage


ModelEvent = PromptEvaluated | TextDelta | ToolCallWritten | MalformedCall | GenerationDone


class ChatModel(Protocol):
    """A loaded chat model."""

    @property
    def info(self) -> ModelInfo:
        """Facts of it, the same for its whole life unless it is restarted or switched."""
        ...

    def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        """Stream events; the last one is always `GenerationDone`.

        Raises:
            ContextOverflow: the prompt does not fit the window.
            ModelError: the model cannot go on.
        """
        ...

    async def count_tokens(self, text: str) -> int:
        """Tokens of plain text by the model's own tokenizer, or an estimate where none is at hand.

        Raises:
            ModelError: the model cannot be asked any more.
        """
        ...

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        """Read ahead while the person types; the next `generate` then starts sooner.

        The last message of `request` is what is typed so far. Changes no answer, and gives way
        to every `generate` at once. Back ends that cannot read ahead do nothing.

        Raises:
            ModelError: the model cannot go on.
        """


class Embedder(Protocol):
    """Turns text into unit vectors. Called from the memory thread; blocks."""

    @property
    def model_id(self) -> str:
        """Name plus content hash: a changed file makes a new fingerprint.

        Never blocks. Whole once `dimensions` was read, which a remote model may have to ask for.
        """
        ...

    @property
    def dimensions(self) -> int:
        """Numbers in each vector. Raises MoltbotError when a remote model cannot be asked."""
        ...

    def embed_query(self, text: str) -> Sequence[float]:
        """The vector of a question. Raises MoltbotError when the model cannot be asked."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in their order.

        Texts longer than the model's window are cut at its end, not refused.

        Raises:
            MoltbotError: the model cannot be asked; no vector is given then.
        """
        ...
