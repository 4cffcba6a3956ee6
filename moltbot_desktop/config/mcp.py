"""``mcp.servers`` of the settings file: programs and addresses that offer tools (MCP servers).

    mcp: { servers: {
      time: { command: "uvx", args: ["mcp-server-time"] },
      notes: { url: "https://notes.example/mcp", headers: { Authorization: "Bearer ${NOTES_KEY}" },
               timeoutSeconds: 30, approval: "ask",
               tools: { deny: ["delete_*"], list_notes: "auto" } },
    } }

    servers = read_mcp_servers(config.raw, environment, language)
    servers["time"].command, servers["time"].approval_of("get_current_time")

A mistake costs the server it stands in and no other. What a key in the password store is called
(``keyring:NAME``, alone or behind one word as in ``Bearer keyring:NAME``) stays as it is: it is
looked up when the server is started.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from moltbot_desktop.config.kinds import Choice, Flag, Folder, Line, ListOf, Number, Optional, Text
from moltbot_desktop.config.problems import ConfigProblem
from moltbot_desktop.config.reading import SettingsReader, UnusableSetting
from moltbot_desktop.config.structures import MapOf
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

SERVER_NAME = re.compile(r"[a-z0-9](?:[-_]?[a-z0-9]){0,23}")
"""What a server may be called: it becomes a part of its tools' names, between ``__``."""
USUAL_SECONDS = 60.0
_LEAST_SECONDS, _MOST_SECONDS = 1.0, 3_600.0
_KNOWN = frozenset(
    "command args env cwd url headers enabled timeoutSeconds approval tools type".split()
)
_LISTS = ("allow", "deny")


class Approval(StrEnum):
    """What the owner says about a tool."""

    AUTO = "auto"
    """Runs unasked where nothing of others is in the conversation."""
    ASK = "ask"
    DENY = "deny"
    """Is not offered at all."""


APPROVALS = tuple(one.value for one in Approval)


@dataclass(frozen=True)
class McpServer:
    """One server as the settings have it.

    Attributes:
        command: the program to start, "" where there is an address instead.
        env: variables for it beside the few that every program gets; keys are not looked up.
        cwd: where it is started; None for the workspace.
        url: its address, "" where there is a program instead.
        timeout_seconds: for one call, and for getting ready.
        approval: of tools about which nothing else is said.
        allow: names or patterns of the tools that are offered; none is all.
        approvals: of single tools, by the names that the server gives them.
        problem: makes it unusable.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    cwd: Path | None = None
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    enabled: bool = True
    timeout_seconds: float = USUAL_SECONDS
    approval: Approval = Approval.ASK
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    approvals: Mapping[str, Approval] = field(default_factory=lambda: MappingProxyType({}))
    problem: ConfigProblem | None = None

    @property
    def host(self) -> str:
        """Of its address; "" for a program."""
        return urlsplit(self.url).hostname or "" if self.url else ""

    def approval_of(self, tool: str) -> Approval:
        """What holds for one of its tools; the lists go before the single word."""
        if any(fnmatchcase(tool, one) for one in self.deny):
            return Approval.DENY
        if self.allow and not any(fnmatchcase(tool, one) for one in self.allow):
            return Approval.DENY
        return self.approvals.get(tool, self.approval)


McpServers = Mapping[str, McpServer]
"""By name, in the order of the file."""


def read_mcp_servers(
    raw: JsonObject, environment: Mapping[str, str], language: Language = Language.ENGLISH
) -> McpServers:
    """All servers of the file `raw` (`Config.raw`). Never raises."""
    group = raw.get("mcp")
    servers = group.get("servers") if isinstance(group, Mapping) else None
    found = servers if isinstance(servers, Mapping) else {}
    return MappingProxyType(
        {name: _server(name, one, SettingsReader(environment, language))
         for name, one in found.items()}
    )  # fmt: skip


def mcp_problems(
    raw: JsonObject, environment: Mapping[str, str], language: Language
) -> tuple[ConfigProblem, ...]:
    """What is wrong with the servers of the file `raw`."""
    servers = read_mcp_servers(raw, environment, language).values()
    return tuple(one.problem for one in servers if one.problem is not None)


def _server(name: str, value: JsonValue, reader: SettingsReader) -> McpServer:
    path = f"mcp.servers.{name}"
    enabled = not isinstance(value, Mapping) or value.get("enabled") is not False
    try:
        if not SERVER_NAME.fullmatch(name):
            raise reader.unusable(path, "mcp_name")
        if not isinstance(value, Mapping):
            raise reader.unusable(path, "group")
        return _read(name, value, path, reader)
    except UnusableSetting:
        return McpServer(name, enabled=enabled, problem=reader.problems[-1])


def _read(name: str, value: JsonObject, path: str, reader: SettingsReader) -> McpServer:
    for key in value:
        if key not in _KNOWN:
            raise reader.unusable(f"{path}.{key}", "unknown", meant="")
    if value.get("enabled") is False:
        # A server that is off may name variables that are not set on this computer.
        return McpServer(name, enabled=False)
    filled: dict[str, JsonValue] = {
        key: reader.filled(one, f"{path}.{key}") for key, one in value.items()
    }
    # An empty one is what a form leaves of a field that was cleared.
    command = reader.checked(filled, "command", Line(), "", path).strip()
    url = reader.checked(filled, "url", Line(), "", path).strip()
    if bool(command) == bool(url):
        raise reader.unusable(path, "mcp_target")
    if url and not _may_be_asked(url):
        raise reader.unusable(f"{path}.url", "mcp_url")
    seconds = Number(_LEAST_SECONDS, _MOST_SECONDS)
    permission = reader.checked(filled, "approval", Choice(APPROVALS), Approval.ASK.value, path)
    tools = reader.group(filled, "tools", f"{path}.tools")
    single = {key: one for key, one in tools.items() if key not in _LISTS}
    said = {
        key: Approval(reader.checked(single, key, Choice(APPROVALS), "", f"{path}.tools"))
        for key in single
    }
    lists = [reader.checked(tools, key, ListOf(Text()), (), f"{path}.tools") for key in _LISTS]
    return McpServer(
        name=name,
        command=command,
        args=_words(filled.get("args"), f"{path}.args", reader),
        env=reader.checked(filled, "env", MapOf(Line()), MappingProxyType({}), path),
        cwd=reader.checked(filled, "cwd", Optional(Folder()), None, path),
        url=url,
        headers=reader.headers(filled.get("headers"), f"{path}.headers"),
        enabled=reader.checked(filled, "enabled", Flag(), True, path),
        timeout_seconds=reader.checked(filled, "timeoutSeconds", seconds, USUAL_SECONDS, path),
        approval=Approval(permission),
        allow=tuple(lists[0]),
        deny=tuple(lists[1]),
        approvals=MappingProxyType(said),
    )


def _words(value: JsonValue, path: str, reader: SettingsReader) -> tuple[str, ...]:
    """The words of a command line, of which the same one may stand there twice."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise reader.unusable(path, "list")
    for number, one in enumerate(value):
        if not isinstance(one, str) or "\0" in one:
            raise reader.unusable(f"{path}[{number}]", "any_text")
    return tuple(str(one) for one in value)


def _may_be_asked(url: str) -> bool:
    """https, or this computer itself; no name or password inside."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises for a port that is none
    except ValueError:
        return False
    host = parts.hostname or ""
    here = host in ("localhost", "::1") or re.fullmatch(r"127(\.\d{1,3}){3}", host) is not None
    right = parts.scheme == "https" or (parts.scheme == "http" and here)
    return bool(host) and right and "@" not in parts.netloc and not re.search(r"\s", url)
