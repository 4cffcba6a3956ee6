"""`exec` and `process` for the agents, from the settings as they are; what runs ends with us.

commands = Commands(clock)
tools = commands.tools(made)             # of one agent
stack.push_async_callback(commands.close)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from moltbot_desktop.app.made import Made
from moltbot_desktop.config.tools import ExecConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.schedule.notices import NewNotice
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.sandbox.walls import Backend
from moltbot_desktop.sessions.settings import SessionSettings
from moltbot_desktop.tools.exec.planning import Settings
from moltbot_desktop.tools.exec.process import Process
from moltbot_desktop.tools.exec.sessions import CommandSessions, Session
from moltbot_desktop.tools.exec.tool import Exec, ExecLimits, WallsHere

_log = logging.getLogger(__name__)
_MOST_TOLD = 400
_AFTER_START_SECONDS = 5
_USUAL_FILTERS = ("jq", "grep", "cut", "sort", "uniq", "head", "tail", "tr", "wc")


class Commands:
    """All commands of this process. Lives on the agent's event loop."""

    def __init__(self, clock: Clock, walls: WallsHere | None = None) -> None:
        self._sessions = CommandSessions(clock)
        self._walls = walls or WallsHere()

    def tools(self, made: Made) -> Sequence[AnyTool]:
        """Of one agent."""
        around = Surroundings(made.workspace, made.paths.home, made.paths.user_home)

        def settings(key: SessionKey) -> tuple[Settings, ExecLimits]:
            config = made.live.config.tools.exec
            self._sessions.kept_seconds = config.cleanup_ms / 1000
            may_leave = made.live.config.tools.elevated.enabled
            settings, limits = exec_settings(config, made.store.settings(key), may_leave=may_leave)
            return replace(settings, sealed=made.seal.closed), limits

        self._sessions.on_over = partial(_told_the_model, made)
        return (
            Exec(self._sessions, self._walls, around, settings),
            Process(self._sessions),
        )

    async def try_walls(self, tell: Callable[[bool], None]) -> None:
        """Tell whether walls hold here; a little after the start, which it would slow."""
        await asyncio.sleep(_AFTER_START_SECONDS)
        tell((await self._walls.found()).backend is not Backend.NONE)

    async def close(self) -> None:
        """Stop what runs."""
        await self._sessions.close()


async def _told_the_model(made: Made, session: Session) -> None:
    """A notice for the next prompt of its conversation."""
    if not made.live.config.tools.exec.notify_on_exit:
        return
    output = " ".join(session.shown(session.running.output.text()).split())
    status, said = session.running.status, output[-_MOST_TOLD:] or "(no output)"
    text = f"exec {session.id} ended with code {status}: {session.shown(session.command)}: {said}"
    notice = NewNotice(session.conversation, text, labels=Labels(session.taints, True))
    try:
        await made.in_thread(lambda: made.schedule.notices.add(notice))
    except StorageError as error:  # `process` still tells it
        _log.warning("the end of a command is not told: %s", error)


def exec_settings(
    config: ExecConfig, conversation: SessionSettings, *, may_leave: bool = False
) -> tuple[Settings, ExecLimits]:
    """What `tools.exec` and the conversation's /exec and /elevated say about one command. A card
    that the permissions want is shown whatever is written there: /elevated, which the owner alone
    can say, takes the walls away from what they have said yes to, and nothing else.

    Args:
        may_leave: `tools.elevated` allows /elevated.
    """
    filters = _USUAL_FILTERS if config.safe_bins is None else config.safe_bins
    settings = Settings(
        allowed="deny" not in (config.security, conversation.exec_security),
        wary="always" in (config.ask, conversation.exec_ask),
        first=config.path_prepend,
        filters=filters,
        outside=may_leave and conversation.elevated not in ("", "off"),
    )
    return settings, ExecLimits(config.background_ms, config.timeout_sec)
