"""The life of one server: started, listened to, started again when it ends, and told about.

    link = ServerLink(server, connect, told, language)
    task = asyncio.create_task(link.run())          # on the loop of the MCP thread
    answer = await link.call("get_time", {...})     # waits for a server that is just starting
    link.stop()                                     # `run` returns within two seconds

One task enters and leaves the connection, because the package's scopes belong to a task. A server
that fails is tried again after pauses that double, six times; then only when somebody needs it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from moltbot_desktop.config.mcp import McpServer
from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.errors import MoltbotError, ToolError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.tools.mcp.values import (
    Connect,
    ConnectionLost,
    ServerAnswer,
    ServerTool,
    Session,
    Standing,
    State,
)
from moltbot_desktop.tools.mcp.words import line

_log = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 1.0
_MOST_FAILURES = 6
_STEADY_SECONDS = 60.0
"""A server that was there so long begins anew with its failures."""
_SETTLE_SECONDS = 0.1
"""Changes of a list come in bursts."""
_LONGEST_REASON = 300
_PHRASES = Phrases(
    english={
        "slow": "it was not ready after {seconds} seconds",
        "ended": "it ended",
        "ended_saying": "it ended with the words: {words}",
        "failed": "it could not be used ({error})",
        "not_there": "The MCP server “{server}” is not there: {reason}.",
        "not_there_hint": "/mcp shows how it stands; “/mcp reconnect {server}” tries again.",
        "timed_out": "The MCP server “{server}” did not answer within {seconds} seconds.",
        "timed_out_hint": "Try something smaller, or raise mcp.servers.{server}.timeoutSeconds.",
        "lost": "The MCP server “{server}” ended before it answered.",
        "lost_hint": "It is started again; whether it did what was asked is not known.",
    },
    chinese={
        "slow": "{seconds} 秒后仍未就绪",
        "ended": "它退出了",
        "ended_saying": "它退出了，最后的话是：{words}",
        "failed": "无法使用（{error}）",
        "not_there": "MCP 服务器“{server}”不可用：{reason}。",
        "not_there_hint": "/mcp 可以看到它的情况；“/mcp reconnect {server}”会再试一次。",
        "timed_out": "MCP 服务器“{server}”在 {seconds} 秒内没有回答。",
        "timed_out_hint": "请求小一点的内容，或调大 mcp.servers.{server}.timeoutSeconds。",
        "lost": "MCP 服务器“{server}”还没回答就退出了。",
        "lost_hint": "正在重新启动它；不知道它有没有做完要做的事。",
    },
)


@dataclass
class ServerLink:
    """Lives on the loop of the MCP thread.

    Attributes:
        told: called after each change of `standing`.
    """

    server: McpServer
    connect: Connect
    told: Callable[[], None]
    language: Language
    first_pause_seconds: float = FIRST_PAUSE_SECONDS
    standing: Standing = field(init=False)
    _session: Session | None = field(default=None, init=False)
    _ready: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _wake: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    """Something to look at: other tools, the connection lost, a wish to try again, the end."""
    _changed: bool = field(default=False, init=False)
    _lost: bool = field(default=False, init=False)
    _anew: bool = field(default=False, init=False)
    _stopping: bool = field(default=False, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.standing = Standing(self.server, State.STARTING)

    async def run(self) -> None:
        """Until `stop`."""
        self._task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        failures = 0
        while True:
            self._tell(State.STARTING)
            begun = loop.time()
            reason = await self._once()
            if self._stopping:
                return
            if self._anew:  # its end was asked for and says nothing about it
                failures = 0
                continue
            failures = 1 if loop.time() - begun > _STEADY_SECONDS else failures + 1
            _log.info("mcp server %s: %s", self.server.name, reason)
            if failures >= _MOST_FAILURES:
                self._tell(State.BROKEN, reason)
                await self._woken(None)
                failures = 0
            else:
                self._tell(State.WAITING, reason)
                await self._woken(self.first_pause_seconds * 2.0 ** (failures - 1))

    async def call(self, tool: str, arguments: JsonObject) -> ServerAnswer:
        """Have a tool of the server do something.

        Raises:
            ToolError: it is not there, did not answer in time, or ended meanwhile.
        """
        session = await self._needed()
        seconds = self.server.timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await session.call(tool, arguments)
        except TimeoutError as error:
            raise self._error("timed_out", seconds=f"{seconds:g}") from error
        except MoltbotError:
            raise
        except Exception as error:  # whatever the package raises, the connection is gone
            self._lost = True
            self._wake.set()
            if not isinstance(error, ConnectionLost):
                _log.info("mcp server %s: %s", self.server.name, _words_of(error))
            raise self._error("lost") from error

    def again(self) -> None:
        """Try at once; a server that is there is left and started anew."""
        self._lost = self._anew = self._session is not None
        self._tell(State.STARTING)
        self._wake.set()

    def change_to(self, server: McpServer) -> None:
        """The settings say something else that needs no new start."""
        self.server = server
        self.standing = replace(self.standing, server=server)

    def stop(self) -> None:
        """Have `run` end: politely where there is a connection, else at once."""
        self._stopping = True
        self._wake.set()
        if self._session is None and self._task is not None:
            self._task.cancel()

    # ------------------------------------------------------------------ inside

    async def _once(self) -> str:
        """One connection, from its beginning to its end; why it ended."""
        self._lost = self._changed = self._anew = False
        seconds = self.server.timeout_seconds
        try:
            async with contextlib.AsyncExitStack() as stack:
                async with asyncio.timeout(seconds):
                    session = await stack.enter_async_context(
                        self.connect(self.server, self._other_tools)
                    )
                    tools = await session.tools()
                self._session = session
                stack.callback(self._leave)
                self._tell(State.READY, tools=tools)
                self._ready.set()
                await self._stay(session)
        except TimeoutError:
            return _PHRASES.say("slow", self.language, seconds=f"{seconds:g}")
        except ConnectionLost as lost:
            key = "ended_saying" if lost.last_words else "ended"
            return _PHRASES.say(key, self.language, words=lost.last_words)
        except Exception as error:  # noqa: BLE001 - border: a server's bug costs its own tools only
            said = ""
            if isinstance(error, MoltbotError):
                said = translated(error.message, self.language)
            return said.rstrip(".。") or _PHRASES.say(
                "failed", self.language, error=_words_of(error)
            )
        return _PHRASES.say("ended", self.language)

    async def _stay(self, session: Session) -> None:
        """Until the connection is lost or the end is wished for."""
        ended = asyncio.ensure_future(session.ended())
        try:
            while not (ended.done() or self._stopping or self._lost):
                waking = asyncio.ensure_future(self._wake.wait())
                try:
                    await asyncio.wait({ended, waking}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    waking.cancel()
                self._wake.clear()
                if self._changed and not (ended.done() or self._stopping or self._lost):
                    await asyncio.sleep(_SETTLE_SECONDS)
                    self._changed = False
                    async with asyncio.timeout(self.server.timeout_seconds):
                        self._tell(State.READY, tools=await session.tools())
        finally:
            ended.cancel()

    def _leave(self) -> None:
        self._session = None
        self._ready.clear()

    async def _woken(self, seconds: float | None) -> None:
        self._wake.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        self._wake.clear()

    async def _needed(self) -> Session:
        """The session of a server that is ready, or gets ready in time."""
        if self._session is None:
            self._wake.set()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.server.timeout_seconds):
                    await self._ready.wait()
        if self._session is None:
            reason = self.standing.reason or _PHRASES.say("ended", self.language)
            raise self._error("not_there", reason=reason)
        return self._session

    def _other_tools(self) -> None:
        self._changed = True
        self._wake.set()

    def _tell(
        self, state: State, reason: str = "", tools: tuple[ServerTool, ...] | None = None
    ) -> None:
        known = self.standing.tools if tools is None else tools
        kept = reason or (self.standing.reason if state is State.STARTING else "")
        self.standing = Standing(self.server, state, line(kept, _LONGEST_REASON), known)
        self.told()

    def _error(self, phrase: str, **slots: object) -> ToolError:
        named = {"server": self.server.name, **slots}
        return ToolError(
            _PHRASES.say(phrase, self.language, **named),
            hint=_PHRASES.say(f"{phrase}_hint", self.language, **named),
        )


def _words_of(error: BaseException) -> str:
    """The first error that is no bundle of others, in few words."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    said = str(error).strip()
    return line(f"{type(error).__name__}: {said}" if said else type(error).__name__, 200)
