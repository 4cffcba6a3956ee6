"""What a handler in a hooks folder gets, and what it may do with it.

    # ~/.moltbot/hooks/greeting/handler.py, beside a HOOK.md that lists its events
    async def handle(event: InternalEvent) -> None:
        event.messages.append("Good to see you.")

Five events: ``gateway:startup``, ``command:new``, ``command:reset``, ``command:stop`` and
``agent:bootstrap``. A handler that listens to a type alone (``command``) is called for all of it,
before those of one action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.core.messages import ChatMessage

GATEWAY_STARTUP = "gateway:startup"
COMMAND_NEW = "command:new"
COMMAND_RESET = "command:reset"
COMMAND_STOP = "command:stop"
AGENT_BOOTSTRAP = "agent:bootstrap"
EVENTS = (GATEWAY_STARTUP, COMMAND_NEW, COMMAND_RESET, COMMAND_STOP, AGENT_BOOTSTRAP)


@dataclass(frozen=True)
class InternalEvent:
    """Something that happened.

    Attributes:
        name: ``type:action``.
        time: local.
        home: the state folder.
        sender: who sent a command; "" for the owner at the desk.
        source: the channel it came by; "desktop" for the window and the terminal.
        session_id: of the conversation, the one that was left for ``command:new``.
        history: the last messages of both sides in it, oldest first.
        tainted: words of strangers are among them; what is kept of them must say so.
        messages: append what the person shall be told.
        files: for ``agent:bootstrap``, the workspace's files by name; may be changed.
        ask: for ``gateway:startup``, starts a turn of the owner's main conversation.
        env: what the settings give this hook.
    """

    name: str
    session: SessionKey
    time: datetime
    workspace: Path
    home: Path
    sender: str = ""
    source: str = "desktop"
    session_id: SessionId | None = None
    history: tuple[ChatMessage, ...] = ()
    tainted: bool = False
    messages: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    ask: Callable[[str], object] | None = None
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def type(self) -> str:
        return self.name.partition(":")[0]

    @property
    def action(self) -> str:
        return self.name.partition(":")[2]
