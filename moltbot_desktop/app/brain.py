"""The model thread and what is loaded on it: chat models at first use, the embedder at once.

    async with brain.chat() as model: ...                    # the one that the settings name
    async with brain.chat("qwen3-4b") as model: ...          # another one, by its name

A second model is loaded beside the first where memory allows. Where it does not, one that nobody
uses is let go for it; while all of them are in use, who asks waits for the first to come back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from moltbot_desktop.app.chat_setup import OpenChat, is_tight, open_chat, open_local_chat
from moltbot_desktop.app.lent_model import LentModel
from moltbot_desktop.app.model_setup import ModelSetup, OpenEmbedder
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ModelError, ModelTooLarge
from moltbot_desktop.models.remote.fallback import ModelSwitched
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import ChatModel, ModelInfo, PromptStyle

_JOIN_SECONDS = 5.0
_USUAL = ""
_THEN = " > "
_log = logging.getLogger(__name__)


class Brain:
    """Owns the model thread. `chat` belongs to the agent's loop; `embedder` may block."""

    def __init__(
        self,
        setup: ModelSetup,
        chosen: Path | None,
        clock: Clock,
        switched: Callable[[ModelSwitched], None],
    ) -> None:
        """`chosen`: a file to use whatever the settings say. `switched` is called on the agent's
        loop when another model answers than before."""
        self._setup = setup
        self._chosen = chosen
        self._clock = clock
        self._switched = switched
        self._thread = ModelThread()
        self._thread.start()
        self._opening = asyncio.Lock()
        self._returned = asyncio.Event()
        self._lent: dict[str, LentModel] = {}
        self._chains: dict[str, tuple[ModelRef, ...]] = {}
        self._embedder: OpenEmbedder | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def chat(
        self, name: str = _USUAL, fallbacks: Sequence[str] = ()
    ) -> AsyncIterator[ChatModel]:
        """A chat model for the length of one run; loaded when it is not in memory.

        When nobody has borrowed it for `models.idleMinutes`, its memory is given back.

        Args:
            name: of the library, or ``provider/model``; "" for the one that the settings name.
            fallbacks: models at other addresses that are asked when it fails; heeded where it is
                at another address itself.

        Raises:
            ModelError: it cannot be used; the next borrower tries again.
        """
        async with self._one(name, fallbacks).borrowed() as model:
            yield model

    def _one(self, name: str, fallbacks: Sequence[str]) -> LentModel:
        key = self._key(name, fallbacks)
        if key not in self._lent:
            minutes = self._setup.models.idle_minutes
            self._lent[key] = LentModel(partial(self._open, key), minutes, self._returned.set)
        return self._lent[key]

    def _key(self, name: str, fallbacks: Sequence[str] = ()) -> str:
        """The same for all names of one model; "" for the usual one."""
        if not name:
            return _USUAL
        if (ref := self._setup.remote_named(name)) is not None:
            others = (self._setup.remote_named(one) for one in fallbacks)
            chain = tuple(dict.fromkeys((ref, *(one for one in others if one is not None))))
            key = _THEN.join(map(str, chain))
            self._chains[key] = chain
            return key
        path = self._setup.named_file(name)
        return _USUAL if path == self._usual_file() else str(path)

    def _usual_file(self) -> Path | None:
        if self._chosen is not None:
            return self._chosen
        try:
            return None if self._setup.remote.choice.primary else self._setup.chat_file()
        except ModelError:  # told when it is asked for
            return None

    async def _open(self, key: str) -> OpenChat:
        while True:
            async with self._opening:
                self._returned.clear()
                path = self._file(key)
                if path is not None and await asyncio.to_thread(is_tight, self._setup, path):
                    await self._let_go_of_others(key)
                try:
                    return await self._opened(key)
                except ModelTooLarge:
                    if not any(one.loaded for one in self._others(key)):
                        raise
            _log.info("%s waits for another model to come back", key or "the usual model")
            await self._returned.wait()

    async def _opened(self, key: str) -> OpenChat:
        chain = self._chains.get(key, ())
        if key and not chain:
            local = await open_local_chat(self._setup, self._thread, Path(key))
            return OpenChat(local, local)
        return await open_chat(
            self._setup,
            self._thread,
            chosen=self._chosen,
            clock=self._clock,
            switched=self._switched,
            named=chain,
        )

    def _file(self, key: str) -> Path | None:
        """What is loaded into memory for it, if anything."""
        if not key:
            return self._usual_file()
        return None if key in self._chains else Path(key)

    def _others(self, key: str) -> list[LentModel]:
        return [one for other, one in self._lent.items() if other != key and self._file(other)]

    async def _let_go_of_others(self, key: str) -> None:
        for one in self._others(key):
            if one.loaded and not one.borrowers:
                await one.unload()

    async def unload(self) -> bool:
        """Give the memory of models back now; False when no chat model could give any."""
        if self._embedder is not None:
            await asyncio.to_thread(self._embedder.rest)
        given = [await one.unload() for one in tuple(self._lent.values())]
        return any(given)

    def forget_soon(self, conversations: Iterable[str]) -> None:
        """Drop what models keep of them in memory and on disk, as soon as they are free."""
        names = tuple(conversations)
        for one in self._lent.values():
            task = asyncio.get_running_loop().create_task(one.forget(names), name="forget")
            self._tasks.add(task)
            task.add_done_callback(self._forgot)

    def _forgot(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("forgetting: %s", error)

    # --- what is there

    @property
    def info(self) -> ModelInfo | None:
        """Of the usual chat model, also while its memory is given back; None before the first
        use."""
        return self.info_of(_USUAL)

    def info_of(self, name: str, fallbacks: Sequence[str] = ()) -> ModelInfo | None:
        """As `info`, of the model called `name`, "" for the usual one."""
        try:
            one = self._lent.get(self._key(name, fallbacks))
        except ModelError:
            return None
        return one.info if one is not None else None

    def reads_one_request(self) -> bool:
        """Whether the usual model reads a request and nothing around it, as the built-in one does.

        Asked before anything is loaded too: what is said in the first moments is not to be taken
        apart or put together otherwise than what follows.
        """
        usual = self._lent.get(_USUAL)
        if usual is not None and usual.loaded and usual.info is not None:
            return usual.info.style is PromptStyle.COMMAND
        # Where none is in memory another one may have been chosen since.
        return self._setup.uses_starter(self._chosen)

    @property
    def loaded(self) -> bool:
        """Whether any chat model is in memory."""
        return any(one.loaded for one in self._lent.values())

    def embedder(self, made_index: str) -> OpenEmbedder:
        """The embedding model with the reason for it; see `ModelSetup.open_embedder`.

        Blocks, perhaps until the person has unlocked a key ring: not for the event loop.
        """
        if self._embedder is None:
            self._embedder = self._setup.open_embedder(self._thread, made_index)
        return self._embedder

    # --- the end

    async def leave(self) -> None:
        """Close what belongs to the agent's loop: connections, a process of the model's own.

        To be followed by `close`.
        """
        for task in tuple(self._tasks):
            task.cancel()
        for one in self._lent.values():
            await one.leave()

    def close(self) -> None:
        """Break off what runs and give all memory back. Blocks a few milliseconds."""
        if self._embedder is not None:
            self._embedder.close()
        self._thread.stop()
        self._thread.join(_JOIN_SECONDS)
