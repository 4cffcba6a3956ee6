"""A conversation with one server, over the official `mcp` package; the only file that speaks it.

    connect = ServerConnector(lambda: workspace, os.environ, secret, way)
    async with connect(server, changed) as session: ...

Importing it takes a second, so that is left to the thread that needs it. The package's own checks
of results against a server's output schema are passed by: they would run a stranger's patterns.
What a server asks of us (to write with our model, to question the person) the package refuses,
because no capability for it is announced; asked for roots, it is told its folders.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import mcp_types as types
from mcp import Client
from mcp.client import Transport
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from moltbot_desktop import __version__
from moltbot_desktop.config.mcp import McpServer
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.security.guarded_client import guarded_client
from moltbot_desktop.tools.mcp.described import described
from moltbot_desktop.tools.mcp.launching import Secret, folders_of, launch, with_keys
from moltbot_desktop.tools.mcp.stdio import Ending, process_streams
from moltbot_desktop.tools.mcp.values import (
    MOST_TOOLS,
    ConnectionLost,
    ServerAnswer,
    ServerTool,
    Session,
)
from moltbot_desktop.tools.mcp.words import line

_MOST_PAGES = 20
_LAST_WORDS_SECONDS = 0.5
_TERMINATED = "Session terminated"
"""What the package says when an address does not know the conversation any more."""
_ME = types.Implementation(name="moltbot-desktop", version=__version__)


@dataclass(frozen=True)
class ServerConnector:
    """`values.Connect` with real servers.

    Attributes:
        environment: this program's own; a server gets little of it.
        secret: looked up on a worker thread.
        way: out of this computer, for the server of that name.
    """

    workspace: Path
    environment: Mapping[str, str]
    secret: Secret
    way: Callable[[str], Way]

    @contextlib.asynccontextmanager
    async def __call__(
        self, server: McpServer, changed: Callable[[], None]
    ) -> AsyncIterator[Session]:
        ending = Ending()
        roots = _Roots(folders_of(server, self.workspace))
        async with contextlib.AsyncExitStack() as stack:
            transport = await self._transport(server, ending, stack)
            client = Client(
                transport,
                client_info=_ME,
                cache=None,
                list_roots_callback=roots,
                message_handler=_Heard(changed),
                logging_callback=_Logged(server.name),
            )
            await _enter(client, stack, ending)
            listening = asyncio.create_task(_listen(client, changed), name="mcp-changes")
            try:
                yield _ServerSession(client, ending.over)
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def _transport(
        self, server: McpServer, ending: Ending, stack: contextlib.AsyncExitStack
    ) -> Transport:
        if server.url:
            headers = await asyncio.to_thread(with_keys, server.headers, self.secret)
            client = await stack.enter_async_context(
                guarded_client(server.url, self.way(server.name), headers, server.timeout_seconds)
            )
            return streamable_http_client(server.url, http_client=client)
        started = await asyncio.to_thread(
            launch, server, self.workspace, self.environment, self.secret
        )
        return process_streams(started, ending, _log_of(server.name))


async def _enter(client: Client, stack: contextlib.AsyncExitStack, ending: Ending) -> None:
    """Shake hands. A program that ends over it mostly says why: "No module named …"."""
    try:
        await stack.enter_async_context(client)
    except (MCPError, ExceptionGroup) as error:
        if not ending.over.is_set():
            raise
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ending.heard.wait(), _LAST_WORDS_SECONDS)
        raise ConnectionLost(str(error), ending.last_words) from error


@dataclass(frozen=True)
class _Roots:
    """Where a server is told that it may work."""

    folders: tuple[Path, ...]

    async def __call__(self, context: ClientRequestContext) -> types.ListRootsResult:
        roots = [{"uri": one.as_uri(), "name": one.name} for one in self.folders]
        return types.ListRootsResult.model_validate({"roots": roots})


@dataclass(frozen=True)
class _ServerSession:
    """`values.Session`; `over` is set when a process's output ends."""

    client: Client
    over: asyncio.Event

    async def tools(self) -> tuple[ServerTool, ...]:
        found: dict[str, ServerTool] = {}
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await self.client.list_tools(cursor=cursor)
            for one in page.tools:
                schema = cast("JsonObject", one.input_schema)
                tool = described(one.name, one.description or "", schema)
                if tool is not None and len(found) < MOST_TOOLS:
                    found.setdefault(tool.name, tool)
            cursor = page.next_cursor
            if not cursor or len(found) >= MOST_TOOLS:
                break
        return tuple(found.values())

    async def call(self, tool: str, arguments: JsonObject) -> ServerAnswer:
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        try:
            result = await self.client.session.send_request(
                types.CallToolRequest(params=params), types.CallToolResult
            )
        except MCPError as error:
            gone = error.code == types.CONNECTION_CLOSED or error.message == _TERMINATED
            if gone or self.over.is_set():
                raise ConnectionLost(error.message) from error
            return ServerAnswer(error.message, failed=True)
        except ValidationError:
            return ServerAnswer("The answer is not one that MCP knows.", failed=True)
        return ServerAnswer(_text_of(result), failed=result.is_error)

    async def ended(self) -> None:
        await self.over.wait()


def _text_of(result: types.CallToolResult) -> str:
    """All texts, one after the other; of what is no text, what it is."""
    parts = [_part(one) for one in result.content]
    if not any(parts) and result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False)
    return "\n".join(one for one in parts if one)


def _part(block: types.ContentBlock) -> str:
    match block:
        case types.TextContent(text=text):
            return text
        case (
            types.ImageContent(mime_type=kind, data=data)
            | types.AudioContent(mime_type=kind, data=data)
        ):
            return f"[{kind}, {len(data) * 3 // 4} bytes, not shown]"
        case types.ResourceLink(uri=uri, name=name):
            return f"[{name}: {uri}]"
        case types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, text=text)):
            return f"[{uri}]\n{text}"
        case types.EmbeddedResource(resource=resource):
            return f"[{resource.uri}, not shown]"


@dataclass(frozen=True)
class _Heard:
    """What a server says unasked; of that only a change of its tools matters here."""

    changed: Callable[[], None]

    async def __call__(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self.changed()


@dataclass(frozen=True)
class _Logged:
    """What a server wants in a log."""

    server: str

    async def __call__(self, params: types.LoggingMessageNotificationParams) -> None:
        _log_of(self.server).info("%s", line(str(params.data), 200))


async def _listen(client: Client, changed: Callable[[], None]) -> None:
    """The same for servers of 2026, which tell of changes only to who asks."""
    with contextlib.suppress(ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
        async with client.listen(tools_list_changed=True) as changes:
            async for _ in changes:
                changed()


def _log_of(server: str) -> logging.Logger:
    return logging.getLogger(f"moltbot_desktop.mcp.{server}")
