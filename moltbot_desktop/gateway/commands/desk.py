"""Carries commands out: one handler for each, found by name.

    desk = CommandDesk(ports)
    desk.start(CommandCall("status", "", session, Language.ENGLISH), show)     # show(reply)
    reply = await desk.answer(call)

Lives on the agent's event loop. `start` does at once what needs no waiting, so that a message
right behind /new is in the new conversation. An error becomes the reply, also one that is our
bug: whoever gave the command hears of it, and a message of a channel is over. The fast path never
loads a model (/compact alone works with one, behind its port).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.gateway.commands.bash import BASH
from moltbot_desktop.gateway.commands.conversing import CONVERSING, Handler
from moltbot_desktop.gateway.commands.detection import MISTYPED, nearest
from moltbot_desktop.gateway.commands.doctor import DOCTOR
from moltbot_desktop.gateway.commands.managing import MANAGING
from moltbot_desktop.gateway.commands.modes import MODES
from moltbot_desktop.gateway.commands.network import NETWORK
from moltbot_desktop.gateway.commands.permitting import PERMITTING
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.gateway.commands.registry import COMMANDS, Who
from moltbot_desktop.gateway.commands.setting import SETTING, set_all
from moltbot_desktop.gateway.commands.showing import SHOWING
from moltbot_desktop.gateway.commands.texts import PHRASES

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        **SHOWING,
        **CONVERSING,
        **SETTING,
        **MANAGING,
        **NETWORK,
        **MODES,
        **PERMITTING,
        **BASH,
        **DOCTOR,
    }
)
"""Name of a command -> what carries it out; those that are not in this build have none."""

_CLOSE_SECONDS = 5.0
_log = logging.getLogger(__name__)


class CommandDesk:
    """Answers commands. Whether somebody may use one was decided before."""

    def __init__(self, ports: CommandPorts) -> None:
        self._ports = ports
        self._listeners: list[Callable[[CommandCall], None]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def on_call(self, listener: Callable[[CommandCall], None]) -> None:
        """Call `listener` with every command, before it is carried out."""
        self._listeners.append(listener)

    def tell(self, call: CommandCall) -> None:
        """Let listeners know of `call`, which is carried out in another way."""
        for listener in self._listeners:
            listener(call)

    def start(self, call: CommandCall, done: Callable[[CommandReply], None]) -> None:
        """Carry `call` out; `done` gets what became of it, at once when nothing is waited for."""
        begun = self._begun(call)
        if isinstance(begun, CommandReply):
            done(begun)
            return

        async def finish() -> None:
            done(await self._ended(begun, call))

        task = asyncio.get_running_loop().create_task(finish(), name=f"/{call.name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def answer(self, call: CommandCall) -> CommandReply:
        """Carry `call` out and give what became of it."""
        begun = self._begun(call)
        return begun if isinstance(begun, CommandReply) else await self._ended(begun, call)

    async def close(self) -> None:
        """Wait a little for what is being carried out, then stop it."""
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=_CLOSE_SECONDS)
        for task in tuple(self._tasks):
            task.cancel()

    def _begun(self, call: CommandCall) -> CommandReply | Awaitable[CommandReply]:
        self.tell(call)
        try:
            return self._begin(call)
        except MoltbotError as error:
            return _failed(error, call)
        except Exception as error:  # noqa: BLE001 - border: a command's bug becomes its answer
            return _broke(error, call)

    async def _ended(self, begun: Awaitable[CommandReply], call: CommandCall) -> CommandReply:
        try:
            return await begun
        except MoltbotError as error:
            return _failed(error, call)
        except Exception as error:  # noqa: BLE001 - border: the same for what was waited for
            return _broke(error, call)

    def _begin(self, call: CommandCall) -> CommandReply | Awaitable[CommandReply]:
        if call.name == MISTYPED:
            further = self._ports.further
            added = further.commands() if further is not None else ()
            meant = nearest(call.rest, self._ports.switches(), added)
            key = "mistyped" if meant else "no_command"
            text = PHRASES.say(key, call.language, typed=call.rest, meant=meant)
            return CommandReply(text, ok=False)
        further = self._ports.further
        if further is not None and call.name in further.commands():
            return further.answer(call)
        if call.directives:
            told = set_all(call, self._ports.at(call.session))
            return self._with_status(call, told) if call.directives.status else told
        if call.name not in COMMANDS:  # of a plugin that was switched off a moment ago
            return CommandReply(PHRASES.say("not_built", call.language, name=call.name), ok=False)
        switch = COMMANDS[call.name].switch
        if switch and switch not in self._ports.switches():
            text = PHRASES.say("switched_off", call.language, name=call.name, switch=switch)
            return CommandReply(text, ok=False)
        handler = HANDLERS.get(call.name)
        if handler is None or not COMMANDS[call.name].built:
            text = PHRASES.say("not_built", call.language, name=call.name)
            return CommandReply(text, ok=False)
        return handler(call, self._ports.at(call.session))

    async def _with_status(self, call: CommandCall, told: CommandReply) -> CommandReply:
        shown = SHOWING["status"](call, self._ports.at(call.session))
        status = shown if isinstance(shown, CommandReply) else await shown
        return CommandReply(f"{told.text}\n{status.text}", ok=told.ok)


def _failed(error: MoltbotError, call: CommandCall) -> CommandReply:
    """To others than the owner only what is about their own words: the rest may name files."""
    if call.who is not Who.OWNER and not isinstance(error, UserInputInvalid):
        _log.warning("/%s of a contact failed: %s", call.name, error)
        return CommandReply(PHRASES.say("failed_here", call.language), ok=False)
    return CommandReply(in_words(error, call.language), ok=False)


def _broke(error: Exception, call: CommandCall) -> CommandReply:
    """The apology for a bug. What it was stands in the log, and is named to the owner alone."""
    _log.error("/%s broke", call.name, exc_info=error)
    if call.who is not Who.OWNER:
        return CommandReply(PHRASES.say("broke_here", call.language), ok=False)
    text = PHRASES.say("broke", call.language, kind=type(error).__name__)
    return CommandReply(text, ok=False)
