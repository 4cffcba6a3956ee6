"""From the settings to the chat model: which one answers, and how it is opened.

setup = read_model_setup(paths, loaded, language)
opened = await open_chat(setup, thread, chosen=None, clock=clock, switched=tell)
async for event in opened.model.generate(...): ...
await opened.close()
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.model_setup import ModelSetup
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.models.catalogue import is_bundled
from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model
from moltbot_desktop.models.fit import Need, context_for
from moltbot_desktop.models.gguf_header import read_header
from moltbot_desktop.models.machine import read_memory
from moltbot_desktop.models.remote.build import chat_endpoint
from moltbot_desktop.models.remote.chat import RemoteChatModel
from moltbot_desktop.models.remote.fallback import FallbackChatModel, ModelSwitched
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.models.worker.model import ProcessChatModel, load_isolated_chat_model
from moltbot_desktop.sdk.models import ChatModel

_MEBIBYTE = 2**20


@dataclass(frozen=True)
class OpenChat:
    """A chat model that answers, and what it is made of."""

    model: ChatModel
    local: LlamaChatModel | ProcessChatModel | None = None
    remotes: tuple[RemoteChatModel, ...] = ()

    async def save_states(self) -> None:
        """Save what a restart would lose, in a moment in which nobody waits for the model."""
        if self.local is not None:
            await self.local.save_states()

    async def close(self) -> None:
        """Give memory and connections back."""
        for remote in self.remotes:
            await remote.close()
        if self.local is not None:
            await self.local.close()

    async def leave(self) -> None:
        """`close` at the end of the program: what runs on the model thread is left to the end of
        that thread, which does not wait for it."""
        for remote in self.remotes:
            await remote.close()
        if isinstance(self.local, ProcessChatModel):
            await self.local.close()


async def open_chat(
    setup: ModelSetup,
    thread: ModelThread,
    *,
    chosen: Path | None,
    clock: Clock,
    switched: Callable[[ModelSwitched], None],
    named: Sequence[ModelRef] = (),
) -> OpenChat:
    """The chat model: `named` (one after the other), else `chosen`, else the one at another address
    that the settings name with its fallbacks, else the local one.

    Raises:
        ModelError: it cannot be used; says what to do.
    """
    if named:
        return await _remote_chat(setup, named, clock, switched)
    if chosen is None and setup.remote.choice.primary is not None:
        return await _remote_chat(setup, setup.remote.choice.all, clock, switched)
    local = await open_local_chat(setup, thread, chosen or setup.chat_file())
    return OpenChat(local, local)


async def open_local_chat(
    setup: ModelSetup, thread: ModelThread, path: Path
) -> LlamaChatModel | ProcessChatModel:
    """Load a file where `models.isolation` says, with the window that memory allows.

    Raises:
        ModelTooLarge: it does not fit, with the numbers; nothing was loaded.
        ModelError: it cannot be used.
    """
    models = setup.models
    window = await asyncio.to_thread(_window_for, setup, path)
    saved = models.saved_state_mb * _MEBIBYTE
    state, threads, kv_cache = setup.paths.model_state, models.threads, models.kv_cache
    if models.isolation == "process":
        return await load_isolated_chat_model(
            path,
            context_tokens=window,
            threads=threads,
            state_dir=state,
            kv_cache=kv_cache,
            saved_state_bytes=saved,
            gpu_layers=models.gpu_layers,
        )
    return await load_chat_model(
        thread,
        path,
        context_tokens=window,
        threads=threads,
        state_dir=state,
        kv_cache=kv_cache,
        saved_state_bytes=saved,
        gpu_layers=models.gpu_layers,
    )


def _window_for(setup: ModelSetup, path: Path) -> int:
    """Tokens of conversation that `path` gets on this computer now."""
    wanted = setup.models.context_tokens
    memory = read_memory()
    if memory is None or is_bundled(path):
        return wanted
    return context_for(memory.free, read_header(path), wanted, setup.models.kv_cache)


def is_tight(setup: ModelSetup, path: Path) -> bool:
    """Whether `path` would get a shorter conversation now than the settings ask for; blocks.

    Raises:
        ModelError: the file cannot be read.
    """
    models, memory = setup.models, read_memory()
    if memory is None or is_bundled(path):
        return False
    need = Need.of_header(read_header(path), models.kv_cache)
    wanted = models.context_tokens
    return need.window_in(memory.free, wanted) < need.window(wanted)


async def _remote_chat(
    setup: ModelSetup,
    refs: Sequence[ModelRef],
    clock: Clock,
    switched: Callable[[ModelSwitched], None],
) -> OpenChat:
    """Models at other addresses and of plugins; what the settings name goes before a plugin's."""
    models: list[ChatModel] = []
    failed: list[tuple[ModelRef, ModelError]] = []
    for ref in refs:
        if ref.provider in setup.remote.providers:
            models.append(_at_another_address(setup, ref))
            continue
        try:
            models.append(await setup.plugin_models.chat(ref))
        except ModelError as error:  # the others may do
            failed.append((ref, error))
    remotes = tuple(one for one in models if isinstance(one, RemoteChatModel))
    if not models:
        raise failed[0][1]
    for ref, why in failed:
        switched(ModelSwitched(str(ref), models[0].info.name, why.message))
    if len(models) == 1:
        return OpenChat(models[0], remotes=remotes)
    return OpenChat(FallbackChatModel(models, clock=clock, switched=switched), remotes=remotes)


def _at_another_address(setup: ModelSetup, ref: ModelRef) -> RemoteChatModel:
    return RemoteChatModel(
        chat_endpoint(setup.remote, ref, setup.seal.way(Errand(Purpose.MODEL, ref.provider))),
        key=setup.key(setup.remote.providers[ref.provider].key, ref.provider),
    )
