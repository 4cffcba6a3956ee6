"""All servers, on a thread of their own.

    hub = McpHub(load, told, language)
    hub.follow(read_mcp_servers(...))            # starts what is new, ends what is gone
    hub.standings()                              # how each stands, from any thread
    answer = await hub.call("time", "get_time", {"timezone": "UTC"})
    await asyncio.to_thread(hub.close)           # three seconds at most

A thread, because the `mcp` package takes a second to load and a server may send a torrent: neither
may hold up the agent's event loop. There is none before a server is switched on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from moltbot_desktop.config.mcp import Approval, McpServer, McpServers
from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.tools.mcp.link import ServerLink
from moltbot_desktop.tools.mcp.values import Connect, ServerAnswer, Standing, State

_log = logging.getLogger(__name__)
_POLITE_SECONDS = 2.0
_CLOSE_SECONDS = 6.0
_PHRASES = Phrases(
    english={
        "no_package": "the Python package “mcp” is not here",
        "no_server": "There is no MCP server “{server}” any more.",
    },
    chinese={
        "no_package": "缺少 Python 包“mcp”",
        "no_server": "MCP 服务器“{server}”已经没有了。",
    },
)


@dataclass
class McpHub:
    """`follow` and `close` are for one thread; `told` is called on the hub's own.

    Attributes:
        load: gives what connects; imports the package. Raises ImportError without it.
        told: the standings are others now.
    """

    load: Callable[[], Connect]
    told: Callable[[], None]
    language: Language
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _connect: Connect | None = field(default=None, init=False)
    _links: dict[str, tuple[ServerLink, asyncio.Task[None]]] = field(
        default_factory=dict, init=False
    )
    _ending: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _servers: McpServers = field(default_factory=lambda: MappingProxyType({}), init=False)
    _standings: tuple[Standing, ...] = field(default=(), init=False)

    def standings(self) -> tuple[Standing, ...]:
        """In the order of the settings."""
        return self._standings

    def follow(self, servers: McpServers) -> None:
        """Have these servers, and no others."""
        self._servers = servers
        if self._loop is None:  # the package takes a moment to load
            self._standings = tuple(map(_beginning, servers.values()))
            if not any(map(_is_wanted, servers.values())):
                self.told()
                return
        self._started().call_soon_threadsafe(self._follow, servers)

    def again(self, name: str, wait_seconds: float = 0.0) -> bool:
        """Have a server tried at once; False where there is none to try. From any thread, as long
        as nobody closes the hub meanwhile.

        Args:
            wait_seconds: at most so long until its standing says that it is starting.
        """
        if self._loop is None or not _is_wanted(self._servers.get(name)):
            return False
        begun = threading.Event()
        self._loop.call_soon_threadsafe(self._again, name, begun)
        begun.wait(wait_seconds)
        return True

    async def call(self, server: str, tool: str, arguments: JsonObject) -> ServerAnswer:
        """On any event loop; cancelling it cancels the call.

        Raises:
            ToolError: no server, or none that answers.
        """
        if self._loop is None:
            raise self._no_server(server)
        call = asyncio.run_coroutine_threadsafe(self._call(server, tool, arguments), self._loop)
        return await asyncio.wrap_future(call)

    def close(self) -> None:
        """End all servers and the thread; blocks."""
        if self._loop is None or self._thread is None:
            return
        loop, self._loop = self._loop, None
        asyncio.run_coroutine_threadsafe(self._end_all(), loop)
        self._thread.join(_CLOSE_SECONDS)
        if self._thread.is_alive():
            _log.error("the MCP thread does not end")

    # ------------------------------------------------------------------ on the hub's thread

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_run, args=(self._loop,), name="mcp", daemon=True
            )
            self._thread.start()
        return self._loop

    def _follow(self, servers: McpServers) -> None:
        for name, (link, _) in list(self._links.items()):
            new = servers.get(name)
            if new is not None and _is_wanted(new) and _same_start(new, link.server):
                link.change_to(new)
            else:
                self._let_go(name)
        if self._connect is None:
            try:
                self._connect = self.load()
            except ImportError as error:
                _log.warning("the package mcp cannot be loaded: %s", error)
        for name, server in servers.items():
            if name not in self._links and _is_wanted(server) and self._connect is not None:
                link = ServerLink(server, self._connect, self._told, self.language)
                task = asyncio.get_running_loop().create_task(link.run(), name=f"mcp-{name}")
                self._links[name] = (link, task)
        self._told()

    def _let_go(self, name: str) -> None:
        link, task = self._links.pop(name)
        link.stop()
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _again(self, name: str, begun: threading.Event) -> None:
        if name in self._links:
            self._links[name][0].again()
        else:  # the package was not here; perhaps it is by now
            self._follow(self._servers)
        begun.set()

    async def _call(self, server: str, tool: str, arguments: JsonObject) -> ServerAnswer:
        found = self._links.get(server)
        if found is None:
            raise self._no_server(server)
        return await found[0].call(tool, arguments)

    async def _end_all(self) -> None:
        for name in list(self._links):
            self._let_go(name)
        ending = set(self._ending)
        if ending:
            _, late = await asyncio.wait(ending, timeout=_POLITE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)
        asyncio.get_running_loop().stop()

    def _told(self) -> None:
        self._standings = tuple(map(self._standing, self._servers.values()))
        self.told()

    def _standing(self, server: McpServer) -> Standing:
        found = self._links.get(server.name)
        if found is not None:
            return found[0].standing
        if _is_wanted(server) and self._connect is None:
            return Standing(server, State.BROKEN, _PHRASES.say("no_package", self.language))
        return _resting(server)

    def _no_server(self, server: str) -> ToolError:
        return ToolError(_PHRASES.say("no_server", self.language, server=server))


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        asyncio.set_event_loop(None)
        with contextlib.suppress(RuntimeError):
            loop.close()


def _is_wanted(server: McpServer | None) -> bool:
    return server is not None and server.enabled and server.problem is None


def _resting(server: McpServer) -> Standing:
    """How one stands that is not even tried."""
    if server.enabled and server.problem is not None:
        return Standing(server, State.BROKEN, server.problem.message)
    return Standing(server, State.OFF)


def _beginning(server: McpServer) -> Standing:
    return Standing(server, State.STARTING) if _is_wanted(server) else _resting(server)


def _same_start(one: McpServer, other: McpServer) -> bool:
    """Whether the two differ in what the owner says of tools only."""
    return _bare(one) == _bare(other)


def _bare(server: McpServer) -> McpServer:
    return replace(server, approval=Approval.ASK, allow=(), deny=(), approvals=MappingProxyType({}))
