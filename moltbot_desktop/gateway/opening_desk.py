"""Opens past conversations for the window: to go on with, or only to be shown.

    opening = OpeningDesk(desk, library, in_thread, emit)
    opening.open(session_id, limit=200)      # HistoryLoaded follows, or a Notice why not
    await opening.close()

One of the key that the window speaks in becomes its current one. What belongs to a channel, a job,
a helper or another program is read from its file and shown: an answer there would go to somebody
else than the person who reads. So is one of our own while an answer is written, which goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.ids import SessionId
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.conversation import conversation_items, shown_part
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.sdk.sessions import SessionInfo, Shelf
from moltbot_desktop.sessions.library import StoredSessions


@dataclass
class OpeningDesk:
    """Lives on the agent's event loop.

    Attributes:
        library: one for each use, because a store belongs to one thread.
    """

    desk: FrontDesk
    library: Callable[[], StoredSessions]
    in_thread: InThread
    emit: Callable[[ClientEvent], None]
    _opening: set[asyncio.Task[None]] = field(default_factory=set)

    def open(self, session_id: SessionId, limit: int, at: str = "") -> None:
        """Tell `HistoryLoaded` as soon as it is read. The last one asked for is the one shown."""
        for task in self._opening:
            task.cancel()
        task = asyncio.get_running_loop().create_task(self._open(session_id, limit, at))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def close(self) -> None:
        """Break off what is not there yet."""
        for task in self._opening:
            task.cancel()
        await asyncio.gather(*self._opening, return_exceptions=True)

    async def _open(self, session_id: SessionId, limit: int, at: str) -> None:
        try:
            if session_id == self.desk.session.session_id or await self._gone_back(session_id):
                self.desk.history(limit, at)
            else:
                await self._show(session_id, limit, at)
        except MoltbotError as error:
            self.emit(Notice(in_words(error, self.desk.parts.language), serious=True))

    async def _gone_back(self, session_id: SessionId) -> bool:
        key = self.desk.session.key
        info = await self.in_thread(lambda: self._info(session_id))
        if info.key != key or self.desk.session.key != key:
            return False
        return await self.desk.parts.desks.go_back(key, session_id) is not None

    def _info(self, session_id: SessionId) -> SessionInfo:
        info = self.library().info(session_id)
        if info.shelf is Shelf.DELETED:
            raise UserInputInvalid("This conversation is in the bin.", hint="Bring it back first.")
        return info

    async def _show(self, session_id: SessionId, limit: int, at: str) -> None:
        info, entries = await self.in_thread(lambda: self.library().kept(session_id))
        items = conversation_items(entries)
        shown = shown_part(info.key, session_id, items, limit, at)
        self.emit(replace(shown, answerable=False))
