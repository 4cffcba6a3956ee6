"""`agents_list`: the agents whose helpers a conversation may start.

{}   ->   {"requester": "main", "agents": [{"id": "main"}, {"id": "work", "name": "Office"}]}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.replies import arguments

_PHRASES = Phrases(
    {"alone": "There is no other agent I may ask for help.", "list": "Agents: {names}"},
    {"alone": "没有别的智能体可以帮我。", "list": "智能体：{names}"},
)


@dataclass(frozen=True)
class AgentRow:
    """An agent; `name` is "" where it is called by its id."""

    id: str
    name: str = ""


@dataclass(frozen=True)
class AgentsList:
    """Reads the settings at each call.

    Attributes:
        reachable: the agent that has this tool, then the others it may ask.
    """

    reachable: Callable[[], Sequence[AgentRow]]

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "agents_list",
            "List agents for sessions_spawn.",
            arguments(),
            Effect.NONE,
            core=False,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        rows = self.reachable()
        listed: list[JsonValue] = [
            {"id": one.id, **({"name": one.name} if one.name else {})} for one in rows
        ]
        names = ", ".join(one.name or one.id for one in rows[1:])
        key = "list" if names else "alone"
        return ToolResult(
            {"requester": rows[0].id, "agents": listed},
            _PHRASES.say(key, context.language, names=names),
            private=True,
        )
