"""Commands that set something for one conversation: levels, queue, exec, model, usage, send.

A name alone shows what holds; with a word it sets. What is stored stands in the conversation's
entry of sessions.json under the reference's names.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.directives import Directives
from moltbot_desktop.gateway.commands.levels import choices, level
from moltbot_desktop.gateway.commands.options import exec_options, queue_options
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.registry import COMMANDS
from moltbot_desktop.gateway.commands.showing import settings_in_words
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sessions.keys import agent_of
from moltbot_desktop.sessions.settings import SessionSettings

_GIVEN_UP = frozenset({"default", "inherit", "reset", "默认"})
_SEND: Mapping[str, str] = MappingProxyType(
    {"on": "allow", "allow": "allow", "开": "allow", "off": "deny", "deny": "deny", "关": "deny"}
)
_ACTIVATION: Mapping[str, str] = MappingProxyType(
    {"mention": "mention", "always": "always", "提到": "mention", "总是": "always"}
)


def set_all(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """Store what a message of directives sets, and say what is set now."""
    if (model := call.directives.model) and model.casefold() != "default":
        if refused := _refused_model(call, ports, model):
            return refused
    settings = ports.sessions.change_settings(call.session, call.directives.applied_to)
    words = settings_in_words(settings)
    if not words:
        return CommandReply(PHRASES.say("unset", call.language, name=_first_named(call)))
    told = PHRASES.say("set_lines", call.language, settings=words)
    return CommandReply(_with_truth(told, _named(call.directives), call.language))


def _named(directives: Directives) -> tuple[str, ...]:
    """The names of what is set, in their order."""
    usual = Directives()
    fields_set = (one.name for one in fields(directives))
    return tuple(name for name in fields_set if getattr(directives, name) != getattr(usual, name))


def _with_truth(told: str, names: tuple[str, ...], language: Language) -> str:
    """`told`, and which of it is kept without an effect yet."""
    unheeded = [f"/{name}" for name in names if not COMMANDS[name].heeded]
    if not unheeded:
        return told
    return f"{told} {PHRASES.say('kept_only', language, names=', '.join(unheeded))}"


def _first_named(call: CommandCall) -> str:
    return "model" if call.directives.model else "queue"


def _refused_model(call: CommandCall, ports: CommandPorts, model: str) -> CommandReply | None:
    if not ports.models.known(model):
        return CommandReply(PHRASES.say("model_unknown", call.language, model=model), ok=False)
    return None


def _level(name: str, read: Callable[[SessionSettings], str]) -> Handler:
    """A level: shown without a word; a word that is none is told."""

    def handle(call: CommandCall, ports: CommandPorts) -> CommandReply:
        among = ", ".join(choices(name))
        if call.rest:
            slots = {"name": name, "value": call.rest, "choices": among}
            return CommandReply(PHRASES.say("no_such_choice", call.language, **slots), ok=False)
        value = read(ports.sessions.settings(call.session))
        told = f"{_shown(call, name, value)} {_choices(call, among)}"
        return CommandReply(_with_truth(told, (name,), call.language))

    return handle


def _shown(call: CommandCall, name: str, value: str) -> str:
    if not value:
        return PHRASES.say("now_unset", call.language, name=name)
    return PHRASES.say("now", call.language, name=name, value=value)


def _choices(call: CommandCall, among: str) -> str:
    return PHRASES.say("choices", call.language, choices=among)


def _chosen(
    name: str,
    meaning: Callable[[str], str],
    among: tuple[str, ...],
    read: Callable[[SessionSettings], str],
    write: Callable[[SessionSettings, str], SessionSettings],
) -> Handler:
    """Shows without a word, sets with one of `among`, gives up what was set with ``default``."""

    def handle(call: CommandCall, ports: CommandPorts) -> CommandReply:
        language, word = call.language, call.rest.casefold()
        if not word:
            value = read(ports.sessions.settings(call.session))
            return CommandReply(f"{_shown(call, name, value)} {_choices(call, ', '.join(among))}")
        if word in _GIVEN_UP:
            ports.sessions.change_settings(call.session, lambda old: write(old, ""))
            return CommandReply(PHRASES.say("unset", language, name=name))
        value = meaning(word)
        if not value:
            slots = {"name": name, "value": call.rest, "choices": ", ".join(among)}
            return CommandReply(PHRASES.say("no_such_choice", language, **slots), ok=False)
        ports.sessions.change_settings(call.session, lambda old: write(old, value))
        return CommandReply(PHRASES.say("set", language, name=name, value=value))

    return handle


_ACTIVATE = _chosen(
    "activation",
    lambda word: _ACTIVATION.get(word, ""),
    ("mention", "always"),
    lambda old: old.activation,
    lambda old, value: replace(old, activation=value),
)


def _activation(call: CommandCall, ports: CommandPorts) -> CommandReply | Awaitable[CommandReply]:
    peer = call.envelope.peer if call.envelope else None
    if peer is None or peer.kind is PeerKind.DM:
        return CommandReply(PHRASES.say("groups_only", call.language), ok=False)
    return _ACTIVATE(call, ports)


def _queue(call: CommandCall, ports: CommandPorts) -> CommandReply:
    return _options(call, ports, queue_options(call.rest).wrong)


def _exec(call: CommandCall, ports: CommandPorts) -> CommandReply:
    return _options(call, ports, exec_options(call.rest).wrong)


def _options(call: CommandCall, ports: CommandPorts, wrong: tuple[str, ...]) -> CommandReply:
    """Options that cannot be used are told with the form; without any, what is set is shown."""
    form = f"/{call.name} {COMMANDS[call.name].arguments}"
    if wrong:
        slots = {"words": " ".join(wrong), "form": form}
        return CommandReply(PHRASES.say("unusable", call.language, **slots), ok=False)
    words = settings_in_words(ports.sessions.settings(call.session))
    told = PHRASES.say("set_here", call.language, settings=words) if words else ""
    told = f"{told} {PHRASES.say('settings_form', call.language, form=form)}".strip()
    return CommandReply(_with_truth(told, (call.name,), call.language))


def _model(call: CommandCall, ports: CommandPorts) -> CommandReply:
    if call.rest and call.rest.casefold() not in ("list", "status"):
        refused = _refused_model(call, ports, call.rest)
        if refused is not None:
            return refused
    settings = ports.sessions.settings(call.session)
    name = "/".join(filter(None, (settings.model_provider, settings.model)))
    shown = name or ports.models.configured(agent_of(call.session))
    return CommandReply(PHRASES.say("model_now", call.language, model=shown))


SETTING: Mapping[str, Handler] = MappingProxyType(
    {
        "think": _level("think", lambda old: old.think),
        "verbose": _level("verbose", lambda old: old.verbose),
        "reasoning": _level("reasoning", lambda old: old.reasoning),
        "elevated": _level("elevated", lambda old: old.elevated),
        "exec": _exec,
        "queue": _queue,
        "model": _model,
        "usage": _chosen(
            "usage",
            lambda word: level("usage", word),
            choices("usage"),
            lambda old: old.usage,
            lambda old, value: replace(old, usage=value),
        ),
        "send": _chosen(
            "send",
            lambda word: _SEND.get(word, ""),
            ("on", "off", "inherit"),
            lambda old: {"allow": "on", "deny": "off"}.get(old.send_policy, ""),
            lambda old, value: replace(old, send_policy=value),
        ),
        "activation": _activation,
    }
)
