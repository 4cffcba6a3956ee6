"""A tool that a person's command names: the call is made without a model.

    ran = await run_directly(parts, DirectCall("calc", "2 + 3", ...), session, emit)
    ran.result.display, ran.outcome          # None: there is no such tool

It goes through the dispatcher like every other call, with the labels of the conversation and a card
where the verdict asks for one: a skill that names a tool gets no way round the policy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.emitter import RunEmitter
from moltbot_desktop.agent.run import RunCancel
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.tools import ToolContext, ToolSpec, nobodys
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.store import Session
from moltbot_desktop.skills.environment import NO_ENVIRONMENT, SkillEnvironment

_COMMAND = "command"


@dataclass(frozen=True)
class DirectCall:
    """What a command asks for.

    Attributes:
        tool: its name.
        text: what the person wrote behind the command.
        command: as it was typed, without the slash.
        skill: name of the skill whose command it is.
        presence: of the one who gave it.
        more: further arguments, which the command sets itself.
    """

    run_id: RunId
    tool: str
    text: str
    command: str
    skill: str
    language: Language
    presence: Presence
    more: JsonObject = field(default_factory=lambda: MappingProxyType({}))


async def no_environment(_key: SessionKey) -> SkillEnvironment:
    return NO_ENVIRONMENT


@dataclass(frozen=True)
class DirectParts:
    """What of an agent such a call needs; as in `runner.AgentParts`.

    Attributes:
        seconds: how long it may take.
        environment: what skills of a conversation ask for; see `dispatch.Scope`.
    """

    dispatcher: Dispatcher
    workspace: Path
    library: tuple[Path, ...]
    allowed: Callable[[SessionKey, str], frozenset[str] | None]
    seconds: float
    environment: Callable[[SessionKey], Awaitable[SkillEnvironment]] = no_environment
    of_stranger: Callable[[Path], bool] = nobodys


def arguments_for(spec: ToolSpec, wanted: DirectCall) -> JsonObject:
    """How a tool gets the text of a command.

    The reference gives every tool ``{command, commandName, skillName}``, which only tools made for
    it understand. Here a tool that has no argument `command` and needs exactly one, a text, gets
    the person's words there; none at all when there are none, so that it can ask.
    """
    properties = spec.parameters.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = spec.parameters.get("required")
    names = tuple(required) if isinstance(required, list | tuple) else ()
    if _COMMAND not in properties and len(names) == 1 and _is_text(properties.get(str(names[0]))):
        return {str(names[0]): wanted.text} if wanted.text else {}
    given = {_COMMAND: wanted.text, "commandName": wanted.command, "skillName": wanted.skill}
    if not wanted.skill:  # a command of ours, which knows its tool
        given = {_COMMAND: wanted.text} if wanted.text else {}
    if spec.parameters.get("additionalProperties") is False:
        given = {name: value for name, value in given.items() if name in properties}
    return given


def _is_text(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "string"


async def run_directly(
    parts: DirectParts, wanted: DirectCall, session: Session, emit: Callable[[RunEvent], None]
) -> ToolRan | None:
    """Carry `wanted` out; None when this agent has no such tool.

    Raises:
        TimeoutError: it took too long.
    """
    spec = next((one for one in parts.dispatcher.specs if one.name == wanted.tool), None)
    if spec is None:
        return None
    emitter = RunEmitter(wanted.run_id, session.key, emit)
    cancel = RunCancel()
    context = ToolContext(
        wanted.run_id,
        session.key,
        parts.workspace,
        wanted.text,
        wanted.language,
        cancel,
        library=parts.library,
        of_stranger=parts.of_stranger,
    )
    scope = Scope(
        context,
        wanted.presence,
        emitter,
        Labels.from_mapping(session.transcript.labels()),
        allowed=parts.allowed(session.key, ""),
        find_environment=partial(parts.environment, session.key),
    )
    given = {**arguments_for(spec, wanted), **wanted.more}
    call = ToolCall(id=f"{wanted.run_id}-tool", name=spec.name, arguments=given)
    try:
        async with asyncio.timeout(parts.seconds):
            return await parts.dispatcher.run(call, scope)
    finally:
        cancel.cancel()
