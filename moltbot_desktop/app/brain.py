"""The model thread and what is loaded on it: the chat model at first use, the embedder at once.

Loading is late because most starts need no model at all (a window that is opened and closed,
`memory status`), and because a broken model must not keep the window from opening.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.models.catalogue import find_chat_model, find_embedding_model
from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model
from moltbot_desktop.models.embedding import LlamaEmbedder, load_embedder
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import ChatModel, ModelInfo

_JOIN_SECONDS = 5.0


class Brain:
    """Owns the model thread. `chat` belongs to the agent's loop; `embedder` may block."""

    def __init__(self, paths: Paths, config: Config, chosen: Path | None) -> None:
        self._paths = paths
        self._config = config
        self._chosen = chosen
        self._thread = ModelThread()
        self._thread.start()
        self._loading = asyncio.Lock()
        self._chat: LlamaChatModel | None = None

    async def chat(self) -> ChatModel:
        """The chat model, loaded at the first call.

        Raises:
            ModelError: it cannot be used; the next call tries again.
        """
        async with self._loading:
            if self._chat is None:
                models = self._config.models
                path = self._chosen or find_chat_model(models.chat, self._paths.resources)
                self._chat = await load_chat_model(
                    self._thread,
                    path,
                    context_tokens=models.context_tokens,
                    threads=models.threads,
                    state_dir=self._paths.model_state,
                )
            return self._chat

    @property
    def info(self) -> ModelInfo | None:
        """Of the loaded chat model; None before the first use."""
        return self._chat.info if self._chat is not None else None

    def embedder(self) -> LlamaEmbedder | None:
        """The embedding model, or None when it is missing or broken: search then runs on words."""
        try:
            path = find_embedding_model(self._config.models.embedding, self._paths.resources)
            threads = self._config.models.threads
            return load_embedder(
                self._thread, path, threads=threads, state_dir=self._paths.model_state
            )
        except ModelError:
            return None

    def close(self) -> None:
        """Break off what runs and give all memory back. Blocks a few milliseconds."""
        self._thread.stop()
        self._thread.join(_JOIN_SECONDS)
