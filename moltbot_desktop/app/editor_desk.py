"""The conversations in an editor that this process serves: `gateway.acp.here` put together."""

from __future__ import annotations

from moltbot_desktop.app.agents import AgentBook
from moltbot_desktop.app.made import Made, new_id
from moltbot_desktop.app.socket_sessions import KeptSessions
from moltbot_desktop.gateway.acp.here import HereAssistant
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.handed_files import HandedFiles
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.gateway.socket_desk import SocketDesk
from moltbot_desktop.sdk.attachments import MOST_BYTES
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore


def editor_desk(
    made: Made, front: FrontDesk, listeners: Listeners, book: AgentBook
) -> HereAssistant:
    """Close its `desk` when it is used no more."""
    files = HandedFiles(book.workspace, lambda: MOST_BYTES, new_id, made.in_thread, made.clock)
    desk = SocketDesk(front, listeners, made.clock, new_id, files)
    sessions = KeptSessions(
        front,
        lambda: StoredSessions(SessionStore(made.paths.home, made.clock), made.clock),
        made.in_thread,
    )
    return HereAssistant(desk, sessions, made.options.language)
