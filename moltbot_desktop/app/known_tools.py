"""The tools there are, as far as it can be told without running anything: for `skills check`.

    known = known_tools(static_records(...), read_mcp_servers(config.raw, environment))
    known.may_be("read"), known.may_be("mcp__time__now"), known.elsewhere

A plugin says which tools it brings only when it runs, and a server when it is asked. What comes
with the program is known, its own plugins too; of everybody else that is on, the name is told.
"""

from __future__ import annotations

from collections.abc import Iterable

from moltbot_desktop.config.mcp import McpServers
from moltbot_desktop.core.tool_words import OUR_TOOLS
from moltbot_desktop.plugins.discovery import Origin
from moltbot_desktop.plugins.host import PluginRecord, PluginStatus
from moltbot_desktop.skills.tool_mentions import KnownTools
from moltbot_desktop.tools.mcp.names import PREFIX


def known_tools(records: Iterable[PluginRecord], servers: McpServers) -> KnownTools:
    """Of the plugins and servers that are on."""
    plugins = (
        one.found.id
        for one in records
        if one.status is PluginStatus.ON and one.found.origin is not Origin.BUNDLED
    )
    prefixes = (f"{PREFIX}{name}__" for name, one in servers.items() if one.enabled)
    return KnownTools(OUR_TOOLS, tuple(prefixes), tuple(sorted(plugins)))
