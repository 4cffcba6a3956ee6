"""The assistant in the terminal: for a person, a pipe or a script.

Where an assistant of the same home is running, a window or `serve`, it is the one that answers:
no second model is loaded, and the person's conversation stays one. ``--local`` and ``--model``
ask for this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

from moltbot_desktop.app.agent_plan import named_agent
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.card import answered, question
from moltbot_desktop.cli.chat import Approve, ChatSession
from moltbot_desktop.cli.console import (
    PROMPT,
    Console,
    JsonConsole,
    PlainConsole,
    TerminalConsole,
)
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.errors import NobodyListens, RequestRefused
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.client import MAX_MESSAGE_CHARACTERS, AssistantClient, Talking
from moltbot_desktop.gateway.rpc.client import RunningAssistant, connected
from moltbot_desktop.gateway.rpc.door import socket_path
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.gateway.rpc.remote_talk import RemoteTalk, begun, shown, talking
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.keys import main_session_key

_LONGEST_LINE = 4 * MAX_MESSAGE_CHARACTERS + 2
"""Bytes, of which UTF-8 needs four for a character at most."""
_PHRASES = Phrases(
    english={
        "welcome": "Moltbot is here. Ask me something; /help shows examples, Ctrl+D ends.",
        "there": "Moltbot is running already; this goes on there.",
        "other_version": "Another version of Moltbot is running ({problem}); this one answers by"
        " itself.",
    },
    chinese={
        "welcome": "Moltbot 在这里。请直接提问；/帮助 有例子，Ctrl+D 结束。",
        "there": "Moltbot 已在运行，这里接着那边的对话。",
        "other_version": "正在运行的是另一个版本的 Moltbot（{problem}），这次由本程序自己回答。",
    },
)


@dataclass(frozen=True)
class Terminal:
    """What the process was started with."""

    paths: Paths
    loaded: LoadedConfig
    clock: Clock
    language: Language
    arguments: Arguments

    def run(self) -> int:
        """Chat or ask; returns the exit code.

        Raises:
            MoltbotError: the assistant cannot start.
        """
        try:
            return asyncio.run(self._talk())
        except (KeyboardInterrupt, asyncio.CancelledError):
            return 130

    @property
    def _scripts(self) -> SessionKey:
        """The conversation of those who ask one thing."""
        agent = named_agent(self.loaded.config, self.arguments.agent, self.language)
        return SessionKey(f"agent:{agent}:cli")

    async def _own(self, running: RunningAssistant) -> SessionKey:
        """The conversation that is shown, or the main one of an agent that was named."""
        if not self.arguments.agent:
            return await shown(running)
        agent = named_agent(self.loaded.config, self.arguments.agent, self.language)
        return main_session_key(agent)

    async def _talk(self) -> int:
        interactive = self.arguments.command != "ask" and sys.stdin.isatty()
        own = interactive or self.arguments.resume
        async with AsyncExitStack() as stack:
            client: Talking | None = await self._there(stack, own=own, interactive=interactive)
            approve: Approve | None = None
            if client is None:
                client = here = await self._here(stack, own=own, interactive=interactive)
                approve = _asking(here) if interactive else None
            session = ChatSession(
                client,
                self._console(interactive, own=approve is not None),
                _lines(interactive),
                approve,
            )
            if self.arguments.command == "ask":
                return await session.ask(self.arguments.text)
            if interactive:
                sys.stdout.write(_PHRASES.say("welcome", self.language) + "\n")
            with _interrupt_stops(client, session):
                return await session.run()

    async def _here(
        self, stack: AsyncExitStack, *, own: bool, interactive: bool
    ) -> AssistantClient:
        """An assistant of this process.

        Raises:
            MoltbotError: it cannot start.
        """
        # Late: one that runs elsewhere answers before all of this would be loaded.
        from moltbot_desktop.app.assistant import AssistantOptions, open_assistant  # noqa: PLC0415

        options = AssistantOptions(
            language=self.language,
            model=self.arguments.model,
            key_suffix="" if own else "cli",
            fresh=not own,
            presence=Presence.PRESENT if interactive else Presence.SCRIPT,
            agent=self.arguments.agent,
        )
        return await stack.enter_async_context(
            open_assistant(self.paths, self.loaded, self.clock, options)
        )

    async def _there(
        self, stack: AsyncExitStack, *, own: bool, interactive: bool
    ) -> RemoteTalk | None:
        """The conversation with an assistant of this home that is running already; None where
        there is none, or one that cannot be understood.

        Raises:
            RequestRefused: it does not want to.
            NoAnswer: it is there and says nothing.
        """
        if self.arguments.local or self.arguments.model is not None:
            return None
        try:
            path = socket_path(self.paths.home)
            running = await stack.enter_async_context(connected(path, self.language))
        except NobodyListens:
            return None
        except RpcFailure as failure:
            problem = translated(failure.message, self.language)
            text = _PHRASES.say("other_version", self.language, problem=problem)
            sys.stderr.write(f"{text}\n")
            return None
        try:
            key = await (self._own(running) if own else begun(running, self._scripts))
        except RpcFailure as failure:
            raise RequestRefused(failure.message) from failure
        if interactive:
            sys.stdout.write(_PHRASES.say("there", self.language) + "\n")
        return await stack.enter_async_context(
            talking(running, key, lambda: uuid.uuid4().hex, self.language, news=interactive)
        )

    def _console(self, interactive: bool, *, own: bool) -> Console:
        if self.arguments.json:
            return JsonConsole(sys.stdout, sys.stderr)
        if interactive:
            return TerminalConsole(sys.stdout, sys.stderr, own)
        return PlainConsole(sys.stdout, sys.stderr)


def _lines(interactive: bool) -> Callable[[], asyncio.Future[str | None]]:
    """Reads a line each time it is called, on a thread of its own.

    A daemon thread, because nothing can wake a thread that waits for a terminal: at the end of
    the program it is left behind.
    """
    read = _prompted if interactive else _piped

    def next_line() -> asyncio.Future[str | None]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str | None] = loop.create_future()

        def work() -> None:
            line = read()
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(_settle, future, line)

        threading.Thread(target=work, name="stdin", daemon=True).start()
        return future

    return next_line


def _settle(future: asyncio.Future[str | None], line: str | None) -> None:
    if not future.done():
        future.set_result(line)


def _piped() -> str | None:
    """The next line; of one that is longer than any message may be, its beginning, so that it is
    refused like any other message that is too long."""
    data = sys.stdin.buffer.readline(_LONGEST_LINE)
    rest = data
    while len(rest) >= _LONGEST_LINE and not rest.endswith(b"\n"):
        rest = sys.stdin.buffer.readline(_LONGEST_LINE)
    return data.decode("utf-8", "replace").rstrip("\r\n") if data else None


def _prompted() -> str | None:
    try:
        return input(PROMPT)
    except (EOFError, KeyboardInterrupt):
        return None


def _asking(client: AssistantClient) -> Approve:
    """Asks at the terminal; anything but a yes is a no."""

    async def ask(card: ApprovalRequested, *, elsewhere: bool) -> None:
        sys.stdout.write(question(card, elsewhere=elsewhere))
        sys.stdout.flush()
        answer = await _lines(interactive=False)()
        allow, term = answered(answer or "", card.offer.terms)
        client.answer_approval(card.approval_id, allow=allow, term=term)

    return ask


@contextlib.contextmanager
def _interrupt_stops(client: Talking, session: ChatSession) -> Iterator[None]:
    """Ctrl+C stops the answer that is coming; with none coming it ends the program."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()

    def interrupted() -> None:
        if session.answering:
            client.stop()
        elif task is not None:
            task.cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, interrupted)
    except NotImplementedError:  # Windows: KeyboardInterrupt ends the program
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
