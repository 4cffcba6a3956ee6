"""The desk of the list of conversations: files read on the worker's thread, changes made where the
assistant lives.

    desk = KeptConversations(paths.home, clock, language)     # before the assistant is opened
    desk.attach(loop, library, desks)                         # it runs: its store changes things
    desk.detach()

A conversation that is open is changed by whoever has it open. So changes go to the assistant's
event loop while it runs, and are waited for; without it the files are changed from here.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionId
from moltbot_desktop.sdk.sessions import ExportForm, SessionHit, SessionInfo, Shelf
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.storage.files import write_atomic

if TYPE_CHECKING:
    from moltbot_desktop.gateway.session_desks import SessionDesks

_LIMIT_SECONDS = 10.0
_HITS = 60

Change = Callable[[StoredSessions], SessionInfo]


class KeptConversations:
    """A `ConversationsDesk`."""

    def __init__(self, home: Path, clock: Clock, language: Language) -> None:
        self._home, self._clock, self._language = home, clock, language
        self._lock = threading.Lock()
        self._live: tuple[asyncio.AbstractEventLoop, StoredSessions, SessionDesks] | None = None

    def attach(
        self, loop: asyncio.AbstractEventLoop, library: StoredSessions, desks: SessionDesks
    ) -> None:
        """The assistant runs on `loop`; `library` is over its store."""
        with self._lock:
            self._live = (loop, library, desks)

    def detach(self) -> None:
        """It is about to end."""
        with self._lock:
            self._live = None

    def conversations(self, shelf: Shelf) -> Sequence[SessionInfo]:
        return tuple(one for one in self._files().sessions(shelf) if one.asked or one.label)

    def search(self, words: str) -> Sequence[SessionHit]:
        return self._files().search(words, _HITS)

    def rename(self, session: SessionId, label: str) -> SessionInfo:
        return self._changed(lambda library: library.rename(session, label))

    def archive(self, session: SessionId, *, away: bool) -> SessionInfo:
        return self._changed(lambda library: library.archive(session, away=away))

    def delete(self, session: SessionId) -> SessionInfo:
        info = self._files().info(session)

        def delete(library: StoredSessions) -> SessionInfo:
            live = self._live
            if live is not None and info.current:
                live[2].let_go(info.key)
            return library.delete(session)

        return self._changed(delete)

    def restore(self, session: SessionId) -> SessionInfo:
        return self._changed(lambda library: library.restore(session))

    def export(self, session: SessionId, form: ExportForm, path: Path) -> None:
        text = self._files().export(session, form, self._language)
        write_atomic(path, text.encode("utf-8", "replace"))

    def _files(self) -> StoredSessions:
        return StoredSessions(SessionStore(self._home, self._clock), self._clock)

    def _changed(self, change: Change) -> SessionInfo:
        with self._lock:
            live = self._live
        if live is None:
            return change(self._files())
        loop, library, _ = live
        self._files().counts()  # what changed is read here, so that the loop need not

        asked: concurrent.futures.Future[SessionInfo] = concurrent.futures.Future()

        def there() -> None:
            if asked.set_running_or_notify_cancel():
                try:
                    asked.set_result(change(library))
                except MoltbotError as error:
                    asked.set_exception(error)

        try:
            loop.call_soon_threadsafe(there)
            return asked.result(_LIMIT_SECONDS)
        except (RuntimeError, TimeoutError) as error:
            asked.cancel()
            raise StorageError(
                "The assistant is busy or about to end, so nothing was changed.",
                hint="Try again in a moment.",
            ) from error
