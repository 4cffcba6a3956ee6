"""`moltbot-desktop serve`: the assistant without a window or a terminal, for a box that is on.

It runs until it gets SIGTERM or SIGINT, and then ends as the window does: runs are stopped with
their outcome stored, and messages of channels that were not answered are at the next start.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.security.policy import Presence

_log = logging.getLogger(__name__)


def run_serve(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Be there until told to end; returns the exit code.

    Raises:
        MoltbotError: the assistant cannot start.
    """
    options = AssistantOptions(
        language, model=arguments.model, presence=Presence.NOBODY, stays=True
    )

    async def serve() -> None:
        ending = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):  # Windows: Ctrl+C ends the loop itself
                loop.add_signal_handler(number, ending.set)
        async with open_assistant(paths, loaded, clock, options) as client:
            client.subscribe(_log_notice)
            await ending.wait()

    asyncio.run(serve())
    return 0


def _log_notice(event: ClientEvent) -> None:
    """Nobody sees a window here, so what would be shown in one goes to the log."""
    if isinstance(event, Notice):
        level = logging.WARNING if event.serious else logging.INFO
        _log.log(level, "%s %s", event.text, event.hint)
