"""Where a call's result comes from, and how a card says so. Pure.

    source_of(spec, call, result)                # Source(SourceKind.PAGE, "https://example.org")
    sources_in_words(labels.sources, language)   # "the page “https://example.org”"

The labels of a conversation keep these names (`security.sources`), so that the owner who is asked
sees who may be speaking through the assistant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from moltbot_desktop.agent.texts import server_and_tool
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.tool_words import tool_words
from moltbot_desktop.sdk.tools import RESULT_HANDLE, Effect, ToolResult, ToolSpec
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.sources import Source, SourceKind

_KINDS: Mapping[Effect, SourceKind] = MappingProxyType(
    {
        Effect.WEB_READ: SourceKind.PAGE,
        Effect.WEB_NAMED: SourceKind.PAGE,
        Effect.EXEC: SourceKind.COMMAND,
        Effect.MEMORY_READ: SourceKind.MEMORY,
        Effect.MEMORY_FORGET: SourceKind.MEMORY,
        Effect.SESSION_READ: SourceKind.CONVERSATION,
        Effect.SESSION_SEND: SourceKind.CONVERSATION,
        Effect.SCHEDULE_READ: SourceKind.NOTICE,
        Effect.HELPER: SourceKind.NOTICE,
    }
)
_NAMED_BY: Mapping[SourceKind, tuple[str, ...]] = MappingProxyType(
    {
        SourceKind.PAGE: ("url",),
        SourceKind.SEARCH: ("query",),
        SourceKind.COMMAND: ("command",),
        SourceKind.MEMORY: ("path",),
        SourceKind.CONVERSATION: ("sessionKey", "label"),
    }
)

_SCREEN = frozenset({"desktop", "screenshot"})

_PHRASES = Phrases(
    english={
        "file": "the file “{name}”",
        "page": "the page “{name}”",
        "search": "the web search “{name}”",
        "sender": "messages from “{name}”",
        "server": "the MCP server “{name}”",
        "command": "what the command “{name}” printed",
        "memory": "the note “{name}”",
        "conversation": "the conversation “{name}”",
        "notice": "the report “{name}”",
        "tool": "the tool “{name}”",
        "ours": "what came of “{name}”",
        "screen": "what is on your screen",
        "file_bare": "a file",
        "page_bare": "a page",
        "search_bare": "a web search",
        "sender_bare": "somebody’s messages",
        "server_bare": "an MCP server",
        "command_bare": "what a command printed",
        "memory_bare": "a note made beside others’ words",
        "conversation_bare": "another conversation",
        "notice_bare": "a report",
        "tool_bare": "a tool",
        "between": "; ",
        "tainted": "Text from others is in this conversation.",
        "tainted_by": "Text from others is in this conversation ({sources}).",
    },
    chinese={
        "file": "文件“{name}”",
        "page": "网页“{name}”",
        "search": "网上搜索“{name}”",
        "sender": "“{name}”发来的消息",
        "server": "MCP 服务器“{name}”",
        "command": "命令“{name}”的输出",
        "memory": "笔记“{name}”",
        "conversation": "对话“{name}”",
        "notice": "报告“{name}”",
        "tool": "工具“{name}”",
        "ours": "“{name}”的结果",
        "screen": "你屏幕上的内容",
        "file_bare": "一个文件",
        "page_bare": "一个网页",
        "search_bare": "一次网上搜索",
        "sender_bare": "别人发来的消息",
        "server_bare": "一个 MCP 服务器",
        "command_bare": "一个命令的输出",
        "memory_bare": "一条有别人内容时记下的笔记",
        "conversation_bare": "另一个对话",
        "notice_bare": "一个报告",
        "tool_bare": "一个工具",
        "between": "；",
        "tainted": "这个对话里有别人写的内容。",
        "tainted_by": "这个对话里有别人写的内容（{sources}）。",
    },
)


def source_of(spec: ToolSpec, call: ToolCall, result: ToolResult) -> tuple[Source, ...]:
    """What a `result` of `call` that taints came from; nothing for a long one that is read on,
    because the call that made it was named. The browser's says which page was looked at, that of
    a search in memory which note was found."""
    if spec.effect is Effect.BROWSER_ACT and result.data.get("url"):
        return (Source(SourceKind.PAGE, str(result.data["url"])),)
    if theirs := server_and_tool(call.name):
        return (Source(SourceKind.SERVER, " · ".join(theirs)),)
    paths = [str(call.arguments[name]) for name in spec.path_arguments if name in call.arguments]
    if any(path.startswith(RESULT_HANDLE) for path in paths):
        return ()
    if paths and spec.effect is not Effect.EXEC:
        return tuple(Source(SourceKind.FILE, path) for path in paths)
    kind = _KINDS.get(spec.effect_of(call.arguments), SourceKind.TOOL)
    if kind is SourceKind.PAGE and "url" not in call.arguments:
        kind = SourceKind.SEARCH if "query" in call.arguments else SourceKind.TOOL
    if kind is SourceKind.TOOL:
        return (Source(kind, call.name),)
    said = [call.arguments.get(name) for name in _NAMED_BY.get(kind, ())]
    name = next((one for one in said if isinstance(one, str) and one.strip()), "")
    if kind is SourceKind.MEMORY and not name and result.memories:
        name = result.memories[0].path
    if kind is SourceKind.COMMAND:
        name = name.split()[0] if name else ""  # what it was given may be a secret
    return (Source(kind, name),)


def sources_in_words(sources: Sequence[Source], language: Language) -> str:
    """`sources`, one after the other, for the middle of a sentence."""
    return _PHRASES.say("between", language).join(_in_words(one, language) for one in sources)


def taint_in_words(labels: Labels, language: Language) -> str:
    """One sentence that others' words are in the conversation, and whose; "" where none are."""
    if not labels.untrusted:
        return ""
    if not labels.sources:
        return _PHRASES.say("tainted", language)
    words = sources_in_words(labels.sources, language)
    return _PHRASES.say("tainted_by", language, sources=words)


def _in_words(source: Source, language: Language) -> str:
    if not source.name:
        return _PHRASES.say(f"{source.kind.value}_bare", language)
    if source.kind is SourceKind.TOOL:
        if source.name in _SCREEN:
            return _PHRASES.say("screen", language)
        words = tool_words(source.name, language).meant
        if words != source.name:
            return _PHRASES.say("ours", language, name=words)
    return _PHRASES.say(source.kind.value, language, name=source.name)
