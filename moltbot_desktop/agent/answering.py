"""One generation: listened to, told as it comes, and put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from moltbot_desktop.agent import prompt
from moltbot_desktop.agent.run import Run
from moltbot_desktop.agent.turn import ModelAnswered
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.sdk.models import (
    ChatModel,
    FinishReason,
    GenerationDone,
    GenerationRequest,
    MalformedCall,
    PromptEvaluated,
    PromptStyle,
    TextDelta,
    ToolCallWritten,
)


@dataclass
class _Answer:
    """A generation being listened to."""

    text: str = ""
    thinking: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    malformed: MalformedCall | None = None
    reason: FinishReason = FinishReason.STOP

    def add(self, delta: TextDelta) -> None:
        if delta.thinking:
            self.thinking += delta.text
        else:
            self.text += delta.text


async def answer_of(model: ChatModel, request: GenerationRequest, run: Run) -> ModelAnswered:
    """Let `model` answer `request`. A command model's sentence is not streamed: it is there in an
    instant, and the harness may say something else in its place."""
    answer = _Answer()
    async for event in model.generate(request, run.cancel):
        match event:
            case PromptEvaluated():
                run.emitter.prompt_progress(event.done, event.total, event.cached)
            case TextDelta():
                answer.add(event)
                hidden = event.thinking and run.settings.reasoning == "off"
                if model.info.style is PromptStyle.FULL and not hidden:
                    run.emitter.delta(event.text, event.thinking)
                    run.progress.streamed = answer.text
            case ToolCallWritten():
                answer.calls.append(event.call)
            case MalformedCall():
                answer.malformed = event
            case GenerationDone():
                answer.reason = event.reason
                run.progress.usage = run.progress.usage.plus(event.usage)
    run.progress.said = ChatMessage(
        Role.ASSISTANT, answer.text, tuple(answer.calls), answer.thinking
    )
    return ModelAnswered(answer.text, answer.reason, tuple(answer.calls), answer.malformed)


def correction(malformed: MalformedCall) -> tuple[ChatMessage, ...]:
    """What the model wrote and what is wrong with it, as a failed tool result (R9: a notice of
    the program never speaks as the user)."""
    error: Mapping[str, str] = {"error": malformed.problem}
    return (
        ChatMessage(Role.ASSISTANT, malformed.raw),
        ChatMessage(Role.TOOL, prompt.result_text(error), tool_name="tool_call"),
    )
