"""The desk of the list of conversations beside the chat.

desk.conversations(Shelf.KEPT)                # latest first
desk.search("dentist")                        # what was said, Chinese too
desk.archive(one.id, away=True)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.ids import SessionId
from moltbot_desktop.sdk.sessions import ExportForm, SessionHit, SessionInfo, Shelf


class ConversationsDesk(Protocol):
    """All conversations that are kept. Asked on a worker thread; every call blocks.

    Raises:
        StorageError: it cannot be read or written.
        UserInputInvalid: there is no such conversation, or it is in use.
    """

    def conversations(self, shelf: Shelf) -> Sequence[SessionInfo]:
        """Those of one shelf in which something was said, and the current ones; latest first."""
        ...

    def search(self, words: str) -> Sequence[SessionHit]:
        """Messages with all of `words`, the latest first."""
        ...

    def rename(self, session: SessionId, label: str) -> SessionInfo:
        """Give it a name, or take it away with ""."""
        ...

    def archive(self, session: SessionId, *, away: bool) -> SessionInfo:
        """Put it away, or bring it back among the others."""
        ...

    def delete(self, session: SessionId) -> SessionInfo:
        """Put it into the bin."""
        ...

    def restore(self, session: SessionId) -> SessionInfo:
        """Bring it back from the bin."""
        ...

    def export(self, session: SessionId, form: ExportForm, path: Path) -> None:
        """Write it to `path`, in place of what is there."""
        ...
