"""`moltbot-desktop acp`: the assistant as an agent in an editor, over standard input and output.

It is started by the editor and ends with it: at the end of input, or at SIGTERM, runs are stopped
with their outcome stored. Where an assistant of this home is running already, it is the one that
answers, and its window shows the cards; ``--local`` and ``--model`` ask for this process, whose
cards the editor shows. The assistant is opened when the first conversation is, so an editor that
only asks what we can do costs nothing. When ending takes longer than ten seconds it ends hard.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import os
import signal
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

from acp import Agent
from acp.core import AgentSideConnection

from moltbot_desktop.app.acp_places import EditorPlaces
from moltbot_desktop.app.acp_stdio import StdioTransport, own_output
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, NobodyListens
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.acp.agent import MoltbotAgent
from moltbot_desktop.gateway.acp.port import EditorAssistant
from moltbot_desktop.gateway.acp.there import ThereAssistant
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.door import socket_path
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.security.policy import Presence

STOP_SECONDS = 10.0
EXIT_OK, EXIT_HARD = 0, 70
_IDLE = "acp"
"""The suffix of the conversation that the process has and nobody talks in."""
_log = logging.getLogger(__name__)


def run_acp(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Be there until the editor has ended; returns the exit code.

    Raises:
        AgentUnusable: there is no agent of the name that was given.
    """
    places = EditorPlaces(paths, loaded, language, arguments.agent, arguments.model)
    places.sees(None)  # an agent that is not there is told at once, where a person sees it
    # A thread, because a loop that hangs could not end itself.
    watchdog = threading.Timer(STOP_SECONDS, _end_hard)
    watchdog.daemon = True
    with own_output() as target:
        talk = _Talk(paths, loaded, clock, arguments, language, places, watchdog)
        asyncio.run(talk.run(target))
    watchdog.cancel()
    return EXIT_OK


@dataclass
class _Talk:
    """What the process was started with, and the assistant that is open."""

    paths: Paths
    loaded: LoadedConfig
    clock: Clock
    arguments: Arguments
    language: Language
    places: EditorPlaces
    watchdog: threading.Timer
    _wanted: asyncio.Event = field(default_factory=asyncio.Event)
    _open: asyncio.Future[EditorAssistant] | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self, target: int) -> None:
        """Answer until the input ends."""
        transport = StdioTransport(0, target)
        agent = MoltbotAgent(
            self._opened, self.places, lambda: uuid.uuid4().hex, self.language, self._soon
        )
        connection = AgentSideConnection(cast(Agent, agent), transport, listening=False)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, transport.end)
        listening = loop.create_task(connection.listen(), name="editor")
        try:
            await self._serve(listening)
        finally:
            self.watchdog.start()
            await connection.close()
            for task in (listening, *self._tasks):
                task.cancel()
            await asyncio.gather(listening, *self._tasks, return_exceptions=True)

    async def _serve(self, listening: asyncio.Task[None]) -> None:
        """Open an assistant whenever one is wanted and none is open."""
        while await self._is_wanted(listening):
            opened = self._open = self._open or asyncio.get_running_loop().create_future()
            try:
                async with self._assistant() as assistant:
                    opened.set_result(assistant)
                    gone = assistant.gone if isinstance(assistant, ThereAssistant) else None
                    await _either(listening, gone or asyncio.Event())
            except MoltbotError as error:
                if opened.done():
                    _log.warning("the assistant did not end well: %s", error)
                else:
                    opened.set_exception(error)
            finally:
                self._open = None
                self._wanted.clear()

    async def _is_wanted(self, listening: asyncio.Task[None]) -> bool:
        await _either(listening, self._wanted)
        return not listening.done()

    async def _opened(self) -> EditorAssistant:
        """Raises MoltbotError: none can be opened; the next one who asks tries anew."""
        if self._open is None:
            self._open = asyncio.get_running_loop().create_future()
        self._wanted.set()
        return await asyncio.shield(self._open)

    @asynccontextmanager
    async def _assistant(self) -> AsyncIterator[EditorAssistant]:
        if not self.arguments.local and self.arguments.model is None:
            async with contextlib.AsyncExitStack() as stack:
                try:
                    path = socket_path(self.paths.home)
                    running = await stack.enter_async_context(connected(path, self.language))
                except NobodyListens:
                    pass
                except RpcFailure as failure:
                    _log.warning("another version is running; this one answers: %s", failure)
                else:
                    there = ThereAssistant(running, self.language)
                    listening = asyncio.get_running_loop().create_task(there.listen())
                    stack.push_async_callback(_ended, listening)
                    yield there
                    return
        # Late: what we can do is told sooner, and one that runs already answers without it.
        from moltbot_desktop.app.assistant import (  # noqa: PLC0415
            AssistantOptions,
            open_assistant,
        )

        here: list[EditorAssistant] = []
        options = AssistantOptions(
            self.language,
            model=self.arguments.model,
            key_suffix=_IDLE,
            presence=Presence.PRESENT,
            agent=self.arguments.agent,
            editors=here.append,
        )
        async with open_assistant(self.paths, self.loaded, self.clock, options) as client:
            client.subscribe(lambda _: None)  # nobody waits for what is told to a window
            yield here[0]

    def _soon(self, work: Awaitable[None]) -> None:
        task = asyncio.get_running_loop().create_task(_told(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _told(work: Awaitable[None]) -> None:
    try:
        await work
    except (MoltbotError, ConnectionError) as error:
        _log.info("the editor was not told: %s", error)


async def _either(listening: asyncio.Task[None], event: asyncio.Event) -> None:
    """Return when the editor has ended or `event` is set."""
    waiting = asyncio.get_running_loop().create_task(event.wait())
    try:
        await asyncio.wait((listening, waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _end_hard() -> None:
    faulthandler.dump_traceback(all_threads=True)
    os._exit(EXIT_HARD)
