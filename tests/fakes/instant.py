"""The real assistant with a model that answers at once, and a tool whose doing can be counted.

    with instant(done=folder / "done"):
        async with assistant_in(home, settings, clock) as client: ...

Words like ``m17`` in the last message come back as the answer. A message that says ``do m17`` has
the tool called first, which writes ``m17`` on a line of its own into the file `done`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from moltbot_desktop.app import agent_setup, brain, companions
from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.chat_setup import OpenChat
from moltbot_desktop.app.made import Made
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import Usage
from moltbot_desktop.gateway.loop_client import LoopClient
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    PromptEvaluated,
    TextDelta,
    ToolCallWritten,
)
from moltbot_desktop.sdk.tools import (
    CancelToken,
    Effect,
    ToolContext,
    ToolInput,
    ToolResult,
    ToolSpec,
)

WORD = re.compile(r"\bm[0-9]+\b")
_DO = re.compile(r"\bdo (m[0-9]+)\b")
_CHECKOUT = Path(__file__).resolve().parents[2]


class InstantModel:
    """Implements `sdk.models.ChatModel`."""

    info = ModelInfo(name="instant", context_tokens=32_768, size_bytes=0)

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        del cancel
        # What its own counting takes is no part of what is measured.
        prompt = 4 * len(request.messages)
        yield PromptEvaluated(prompt, prompt, 0)
        asked = _last_words(request.messages)
        todo = _DO.search(asked)
        if todo is not None and request.messages[-1].role is not Role.TOOL:
            yield ToolCallWritten(ToolCall("call-1", "note_down", {"word": todo[1]}))
            yield GenerationDone(FinishReason.TOOL_CALLS, Usage(prompt, 0, 1))
            return
        yield TextDelta(" ".join(WORD.findall(asked)) or "well")
        yield GenerationDone(FinishReason.STOP, Usage(prompt, 0, 1))

    async def prefill(self, request: GenerationRequest, _cancel: CancelToken) -> None:
        """Nothing to read ahead."""

    async def count_tokens(self, text: str) -> int:
        return -(-len(text) // 4)


def _last_words(messages: Sequence[ChatMessage]) -> str:
    return next((one.content for one in reversed(messages) if one.role is Role.USER), "")


@dataclass(frozen=True)
class NoteDown:
    """Implements `sdk.tools.Tool`: a side effect that policy lets anybody have."""

    done: Path
    spec = ToolSpec(
        "note_down",
        "Writes a word down.",
        {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
        Effect.MEMORY_WRITE,
    )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        del context
        file = os.open(self.done, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, f"{given.text('word')}\n".encode())
        finally:
            os.close(file)
        return ToolResult({"ok": True}, f"Wrote {given.text('word')} down.")


@contextlib.contextmanager
def instant(done: Path) -> Iterator[None]:
    """Inside, every assistant that is opened has that model and that tool."""

    async def opened(*_: object, **__: object) -> OpenChat:
        return OpenChat(InstantModel())

    def tools(made: Made, *more: Any, **named: Any) -> list[Any]:
        return [*agent_setup.agent_tools(made, *more, **named), NoteDown(done)]

    with (
        patch.object(brain, "open_chat", opened),
        patch.object(companions, "agent_tools", tools),
    ):
        yield


@contextlib.asynccontextmanager
async def assistant_in(
    home: Path, settings: Mapping[str, object], clock: Clock
) -> AsyncIterator[LoopClient]:
    """The assistant as `serve` and the window have it, in `home`; inside `instant`."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")
    paths = Paths(home, home.parent, _CHECKOUT)
    options = AssistantOptions(Language.ENGLISH, stays=True)
    async with open_assistant(paths, load_config(home), clock, options) as client:
        yield client
