"""The owner's commands: plans, helpers, who may write, settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.ports import (
    CommandCall,
    CommandPorts,
    CommandReply,
    Helpers,
    Planned,
    Settings,
    SubAgent,
)
from moltbot_desktop.gateway.commands.registry import COMMANDS
from moltbot_desktop.gateway.commands.texts import PHRASES

_MOST_SHOWN = 20


def _said(call: CommandCall, key: str, *, ok: bool = True, **slots: object) -> CommandReply:
    return CommandReply(PHRASES.say(key, call.language, **slots), ok=ok)


def _absent(call: CommandCall) -> CommandReply:
    return _said(call, "not_built", ok=False, name=call.name)


def _cron(call: CommandCall, ports: CommandPorts) -> CommandReply:
    if ports.plans is None:
        return _absent(call)
    action, _, name = call.rest.partition(" ")
    name = name.strip()
    match action.casefold():
        case "" | "list" | "status":
            return _plans(call, ports.plans.planned())
        case "remove" | "rm" | "delete" if name:
            removed = ports.plans.remove(name)
            return _said(call, "plan_removed" if removed else "plan_unknown", ok=removed, id=name)
        case "run" if name:
            begun = ports.plans.run(name)
            return _said(call, "plan_begun" if begun else "plan_unknown", ok=begun, id=name)
        case _:
            return _form(call)


def _plans(call: CommandCall, planned: Sequence[Planned]) -> CommandReply:
    never = PHRASES.say("plan_never", call.language)
    lines = [
        PHRASES.say(
            "plan_line",
            call.language,
            id=one.id,
            text=one.text,
            when=f"{one.next_run:%Y-%m-%d %H:%M}" if one.next_run else never,
        )
        for one in planned[:_MOST_SHOWN]
    ]
    return CommandReply("\n".join(lines) or PHRASES.say("plans_none", call.language))


def _subagents(call: CommandCall, ports: CommandPorts) -> CommandReply:
    if ports.helpers is None:
        return _absent(call)
    helpers = ports.helpers.of(call.session)
    action, _, rest = call.rest.partition(" ")
    number, _, text = rest.strip().partition(" ")
    if action.casefold() in ("", "list"):
        return _helper_list(call, helpers)
    if action.casefold() == "stop" and number.casefold() in ("all", "全部"):
        for one in helpers:
            ports.helpers.stop(one)
        return _helper_list(call, ports.helpers.of(call.session))
    helper = next((one for one in helpers if str(one.number) == number), None)
    if helper is None:
        return _said(call, "helper_unknown", ok=False, number=number or "?")
    return _with_helper(call, ports.helpers, helper, action.casefold(), text.strip())


def _helper_list(call: CommandCall, helpers: Sequence[SubAgent]) -> CommandReply:
    lines = [
        PHRASES.say(
            "helper_line", call.language, number=one.number, label=one.label, state=one.state
        )
        for one in helpers[-_MOST_SHOWN:]
    ]
    return CommandReply("\n".join(lines) or PHRASES.say("helpers_none", call.language))


def _with_helper(
    call: CommandCall, helpers: Helpers, helper: SubAgent, action: str, text: str
) -> CommandReply:
    match action:
        case "stop":
            stopped = helpers.stop(helper)
            key = "helper_stopped" if stopped else "helper_idle"
            return _said(call, key, ok=stopped, number=helper.number)
        case "send" if text:
            helpers.send(helper, text)
            return _said(call, "helper_told", number=helper.number)
        case "info":
            return _said(
                call,
                "helper_info",
                number=helper.number,
                state=helper.state,
                started=f"{helper.started:%Y-%m-%d %H:%M}",
                task=helper.task,
            )
        case "log":
            return CommandReply(helper.result or PHRASES.say("helper_no_result", call.language))
        case _:
            return _form(call)


def _allowlist(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """Shows only: who may write is a setting, and settings are changed where the owner is."""
    if ports.allowlists is None:
        return _absent(call)
    asked = call.rest.casefold()
    found = [one for one in ports.allowlists.allowed() if asked in ("", one.channel)]
    if not found:
        return _said(call, "allowed_none")
    lines = []
    for one in found:
        ids = ", ".join(one.ids) or PHRASES.say("allowed_nobody", call.language)
        slots = {"channel": one.channel, "account": one.account, "policy": one.policy, "ids": ids}
        lines.append(PHRASES.say("allowed_line", call.language, **slots))
        if one.let_in:
            who = ", ".join(one.let_in)
            lines.append(PHRASES.say("allowed_let_in", call.language, who=who))
    how = PHRASES.say("allowed_how", call.language, channel=found[-1].channel)
    return CommandReply("\n".join([*lines, how]))


def _config(call: CommandCall, ports: CommandPorts) -> CommandReply:
    return _absent(call) if ports.settings is None else _settings(call, ports.settings)


def _debug(call: CommandCall, ports: CommandPorts) -> CommandReply:
    if ports.overrides is None:
        return _absent(call)
    if call.rest.casefold() == "reset":
        ports.overrides.reset()
        return _said(call, "overrides_gone")
    return _settings(call, ports.overrides)


def _settings(call: CommandCall, settings: Settings) -> CommandReply:
    action, _, rest = call.rest.partition(" ")
    path, equals, value = _path_and_value(rest.strip())
    match action.casefold():
        case "" | "show" | "get":
            found = settings.get(path)
            key = "setting" if found else "setting_none"
            return _said(call, key, path=path or "moltbot.json", value=found)
        case "set" if path and equals:
            return _said(call, "setting", path=path, value=settings.set(path, value))
        case "unset" if path and not equals:
            gone = settings.unset(path)
            return _said(call, "setting_unset" if gone else "setting_none", ok=gone, path=path)
        case _:
            return _form(call)


def _path_and_value(text: str) -> tuple[str, bool, str]:
    """``a.b=1``, ``a.b = 1`` and ``a.b 1``: the path, whether there is a value, and the value."""
    path, equals, value = text.partition("=")
    if not equals or " " in path.strip():
        path, equals, value = text.partition(" ")
    return path.strip(), bool(value.strip()), value.strip()


def _form(call: CommandCall) -> CommandReply:
    form = f"/{call.name} {COMMANDS[call.name].arguments}"
    return _said(call, "settings_form", ok=False, form=form)


MANAGING: Mapping[str, Handler] = MappingProxyType(
    {
        "cron": _cron,
        "subagents": _subagents,
        "allowlist": _allowlist,
        "config": _config,
        "debug": _debug,
    }
)
