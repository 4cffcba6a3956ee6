"""The chat model: asked on an event loop, answering from the model thread.

model = await load_chat_model(thread, path, context_tokens=8192, threads=None, state_dir=dir)
async for event in model.generate(request, cancel): ...
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Generator
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.config.form import arguments
from moltbot_desktop.models.catalogue import is_bundled
from moltbot_desktop.models.conversations import Conversations
from moltbot_desktop.models.delivery import CANCEL_POLL_SECONDS, CancelWatch, Mail
from moltbot_desktop.models.generation import Engine, Generation, StarterParts, read_ahead
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.llama import (
    LlamaContext,
    LlamaParameters,
    build_identity,
    default_threads,
)
from moltbot_desktop.models.probe import ensure_probed, unreadable
from moltbot_desktop.models.starter import STARTER_TOOLS_KEY, StarterLayout
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.models.thread import CancelSource, Job, ModelThread
from moltbot_desktop.models.warm import WarmStates, saved_states, state_key
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    Priority,
    PromptStyle,
)
from moltbot_desktop.sdk.tools import CancelToken, Effect, ToolSpec

STARTER_GATE = 0.9
_TEMPLATE_KEY = "tokenizer.chat_template"
_COUNT_SLICE = 32_768
# The beginning of a model file that tells it from another of the same size and time.
_IDENTITY_BYTES = 2**20


class _EitherCancelled:
    """Cancelled when the run or the job is."""

    def __init__(self, run: CancelToken, job: CancelToken) -> None:
        self._run = run
        self._job = job

    @property
    def cancelled(self) -> bool:
        return self._run.cancelled or self._job.cancelled


class LlamaChatModel:
    """A loaded GGUF behind the `ChatModel` contract. Made by `load_chat_model`.

    May be asked on any event loop; answers are written one at a time, by priority. Once the thread
    was stopped everything raises ModelError.
    """

    def __init__(self, thread: ModelThread, loaded: _Loaded, info: ModelInfo) -> None:
        self._thread = thread
        self._loaded = loaded
        self._engine = loaded.engine
        self._info = info
        self._ahead: Job[None] | None = None

    @property
    def info(self) -> ModelInfo:
        return self._info

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        """See `ChatModel.generate`. Leaving the iterator early stops the work."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[ModelEvent | None] = asyncio.Queue()
        mail = Mail(loop, queue)

        def start(control: CancelSource) -> Generator[None, None, None]:
            either = _EitherCancelled(cancel, control)
            return Generation(self._engine, request, mail.send, either).steps()

        self._stop_reading_ahead()
        job = self._thread.submit(start, request.priority, cancel)
        job.future.add_done_callback(lambda _: mail.send(None))
        watch = CancelWatch(loop, job, cancel)
        try:
            while (event := await queue.get()) is not None:
                if cancel.cancelled:
                    if not isinstance(event, GenerationDone):
                        continue
                    event = replace(event, reason=FinishReason.CANCELLED)
                yield event
            job.future.result()
        finally:
            watch.end()
            job.cancel()

    async def count_tokens(self, text: str) -> int:
        """Tokens of plain text; of a text over 32,768 characters right to a token a slice."""

        def count() -> int:
            slices = range(0, len(text), _COUNT_SLICE)
            tokenize = self._engine.context.tokenize_any
            return sum(len(tokenize(text[at : at + _COUNT_SLICE])) for at in slices)

        return await asyncio.wrap_future(self._thread.call(count, Priority.INTERACTIVE))

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        """See `ChatModel.prefill`. Ends when everything certain is read, or sooner.

        Raises:
            ModelError: the model cannot go on.
        """

        def start(control: CancelSource) -> Generator[None, None, None]:
            return read_ahead(self._engine, request, _EitherCancelled(cancel, control))

        self._stop_reading_ahead()
        if self._engine.starter is not None:
            return
        self._ahead = job = self._thread.submit(start, Priority.INDEX, cancel)
        reading = asyncio.wrap_future(job.future)
        try:
            while not reading.done():
                if cancel.cancelled:
                    job.cancel()
                await asyncio.wait({reading}, timeout=CANCEL_POLL_SECONDS)
            reading.result()
        finally:
            job.cancel()

    def _stop_reading_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.cancel()
            self._ahead = None

    async def save_states(self) -> int:
        """Save what a restart would lose; for a moment in which nobody waits for the model.

        Returns:
            Number of conversations saved.
        """
        conversations, closing = self._engine.conversations, self._thread.closing
        taking = self._thread.call(conversations.unsaved, Priority.INDEX)
        saved = 0
        for unsaved in await asyncio.wrap_future(taking):
            saved += await asyncio.to_thread(conversations.save, unsaved, closing)
        return saved

    async def forget(self, conversation: str) -> None:
        """Drop all that is kept of a conversation, in memory and on disk: it was deleted."""
        forgetting = self._thread.call(
            lambda: self._engine.conversations.forget(conversation), Priority.INTERACTIVE
        )
        await asyncio.wrap_future(forgetting)

    async def close(self) -> None:
        """Save what a restart would lose and free the memory. It cannot be asked afterwards."""
        release = self._thread.call(
            lambda: self._thread.release(self._loaded), Priority.INTERACTIVE
        )
        await asyncio.wrap_future(release)


