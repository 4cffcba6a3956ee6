"""Tells extensions what happens at the desks: typed hooks and internal ones.

    happenings = Happenings(bus, internal, places, clock, tell)
    happenings.session_begun(session)
    happenings.command(call, session)       # /new, /reset, /stop, before it is carried out
    happenings.started(ask)                 # once, when everything stands

Nobody waits for an extension here: what it is told is taken down at once (the conversation as it
was before /new), and told in the background, one event after the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import DEFAULT_AGENT, SessionId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.gateway.commands.ports import CommandCall
from moltbot_desktop.gateway.owner_words import OwnerMessage
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sdk.channels import DESKTOP, Envelope
from moltbot_desktop.sdk.hooks import (
    GatewayStart,
    GatewayStop,
    MessageContext,
    MessageReceived,
    SessionContext,
    SessionEnd,
    SessionStart,
)
from moltbot_desktop.sdk.internal_hooks import EVENTS, GATEWAY_STARTUP, InternalEvent
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.keys import parse_session_key
from moltbot_desktop.sessions.store import Session

OWNER = "owner"
"""Who says what is said at the desk."""
RECENT_MESSAGES = 15
"""So many of a conversation's last messages go with a command's event."""


@dataclass(frozen=True)
class Places:
    """Folders that handlers work in: that of a conversation's agent, and the program's state."""

    workspace: Callable[[SessionKey], Path]
    home: Path


class Happenings:
    """Lives on the agent's event loop."""

    def __init__(
        self,
        bus: HookBus,
        internal: InternalHooks,
        places: Places,
        clock: Clock,
        tell: Callable[[str], None],
    ) -> None:
        self._bus = bus
        self._internal = internal
        self._places = places
        self._clock = clock
        self._tell = tell
        self._begun: dict[SessionId, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    def session_begun(self, session: Session) -> None:
        """A conversation is open; one that has entries goes on from before."""
        self._begun[session.session_id] = self._clock.monotonic()
        goes_on = session.session_id if session.transcript.entries() else ""
        self._bus.tell_soon(SessionStart(_whose(session.key), session.session_id, goes_on))

    def session_left(self, session: Session) -> None:
        """A conversation is closed, for a new one or because the program ends."""
        begun = self._begun.pop(session.session_id, self._clock.monotonic())
        self._bus.tell_soon(
            SessionEnd(
                _whose(session.key),
                session.session_id,
                len(session.transcript.messages()),
                int((self._clock.monotonic() - begun) * 1000),
            )
        )

    def received(self, envelope: Envelope) -> None:
        """A message of a channel is kept."""
        conversation = envelope.peer.id if envelope.peer else ""
        self._bus.tell_soon(
            MessageReceived(
                MessageContext(envelope.channel, envelope.account, conversation),
                envelope.sender.id,
                envelope.text,
                envelope.sent_at,
                {"messageId": envelope.message_id, "threadId": envelope.thread_id},
            )
        )

    def said(self, message: OwnerMessage) -> None:
        """The owner says something, in the window, in a terminal or by a program of theirs."""
        self._bus.tell_soon(
            MessageReceived(
                MessageContext(DESKTOP, conversation=message.session),
                OWNER,
                message.text,
                self._clock.now(),
                {"messageId": message.run_id},
            )
        )

    def command(self, call: CommandCall, session: Session | None) -> None:
        """A command is about to be carried out in `session`; only some are told."""
        name = f"command:{call.name}"
        if name not in EVENTS or not self._internal.listens(name):
            return
        envelope = call.envelope
        event = InternalEvent(
            name,
            call.session,
            self._clock.now(),
            self._places.workspace(call.session),
            self._places.home,
            sender=envelope.sender.id if envelope else "",
            source=envelope.channel if envelope else "desktop",
            session_id=session.session_id if session else None,
            history=_said(session) if session else (),
            tainted=session is not None and _is_tainted(session),
        )
        self._begin(self._triggered(event))

    def started(self, main: SessionKey, ask: Callable[[str], object]) -> None:
        """Everything stands; `ask` starts a turn of `main`, the owner's main conversation."""
        self._bus.tell_soon(GatewayStart())
        if self._internal.listens(GATEWAY_STARTUP):
            event = InternalEvent(
                GATEWAY_STARTUP,
                main,
                self._clock.now(),
                self._places.workspace(main),
                self._places.home,
                ask=ask,
            )
            self._begin(self._triggered(event))

    async def stopping(self, reason: str = "") -> None:
        """The program is about to end; waits for the handlers, each has its limit."""
        await self._bus.tell(GatewayStop(reason))

    async def close(self) -> None:
        """Wait for what is still being told."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._bus.close()

    async def _triggered(self, event: InternalEvent) -> None:
        async with self._turn:
            await self._internal.trigger(event)
        for text in event.messages:
            self._tell(text)

    def _begin(self, telling: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(telling, name="internal hooks")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _whose(key: SessionKey) -> SessionContext:
    parsed = parse_session_key(key)
    return SessionContext(parsed.agent if parsed else DEFAULT_AGENT, key)


def _said(session: Session) -> tuple[ChatMessage, ...]:
    both = (Role.USER, Role.ASSISTANT)
    said = [one for one in session.transcript.messages() if one.role in both and one.content]
    return tuple(said[-RECENT_MESSAGES:])


def _is_tainted(session: Session) -> bool:
    return Labels.from_mapping(session.transcript.labels()).untrusted
