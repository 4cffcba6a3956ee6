"""What goes between a server and the program: frozen values, nothing of the `mcp` package.

    async with connect(server, changed) as session:
        tools = await session.tools()               # (ServerTool("get_time", "...", {...}),)
        answer = await session.call("get_time", {"timezone": "UTC"}, 30.0)

All texts in them are a stranger's: harmless to show, and nothing to obey.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from moltbot_desktop.config.mcp import McpServer
from moltbot_desktop.core.json import JsonObject

MOST_TOOLS = 64
"""Of one server; what it offers beyond is left out."""


@dataclass(frozen=True)
class ServerTool:
    """A tool as its server describes it; `described` makes one of what a server says.

    Attributes:
        name: as the server calls it.
        schema: of the arguments, an object's.
    """

    name: str
    description: str
    schema: JsonObject


@dataclass(frozen=True)
class ServerAnswer:
    """What a call gave: its texts as one, and a note for each part that is no text."""

    text: str
    failed: bool = False


class ConnectionLost(Exception):
    """A server ended, or its address answers no more.

    Attributes:
        last_words: the last line it wrote about itself before, "" for none.
    """

    def __init__(self, message: str = "", last_words: str = "") -> None:
        super().__init__(message)
        self.last_words = last_words


class Session(Protocol):
    """A server that is ready. Its methods raise `ConnectionLost`, or whatever else goes wrong on
    the way."""

    async def tools(self) -> tuple[ServerTool, ...]:
        """At most `MOST_TOOLS`."""
        ...

    async def call(self, tool: str, arguments: JsonObject) -> ServerAnswer: ...

    async def ended(self) -> None:
        """Returns when the connection is gone."""
        ...


class Connect(Protocol):
    """Starts or reaches a server; leaving the context ends it, in two seconds at most."""

    def __call__(
        self, server: McpServer, changed: Callable[[], None]
    ) -> AbstractAsyncContextManager[Session]:
        """`changed`: the server has other tools from now on."""
        ...


class State(StrEnum):
    """How a server stands."""

    OFF = "off"
    STARTING = "starting"
    READY = "ready"
    WAITING = "waiting"
    """It could not be reached or ended; it is tried again after a pause."""
    BROKEN = "broken"
    """It is not tried any more, until the settings change or the owner says so."""


@dataclass(frozen=True)
class Standing:
    """How one server stands, for the person.

    Attributes:
        reason: why it is not ready; "" when there is nothing to tell.
        tools: what it offered last, those that the owner denies included.
    """

    server: McpServer
    state: State
    reason: str = ""
    tools: tuple[ServerTool, ...] = ()
