"""A skill that a person started: a tool at once, or a turn of the agent that reads its file.

    start = SkillStarter(tools, one_request)
    await start.start(call, skill, "buy milk")

With ``command-dispatch: tool`` no model is asked: the words go to the tool, through the dispatcher
and its verdict (`agent.direct`), and the tool's own words are the answer. Otherwise the message
becomes an instruction to use the skill, which only a model that reads instructions can follow; the
built-in one cannot, and says so instead of guessing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.gateway.commands.command import Who
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply, SkillName
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.tools.missing import missing_tools

_TURN = "Use the skill “{name}” for this: first `read` {location}, then do what it says."
_INPUT = "\n\nUser input:\n{request}"


class SkillTools(Protocol):
    async def run(self, call: CommandCall, skill: SkillName, request: str) -> ToolRan | None:
        """Call the skill's tool with `request`; None when there is no such tool.

        Raises:
            TimeoutError: it took too long.
            MoltbotError: the conversation cannot be opened.
        """
        ...


@dataclass(frozen=True)
class SkillStarter:
    """`one_request`: whether the model reads a request and nothing around it."""

    tools: SkillTools
    one_request: Callable[[], bool]

    async def start(self, call: CommandCall, skill: SkillName, request: str) -> CommandReply:
        if skill.tool:
            return await self._by_tool(call, skill, request)
        if self.one_request():
            text = PHRASES.say("skill_needs_model", call.language, name=skill.name)
            return CommandReply(text, ok=False)
        turn = _TURN.format(name=skill.name, location=skill.location)
        if request:
            turn += _INPUT.format(request=request)
        slots = {"name": skill.name, "description": skill.description}
        return CommandReply(PHRASES.say("skill_line", call.language, **slots), turn=turn)

    async def _by_tool(self, call: CommandCall, skill: SkillName, request: str) -> CommandReply:
        if call.who is not Who.OWNER or call.envelope is not None:
            text = PHRASES.say("skill_owner_only", call.language, name=skill.name)
            return CommandReply(text, ok=False)
        try:
            ran = await self.tools.run(call, skill, request)
        except TimeoutError:
            text = PHRASES.say("skill_too_slow", call.language, tool=skill.tool)
            return CommandReply(text, ok=False)
        if ran is None:
            missing = missing_tools().get(skill.tool)
            if missing is not None:
                return CommandReply(missing.sentence(call.language), ok=False)
            text = PHRASES.say("skill_no_tool", call.language, tool=skill.tool)
            return CommandReply(text, ok=False)
        result = ran.result
        if result.ok or result.question:
            text = result.question or result.display.strip()
            return CommandReply(text or PHRASES.say("skill_done", call.language), ok=result.ok)
        error = result.display.strip() or str(result.data.get("error", ran.outcome))
        return CommandReply(PHRASES.say("skill_failed", call.language, error=error), ok=False)
