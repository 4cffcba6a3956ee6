"""/network: how the seal stands, what left this computer today; `seal on` and `seal off`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.texts import PHRASES
from moltbot_desktop.sdk.traffic_words import passage_words, seal_words

_MOST_LINES = 20
_PHRASES = Phrases(
    {"form": "The form is /network, /network seal on or /network seal off."},
    {"form": "写法是 /network、/network seal on 或 /network seal off。"},
)


def _network(call: CommandCall, ports: CommandPorts) -> CommandReply:
    """Raises UserInputInvalid, StorageError."""
    seal, language = ports.seal, call.language
    if seal is None:
        return CommandReply(PHRASES.say("not_built", language, name=call.name), ok=False)
    match call.rest.lower().split():
        case []:
            pass
        case ["seal", "on"]:
            seal.close_it()
        case ["seal", "off"]:
            seal.open_it()
        case _:
            raise UserInputInvalid(_PHRASES.say("form", language))
    lines = [seal_words(closed=seal.closed, sent=seal.sent_today(), language=language)]
    if not call.rest:
        today = seal.passages()[:_MOST_LINES]
        lines += [f"- {passage_words(one, language)}" for one in today]
    return CommandReply("\n".join(lines))


NETWORK: Mapping[str, Handler] = MappingProxyType({"network": _network})
