"""The slash commands of skills, and the tools that some of them go straight to.

    start = SkillStarter(AgentTools(book, session_of, show, new_id), one_request)
    ports = with_skills(ports, made.skills, start, made.plugins.off)  # beside those of plugins

The names are those of the default agent's skills; a command in another agent's conversation finds
the skill in that agent's own book.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from moltbot_desktop.agent.direct import DirectCall
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.app.agents import AgentBook
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.commands.command import Command, Topic, Who
from moltbot_desktop.gateway.commands.conversing import not_here
from moltbot_desktop.gateway.commands.further import Further
from moltbot_desktop.gateway.commands.ports import (
    CommandCall,
    CommandPorts,
    CommandReply,
    FurtherCommands,
    SkillName,
    Skills,
    SkillStart,
)
from moltbot_desktop.gateway.commands.registry import NAMES
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.sessions.store import Session
from moltbot_desktop.skills.book import SkillBook, SkillView
from moltbot_desktop.skills.commands import command_description, slash_names


class SkillCommands:
    """Lives on the agent's event loop; `skills_of` gives those of a conversation's agent."""

    def __init__(
        self, book: SkillBook, skills_of: Callable[[SessionKey], Skills], start: SkillStart
    ) -> None:
        self._book = book
        self._skills_of = skills_of
        self._start = start
        self._view: SkillView | None = None
        self._names: Mapping[str, str] = {}
        self._shown: Mapping[str, Further] = MappingProxyType({})

    def commands(self) -> Mapping[str, Further]:
        """While a watch is sound this looks at no file but one, and makes nothing anew."""
        view = self._book.view()
        if view is not self._view:
            self._view = view
            self._take_over(view)
        return self._shown

    async def answer(self, call: CommandCall) -> CommandReply:
        wanted = self._names.get(call.name, call.name)
        skills = await self._skills_of(call.session).skills(call.session, call.language)
        skill = next((one for one in skills if one.name == wanted), None)
        if skill is None:
            text = PHRASES.say("skill_unknown", call.language, name=wanted)
            return CommandReply(text, ok=False)
        if skill.why_not:
            return not_here(skill, call.language)
        return await self._start.start(call, skill, call.rest)

    def _take_over(self, view: SkillView) -> None:
        """Those that cannot be used have theirs too, after the others: whoever types one is to
        hear what it waits for, and not what a model makes of the text."""
        unusable = [one.skill for one in view.standings if not one.report.eligible]
        by_name = {one.name: one for one in (*view.usable, *unusable)}
        names = slash_names((*view.usable, *unusable), NAMES.keys())
        shown: dict[str, Further] = {}
        for name, command in names.items():
            shown[command] = Further(
                Command(
                    command,
                    Topic.EXTENSIONS,
                    command_description(by_name[name], Language.ENGLISH),
                    command_description(by_name[name], Language.CHINESE),
                    arguments="[request]",
                    lines=True,
                    who=Who.OWNER,
                ),
                hidden=by_name[name] in unusable,
            )
        for name, command in names.items():  # its own name too, where a person can type it
            typed = name.casefold()
            if not any(map(str.isspace, typed)) and typed not in NAMES:
                shown.setdefault(typed, shown[command])
        self._names = {command: name for name, command in names.items()}
        self._shown = MappingProxyType(shown)


def with_skills(
    ports: CommandPorts, book: SkillBook, start: SkillStart, last: FurtherCommands | None = None
) -> CommandPorts:
    """`ports` with the commands of skills; where a plugin has one of that name, it is its. Names
    that nobody has are `last`'s."""
    ports = replace(ports, skill_start=start)
    skills = SkillCommands(book, lambda key: ports.at(key).skills, start)
    further = skills if ports.further is None else EitherCommands(ports.further, skills)
    return replace(ports, further=further if last is None else EitherCommands(further, last))


class EitherCommands:
    """Two sets of commands as one; of two with the same name that of `first` counts."""

    def __init__(self, first: FurtherCommands, second: FurtherCommands) -> None:
        self._first, self._second = first, second
        self._parts: tuple[Mapping[str, Further], Mapping[str, Further]] | None = None
        self._shown: Mapping[str, Further] = MappingProxyType({})

    def commands(self) -> Mapping[str, Further]:
        first, second = self._first.commands(), self._second.commands()
        if self._parts is None or self._parts[0] is not first or self._parts[1] is not second:
            self._parts = first, second
            self._shown = MappingProxyType({**second, **first})
        return self._shown

    async def answer(self, call: CommandCall) -> CommandReply:
        own = call.name in self._first.commands()
        return await (self._first if own else self._second).answer(call)


@dataclass(frozen=True)
class AgentTools:
    """The tools of the agent of a conversation, for `SkillStarter`.

    Attributes:
        session_of: the open conversation with a key.
        emit: shows a card; any run's.
    """

    agents: AgentBook
    session_of: Callable[[SessionKey], Session]
    emit: Callable[[RunEvent], None]
    new_id: Callable[[], str]

    async def run(self, call: CommandCall, skill: SkillName, request: str) -> ToolRan | None:
        return await self._directly(call, skill.tool, request, skill.name)

    async def command(self, call: CommandCall, text: str, foreground_ms: int) -> ToolRan | None:
        """Run a command of the owner's; as `run`."""
        return await self._directly(call, "exec", text, more={"yieldMs": foreground_ms})

    async def steer(self, call: CommandCall, action: str, number: str) -> ToolRan | None:
        """See or end one that goes on in the background; as `run`."""
        more = {"action": action, **({"sessionId": number} if number else {})}
        return await self._directly(call, "process", "", more=more)

    async def _directly(
        self,
        call: CommandCall,
        tool: str,
        text: str,
        skill: str = "",
        more: JsonObject = MappingProxyType({}),
    ) -> ToolRan | None:
        run_id = RunId(self.new_id())
        wanted = DirectCall(
            run_id, tool, text, call.name, skill, call.language, call.presence, more
        )
        return await self.agents.direct(wanted, self.session_of(call.session), self.emit)


@dataclass(frozen=True)
class OwnersShell:
    """/bash (`gateway.commands.ports.Shell`). `foreground_ms`: read at each use."""

    tools: AgentTools
    foreground_ms: Callable[[], int]

    async def run(self, call: CommandCall, command: str) -> ToolRan | None:
        return await self.tools.command(call, command, self.foreground_ms())

    async def steer(self, call: CommandCall, action: str, number: str) -> ToolRan | None:
        return await self.tools.steer(call, action, number)
