"""MCP servers out of another program's file, as entries for ``mcp.servers``.

    found = read_foreign(parse_settings(data))
    found[0].name, found[0].entry, found[0].secrets      # "brave-search", {...}, {"BRAVE_KEY": "…"}

Known shapes: ``{"mcpServers": {NAME: {command, args, env | url, headers}}}`` of most programs,
``{"servers": ...}`` and ``{"mcp": {"servers": ...}}``. Keys in clear are taken out of the entry,
which names a place in the password store in their stead. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from moltbot_desktop.config.mcp import SERVER_NAME
from moltbot_desktop.config.secrets import is_secret_name
from moltbot_desktop.core.json import JsonObject, JsonValue

_OF_ANOTHER = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_KEPT = frozenset({"command", "args", "cwd", "url"})
_LONGEST_NAME = 24


@dataclass(frozen=True)
class ForeignServer:
    """One server of the other program.

    Attributes:
        entry: what to write below ``mcp.servers.NAME``.
        secrets: values to keep in the password store, by the names that `entry` gives them.
        command: what is started or asked, as one line for the person.
    """

    name: str
    entry: JsonObject
    command: str
    secrets: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)


def read_foreign(raw: JsonObject) -> tuple[ForeignServer, ...]:
    """All servers in it, in its order; what is none is left out."""
    inner = raw.get("mcp")
    places = (raw.get("mcpServers"), raw.get("servers"),
              inner.get("servers") if isinstance(inner, Mapping) else None)  # fmt: skip
    servers = next((one for one in places if isinstance(one, Mapping)), {})
    found: dict[str, ForeignServer] = {}
    for name, value in servers.items():
        if isinstance(value, Mapping) and (server := _server(_named(name, found), value)):
            found[server.name] = server
    return tuple(found.values())


def _server(name: str, value: JsonObject) -> ForeignServer | None:
    command, url = value.get("command"), value.get("url") or value.get("serverUrl")
    words = [one for one in _list(value.get("args")) if isinstance(one, str)]
    entry: dict[str, JsonValue] = {}
    if isinstance(command, str) and command:
        entry = {"command": _ours(command), "args": [_ours(one) for one in words]}
        if isinstance(cwd := value.get("cwd"), str) and cwd:
            entry["cwd"] = cwd
        shown = " ".join((command, *words))
    elif isinstance(url, str) and url:
        entry = {"url": _ours(url)}
        shown = url
    else:
        return None
    secrets: dict[str, str] = {}
    group = "env" if "command" in entry else "headers"
    if isinstance(pairs := value.get(group), Mapping) and pairs:
        entry[group] = {
            key: _value(name, key, text, secrets)
            for key, text in pairs.items()
            if isinstance(text, str)
        }
    if value.get("disabled") is True or value.get("enabled") is False:
        entry["enabled"] = False
    return ForeignServer(name, entry, shown, MappingProxyType(secrets))


def _value(server: str, key: str, text: str, secrets: dict[str, str]) -> str:
    """What is written for a variable or header; a key in clear goes into `secrets`."""
    ours = _ours(text)
    elsewhere = ours.startswith("keyring:") or "${" in ours
    if elsewhere or not text or not (is_secret_name(key) or key.lower() == "authorization"):
        return ours
    scheme, _, rest = text.rpartition(" ")
    kept = f"mcp.{server}.{key}"[:64]
    secrets[kept] = rest
    return f"{scheme} keyring:{kept}".strip()


def _ours(text: str) -> str:
    return _OF_ANOTHER.sub(lambda found: f"${{{found[1].upper()}}}", text)


def _named(name: str, taken: Mapping[str, ForeignServer]) -> str:
    """`name` as a server may be called here."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    plain = plain if SERVER_NAME.fullmatch(plain) else "server"
    if plain not in taken:
        return plain
    numbered = (f"{plain[: _LONGEST_NAME - 3]}{number}" for number in range(2, 100))
    return next((one for one in numbered if one not in taken), plain)


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
