"""The page of the settings window for MCP servers: how each stood last, and a word for each tool.

    title, note, schema = mcp_page(servers, read_noted(home / NOTED_FILE), language)

Nothing is started to draw it: tools and troubles are those of the last time. A change that is saved
reaches a running assistant at once, which then starts the server anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.config.mcp import APPROVALS, USUAL_SECONDS, McpServer, McpServers
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.tools.mcp.noted import Noted

_PHRASES = Phrases(
    english={
        "title": "MCP servers",
        "note": "Programs and addresses that offer the assistant tools. A call asks you first,"
        " unless you say otherwise. In a conversation, /mcp shows how they stand now, and"
        " “/mcp reconnect NAME” starts one anew.",
        "off": "Off.",
        "new": "Not started yet.",
        "starting": "It was starting.",
        "ready": "Ready, {count:tool|tools}.",
        "waiting": "It was not there: {reason}.",
        "broken": "It cannot be used: {reason}.",
        "enabled": "Switched on",
        "command": "Program",
        "command_help": "What to start; empty where there is an address.",
        "args": "Its arguments",
        "env": "Variables for it",
        "cwd": "Folder to start it in",
        "url": "Address",
        "url_help": "https, or http on this computer; empty where there is a program.",
        "headers": "Headers of requests",
        "timeoutSeconds": "Seconds to wait for an answer",
        "approval": "Its tools",
        "tools": "Single tools",
        "allow": "Only these",
        "deny": "Never these",
        "auto": "run unasked",
        "ask": "ask first",
        "denied": "are not offered",
    },
    chinese={
        "title": "MCP 服务器",
        "note": "给助手提供工具的程序和地址。除非你另有规定，每次调用都先问你。"
        "在聊天里，/mcp 显示它们现在的情况，“/mcp reconnect 名字”重新启动一个。",
        "off": "未启用。",
        "new": "还没有启动过。",
        "starting": "上次正在启动。",
        "ready": "可用，{count} 个工具。",
        "waiting": "上次不在：{reason}。",
        "broken": "不能用：{reason}。",
        "enabled": "已启用",
        "command": "程序",
        "command_help": "要启动的程序；填了地址就留空。",
        "args": "它的参数",
        "env": "给它的变量",
        "cwd": "在哪个文件夹里启动",
        "url": "地址",
        "url_help": "https，或这台电脑上的 http；填了程序就留空。",
        "headers": "请求头",
        "timeoutSeconds": "等待回答的秒数",
        "approval": "它的工具",
        "tools": "单个工具",
        "allow": "只用这些",
        "deny": "不用这些",
        "auto": "不问就运行",
        "ask": "先问",
        "denied": "不提供",
    },
)
HINTS: JsonObject = MappingProxyType(
    {"*.headers.Authorization": {"sensitive": True}, "*.timeoutSeconds": {"advanced": True},
     "*.cwd": {"advanced": True}}
)  # fmt: skip
"""As a manifest's `uiHints`."""


def mcp_page(
    servers: McpServers, known: Mapping[str, Noted], language: Language
) -> tuple[str, str, JsonObject]:
    """Title, note, and the schema of ``mcp.servers``."""

    def say(phrase: str, **slots: object) -> str:
        return _PHRASES.say(phrase, language, **slots)

    entries: dict[str, JsonValue] = {
        name: {
            "title": name,
            "description": _standing(one, known.get(name), language),
            **_schema(known.get(name), language),
        }
        for name, one in servers.items()
    }
    schema: JsonObject = {
        "type": "object",
        "properties": entries,
        "additionalProperties": _schema(None, language),
    }
    return say("title"), say("note"), schema


def _standing(server: McpServer, known: Noted | None, language: Language) -> str:
    if not server.enabled:
        return _PHRASES.say("off", language)
    if server.problem is not None:
        return _PHRASES.say("broken", language, reason=server.problem.message.rstrip(".。"))
    if known is None or known.state == "off":
        return _PHRASES.say("new", language)
    reason = known.reason.rstrip(".。")
    return _PHRASES.say(known.state, language, reason=reason, count=len(known.tools))


def _schema(known: Noted | None, language: Language) -> dict[str, JsonValue]:
    def titled(name: str, **rest: JsonValue) -> dict[str, JsonValue]:
        said = {"description": _PHRASES.say(f"{name}_help", language)} if name in _HELPED else {}
        return {"title": _PHRASES.say(name, language), **said, **rest}

    texts: JsonValue = {"type": "string"}
    words: JsonValue = [
        {"const": one, "title": _PHRASES.say("denied" if one == "deny" else one, language)}
        for one in APPROVALS
    ]
    tools: dict[str, JsonValue] = {
        name: {"title": name, "description": about, "oneOf": words}
        for name, about in (known.tools if known is not None else ())
        if name not in ("allow", "deny")
    }
    lists: dict[str, JsonValue] = {
        name: titled(name, type="array", items=texts) for name in ("allow", "deny")
    }
    return {
        "type": "object",
        "properties": {
            "enabled": titled("enabled", type="boolean", default=True),
            "command": titled("command", type="string"),
            "args": titled("args", type="array", items=texts),
            "env": titled("env", type="object", additionalProperties=texts),
            "url": titled("url", type="string"),
            "headers": titled("headers", type="object", additionalProperties=texts),
            "approval": titled("approval", oneOf=words, default="ask"),
            "tools": titled(
                "tools",
                type="object",
                properties={**tools, **lists},
                additionalProperties={"oneOf": words},
            ),
            "cwd": titled("cwd", type="string", format="folder"),
            "timeoutSeconds": titled(
                "timeoutSeconds", type="number", minimum=1, maximum=3600, default=USUAL_SECONDS
            ),
        },
        "additionalProperties": False,
    }


_HELPED = frozenset({"command", "url"})
