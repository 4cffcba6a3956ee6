"""`/mcp` in a conversation: how each MCP server stands, its tools, and one of them started anew.

    /mcp                        how each stands
    /mcp tools time             what it offers, and whether a call asks first
    /mcp reconnect time         end it and start it again

For the owner alone: what runs on this computer is nobody else's affair.
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.plugins import CommandCall, PluginCommand
from moltbot_desktop.tools.mcp.hub import McpHub
from moltbot_desktop.tools.mcp.values import Standing
from moltbot_desktop.tools.mcp.words import line

NAME = "mcp"
_PHRASES = Phrases(
    {
        "owner": "Only the owner may see MCP servers.",
        "none": "There are no MCP servers. “moltbot-desktop mcp add NAME -- COMMAND” adds one.",
        "how": "/mcp shows them, /mcp tools NAME what one offers, /mcp reconnect NAME starts one"
        " anew.",
        "no_server": "There is no MCP server “{name}” that is switched on.",
        "again": "“{name}” is started anew.",
        "no_tools": "“{name}” offers no tools.",
        "off": "off",
        "starting": "is starting",
        "ready": "ready, {count:tool|tools}",
        "waiting": "not there ({reason}); it is tried again",
        "broken": "cannot be used: {reason}",
        "auto": "runs unasked",
        "ask": "asks first",
        "deny": "is not offered",
    },
    {
        "owner": "只有主人可以查看 MCP 服务器。",
        "none": "没有 MCP 服务器。用“moltbot-desktop mcp add 名字 -- 命令”添加。",
        "how": "/mcp 查看服务器，/mcp tools 名字 看它有什么工具，/mcp reconnect 名字 重新启动它。",
        "no_server": "没有打开着的 MCP 服务器“{name}”。",
        "again": "正在重新启动“{name}”。",
        "no_tools": "“{name}”没有工具。",
        "off": "关",
        "starting": "正在启动",
        "ready": "可用，{count} 个工具",
        "waiting": "不在（{reason}）；会再试",
        "broken": "不能用：{reason}",
        "auto": "不问就运行",
        "ask": "先问",
        "deny": "不提供",
    },
)


def mcp_command(hub: McpHub) -> PluginCommand:
    """The command over the servers of `hub`."""

    def answer(call: CommandCall) -> str:
        language = call.language
        if not call.owner:
            return _PHRASES.say("owner", language)
        words = call.arguments.split()
        standings = hub.standings()
        if not words or words == ["list"]:
            lines = [f"- {one.server.name}: {standing_words(one, language)}" for one in standings]
            return "\n".join(lines) or _PHRASES.say("none", language)
        if len(words) != 2 or words[0] not in ("tools", "reconnect"):
            return _PHRASES.say("how", language)
        found = next((one for one in standings if one.server.name == words[1]), None)
        if words[0] == "tools" and found is not None:
            return _tools(found, language)
        if words[0] == "reconnect" and hub.again(words[1]):
            return _PHRASES.say("again", language, name=words[1])
        return _PHRASES.say("no_server", language, name=words[1])

    return PluginCommand(
        NAME,
        "how the MCP servers stand; start one anew",
        "MCP 服务器的情况；重新启动一个",
        answer,
        arguments="[tools|reconnect NAME]",
    )


def standing_words(one: Standing, language: Language) -> str:
    """How a server stands, in few words."""
    reason = one.reason.rstrip(".。")
    return _PHRASES.say(one.state, language, reason=reason, count=len(one.tools))


def _tools(one: Standing, language: Language) -> str:
    rows = [
        f"- {tool.name} ({_PHRASES.say(one.server.approval_of(tool.name), language)}): "
        f"{line(tool.description, 120)}"
        for tool in one.tools
    ]
    return "\n".join(rows) or _PHRASES.say("no_tools", language, name=one.server.name)
