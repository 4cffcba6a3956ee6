"""`moltbot-desktop mcp`: sees, tries, adds and takes over MCP servers."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.app.agent_plan import agent_plan, default_agent
from moltbot_desktop.app.mcp import connector
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import made_workspace
from moltbot_desktop.cli.mcp import McpLine, McpToolLine, list_servers, show_server, told
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.json5_text import UnusableText, parse_settings
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.mcp import McpServer, McpServers, read_mcp_servers
from moltbot_desktop.config.mcp_import import ForeignServer, read_foreign
from moltbot_desktop.config.places import show_place
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import SecretsUnavailable, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.storage.bounded import MOST_STATE, read_named
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.tools.mcp.hub import McpHub
from moltbot_desktop.tools.mcp.noted import NOTED_FILE, Noted, note_one, noted, read_noted
from moltbot_desktop.tools.mcp.values import Connect, Standing, State

_PATIENCE_SECONDS = 5.0
_PHRASES = Phrases(
    {
        "no_server": "There is no MCP server “{name}”.",
        "look": "moltbot-desktop mcp list shows all of them.",
        "exists": "There is an MCP server “{name}” already.",
        "exists_hint": "Choose another name, or remove it first.",
        "target": "An MCP server needs a command behind “--”, or --url.",
        "target_hint": "moltbot-desktop mcp add time -- uvx mcp-server-time",
        "pair": "“{pair}” is no NAME=VALUE.",
        "pair_hint": "--env TOKEN=keyring:my-token",
        "no_file": "{file} names no MCP servers.",
        "no_file_hint": "Give a file with “mcpServers” in it.",
        "off": "“{name}” is switched off.",
        "off_hint": "moltbot-desktop config set mcp.servers.{name}.enabled true",
    },
    {
        "no_server": "没有叫“{name}”的 MCP 服务器。",
        "look": "用 moltbot-desktop mcp list 可以看到全部。",
        "exists": "已经有一个叫“{name}”的 MCP 服务器。",
        "exists_hint": "换一个名字，或先去掉它。",
        "target": "MCP 服务器需要“--”后面的命令，或 --url。",
        "target_hint": "moltbot-desktop mcp add time -- uvx mcp-server-time",
        "pair": "“{pair}”不是 NAME=VALUE。",
        "pair_hint": "--env TOKEN=keyring:my-token",
        "no_file": "{file} 里没有 MCP 服务器。",
        "no_file_hint": "请给出含有“mcpServers”的文件。",
        "off": "“{name}”是关着的。",
        "off_hint": "moltbot-desktop config set mcp.servers.{name}.enabled true",
    },
)


def run_mcp_command(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Carry out `mcp list|test|add|remove|import`.

    Raises:
        UserInputInvalid: there is no such server, file or name.
        ConfigInvalid, StorageError: the settings or the disk said no.
    """
    desk = _Desk(paths, loaded, clock, arguments, language)
    match arguments.action:
        case "list":
            return desk.show_all()
        case "test":
            return desk.test()
        case "add":
            return desk.add()
        case "remove":
            return desk.remove()
        case _:
            return desk.take_over()


