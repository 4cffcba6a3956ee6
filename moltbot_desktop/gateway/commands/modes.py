"""/mode: how much the assistant may do by itself, and another one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.sdk.modes import Mode, mode_name, mode_named, mode_words

_PHRASES = Phrases(
    {"none": "There is no such mode.", "hint": "The modes: {modes}."},
    {"none": "没有这个模式。", "hint": "可用的模式：{modes}。"},
)


def _mode(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """Raises UserInputInvalid, ConfigInvalid, StorageError."""
    modes, language = ports.modes, call.language
    if modes is None:
        return CommandReply(PHRASES.say("not_built", language, name=call.name), ok=False)
    if call.rest:
        wanted = mode_named(call.rest)
        if wanted is None:
            raise UserInputInvalid(
                _PHRASES.say("none", language),
                hint=_PHRASES.say("hint", language, modes=_names(language)),
            )
        modes.choose(wanted)
        return CommandReply(mode_words(modes.mode, language))
    others = [f"- /mode {mode_name(one, language)}" for one in Mode if one is not modes.mode]
    return CommandReply("\n".join([mode_words(modes.mode, language), *others]))


def _names(language: Language) -> str:
    between = "、" if language is Language.CHINESE else ", "
    return between.join(mode_name(one, language) for one in Mode)


MODES: Mapping[str, Handler] = MappingProxyType({"mode": _mode})
