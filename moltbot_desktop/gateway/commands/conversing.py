"""Commands about the conversation itself: new, reset, stop, compact, skill, and memory's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.commands.command import Who
from moltbot_desktop.gateway.commands.ports import (
    CommandCall,
    CommandPorts,
    CommandReply,
    SkillName,
)
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.skills.commands import same_name

TRUST_WORDS = frozenset({"trust", "信任"})
"""``/skill trust NAME``; only by hand (`decisions.by_hand`)."""

UNTRUST_WORDS = frozenset({"untrust", "取消信任"})
"""``/skill untrust NAME`` takes it back; by hand too."""
_ANYWAY = frozenset({"anyway", "仍然"})
"""What is added to trust a skill in which something looks dangerous, or that was changed."""
Handler = Callable[[CommandCall, CommandPorts], CommandReply | Awaitable[CommandReply]]
"""Carries a command out: at once, or with something to wait for."""


def _new(call: CommandCall, ports: CommandPorts) -> CommandReply:
    ports.runs.start_new(call.session)
    return CommandReply(PHRASES.say("new", call.language), turn=call.rest)


def _stop(call: CommandCall, ports: CommandPorts) -> CommandReply:
    key = "stopped" if ports.runs.stop(call.session) else "nothing_to_stop"
    return CommandReply(PHRASES.say(key, call.language))


async def _compact(call: CommandCall, ports: CommandPorts) -> CommandReply:
    if ports.compaction is None:
        text = PHRASES.say("not_built", call.language, name=call.name)
        return CommandReply(text, ok=False)
    if ports.runs.state(call.session).running:
        return CommandReply(PHRASES.say("busy", call.language), ok=False)
    done = await ports.compaction.compact(call.session, call.rest)
    if done.stopped:
        return CommandReply(PHRASES.say("compacting_stopped", call.language), ok=False)
    if done.tokens_after >= done.tokens_before:
        return CommandReply(PHRASES.say("nothing_to_compact", call.language), ok=False)
    slots = {"before": done.tokens_before, "after": done.tokens_after}
    return CommandReply(PHRASES.say("compacted_now", call.language, **slots))


async def _skill(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """The skill's list without a name; with one, a turn of the agent that is to follow it."""
    name, request = _name_and_request(call.rest)
    if name.casefold() in TRUST_WORDS:
        return await _trust(call, request.strip(), ports)
    if name.casefold() in UNTRUST_WORDS:
        return await _untrust(call, request.strip(), ports)
    skills = {
        same_name(one.name): one for one in await ports.skills.skills(call.session, call.language)
    }
    if not name:
        lines = [
            PHRASES.say("skill_line", call.language, name=one.name, description=one.description)
            for one in skills.values()
            if one.by_person and not one.why_not
        ]
        return CommandReply("\n".join(lines) or PHRASES.say("skills_none", call.language))
    skill = skills.get(same_name(name))
    if skill is None or not skill.by_person:
        return CommandReply(PHRASES.say("skill_unknown", call.language, name=name), ok=False)
    if skill.why_not:
        return not_here(skill, call.language)
    if ports.skill_start is None:
        return CommandReply(PHRASES.say("not_built", call.language, name=call.name), ok=False)
    return await ports.skill_start.start(call, skill, request.strip())


def not_here(skill: SkillName, language: Language) -> CommandReply:
    """Why a skill cannot be used in a conversation, and what to do."""
    text = PHRASES.say("skill_not_here", language, name=skill.name, why=skill.why_not)
    return CommandReply(f"{text}\n{skill.advice}".rstrip(), ok=False)


def _name_and_request(rest: str) -> tuple[str, str]:
    """The first word, on whichever line what follows it stands."""
    name, *more = rest.split(maxsplit=1)[:2] or [""]
    return name, more[0] if more else ""


async def _trust(call: CommandCall, name: str, ports: CommandPorts) -> CommandReply:
    """Only from the window or the terminal: what a skill says, the model will do."""
    if call.envelope is not None or call.who is not Who.OWNER:
        return CommandReply(PHRASES.say("trust_here_only", call.language), ok=False)
    if not name:
        waiting = [
            one for one in await ports.skills.skills(call.session, call.language) if one.waits
        ]
        lines = [
            PHRASES.say("skill_line", call.language, name=one.name, description=one.why_not)
            for one in waiting
        ]
        return CommandReply("\n".join(lines) or PHRASES.say("trust_none", call.language))
    first, _, last = name.rpartition(" ")
    anyway = bool(first) and last.casefold() in _ANYWAY
    name = first.strip() if anyway else name
    done = await ports.skills.trust(name, call.language, anyway=anyway)
    if done is None:
        return CommandReply(PHRASES.say("trust_unknown", call.language, name=name), ok=False)
    changes = f"\n```diff\n{done.changes}\n```" if done.changes else ""
    if done.doubts:
        found = "\n".join(f"- {one}" for one in done.doubts)
        text = PHRASES.say("trust_doubts", call.language, name=done.name, found=found)
        return CommandReply(text + changes, ok=False)
    if done.waits:
        return CommandReply(PHRASES.say("trust_changed", call.language, name=done.name) + changes)
    return CommandReply(PHRASES.say("trusted", call.language, name=done.name) + changes)


async def _untrust(call: CommandCall, name: str, ports: CommandPorts) -> CommandReply:
    """Where trust is given it is taken back: a stranger's message may not switch skills off."""
    if call.envelope is not None or call.who is not Who.OWNER:
        return CommandReply(PHRASES.say("trust_here_only", call.language), ok=False)
    done = await ports.skills.untrust(name, call.language)
    if done is None:
        return CommandReply(PHRASES.say("untrust_unknown", call.language, name=name), ok=False)
    return CommandReply(PHRASES.say("untrusted", call.language, name=done))


async def _branch(call: CommandCall, ports: CommandPorts) -> CommandReply:
    if ports.branching is None:
        text = PHRASES.say("not_built", call.language, name=call.name)
        return CommandReply(text, ok=False)
    return await ports.branching.answer(call)


async def _inbox(call: CommandCall, ports: CommandPorts) -> CommandReply:
    return CommandReply(await ports.own_memory.inbox(call.name, call.rest, call.language))


def _unforget(call: CommandCall, ports: CommandPorts) -> CommandReply:
    return CommandReply(ports.own_memory.unforget(call.language))


def _erase(call: CommandCall, ports: CommandPorts) -> CommandReply:
    return CommandReply(ports.own_memory.erase(call.rest, call.language))


async def _undo(call: CommandCall, ports: CommandPorts) -> CommandReply:
    if ports.files is None:
        text = PHRASES.say("not_built", call.language, name=call.name)
        return CommandReply(text, ok=False)
    return CommandReply(await ports.files.undo(call.rest, call.language))


CONVERSING: Mapping[str, Handler] = MappingProxyType(
    {
        "new": _new,
        "reset": _new,
        "stop": _stop,
        "compact": _compact,
        "regenerate": _branch,
        "edit": _branch,
        "branch": _branch,
        "skill": _skill,
        "inbox": _inbox,
        "keep": _inbox,
        "no": _inbox,
        "unforget": _unforget,
        "erase": _erase,
        "undo": _undo,
    }
)
