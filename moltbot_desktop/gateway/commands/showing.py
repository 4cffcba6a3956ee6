"""Commands that show something: help, commands, status, whoami, context, models, memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import MappingProxyType

from moltbot_desktop.agent.run_settings import of_conversation
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.ports import (
    CommandCall,
    CommandPorts,
    CommandReply,
    ContextPart,
    LoadedModel,
)
from moltbot_desktop.gateway.commands.registry import Command, Topic, Who
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.gateway.mentions import shown_name
from moltbot_desktop.sdk.modes import Mode, mode_words
from moltbot_desktop.sessions.settings import SessionSettings

_PER_PAGE = 14
_MOST_HITS = 5
_SNIPPET = 240
_SHOWN_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "think": "think",
        "verbose": "verbose",
        "reasoning": "reasoning",
        "elevated": "elevated",
        "exec_host": "exec host",
        "exec_security": "exec security",
        "exec_ask": "exec ask",
        "exec_node": "exec node",
        "model": "model",
        "activation": "activation",
        "send_policy": "send",
        "queue_mode": "queue",
        "queue_debounce_ms": "debounce ms",
        "queue_cap": "cap",
        "queue_drop": "drop",
        "usage": "usage",
    }
)


def settings_in_words(settings: SessionSettings) -> str:
    """What is set for a conversation, in the words it is set with; "" for nothing."""
    shown = []
    for one in fields(settings):
        value = getattr(settings, one.name)
        if one.name in _SHOWN_SETTINGS and value not in ("", None):
            shown.append(f"{_SHOWN_SETTINGS[one.name]} {value}")
    return ", ".join(shown)


def _help(call: CommandCall, _: CommandPorts) -> CommandReply:
    key = "help" if call.who is Who.OWNER else "help_contact"
    return CommandReply(PHRASES.say(key, call.language))


def _commands(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """All at once to the owner, whose window scrolls; in pages to others."""
    shown = sorted(ports.listed(call.who), key=lambda one: list(Topic).index(one.topic))
    size = len(shown) if call.who is Who.OWNER and not call.rest else _PER_PAGE
    pages = [shown[at : at + size] for at in range(0, len(shown), size)]
    wanted = int(call.rest) if call.rest.isdecimal() and len(call.rest) < 4 else 1
    page = min(max(wanted, 1), len(pages))
    lines = _by_topic(pages[page - 1], call.language)
    if len(pages) > 1:
        key = "page" if page < len(pages) else "last_page"
        slots = {"page": page, "pages": len(pages), "next": page + 1}
        lines += ["", PHRASES.say(key, call.language, **slots)]
    return CommandReply("\n".join(lines))


def _by_topic(commands: Sequence[Command], language: Language) -> list[str]:
    lines: list[str] = []
    topic: Topic | None = None
    for one in commands:
        if one.topic is not topic:
            topic = one.topic
            lines += [*([""] if lines else []), PHRASES.say(f"topic_{topic.value}", language)]
        lines.append(one.help_line(language))
    return lines


async def _status(call: CommandCall, ports: CommandPorts) -> CommandReply:
    language = call.language
    if call.who is not Who.OWNER:
        return _status_for_others(call, ports)
    memory = await ports.memory.status(language)
    settings = ports.sessions.settings(call.session)
    loaded = ports.models.loaded(of_conversation(settings).other_model)
    model = PHRASES.say("no_model", language)
    if loaded is not None:
        model = f"{loaded.name} ({loaded.note})" if loaded.note else loaded.name
    slots = {
        "model": model,
        "files": memory.files,
        "search": memory.note or PHRASES.say("search_full", language),
    }
    plans = ports.plans
    lines = [
        PHRASES.say("status_no_plans", language, **slots)
        if plans is None
        else PHRASES.say("status", language, **slots, plans=len(plans.planned()))
    ]
    if loaded is not None and ports.context is not None:
        parts = await ports.context.parts(call.session)
        lines.append(_window(parts, loaded, ports.context.cached(call.session), language))
    if settings.compaction_count:
        lines.append(PHRASES.say("compacted", language, times=settings.compaction_count))
    if ports.modes is not None and ports.modes.mode is not Mode.NORMAL:
        lines.append(mode_words(ports.modes.mode, language))
    state = ports.runs.state(call.session)
    if state.running:
        lines.append(PHRASES.say("working", language, waiting=state.waiting))
    if words := settings_in_words(settings):
        lines.append(PHRASES.say("set_here", language, settings=words))
    if loaded is not None and settings.think and not loaded.thinks:
        lines.append(PHRASES.say("thinks_not", language, model=loaded.name))
    return CommandReply("\n".join(filter(None, lines)))


def _status_for_others(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """Their conversation, and nothing about what the owner keeps or plans."""
    language, loaded = call.language, ports.models.loaded()
    name = loaded.name if loaded is not None else PHRASES.say("no_model", language)
    lines = [PHRASES.say("status_others", language, model=name)]
    state = ports.runs.state(call.session)
    if state.running:
        lines.append(PHRASES.say("working", language, waiting=state.waiting))
    if words := settings_in_words(ports.sessions.settings(call.session)):
        lines.append(PHRASES.say("set_here", language, settings=words))
    return CommandReply("\n".join(lines))


def _window(
    parts: Sequence[ContextPart], loaded: LoadedModel, cached: int, language: Language
) -> str:
    """How full the window is; "" while not everything in it was counted."""
    counted = [part.tokens for part in parts if not part.inside]
    known = [tokens for tokens in counted if tokens is not None]
    if not known or len(known) < len(counted):
        return ""
    used = {"used": sum(known), "window": loaded.context_tokens}
    told = PHRASES.say("window", language, **used)
    return f"{told} {PHRASES.say('cached', language, cached=cached)}" if cached else told


def _whoami(call: CommandCall, _: CommandPorts) -> CommandReply:
    if call.envelope is None:
        return CommandReply(PHRASES.say("you_owner", call.language, session=call.session))
    sender = call.envelope.sender
    text = PHRASES.say(
        "you",
        call.language,
        name=shown_name(sender),
        channel=call.envelope.channel,
        id=sender.id,
        session=call.session,
    )
    return CommandReply(text)


async def _context(call: CommandCall, ports: CommandPorts) -> CommandReply:
    if ports.context is None:
        text = PHRASES.say("not_built", call.language, name=call.name)
        return CommandReply(text, ok=False)
    parts = await ports.context.parts(call.session)
    detail = call.rest.casefold() in ("detail", "list", "json", "详细")
    lines = [PHRASES.say("context", call.language)]
    for part in parts:
        if not part.inside or detail:
            indent = "  " if part.inside else ""
            lines.append(indent + _part_in_words(part, call.language))
    counted = [part.tokens for part in parts if not part.inside]
    known = [tokens for tokens in counted if tokens is not None]
    loaded = ports.models.loaded()
    if loaded is None:
        lines.append(PHRASES.say("context_no_model", call.language))
    elif len(known) < len(counted):
        lines.append(PHRASES.say("context_not_counted", call.language))
    else:
        slots = {"tokens": sum(known), "window": loaded.context_tokens}
        lines.append(PHRASES.say("context_sum", call.language, **slots))
    return CommandReply("\n".join(lines))


def _part_in_words(part: ContextPart, language: Language) -> str:
    if part.tokens is None:
        slots = {"name": part.name, "characters": part.characters}
        return PHRASES.say("context_part_characters", language, **slots)
    return PHRASES.say("context_part", language, name=part.name, tokens=part.tokens)


async def _models(call: CommandCall, ports: CommandPorts) -> CommandReply:
    wanted = call.rest.casefold()
    lines = []
    for one in await ports.models.choices():
        if wanted and wanted not in (one.provider.casefold(), one.name.casefold()):
            continue
        key = "model_line_current" if one.current else "model_line"
        line = PHRASES.say(key, call.language, name=one.name)
        lines.append(f"{line}: {one.note}" if one.note else line)
    return CommandReply("\n".join(lines) or PHRASES.say("models_none", call.language))


async def _memory(call: CommandCall, ports: CommandPorts) -> CommandReply:
    language = call.language
    if not call.rest:
        status = await ports.memory.status(language)
        search = status.note or PHRASES.say("search_full", language)
        slots = {"files": status.files, "chunks": status.chunks, "search": search}
        return CommandReply(PHRASES.say("memory", language, **slots))
    answer = await ports.memory.search(call.rest)
    lines = [
        PHRASES.say(
            "memory_line",
            language,
            path=hit.path,
            line=hit.start_line,
            text=" ".join(hit.snippet.split())[:_SNIPPET],
        )
        for hit in answer.hits[:_MOST_HITS]
    ]
    text = "\n".join(lines) or PHRASES.say("memory_none", language, words=call.rest)
    return CommandReply(text)


SHOWING: Mapping[str, Handler] = MappingProxyType(
    {
        "help": _help,
        "commands": _commands,
        "status": _status,
        "whoami": _whoami,
        "context": _context,
        "models": _models,
        "memory": _memory,
    }
)
