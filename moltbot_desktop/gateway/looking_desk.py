"""What a window asks of the commands without carrying one out: which there are, what fills the
model's window.

    looking = LookingDesk(ports, lambda: desk.session.key, Language.ENGLISH, emit)
    looking.commands()       # CommandsListed follows, for the menu behind "/"
    looking.context()        # ContextShown follows, for the table behind the status line
    await looking.close()
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.client import (
    ClientEvent,
    CommandHelp,
    CommandsListed,
    ContextShare,
    ContextShown,
)
from moltbot_desktop.gateway.commands.ports import CommandPorts
from moltbot_desktop.gateway.commands.registry import Command, Who

_log = logging.getLogger(__name__)


@dataclass
class LookingDesk:
    """Lives on the agent's event loop.

    Attributes:
        shown: the conversation that the window shows.
    """

    ports: CommandPorts
    shown: Callable[[], SessionKey]
    language: Language
    emit: Callable[[ClientEvent], None]
    _looking: set[asyncio.Task[None]] = field(default_factory=set)

    def commands(self) -> None:
        """Tell `CommandsListed`."""
        helped = (command_help(one, self.language) for one in self.ports.listed(Who.OWNER))
        self.emit(CommandsListed(tuple(helped)))

    def context(self) -> None:
        """Tell `ContextShown` as soon as everything is counted."""
        task = asyncio.get_running_loop().create_task(self._context(), name="context")
        self._looking.add(task)
        task.add_done_callback(self._looking.discard)

    async def close(self) -> None:
        """Break off what is not there yet."""
        for task in self._looking:
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)

    async def _context(self) -> None:
        report, loaded = self.ports.context, self.ports.models.loaded()
        session, cached = self.shown(), 0
        shares: tuple[ContextShare, ...] = ()
        try:
            if report is not None:
                parts = await report.parts(session)
                shares = tuple(
                    ContextShare(part.name, part.characters, part.tokens, part.inside)
                    for part in parts
                )
                cached = report.cached(session)
        except MoltbotError as error:  # an empty table says as much
            _log.warning("the window's contents cannot be counted: %s", error)
        self.emit(ContextShown(shares, loaded.context_tokens if loaded else 0, cached))


def command_help(command: Command, language: Language) -> CommandHelp:
    """A command as a menu shows it."""
    chinese = language is Language.CHINESE
    name = command.chinese_names[0] if chinese and command.chinese_names else command.name
    others = tuple(one for one in command.names if one != name)
    said = command.chinese if chinese else command.english
    return CommandHelp(name, command.arguments, said, others)
