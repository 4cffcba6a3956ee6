"""The model thread and what is loaded on it: the chat model at first use, the embedder at once.

Loading is late because most starts need no model at all (a window that is opened and closed,
`memory status`), and because a broken model must not keep the window from opening.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
_SECONDS_A_MINUTE = 60.0  # tests have shorter ones
_log = logging.getLogger(__name__)


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
        self._info: ModelInfo | None = None
        self._borrowers = 0
        self._unloading: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def chat(self) -> AsyncIterator[ChatModel]:
        """The chat model for the length of one run; loaded when it is not in memory.

        When nobody has borrowed it for `models.idleMinutes`, its memory is given back.

        Raises:
            ModelError: it cannot be used; the next borrower tries again.
        """
        self._keep_loaded()
        self._borrowers += 1
        try:
            yield await self._loaded()
        finally:
            self._borrowers -= 1
            self._unload_when_idle()

    async def _loaded(self) -> LlamaChatModel:
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
                self._info = self._chat.info
            return self._chat

    def _keep_loaded(self) -> None:
        if self._unloading is not None:
            self._unloading.cancel()
            self._unloading = None

    def _unload_when_idle(self) -> None:
        minutes = self._config.models.idle_minutes
        if minutes and not self._borrowers and self._chat is not None:
            self._keep_loaded()
            loop = asyncio.get_running_loop()
            self._unloading = loop.call_later(minutes * _SECONDS_A_MINUTE, self._start_unloading)

    def _start_unloading(self) -> None:
        self._unloading = None
        task = asyncio.get_running_loop().create_task(self.unload(), name="unload model")
        task.add_done_callback(_log_failure)

    async def unload(self) -> bool:
        """Give the chat model's memory back now; False while a run uses it or none is loaded."""
        async with self._loading:
            if self._borrowers or self._chat is None:
                return False
            unloaded, self._chat = self._chat, None
            await unloaded.close()
            return True

    @property
    def info(self) -> ModelInfo | None:
        """Of the chat model, also while its memory is given back; None before the first use."""
        return self._info

    @property
    def loaded(self) -> bool:
        return self._chat is not None

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
        self._keep_loaded()
        self._thread.stop()
        self._thread.join(_JOIN_SECONDS)


def _log_failure(task: asyncio.Task[bool]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("the idle chat model was not unloaded: %s", error)
