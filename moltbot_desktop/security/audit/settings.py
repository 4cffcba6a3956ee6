"""What in moltbot.json lets more happen than is needed.

    settings_findings(config, elevated=("agent:main:main",))
    server_findings(read_mcp_servers(...)), provider_findings(remote.providers)

Settings of the reference that do nothing here (`hooks.token`, `gateway.bind`, `logging`) open
nothing, so nothing is said about them; `config validate` names them.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from moltbot_desktop.config.mcp import Approval, McpServer, McpServers
from moltbot_desktop.config.providers import Provider
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.audit import Finding, Setting, Severity
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.security.grant_programs import says_all

_LEAST_TOKEN = 24
"""Characters; half of what a token of ours has (the reference's figure)."""
_RUNNERS = {
    "npx": 0,
    "bunx": 0,
    "pnpx": 0,
    "uvx": 0,
    "npm": 1,
    "pnpm": 1,
    "yarn": 1,
    "bun": 1,
    "pipx": 1,
    "uv": 2,
}
"""Programs that fetch a program and start it -> how many words before the package may be verbs."""
_VERBS = frozenset("exec x dlx run tool".split())
_VALUED = frozenset("--package -p --from --with --python --registry --index-url -c --call".split())
_NAMES_PACKAGE = frozenset(("--package", "-p", "--from"))
_PINNED = re.compile(r"(?:.@|==|@git\+.*@)v?\d[\w.+-]*$|^\.{0,2}/|^[A-Za-z]:\\")
_METADATA = frozenset(("169.254.169.254", "metadata.google.internal", "100.100.100.200"))


def settings_findings(config: Config, elevated: Sequence[str] = ()) -> Iterator[Finding]:
    """`elevated`: conversations in which /elevated is on."""
    if config.security.mode == Mode.TRUSTING:
        yield Finding("mode.trusting", Severity.WARNING)
    yield from _commands(config, elevated)
    yield from _browser(config)
    yield from _gateway(config)


def _commands(config: Config, elevated: Sequence[str]) -> Iterator[Finding]:
    runs = config.tools.exec
    if elevated and config.tools.elevated.enabled:
        facts = {"sessions": ", ".join(elevated[:3])}
        yield Finding("exec.elevated.left_on", Severity.WARNING, facts)
    if wide := _elevated_for_all(config.raw):
        facts = {"channels": ", ".join(wide)}
        yield Finding("exec.elevated.allow_from", Severity.INFO, facts)
    if unsafe := [name for name in runs.safe_bins or () if not says_all((name,))]:
        facts = {"programs": ", ".join(unsafe)}
        kept = [name for name in runs.safe_bins or () if name not in unsafe]
        repair = Setting("tools.exec.safeBins", kept)
        yield Finding("exec.safe_bins", Severity.WARNING, facts, repair)


def _elevated_for_all(raw: JsonObject) -> list[str]:
    """Channels. As it is written: no code of ours heeds it (`config.waiting`)."""
    found: JsonValue = raw
    for name in ("tools", "elevated", "allowFrom"):
        found = found.get(name) if isinstance(found, Mapping) else None
    lists = found.items() if isinstance(found, Mapping) else ()
    return [name for name, who in lists if isinstance(who, list) and "*" in who]


def _browser(config: Config) -> Iterator[Finding]:
    browser = config.browser
    on = Severity.WARNING if browser.enabled else Severity.INFO
    if browser.evaluate_enabled:
        off = Setting("browser.evaluateEnabled", False)
        yield Finding("browser.evaluate", on, repair=off)
    if browser.no_sandbox:
        yield Finding("browser.no_sandbox", on, repair=Setting("browser.noSandbox", False))
    if browser.cdp_url and not is_here(browser.cdp_url):
        severity = Severity.CRITICAL if browser.enabled else Severity.INFO
        yield Finding("browser.cdp_elsewhere", severity, {"host": host_of(browser.cdp_url)})
    for host in browser.allowed_hosts:
        if host.partition(":")[0].casefold() in _METADATA:
            yield Finding("browser.hosts.metadata", Severity.CRITICAL, {"host": host})


def _gateway(config: Config) -> Iterator[Finding]:
    gateway = config.gateway
    if gateway.http:
        yield Finding("gateway.http.on", Severity.INFO, {"port": gateway.port})
    if gateway.speaks_openai:
        yield Finding("gateway.openai.on", Severity.INFO, {"port": gateway.port})
    token = gateway.token or ""
    if token and not token.startswith("keyring:") and len(token) < _LEAST_TOKEN:
        severity = Severity.CRITICAL if gateway.listens else Severity.INFO
        facts = {"count": len(token), "least": _LEAST_TOKEN}
        yield Finding("gateway.token.short", severity, facts)


def network_findings(config: Config, *, closed: bool, remote: Iterable[str]) -> Iterator[Finding]:
    """What may leave while the seal is open. `remote`: names of servers and providers elsewhere."""
    ways = [f"“{name}”" for name in remote]
    if config.tools.web_fetch.fetch_enabled:
        ways.append("tools.web.fetch")
    if config.tools.web_search.search_enabled:
        ways.append("tools.web.search")
    if config.browser.enabled:
        ways.append("browser")
    if ways and not closed:
        yield Finding("network.open", Severity.INFO, {"ways": ", ".join(ways)})


def server_findings(servers: McpServers) -> Iterator[Finding]:
    """Of the MCP servers that are on."""
    for server in servers.values():
        if not server.enabled or server.problem is not None:
            continue
        facts = {"name": server.name}
        if package := unpinned(server):
            yield Finding("mcp.unpinned", Severity.WARNING, {**facts, "package": package})
        if Approval.AUTO in (server.approval, *server.approvals.values()):
            yield Finding("mcp.unasked", Severity.INFO, facts)
        if server.url:
            yield Finding("mcp.elsewhere", Severity.INFO, {**facts, "host": server.host})


def unpinned(server: McpServer) -> str:
    """The package that is fetched in whatever version is newest at each start; "" for none.

    >>> unpinned(McpServer("time", "npx", ("-y", "mcp-time")))
    'mcp-time'
    >>> unpinned(McpServer("time", "npx", ("-y", "mcp-time@1.2.3")))
    ''
    """
    name = PurePath(server.command.replace("\\", "/")).name.casefold()
    name = name.removesuffix(".cmd").removesuffix(".exe")
    if name not in _RUNNERS:
        return ""
    words = list(server.args)
    verbs = _RUNNERS[name]
    seen = 0
    while words:
        word = words.pop(0)
        option, _, value = word.partition("=")
        if option in _VALUED:
            value = value or (words.pop(0) if words else "")
            if option in _NAMES_PACKAGE:
                return "" if not value or _PINNED.search(value) else value
        elif word.startswith("-"):
            continue
        elif seen < verbs and word in _VERBS:
            seen += 1
        elif seen < min(verbs, 1):
            return ""  # another verb, such as `npm start`: it fetches nothing
        else:
            return "" if _PINNED.search(word) else word
    return ""


def provider_findings(providers: Mapping[str, Provider]) -> Iterator[Finding]:
    """Models at addresses where anybody on the way can read along."""
    for provider in providers.values():
        if provider.base_url.casefold().startswith("http://") and not is_here(provider.base_url):
            facts = {"name": provider.name, "host": host_of(provider.base_url)}
            yield Finding("models.plain_http", Severity.WARNING, facts)


def host_of(url: str) -> str:
    """ "" for what is no address."""
    try:
        return urlsplit(url if "://" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""


def is_here(url: str) -> bool:
    """Whether `url` is one of this computer's own."""
    host = host_of(url)
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
