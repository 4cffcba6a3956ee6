"""A `ConversationsDesk` whose conversations a test brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.ids import SessionId, SessionKey
from moltbot_desktop.sdk.sessions import ExportForm, SessionHit, SessionInfo, SessionLine, Shelf

MAIN = SessionKey("agent:main:main")


def kept(
    name: str,
    title: str,
    updated: str = "2026-08-01T08:30:00+00:00",
    key: SessionKey = MAIN,
    shelf: Shelf = Shelf.KEPT,
) -> SessionInfo:
    return SessionInfo(SessionId(name), key, title, "", updated, updated, 2, 1, shelf, False)


@dataclass
class FakeConversationsDesk:
    """Attributes:
    infos: latest first.
    said: what a search looks through: conversation, entry, words.
    refusal: raised by whatever is asked next.
    written: what was exported, by path.
    """

    infos: list[SessionInfo] = field(default_factory=list)
    said: list[tuple[str, str, str]] = field(default_factory=list)
    refusal: MoltbotError | None = None
    written: dict[Path, tuple[str, ExportForm]] = field(default_factory=dict)

    def conversations(self, shelf: Shelf) -> Sequence[SessionInfo]:
        self._refuse()
        return tuple(one for one in self.infos if one.shelf is shelf)

    def search(self, words: str) -> Sequence[SessionHit]:
        return tuple(
            SessionHit(self._found(SessionId(name)), SessionLine(entry, "user", text, ""), text)
            for name, entry, text in self.said
            if words in text
        )

    def rename(self, session: SessionId, label: str) -> SessionInfo:
        return self._change(session, label=label, title=label)

    def archive(self, session: SessionId, *, away: bool) -> SessionInfo:
        return self._change(session, shelf=Shelf.ARCHIVED if away else Shelf.KEPT)

    def delete(self, session: SessionId) -> SessionInfo:
        return self._change(session, shelf=Shelf.DELETED)

    def restore(self, session: SessionId) -> SessionInfo:
        return self._change(session, shelf=Shelf.KEPT)

    def export(self, session: SessionId, form: ExportForm, path: Path) -> None:
        self._refuse()
        self.written[path] = (session, form)

    def _change(self, session: SessionId, **what: object) -> SessionInfo:
        self._refuse()
        before = self._found(session)
        changed = replace(before, **what)  # type: ignore[arg-type]
        self.infos[self.infos.index(before)] = changed
        return changed

    def _found(self, session: SessionId) -> SessionInfo:
        for one in self.infos:
            if one.id == session:
                return one
        raise UserInputInvalid(f"There is no conversation called “{session}”.")

    def _refuse(self) -> None:
        refusal, self.refusal = self.refusal, None
        if refusal is not None:
            raise refusal