class _Desk:
    def __init__(
        self,
        paths: Paths,
        loaded: LoadedConfig,
        clock: Clock,
        arguments: Arguments,
        language: Language,
    ) -> None:
        self._paths = paths
        self._loaded = loaded
        self._clock = clock
        self._arguments = arguments
        self._language = language
        self._servers = read_mcp_servers(loaded.config.raw, loaded.environment, language)

    def show_all(self) -> int:
        known = read_noted(self._paths.home / NOTED_FILE)
        lines = [_line(one, known.get(one.name)) for one in self._servers.values()]
        return list_servers(lines, self._arguments.json, self._language, sys.stdout)

    def test(self) -> int:
        server = self._named()
        if server.problem is None and not server.enabled:
            raise self._refused("off", name=server.name)
        config = self._loaded.config
        agent = default_agent(config)
        plan = agent_plan(self._paths, config, agent, self._language)
        workspace = made_workspace(self._paths.home, plan.workspace)
        with closing(Seal(self._paths.home, self._clock)) as seal:
            load = partial(connector, workspace, self._paths.home, seal, self._language)
            found = noted(_tried(server, load, self._language))
        note_one(self._paths.home / NOTED_FILE, server.name, found)
        return show_server(_line(server, found), self._arguments.json, self._language, sys.stdout)

    def add(self) -> int:
        asked = self._arguments
        if asked.name in self._servers:
            raise self._refused("exists", name=asked.name)
        if bool(asked.words) == bool(asked.url):
            raise self._refused("target")
        pairs: dict[str, JsonValue] = dict(map(self._pair, asked.pairs))
        entry: dict[str, JsonValue]
        if asked.url:
            entry = {"url": asked.url, **({"headers": pairs} if pairs else {})}
        else:
            command, *words = asked.words
            entry = {"command": command, "args": list(words), **({"env": pairs} if pairs else {})}
        self._settings().put(_place(asked.name), entry)
        target = asked.url or " ".join(asked.words)
        return self._told("added", [McpLine(asked.name, target, "new")])

    def remove(self) -> int:
        server = self._named()
        self._settings().unset(_place(server.name))
        return self._told("removed", [_line(server, None)])

    def take_over(self) -> int:
        file = Path(self._arguments.name).expanduser()
        with disk_errors(file):
            data = read_named(file, MOST_STATE)
        try:
            found = read_foreign(parse_settings(data))
        except UnusableText as error:
            raise self._refused("no_file", file=file) from error
        if not found:
            raise self._refused("no_file", file=file)
        for one in found:
            if one.name in self._servers:
                raise self._refused("exists", name=one.name)
        return self._told("added", [self._taken(one) for one in found])

    # ------------------------------------------------------------------ inside

    def _taken(self, server: ForeignServer) -> McpLine:
        """Written into the settings, its keys into the password store where there is one."""
        store = SecretStore(self._paths.home / SECRET_NAMES_FILE)
        missing: dict[str, None] = {}
        for name, value in server.secrets.items():
            try:
                store.set(name, value)
            except (SecretsUnavailable, UserInputInvalid):
                missing[name] = None
        self._settings().put(_place(server.name), server.entry)
        return McpLine(server.name, server.command, "new", missing=tuple(missing))

    def _settings(self) -> SettingsFile:
        return SettingsFile(self._paths.home, os.environ, self._language)

    def _named(self) -> McpServer:
        found = self._servers.get(self._arguments.name)
        if found is None:
            raise UserInputInvalid(
                _PHRASES.say("no_server", self._language, name=self._arguments.name),
                hint=_PHRASES.say("look", self._language),
            )
        return found

    def _pair(self, text: str) -> tuple[str, str]:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise self._refused("pair", pair=text[:40])
        return name, value

    def _told(self, done: str, lines: list[McpLine]) -> int:
        return told(done, lines, self._arguments.json, self._language, sys.stdout)

    def _refused(self, phrase: str, **slots: object) -> UserInputInvalid:
        return UserInputInvalid(
            _PHRASES.say(phrase, self._language, **slots),
            hint=_PHRASES.say(f"{phrase}_hint", self._language, **slots),
        )


def _tried(server: McpServer, load: Callable[[], Connect], language: Language) -> Standing:
    """How it stands after one try; the process is gone again."""
    heard = threading.Event()
    hub = McpHub(load, heard.set, language)
    servers: McpServers = MappingProxyType({server.name: server})
    with closing(hub):
        hub.follow(servers)
        while (found := hub.standings()[0]).state is State.STARTING:
            heard.wait(server.timeout_seconds + _PATIENCE_SECONDS)
            heard.clear()
    return found


def _line(server: McpServer, known: Noted | None) -> McpLine:
    target = server.url or " ".join((server.command, *server.args))
    if server.problem is not None and server.enabled:
        return McpLine(server.name, target, State.BROKEN.value, server.problem.message)
    if not server.enabled:
        return McpLine(server.name, target, State.OFF.value)
    if known is None or known.state in (State.OFF, State.STARTING):
        return McpLine(server.name, target, "new")
    tools = tuple(
        McpToolLine(name, about, server.approval_of(name).value) for name, about in known.tools
    )
    return McpLine(server.name, target, known.state.value, known.reason, tools)


def _place(name: str) -> str:
    return show_place(("mcp", "servers", name))
