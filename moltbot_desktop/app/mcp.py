"""The MCP servers of a running assistant: started beside it, renewed when the settings change.

    await follow_mcp(stack, made, tell)

Nothing waits for them: their tools are there from the prompt after they answered. Only a script,
whose one request would be over before, waits a little. `/mcp` shows how they stand.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from moltbot_desktop.app.made import Made
from moltbot_desktop.app.mcp_in_chat import mcp_command
from moltbot_desktop.config.mcp import read_mcp_servers
from moltbot_desktop.core.errors import SecretsUnavailable, StorageError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.traffic import Errand, Purpose, Way
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.plugins.registry import OfferedTool
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.tools.mcp.hub import McpHub
from moltbot_desktop.tools.mcp.noted import NOTED_FILE, note_standings
from moltbot_desktop.tools.mcp.offering import offered_tools
from moltbot_desktop.tools.mcp.tool import McpTool
from moltbot_desktop.tools.mcp.values import Connect, State

_log = logging.getLogger(__name__)
OWNER = "mcp"
"""Under this name the settings' lists know all these tools, as those of a plugin."""
_SCRIPT_SECONDS = 15.0
_PHRASES = Phrases(
    english={
        "broken": "The MCP server “{name}” cannot be used: {reason}.",
        "broken_hint": "/mcp shows how it stands; “/mcp reconnect {name}” tries again.",
        "no_secret": "There is no key “{name}” in the password store.",
        "no_secret_hint": "moltbot-desktop secrets set {name} keeps one.",
    },
    chinese={
        "broken": "MCP 服务器“{name}”不能用：{reason}。",
        "broken_hint": "/mcp 可以看到它的情况；“/mcp reconnect {name}”会再试一次。",
        "no_secret": "密码库里没有密钥“{name}”。",
        "no_secret_hint": "用 moltbot-desktop secrets set {name} 保存。",
    },
)


async def follow_mcp(stack: AsyncExitStack, made: Made, tell: Callable[[Notice], None]) -> None:
    """Have the servers of the settings, now and after each change of them; `stack` ends it."""
    life = _Life(made, tell)
    made.plugins.commands.add([mcp_command(life.hub)])
    stack.push_async_callback(life.close)
    if (now := made.options.plugins_now) is not None:
        now.mcp.open(life.hub)
        stack.callback(now.mcp.close)
    life.follow()
    stack.callback(made.live.on_change(life.follow))
    if made.options.presence is Presence.SCRIPT and not made.brain.reads_one_request():
        await life.settled(_SCRIPT_SECONDS)


class _Life:
    """Lives on the agent's event loop."""

    def __init__(self, made: Made, tell: Callable[[Notice], None]) -> None:
        self._made = made
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._settled = asyncio.Event()
        self._tools: tuple[McpTool, ...] = ()
        self._take_away: Callable[[], None] = _nothing
        self._told: frozenset[tuple[str, str]] = frozenset()
        load = partial(connector, made.workspace, made.paths.home, made.seal, made.options.language)
        self.hub = McpHub(load, self._heard, made.options.language)

    def follow(self) -> None:
        live = self._made.live
        language = self._made.options.language
        self.hub.follow(read_mcp_servers(live.config.raw, live.loaded.environment, language))

    async def settled(self, seconds: float) -> None:
        """Until each server is ready or failed once, at most so long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._settled.wait()

    async def close(self) -> None:
        self._take_away()
        await asyncio.to_thread(self.hub.close)

    # ------------------------------------------------------------------ inside

    def _heard(self) -> None:
        """On the hub's thread, after each change."""
        try:
            note_standings(self._made.paths.home / NOTED_FILE, self.hub.standings())
        except StorageError as error:
            _log.warning("how the MCP servers stand was not noted: %s", error)
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._renew)

    def _renew(self) -> None:
        standings = self.hub.standings()
        tools = offered_tools(standings, self.hub.call)
        if tools != self._tools:
            self._take_away()
            self._tools = tools
            offers = [OfferedTool(one, (one.name,), optional=False) for one in tools]
            self._take_away = self._made.plugins.tools.add(OWNER, offers)
        if not any(one.state is State.STARTING for one in standings):
            self._settled.set()
        broken = {(one.server.name, one.reason) for one in standings if one.state is State.BROKEN}
        for name, reason in sorted(broken - self._told):
            self._tell_of(name, reason)
        self._told = frozenset(broken)

    def _tell_of(self, name: str, reason: str) -> None:
        language = self._made.options.language
        said = _PHRASES.say("broken", language, name=name, reason=reason.rstrip(".。"))
        self._tell(Notice(said, _PHRASES.say("broken_hint", language, name=name), serious=True))


def connector(workspace: Path, home: Path, seal: Seal, language: Language) -> Connect:
    """What starts and reaches servers. Loads the `mcp` package, which takes a second.

    Raises:
        ImportError: it is not installed.
    """
    from moltbot_desktop.tools.mcp.server_session import ServerConnector  # noqa: PLC0415

    store = SecretStore(home / SECRET_NAMES_FILE)

    def secret(name: str) -> str:
        found = store.get(name)
        if not found:
            raise SecretsUnavailable(
                _PHRASES.say("no_secret", language, name=name),
                hint=_PHRASES.say("no_secret_hint", language, name=name),
            )
        return found

    def way(server: str) -> Way:
        return seal.way(Errand(Purpose.PLUGIN, f"{OWNER}:{server}"))

    return ServerConnector(workspace, os.environ, secret, way)


def _nothing() -> None:
    pass
