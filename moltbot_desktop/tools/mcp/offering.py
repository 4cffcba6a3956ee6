"""Which tools there are, of all servers as they stand.

    offered_tools(hub.standings(), hub.call)      # (McpTool(...), ...), sorted by name

A server that fell ill keeps its tools: a call waits for it to come back, and the prompt does not
change with every hiccup. What the owner denies is not offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.config.mcp import Approval, McpServer
from moltbot_desktop.tools.mcp.names import exported
from moltbot_desktop.tools.mcp.tool import Call, McpTool
from moltbot_desktop.tools.mcp.values import Standing, State

MOST_TOOLS_TOGETHER = 256
_GONE = frozenset({State.OFF, State.BROKEN})


def offered_tools(standings: Sequence[Standing], call: Call) -> tuple[McpTool, ...]:
    """At most `MOST_TOOLS_TOGETHER`."""
    found: list[McpTool] = []
    taken: set[str] = set()
    for one in standings:
        if one.state in _GONE:
            continue
        server = one.server
        names = exported(server.name, [tool.name for tool in one.tools], taken)
        taken.update(name.lower() for name in names.values())
        for tool in one.tools:
            approval = server.approval_of(tool.name)
            if approval is not Approval.DENY:
                name, origin = names[tool.name], _origin(server)
                found.append(McpTool(tool, name, server.name, approval, call, origin))
    return tuple(sorted(found[:MOST_TOOLS_TOGETHER], key=lambda tool: tool.name))


def _origin(server: McpServer) -> str:
    """The program or address behind a server's name."""
    return repr((server.command, server.args, str(server.cwd or ""), server.url))
