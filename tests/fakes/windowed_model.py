"""A chat model with a window it insists on, for tests of what is put into it.

    model = WindowedModel(2_048, answer=lambda request: says("yes"))
    model.asked                 # requests of the conversation, without summaries and flushes
    model.over                  # prompts that did not fit with their answer: must stay empty

It counts as a real one does: the whole prompt as it would be printed, with some tokens around each
message. It writes summaries by itself, and forgets nothing on the way: each names the oldest
request it was shown.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

from moltbot_desktop.core.errors import ContextOverflow
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.models import (
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    PromptEvaluated,
    PromptStyle,
)
from moltbot_desktop.sdk.tools import CancelToken
from tests.fakes.chat_model import ScriptedTurn, says

FRAME = 6
AROUND = 40
"""What a template prints once: its beginning, the tools' heading, the answer's beginning."""


def rough_tokens(text: str) -> int:
    """Four letters a token, and a token for each character that is none of Latin's."""
    wide = sum(ord(character) > 0x2E80 for character in text)
    return wide + -(-(len(text) - wide) // 4)


def is_summary(request: GenerationRequest) -> bool:
    return not request.conversation and not request.tools


def is_flush(request: GenerationRequest) -> bool:
    return not request.conversation and bool(request.tools)


@dataclass
class WindowedModel:
    """Answers by `answer`; summaries by `summary`, memories by `flush`."""

    window: int
    answer: Callable[[GenerationRequest], ScriptedTurn]
    summary: Callable[[GenerationRequest], ScriptedTurn] = lambda _: says("- tea was talked about")
    flush: Callable[[GenerationRequest], ScriptedTurn] = lambda _: says("NO_REPLY")
    count: Callable[[str], int] = rough_tokens
    style: PromptStyle = PromptStyle.FULL
    requests: list[GenerationRequest] = field(default_factory=list)
    over: list[GenerationRequest] = field(default_factory=list)
    read_along: list[GenerationRequest] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("windowed", self.window, 0, self.style)

    @property
    def asked(self) -> list[GenerationRequest]:
        return [request for request in self.requests if request.conversation]

    @property
    def summaries(self) -> list[GenerationRequest]:
        return [request for request in self.requests if is_summary(request)]

    @property
    def flushes(self) -> list[GenerationRequest]:
        return [request for request in self.requests if is_flush(request)]

    def tokens(self, request: GenerationRequest) -> int:
        """Of the prompt as it would be printed."""
        messages = sum(
            self.count(m.content + "".join(f"{c.name}{dict(c.arguments)}" for c in m.tool_calls))
            + FRAME
            for m in request.messages
        )
        tools = sum(
            self.count(f"{t.name}{t.description}{dict(t.parameters)}") + FRAME
            for t in request.tools
        )
        return AROUND + messages + tools

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        tokens = self.tokens(request)
        if tokens + request.max_tokens > self.window:
            self.over.append(request)
        if tokens >= self.window:
            raise ContextOverflow("The prompt is too long.")
        yield PromptEvaluated(tokens, tokens, 0)
        play = self.answer
        if is_summary(request) or is_flush(request):
            play = self.summary if is_summary(request) else self.flush
        turn = play(request)
        for event in turn.events:
            yield event
        if turn.error is not None:
            raise turn.error
        yield GenerationDone(turn.reason, Usage(tokens, 0, 1))

    async def prefill(self, request: GenerationRequest, _cancel: CancelToken) -> None:
        self.read_along.append(replace(request))

    async def count_tokens(self, text: str) -> int:
        return self.count(text)
