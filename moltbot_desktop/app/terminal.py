"""The assistant in the terminal: for a person, a pipe or a script."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.chat import ChatSession
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
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import AssistantClient
from moltbot_desktop.security.policy import Presence

_WELCOME = "Moltbot is here. Ask me something; /help shows examples, Ctrl+D ends.\n"


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

    async def _talk(self) -> int:
        interactive = self.arguments.command != "ask" and sys.stdin.isatty()
        own = interactive or self.arguments.resume
        options = AssistantOptions(
            language=self.language,
            model=self.arguments.model,
            key_suffix="" if own else "cli",
            fresh=not own,
            presence=Presence.PRESENT if interactive else Presence.SCRIPT,
        )
        async with open_assistant(self.paths, self.loaded, self.clock, options) as client:
            session = ChatSession(client, self._console(interactive), _lines(interactive))
            if self.arguments.command == "ask":
                return await session.ask(self.arguments.text)
            if interactive:
                sys.stdout.write(_WELCOME)
                session.approve = _ask_approval
            with _interrupt_stops(client, session):
                return await session.run()

    def _console(self, interactive: bool) -> Console:
        if self.arguments.json:
            return JsonConsole(sys.stdout, sys.stderr)
        if interactive:
            return TerminalConsole(sys.stdout, sys.stderr)
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
    data = sys.stdin.buffer.readline()
    return data.decode("utf-8", "replace").rstrip("\r\n") if data else None


def _prompted() -> str | None:
    try:
        return input(PROMPT)
    except (EOFError, KeyboardInterrupt):
        return None


async def _ask_approval(title: str) -> bool:
    """Asks at the terminal; anything but a yes is a no."""
    sys.stdout.write(f"\nMay I {title}? [y/N] ")
    sys.stdout.flush()
    answer = await _lines(interactive=False)()
    return (answer or "").strip().casefold() in ("y", "yes", "是", "好", "可以")


@contextlib.contextmanager
def _interrupt_stops(client: AssistantClient, session: ChatSession) -> Iterator[None]:
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
