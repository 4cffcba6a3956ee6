"""/mode: how much the assistant may do by itself, and another one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.sdk.modes import Mode, mode_meaning, mode_name, mode_named, mode_words


def _mode(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """Raises UserInputInvalid, ConfigInvalid, StorageError."""
    modes, language = ports.modes, call.language
    if modes is None:
        return CommandReply(PHRASES.say("not_built", language, name=call.name), ok=False)
    if call.rest:
        modes.choose(mode_named(call.rest, language))
        return CommandReply(mode_words(modes.mode, language))
    others = [_line(one, language) for one in Mode if one is not modes.mode]
    return CommandReply("\n".join([mode_words(modes.mode, language), *others]))


def _line(mode: Mode, language: Language) -> str:
    return f"- /mode {mode_name(mode, language)} – {mode_meaning(mode, language)}"


MODES: Mapping[str, Handler] = MappingProxyType({"mode": _mode})
