"""/bash and !: one command of the owner's, run as the tool `exec` runs it.

    /bash ls -la          /bash list          /bash poll 3          /bash stop 3

No model is asked. The command goes through the dispatcher like every other call: it is judged, the
owner's card is shown where the policy wants one, and walls hold where it has them. What takes long
goes on in the background after `commands.bashForegroundMs`, and is seen and ended from here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.gateway.commands.conversing import Handler
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.texts import PHRASES

_STEERING: Mapping[str, str] = MappingProxyType({"list": "list", "poll": "poll", "stop": "kill"})
_PHRASES = Phrases(
    {
        "form": "The form is /bash COMMAND; /bash list, /bash poll ID and /bash stop ID are about "
        "commands in the background.",
    },
    {"form": "写法是 /bash 命令；后台的命令用 /bash list、/bash poll 编号、/bash stop 编号。"},
)


async def _bash(call: CommandCall, ports: CommandPorts) -> CommandReply:
    shell, language = ports.shell, call.language
    if shell is None:
        return CommandReply(PHRASES.say("not_built", language, name=call.name), ok=False)
    first, _, rest = call.rest.strip().partition(" ")
    if not first:
        return CommandReply(_PHRASES.say("form", language), ok=False)
    action = _STEERING.get(first.casefold(), "")
    try:
        if action and len(rest.split()) <= 1:
            ran = await shell.steer(call, action, rest.strip())
        else:
            ran = await shell.run(call, call.rest.strip())
    except TimeoutError:
        return CommandReply(PHRASES.say("skill_too_slow", language, tool="exec"), ok=False)
    if ran is None:
        return CommandReply(PHRASES.say("skill_no_tool", language, tool="exec"), ok=False)
    text = ran.result.question or ran.result.display.strip()
    return CommandReply(text or PHRASES.say("skill_done", language), ok=ran.result.ok)


BASH: Mapping[str, Handler] = MappingProxyType({"bash": _bash})
