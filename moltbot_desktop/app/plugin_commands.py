"""The commands of plugins, as `gateway.commands.ports.FurtherCommands`.

commands = PluginCommands()
remove = commands.add("weather", registration.commands)     # all of them, or UserInputInvalid
CommandPorts(..., further=commands)
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from moltbot_desktop.core.errors import MoltbotError, PluginInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.gateway.commands.command import Command, Topic, Who
from moltbot_desktop.gateway.commands.further import Further
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.gateway.commands.registry import NAMES
from moltbot_desktop.sdk.channels import DESKTOP
from moltbot_desktop.sdk.plugins import CommandCall as PluginCall
from moltbot_desktop.sdk.plugins import PluginCommand

_log = logging.getLogger(__name__)
MOST_CHARACTERS = 4_096
_PHRASES = Phrases(
    english={
        "reserved": "the command “/{name}” is one of the program's own",
        "done": "Done.",
        "failed": "/{name} is a plugin's, and failed ({kind}); the log says more.",
    },
    chinese={
        "reserved": "命令“/{name}”是程序自己的",
        "done": "好了。",
        "failed": "/{name} 是插件的命令，它出错了（{kind}）；详情见日志。",
    },
)


class PluginCommands:
    """Lives on the agent's event loop."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._commands: dict[str, PluginCommand] = {}
        self._shown: Mapping[str, Further] = MappingProxyType({})

    def add(self, commands: Sequence[PluginCommand]) -> Callable[[], None]:
        """Take them in; the answer takes them away again.

        Raises:
            PluginInvalid: the program has one of that name; none is taken in.
        """
        for one in commands:
            if one.name in NAMES or one.name in self._commands:
                raise PluginInvalid(_PHRASES.say("reserved", self._language, name=one.name))
        self._commands.update({one.name: one for one in commands})
        self._show()

        def remove() -> None:
            for one in commands:
                if self._commands.get(one.name) is one:
                    del self._commands[one.name]
            self._show()

        return remove

    def commands(self) -> Mapping[str, Further]:
        return self._shown

    async def answer(self, call: CommandCall) -> CommandReply:
        """Carry one out."""
        command, envelope = self._commands[call.name], call.envelope
        given = PluginCall(
            arguments=_plain(call.rest),
            session=call.session,
            language=call.language,
            channel=envelope.channel if envelope is not None else DESKTOP,
            sender=envelope.sender.id if envelope is not None else "",
            owner=call.who is Who.OWNER,
        )
        try:
            said = command.handler(given)
            text = await said if inspect.isawaitable(said) else said
        except MoltbotError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - border: a plugin's bug is its own
            _log.exception("/%s of a plugin failed", call.name)
            slots = {"name": call.name, "kind": type(error).__name__}
            return CommandReply(_PHRASES.say("failed", call.language, **slots), ok=False)
        return CommandReply(str(text).strip() or _PHRASES.say("done", call.language))

    def _show(self) -> None:
        self._shown = MappingProxyType(
            {
                name: Further(
                    Command(
                        name, Topic.EXTENSIONS, one.english, one.chinese, arguments=one.arguments
                    ),
                    everybody=not one.require_auth,
                )
                for name, one in self._commands.items()
            }
        )


def _plain(text: str) -> str:
    """Without control characters, and not longer than a command's words may be."""
    return "".join(one for one in text if one.isprintable() or one == " ")[:MOST_CHARACTERS]