class _Loaded:
    """What the model thread closes when it ends: first the conversations are saved."""

    def __init__(self, engine: Engine, hurry: CancelToken) -> None:
        self.engine = engine
        self._hurry = hurry

    def close(self) -> None:
        try:
            for unsaved in self.engine.conversations.unsaved():
                self.engine.conversations.save(unsaved, self._hurry)
        finally:
            self.engine.context.close()


async def load_chat_model(
    thread: ModelThread,
    path: Path,
    *,
    context_tokens: int,
    threads: int | None,
    state_dir: Path,
    kv_cache: str = "f16",
    saved_state_bytes: int = 0,
    gpu_layers: int | None = None,
) -> LlamaChatModel:
    """Check and load a model file on the model thread.

    Args:
        context_tokens: window wanted; never more than the model was trained for.
        threads: None for as many as suit this computer.
        state_dir: where verdicts about files are remembered; a new file is first loaded in a
            process of its own, which takes a few seconds.
        kv_cache: see `LlamaParameters`; `ModelInfo.kv_reason` says when it could not be had.
        saved_state_bytes: disk for conversations the model has read, so that a restart is quick;
            0 saves none. They lie in `saved_states(state_dir)`.
        gpu_layers: see `LlamaParameters`; `ModelInfo.gpu_reason` says when they could not be had.

    Raises:
        ModelMissing: no such file.
        ModelFileInvalid: the file cannot be used; says why.
        ModelError: not enough memory, or the file can no longer be read.
    """
    parameters = LlamaParameters(
        context_tokens, threads or default_threads(), kv_cache=kv_cache, gpu_layers=gpu_layers
    )
    loading = thread.call(
        lambda: _load(thread, path, parameters, state_dir, saved_state_bytes),
        Priority.INTERACTIVE,
    )
    return await asyncio.wrap_future(loading)


def _load(
    thread: ModelThread,
    path: Path,
    parameters: LlamaParameters,
    state_dir: Path,
    saved_state_bytes: int,
) -> LlamaChatModel:
    header = read_header(path)
    if not is_bundled(path):
        ensure_probed(header, state_dir, thread.closing)
    context = LlamaContext(path, parameters, thread.stop_flag)
    try:
        saved = None
        if saved_state_bytes and not context.metadata.get(STARTER_TOOLS_KEY):
            key = _state_key(header, context)
            saved = WarmStates(saved_states(state_dir), saved_state_bytes, key)
        engine = make_engine(context, saved)
        arguments.prepare()
    except BaseException:
        context.close()
        raise
    loaded = _Loaded(engine, thread.hurry)
    thread.adopt(loaded)
    return LlamaChatModel(thread, loaded, _info(header, engine))


def _state_key(header: GgufHeader, context: LlamaContext) -> bytes:
    """All that must be the same for a saved state to mean the same."""
    try:
        status = header.path.stat()
        with header.path.open("rb") as file:
            beginning = file.read(_IDENTITY_BYTES)
    except OSError as error:
        raise unreadable(header.path, error) from error
    return state_key(
        (status.st_size, status.st_mtime_ns, hashlib.sha256(beginning).hexdigest()),
        (build_identity(), context.window, context.kv_cache),
    )


def make_engine(context: LlamaContext, saved: WarmStates | None = None) -> Engine:
    """The file's template and, for a starter model, its call tokens.

    Raises:
        ModelFileInvalid: it says it is a starter model and is not.
    """
    tools = context.metadata.get(STARTER_TOOLS_KEY, "")
    texts = tuple(context.token_texts()) if tools else ()
    starter = _starter_parts(StarterLayout.from_vocab(texts, tools), texts) if tools else None
    # The starter's call tokens are USER_DEFINED: contents must not hold them either. Of other
    # models only those that the template prints: some vocabularies define `<b>` and `<table>`.
    special = context.control_texts | (context.defined_texts if starter else frozenset())
    template = ChatTemplate(
        context.metadata.get(_TEMPLATE_KEY, ""),
        bos_token=context.bos_text,
        eos_token=context.eos_text,
        control_tokens=special,
        defined_tokens=context.defined_texts,
    )
    return Engine(context, template, Conversations(context, saved), starter)


def _starter_parts(layout: StarterLayout, texts: tuple[str, ...]) -> StarterParts:
    """Specs of the tools the starter knows, for those that a request does not offer."""
    return StarterParts(
        layout,
        texts,
        tuple(
            ToolSpec(
                name,
                "",
                {
                    "type": "object",
                    "properties": {argument.name: {"type": "string"} for argument in arguments},
                    "required": [argument.name for argument in arguments if argument.required],
                },
                Effect.NONE,
            )
            for name, arguments in layout.tools.items()
        ),
    )


def _info(header: GgufHeader, engine: Engine) -> ModelInfo:
    window = engine.context.window
    if engine.starter is None:
        return ModelInfo(
            header.path.stem,
            window,
            header.size_bytes,
            kv_cache=engine.context.kv_cache,
            kv_reason=engine.context.kv_reason,
            gpu_layers=engine.context.gpu_layers,
            gpu_reason=engine.context.gpu_reason,
            thinking=engine.template.abilities.thinking,
        )
    return ModelInfo(
        "starter",
        window,
        header.size_bytes,
        PromptStyle.COMMAND,
        STARTER_GATE,
        tuple(engine.starter.layout.tools),
    )
