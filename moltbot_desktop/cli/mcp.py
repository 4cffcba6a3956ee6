"""`moltbot-desktop mcp ...`: what is shown of MCP servers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TextIO

from moltbot_desktop.core.i18n import Language, Phrases

_PHRASES = Phrases(
    {
        "none": "There are no MCP servers. “mcp add NAME -- COMMAND” adds one.\n",
        "off": "off",
        "starting": "is starting",
        "ready": "ready, {count:tool|tools}",
        "waiting": "was not there",
        "broken": "cannot be used",
        "new": "not started yet",
        "tool": "  {name} ({approval}): {description}\n",
        "auto": "runs unasked",
        "ask": "asks first",
        "deny": "is not offered",
        "added": "“{name}” is there now: {command}\n",
        "removed": "“{name}” is gone.\n",
        "keyless": "“{name}”: its key waits for “moltbot-desktop secrets set {secret}”.\n",
    },
    {
        "none": "没有 MCP 服务器。用“mcp add 名字 -- 命令”添加。\n",
        "off": "关",
        "starting": "正在启动",
        "ready": "可用，{count} 个工具",
        "waiting": "上次不在",
        "broken": "不能用",
        "new": "还没有启动过",
        "tool": "  {name}（{approval}）：{description}\n",
        "auto": "不问就运行",
        "ask": "先问",
        "deny": "不提供",
        "added": "已添加“{name}”：{command}\n",
        "removed": "已去掉“{name}”。\n",
        "keyless": "“{name}”的密钥要用“moltbot-desktop secrets set {secret}”保存。\n",
    },
)
_MARKS = {"ready": "✓", "off": "·", "new": "·", "starting": "·"}


@dataclass(frozen=True)
class McpToolLine:
    """A tool; `name` as its server calls it, `approval` is auto, ask or deny."""

    name: str
    description: str
    approval: str


@dataclass(frozen=True)
class McpLine:
    """A server as it is shown.

    Attributes:
        target: its command line or address.
        state: as `tools.mcp.values.State`, or "new" for one that was never started.
        missing: names of keys that are not in the password store yet.
    """

    name: str
    target: str
    state: str
    reason: str = ""
    tools: tuple[McpToolLine, ...] = ()
    missing: tuple[str, ...] = ()


def list_servers(lines: Sequence[McpLine], as_json: bool, language: Language, out: TextIO) -> int:
    """Print them all."""
    if as_json:
        out.write(json.dumps([asdict(one) for one in lines], ensure_ascii=False, indent=2) + "\n")
        return 0
    if not lines:
        out.write(_PHRASES.say("none", language))
    for one in lines:
        _head(one, language, out)
    return 0


def show_server(one: McpLine, as_json: bool, language: Language, out: TextIO) -> int:
    """Print all about one; 1 when it is not ready."""
    if as_json:
        out.write(json.dumps(asdict(one), ensure_ascii=False, indent=2) + "\n")
    else:
        _head(one, language, out)
        for tool in one.tools:
            approval = _PHRASES.say(tool.approval, language)
            out.write(
                _PHRASES.say("tool", language, name=tool.name, approval=approval,
                             description=tool.description)
            )  # fmt: skip
    return 0 if one.state == "ready" else 1


def told(
    done: str, lines: Sequence[McpLine], as_json: bool, language: Language, out: TextIO
) -> int:
    """Say that they were added or removed."""
    if as_json:
        out.write(json.dumps([asdict(one) for one in lines], ensure_ascii=False, indent=2) + "\n")
        return 0
    for one in lines:
        out.write(_PHRASES.say(done, language, name=one.name, command=one.target))
        out.writelines(
            _PHRASES.say("keyless", language, name=one.name, secret=secret)
            for secret in one.missing
        )
    return 0


def _head(one: McpLine, language: Language, out: TextIO) -> None:
    state = _PHRASES.say(one.state, language, count=len(one.tools))
    out.write(f"{_MARKS.get(one.state, '✗')} {one.name} ({state}): {one.target}\n")
    if one.reason:
        out.write(f"  {one.reason}\n")
