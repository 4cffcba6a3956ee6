"""The kept conversations for the local socket: `rpc.session_methods.Sessions`.

What reads all transcripts does so on a worker thread with a store of its own; what changes one
goes through the desks, on the event loop, so that a conversation that is open is never changed
behind their back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.sdk.sessions import SessionHit, SessionInfo, SessionLine
from moltbot_desktop.sessions.keys import agent_of
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.settings import SessionSettings


@dataclass(frozen=True)
class KeptSessions:
    """Lives on the agent's event loop.

    Attributes:
        library: one for each use, because a store belongs to one thread.
    """

    front: FrontDesk
    library: Callable[[], StoredSessions]
    in_thread: InThread

    async def current(self) -> Sequence[SessionInfo]:
        found = await self.in_thread(lambda: self.library().sessions())
        return tuple(one for one in found if one.current and _usable(one.key))

    async def keys(self) -> Sequence[SessionKey]:
        return tuple(one.key for one in await self.current())

    async def lines(self, session: SessionId) -> Sequence[SessionLine]:
        return await self.in_thread(lambda: self.library().lines(session))

    async def search(self, words: str, limit: int) -> Sequence[SessionHit]:
        return await self.in_thread(lambda: self.library().search(words, limit))

    def settings(self, key: SessionKey) -> SessionSettings:
        return self.front.parts.store.settings(key)

    def change_settings(
        self, key: SessionKey, change: Callable[[SessionSettings], SessionSettings]
    ) -> SessionSettings:
        settings = self.front.parts.store.change_settings(key, change)
        self.front.parts.store.save()
        return settings

    def start_new(self, key: SessionKey) -> None:
        if key == self.front.session.key:
            self.front.new_session()
        else:
            self.front.parts.desks.start_new(key)

    def delete(self, key: SessionKey) -> None:
        self.front.parts.desks.let_go(key)
        self.library().delete(key)


def _usable(key: SessionKey) -> bool:
    """Whether it is a key at all: another program's index may name anything."""
    with contextlib.suppress(UserInputInvalid):
        return bool(agent_of(key))
    return False
