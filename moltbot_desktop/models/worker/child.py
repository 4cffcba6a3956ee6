"""The other side: this process loads the model and answers what comes in on its stdin.

The main thread runs an event loop with the model, as the program does without isolation. A thread
of its own reads stdin, so that a cancel takes effect in the middle of an evaluation and the end of
the program is noticed whatever the loop is in. A known error is answered; a bug of ours ends the
process with its traceback on stderr, which the program logs.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import os
import sys
import threading
from collections.abc import Callable

from moltbot_desktop.core.errors import ModelError, MoltbotError
from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.models.worker.channel import AnswerPipe
from moltbot_desktop.models.worker.codec import ProtocolBroken
from moltbot_desktop.models.worker.command import settle_child
from moltbot_desktop.models.worker.protocol import (
    LOADING,
    Cancel,
    Close,
    Counted,
    CountTokens,
    Failed,
    Finished,
    Forget,
    Generate,
    LineSplitter,
    Load,
    Loaded,
    Prefill,
    Request,
    SaveStates,
    Task,
    Told,
    decode_request,
)

_LOGGER = logging.getLogger(__name__)
_STDIN = 0
_CHUNK = 1 << 16
# For what a loaded model saves at its end. Loading cannot be broken off; with nobody left to load
# for, it is not waited for either.
_LEAVE_SECONDS = 5.0
_SAVE_SECONDS = 4.0


def serve(answers: int) -> int:
    """Answer until stdin ends or `Close` comes; the process's exit code.

    Args:
        answers: the descriptor that `claim_stdout` gave.
    """
    settle_child()
    faulthandler.enable(sys.stderr)
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s"
    )
    thread = ModelThread()
    thread.start()
    try:
        asyncio.run(_Service(AnswerPipe(answers), thread).run())
    except* BrokenPipeError:
        _LOGGER.info("nobody reads the answers any more")
    finally:
        thread.stop()
        thread.join(_SAVE_SECONDS)
    return 0


class _Service:
    """One model and the requests for it."""

    def __init__(self, pipe: AnswerPipe, thread: ModelThread) -> None:
        self._pipe = pipe
        self._thread = thread
        # By number; changed on the reading thread and on the loop, one operation at a time.
        self._running: dict[int, CancelSource] = {}
        self._ready = False

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        inbox: asyncio.Queue[Request] = asyncio.Queue()

        def deliver(request: Request) -> None:
            # The loop is closed when we are leaving anyway.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(inbox.put_nowait, request)

        threading.Thread(target=self._listen, args=(deliver,), name="stdin", daemon=True).start()
        first = await inbox.get()
        if not isinstance(first, Load):
            return
        model = await self._loaded(first)
        if model is not None:
            await self._answer(inbox, model)

    # -- on the reading thread ----------------------------------------------------------------

    def _listen(self, deliver: Callable[[Request], None]) -> None:
        splitter = LineSplitter()
        try:
            while data := os.read(_STDIN, _CHUNK):
                for line in splitter.feed(data):
                    self._hear(decode_request(line), deliver)
        except ProtocolBroken as error:
            _LOGGER.error("the program said: %s", error)
        deliver(Close())
        if self._ready:
            threading.Event().wait(_LEAVE_SECONDS)
        os._exit(0)

    def _hear(self, request: Request, deliver: Callable[[Request], None]) -> None:
        match request:
            case Cancel(number):
                if (source := self._running.get(number)) is not None:
                    source.cancel()
                    # At once, whatever the loop is in; another's evaluation goes on.
                    self._thread.interrupt_watching(source)
                return
            case Generate(number) | Prefill(number):
                self._running[number] = CancelSource()
        deliver(request)

    # -- on the loop --------------------------------------------------------------------------

    async def _loaded(self, load: Load) -> LlamaChatModel | None:
        try:
            model = await load_chat_model(
                self._thread,
                load.path,
                context_tokens=load.context_tokens,
                threads=load.threads,
                state_dir=load.state_dir,
                kv_cache=load.kv_cache,
                saved_state_bytes=load.saved_state_bytes,
                gpu_layers=load.gpu_layers,
            )
        except ModelError as error:
            self._pipe.say(Failed.of(LOADING, error))
            return None
        self._ready = True
        self._pipe.say(Loaded(model.info))
        return model

    async def _answer(self, inbox: asyncio.Queue[Request], model: LlamaChatModel) -> None:
        async with asyncio.TaskGroup() as tasks:
            while not isinstance(request := await inbox.get(), Close):
                if isinstance(request, Task):
                    tasks.create_task(self._carry_out(model, request))
            for source in self._running.copy().values():
                source.cancel()
                self._thread.interrupt_watching(source)

    async def _carry_out(self, model: LlamaChatModel, task: Task) -> None:
        number = task.number
        try:
            match task:
                case Generate():
                    async for event in model.generate(task.request, self._running[number]):
                        self._pipe.say(Told(number, event))
                case Prefill():
                    await model.prefill(task.request, self._running[number])
                    self._pipe.say(Finished(number))
                case CountTokens():
                    self._pipe.say(Counted(number, await model.count_tokens(task.text)))
                case SaveStates():
                    self._pipe.say(Counted(number, await model.save_states()))
                case Forget():
                    await model.forget(task.conversation)
                    self._pipe.say(Finished(number))
        except MoltbotError as error:
            self._pipe.say(Failed.of(number, error))
        except ProtocolBroken as error:
            unsayable = ModelError(f"The model wrote something that cannot be passed on: {error}.")
            self._pipe.say(Failed.of(number, unsayable))
        finally:
            self._running.pop(number, None)
