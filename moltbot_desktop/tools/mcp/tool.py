"""One tool of a server, as a tool of the program: checked, judged and cut like every other.

    tool = McpTool(ServerTool(...), "mcp__time__get_time", "time", Approval.ASK, call)

Its result is content of others, whatever the server says about it. What a server says about its own
harmlessness (annotations such as ``readOnlyHint``) is not even read: the owner's word in
``mcp.servers`` is what makes a tool run unasked. Another description, other arguments or another
program behind the same name make it another tool (`identity`): a yes for always was not for that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from moltbot_desktop.config.mcp import Approval
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.mcp.values import ServerAnswer, ServerTool
from moltbot_desktop.tools.mcp.words import line

LONGEST_RESULT = 400_000
"""Characters of a result that are kept; a model sees fewer and gets a handle to the rest."""
_SHOWN = 300

Call = Callable[[str, str, JsonObject], Awaitable[ServerAnswer]]
"""Server, tool, arguments. Raises ToolError."""
_PHRASES = Phrases(
    english={
        "done": "{server} answered: {text}",
        "failed": "{server} could not do it: {text}",
        "nothing": "{server} answered without words.",
    },
    chinese={
        "done": "{server} 的回答：{text}",
        "failed": "{server} 没有做成：{text}",
        "nothing": "{server} 没有给出文字。",
    },
)
_LEFT_OUT = "\n[the rest was left out: the answer is longer than {most} characters]"


@dataclass(frozen=True)
class McpTool:
    """See the module; `name` is what it is called here, `origin` where its server is from."""

    offered: ServerTool
    name: str
    server: str
    approval: Approval
    call: Call
    origin: str = ""

    @property
    def identity(self) -> str:
        offered = self.offered
        schema = json.dumps(offered.schema, sort_keys=True, default=dict)
        whole = (self.origin, self.server, offered.name, offered.description, schema)
        return hashlib.sha256(repr(whole).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def spec(self) -> ToolSpec:
        said = self.offered.description
        allowed = self.approval is Approval.AUTO
        return ToolSpec(
            name=self.name,
            description=f"(tool of the MCP server “{self.server}”, in its words) {said}".rstrip(),
            parameters=self.offered.schema,
            effect=Effect.FOREIGN_ALLOWED if allowed else Effect.FOREIGN,
            core=False,
            keywords=f"mcp {self.server}",
        )

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        answer = await self.call(self.server, self.offered.name, dict(given.arguments))
        text = answer.text
        if len(text) > LONGEST_RESULT:
            text = text[:LONGEST_RESULT] + _LEFT_OUT.format(most=LONGEST_RESULT)
        key = "failed" if answer.failed else "done" if text.strip() else "nothing"
        shown = _PHRASES.say(key, context.language, server=self.server, text=line(text, _SHOWN))
        data = {"error" if answer.failed else "text": text}
        return ToolResult(data, shown, ok=not answer.failed, taints=True)
