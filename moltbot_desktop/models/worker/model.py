"""A chat model whose llama.cpp runs in a process of its own. Asked on any event loop.

    model = await load_isolated_chat_model(
        path, context_tokens=8192, threads=None, state_dir=directory
    )
    async for event in model.generate(request, cancel): ...
    await model.close()

What the process dies of (an assertion in ggml, a lying file, no memory left) ends the generations
that run with a `ModelError`; the next request starts it anew. See `deaths` for when not.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from moltbot_desktop.core.errors import ContextOverflow, ModelError
from moltbot_desktop.core.results import Usage
from moltbot_desktop.models.warm import forget_saved, saved_states
from moltbot_desktop.models.worker.codec import ProtocolBroken
from moltbot_desktop.models.worker.command import ChildRole, own_command
from moltbot_desktop.models.worker.lives import CANCEL_POLL_SECONDS, NEVER, Lives
from moltbot_desktop.models.worker.protocol import (
    Answer,
    Counted,
    CountTokens,
    Failed,
    Forget,
    Generate,
    Load,
    Prefill,
    SaveStates,
    Task,
    Told,
    TooLong,
)
from moltbot_desktop.models.worker.session import Session
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
)
from moltbot_desktop.sdk.tools import CancelToken

# A multiple of the slice the process counts by, so that the sum is the same.
_COUNT_SLICE = 32 * 32_768


class ProcessChatModel:
    """A `ChatModel`. Made by `load_isolated_chat_model`; any thread and loop may ask."""

    def __init__(self, lives: Lives) -> None:
        self._lives = lives

    @property
    def info(self) -> ModelInfo:
        return self._lives.info

    @property
    def process_id(self) -> int | None:
        """Of the process that answers; None while there is none."""
        return self._lives.process_id

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        """See `ChatModel.generate`. Leaving the iterator early stops the work."""
        session = await self._lives.ready(cancel)
        if session is None:
            yield GenerationDone(FinishReason.CANCELLED, Usage())
            return
        with self._asking(session, lambda number: Generate(number, request), cancel) as asked:
            event: ModelEvent | None = None
            while not isinstance(event, GenerationDone):
                event = _event(await asked.next())
                if not cancel.cancelled:
                    yield event
                elif isinstance(event, GenerationDone):
                    yield replace(event, reason=FinishReason.CANCELLED)

    async def count_tokens(self, text: str) -> int:
        """See `LlamaChatModel.count_tokens`."""
        slices = [text[at : at + _COUNT_SLICE] for at in range(0, len(text), _COUNT_SLICE)]
        return sum([await self._number(_counting(part)) for part in slices])

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        """See `ChatModel.prefill`."""
        session = await self._lives.ready(cancel)
        if session is not None:
            await self._result(session, lambda number: Prefill(number, request), cancel)

    async def save_states(self) -> int:
        """See `LlamaChatModel.save_states`; 0 when there is no process that could lose any."""
        return await self._number(SaveStates) if self.process_id is not None else 0

    async def forget(self, conversation: str) -> None:
        """See `LlamaChatModel.forget`. No process is started for it: without one there is a file
        at most."""
        if self.process_id is None:
            folder = saved_states(self._lives.load.state_dir)
            await asyncio.to_thread(forget_saved, folder, conversation)
            return
        session = await self._lives.ready(NEVER)
        if session is not None:
            await self._result(session, lambda number: Forget(number, conversation), NEVER)

    async def close(self) -> None:
        """End the process. The model cannot be asked afterwards; may be called twice."""
        await self._lives.close()

    def end(self) -> None:
        """`close` for code without an event loop: blocks until the process is gone."""
        self._lives.end()

    # -- asking -------------------------------------------------------------------------------

    def _asking(
        self, session: Session, request: Callable[[int], Task], cancel: CancelToken
    ) -> _Asked:
        try:
            return _Asked(session, request, cancel)
        except TooLong as error:
            raise ContextOverflow(
                "The conversation is far longer than the model's window of"
                f" {self.info.context_tokens} tokens.",
                hint="Start a new conversation, or choose a model with a larger window.",
            ) from error
        except ProtocolBroken as error:
            raise ModelError(f"The request cannot be given to the model: {error}.") from error

    async def _number(self, request: Callable[[int], Task]) -> int:
        session = await self._lives.ready(NEVER)
        answer = None if session is None else await self._result(session, request, NEVER)
        if not isinstance(answer, Counted):
            raise _unexpected(answer)
        return answer.count

    async def _result(
        self, session: Session, request: Callable[[int], Task], cancel: CancelToken
    ) -> Answer:
        """The one answer to `request`."""
        with self._asking(session, request, cancel) as asked:
            return await asked.next()


def _counting(text: str) -> Callable[[int], CountTokens]:
    return lambda number: CountTokens(number, text)


class _Asked:
    """A request and its answers, which come from the keeper thread to the loop it was made on.

    Leaving the `with` block early ends the work.
    """

    def __init__(
        self, session: Session, request: Callable[[int], Task], cancel: CancelToken
    ) -> None:
        self._session = session
        self._cancel = cancel
        self._cancel_told = False
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Answer] = asyncio.Queue()
        self._number = session.ask(request, self._put)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.forget(self._number)

    def _put(self, answer: Answer) -> None:
        # A closed loop has nobody left to tell.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._queue.put_nowait, answer)

    async def next(self) -> Answer:
        """The next answer; a cancel is passed on meanwhile.

        Raises:
            MoltbotError: the request failed, or the process died.
        """
        while self._queue.empty():
            if self._cancel.cancelled and not self._cancel_told:
                self._session.cancel(self._number)
                self._cancel_told = True
            try:
                # Not `wait_for`: before Python 3.12 it loses a cancellation that comes with the
                # answer.
                async with asyncio.timeout(CANCEL_POLL_SECONDS):
                    return _unless_failed(await self._queue.get())
            except TimeoutError:
                continue
        return _unless_failed(self._queue.get_nowait())


def _unless_failed(answer: Answer) -> Answer:
    if isinstance(answer, Failed):
        raise answer.error
    return answer


def _event(answer: Answer) -> ModelEvent:
    if not isinstance(answer, Told):
        raise _unexpected(answer)
    return answer.event


def _unexpected(answer: Answer | None) -> ModelError:
    return ModelError(f"The model's process answered with {type(answer).__name__}.")


async def load_isolated_chat_model(
    path: Path,
    *,
    context_tokens: int,
    threads: int | None,
    state_dir: Path,
    kv_cache: str = "f16",
    saved_state_bytes: int = 0,
    gpu_layers: int | None = None,
    command: Sequence[str] | None = None,
) -> ProcessChatModel:
    """Check and load a model file in a new process.

    Args:
        context_tokens, threads, state_dir, kv_cache, saved_state_bytes, gpu_layers: see
            `load_chat_model`.
        command: how to start the process; None for this program's own.

    Raises:
        ModelMissing: no such file.
        ModelFileInvalid: the file cannot be used; says why.
        ModelError: not enough memory, or the process died or could not be started.
    """
    load = Load(path, context_tokens, threads, state_dir, kv_cache, saved_state_bytes, gpu_layers)
    lives = Lives(command or own_command(ChildRole.WORKER), load)
    try:
        await lives.ready(NEVER)
    except BaseException:
        await lives.close()
        raise
    return ProcessChatModel(lives)
