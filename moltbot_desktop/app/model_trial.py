"""Loads a model beside what answers, lets it write a little, and measures.

check = try_model(setup, clock, "qwen3-4b", path, CancelSource())
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.chat_setup import open_local_chat
from moltbot_desktop.app.model_setup import ModelSetup
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.models.catalogue import CHAT, EMBEDDING
from moltbot_desktop.models.embedding import load_embedder
from moltbot_desktop.models.gguf_header import read_header
from moltbot_desktop.models.machine import process_memory
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.sdk.model_shelf import ModelCheck
from moltbot_desktop.sdk.models import (
    ChatModel,
    GenerationDone,
    GenerationRequest,
    PromptEvaluated,
    TextDelta,
)

_TOKENS = 48
_PHRASES = Phrases(
    english={"question": "Say in one sentence what you can do."},
    chinese={"question": "用一句话说说你能做什么。"},
)
_JOIN_SECONDS = 5.0


def try_model(
    setup: ModelSetup, clock: Clock, name: str, path: Path, cancel: CancelSource
) -> ModelCheck:
    """Blocks, on a thread without an event loop; `cancel` ends the answer, not the loading.

    Raises:
        ModelError: it cannot be used; says why.
    """
    pooled = read_header(path).pooled
    thread = ModelThread()
    thread.start()
    trial = _Trial(setup, clock, name, path, thread, cancel)
    try:
        return trial.embedding() if pooled else asyncio.run(trial.chat())
    finally:
        thread.stop()
        thread.join(_JOIN_SECONDS)


@dataclass(frozen=True)
class _Trial:
    setup: ModelSetup
    clock: Clock
    name: str
    path: Path
    thread: ModelThread
    cancel: CancelSource

    def embedding(self) -> ModelCheck:
        before, start = process_memory(), self.clock.monotonic()
        threads, state = self.setup.models.threads, self.setup.paths.model_state
        embedder = load_embedder(self.thread, self.path, threads=threads, state_dir=state)
        embedder.load()
        loaded = self.clock.monotonic()
        embedder.embed_query(self._question)
        seconds = self.clock.monotonic() - loaded
        return ModelCheck(self.name, EMBEDDING, loaded - start, seconds, _grown(before))

    @property
    def _question(self) -> str:
        """In the person's language, so that the answer is too."""
        return _PHRASES.say("question", self.setup.language)

    async def chat(self) -> ModelCheck:
        before, start = process_memory(), self.clock.monotonic()
        model = await open_local_chat(self.setup, self.thread, self.path)
        loaded = self.clock.monotonic()
        speed, answer = await self._written(model)
        seconds = self.clock.monotonic() - loaded
        memory = _grown(before)
        await model.close()
        return ModelCheck(self.name, CHAT, loaded - start, seconds, memory, speed, answer)

    async def _written(self, model: ChatModel) -> tuple[float, str]:
        """Tokens a second of a short answer, and the answer."""
        message = ChatMessage(Role.USER, self._question)
        request = GenerationRequest((message,), max_tokens=_TOKENS)
        text, read, tokens = "", self.clock.monotonic(), 0
        async for event in model.generate(request, self.cancel):
            if isinstance(event, PromptEvaluated):
                read = self.clock.monotonic()
            elif isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, GenerationDone):
                tokens = event.usage.completion_tokens
        return tokens / max(self.clock.monotonic() - read, 1e-3), text


def _grown(before: int | None) -> int | None:
    after = process_memory()
    return None if before is None or after is None else max(after - before, 0)
