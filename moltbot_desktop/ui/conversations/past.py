"""Going from one conversation to another and back, for the chat.

    past = PastChats(side_parts, icons, composer, settings, self)
    past.shown(history)              # before it is drawn: drafts, the bar, the mark in the list
    past.reopen()                    # Ctrl+Shift+T: the one that was closed last

What was typed and not sent stays with its conversation; in a new one it goes along.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QSettings, QSize, Qt, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QToolButton

from moltbot_desktop.core.ids import SessionId
from moltbot_desktop.gateway.client import AssistantClient, HistoryLoaded
from moltbot_desktop.sdk.past import ConversationsDesk
from moltbot_desktop.ui.composer import Composer, Draft
from moltbot_desktop.ui.conversations.reading_bar import ReadingBar
from moltbot_desktop.ui.conversations.side import ConversationsSide
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.theme import Theme
from moltbot_desktop.ui.transcript_view import WINDOW_MESSAGES

_FOLDED = "conversations/folded"
_ICON = QSize(18, 18)
_LEAST_PAGE_PX = 700
"""A narrower window has no room for the list beside the chat."""
_MOST_CLOSED = 20


@dataclass(frozen=True)
class SideParts:
    """What the list of conversations is made of."""

    desk: ConversationsDesk
    places: PlaceParts


class PastChats(QObject):
    """See the module.

    Attributes:
        side: the list; None where nobody keeps conversations.
        bar: stands in place of the input while nobody answers in what is shown.
        reading: so it is now.
        newer: so many messages come after those that are shown.
    """

    def __init__(
        self,
        parts: SideParts | None,
        icons: Icons,
        composer: Composer,
        settings: QSettings,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._icons, self._composer, self._settings = icons, composer, settings
        self._client: AssistantClient | None = None
        self._id = ""
        self._spoken = False
        self._closed: list[str] = []
        self._drafts: dict[str, Draft] = {}
        self.reading, self.newer = False, 0
        self.bar = ReadingBar()
        self.bar.back_requested.connect(self.newest_of_mine)
        self.button = QToolButton()
        self.button.setCheckable(True)
        self.button.setIconSize(_ICON)
        self.toggle = QAction(self)
        self.toggle.setShortcut(QKeySequence("Ctrl+B"))
        self.toggle.triggered.connect(self.button.click)
        self.look = QAction(self)
        self.look.setShortcut(QKeySequence("Ctrl+K"))
        self.look.triggered.connect(self.look_everywhere)
        self.again = QAction(self)
        self.again.setShortcut(QKeySequence("Ctrl+Shift+T"))
        self.again.triggered.connect(self.reopen)
        self.side = None
        if parts is not None:
            self.side = ConversationsSide(parts.desk, parts.places, settings)
            self.side.open_requested.connect(self.open)
            self.side.put_away.connect(self._on_put_away)
            self.side.hide()  # until it is known that there is room
        self.button.setVisible(self.side is not None)
        self.button.setChecked(settings.value(_FOLDED, "no") == "no")
        self.button.clicked.connect(self._on_toggled)

    @property
    def actions(self) -> list[QAction]:
        """For the menu of the chat."""
        return [self.toggle, self.look, self.again] if self.side is not None else []

    def set_client(self, client: AssistantClient) -> None:
        self._client = client

    def set_theme(self, theme: Theme) -> None:
        self.button.setIcon(self._icons.sign("side", theme.text))
        if self.side is not None:
            self.side.set_theme(theme)

    def retranslate(self) -> None:
        self.toggle.setText(self.tr("List of conversations"))
        self.look.setText(self.tr("Search all conversations"))
        self.again.setText(self.tr("Open again what was closed last"))
        self.button.setToolTip(self.tr("List of conversations (Ctrl+B)"))
        self.button.setAccessibleName(self.tr("List of conversations"))
        self.bar.retranslate()
        if self.side is not None:
            self.side.retranslate()

    def fit(self, width: int) -> None:
        """The chat is so wide now."""
        if self.side is None:
            return
        shown = self.button.isChecked() and width >= _LEAST_PAGE_PX
        if shown == self.side.isHidden():
            self.side.setVisible(shown)
            self.side.refresh()

    @Slot()
    def _on_toggled(self) -> None:
        self._settings.setValue(_FOLDED, "no" if self.button.isChecked() else "yes")
        if self.side is not None:
            self.side.setVisible(self.button.isChecked())
            self.side.refresh()
            if self.button.isChecked():
                self.side.search.setFocus()

    @Slot()
    def look_everywhere(self) -> None:
        """To the search of all conversations, which is shown if it was not."""
        if self.side is None:
            return
        if self.side.isHidden():
            self.button.setChecked(True)
            self._on_toggled()
        self.side.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.side.search.selectAll()

    # ------------------------------------------------------------------ what is shown

    def shown(self, history: HistoryLoaded) -> None:
        """That is shown from now on."""
        self.reading, self.newer = not history.answerable, history.newer
        if history.session_id and history.session_id != self._id:
            self._swap_drafts(history)
        self._spoken = bool(history.items)
        self._composer.setVisible(not self.reading)
        if self.reading:
            self.bar.tell(history.session)
        else:
            self.bar.hide()
        if self.side is not None:
            self.side.set_here(self._id)

    def said(self) -> None:
        """The person says something in what is shown."""
        self._spoken = True

    def run_ended(self) -> None:
        """A name or a time in the list may be another one now."""
        if self.side is not None:
            self.side.refresh()

    def show_more(self, limit: int) -> bool:
        """Ask for `limit` messages of what is only shown; False where the client is to be asked for
        its own."""
        if not self.reading or self._client is None:
            return False
        self._client.open_session(SessionId(self._id), limit)
        return True

    @Slot(str, str)
    def open(self, session: str, at: str = "") -> None:
        """Show a past conversation, at an entry of it."""
        if self._client is not None and (session != self._id or at or self.newer):
            self._client.open_session(SessionId(session), WINDOW_MESSAGES, at)

    @Slot()
    def newest_of_mine(self) -> None:
        """Back to where what is said is answered."""
        if self._client is not None:
            self._client.request_history(WINDOW_MESSAGES)

    def newest(self) -> None:
        """To the end of what is shown."""
        if not self.show_more(WINDOW_MESSAGES):
            self.newest_of_mine()

    @Slot()
    def reopen(self) -> None:
        """Show again what was closed last, out of the archive too."""
        if self._client is not None and self._closed:
            self._client.open_session(SessionId(self._closed.pop()), WINDOW_MESSAGES)

    def _swap_drafts(self, history: HistoryLoaded) -> None:
        left, self._id = self._id, history.session_id
        fresh = not history.items
        if left and self._spoken and fresh:
            self._close(left)
        if self._id in self._closed:
            self._closed.remove(self._id)
        if left and not fresh:
            self._drafts[left] = self._composer.draft
            self._composer.set_draft(self._drafts.pop(self._id, Draft()))

    def _close(self, session: str) -> None:
        self._closed = [*self._closed, session][-_MOST_CLOSED:]

    @Slot(str)
    def _on_put_away(self, session: str) -> None:
        self._close(session)
        if session == self._id and self._client is not None:
            self._client.new_session()
