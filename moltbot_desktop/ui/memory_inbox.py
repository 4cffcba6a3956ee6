"""The memory inbox in the window: the card below the answer, the button above, the dialog.

inbox = MemoryInbox(icons, window)
column.addWidget(inbox.card); header.addWidget(inbox.button); menu.addAction(inbox.action)
inbox.set_client(client)         # asks what waits
inbox.changed(event)             # on each InboxChanged
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QToolButton, QWidget

from moltbot_desktop.gateway.client import AssistantClient, InboxChanged
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.inbox_dialog import InboxDialog
from moltbot_desktop.ui.proposal_card import ProposalCard
from moltbot_desktop.ui.theme import Theme


class MemoryInbox(QObject):
    """Keeps the three in step and passes decisions on.

    Signals:
        left: the card was closed with the keyboard; the focus is free.
    """

    left = Signal()

    def __init__(self, icons: Icons, window: QWidget) -> None:
        super().__init__(window)
        self._client: AssistantClient | None = None
        self._count = 0
        self.card = ProposalCard(icons)
        self.dialog = InboxDialog(window)
        self.button = QToolButton()
        self.button.setObjectName("header_inbox")
        self.action = QAction(self)
        self.action.setShortcut(QKeySequence("Ctrl+I"))
        self.action.triggered.connect(self.open)
        self.button.clicked.connect(self.open)
        self.card.decided.connect(self._on_decided)
        self.card.undo_requested.connect(self._on_undo)
        self.card.left.connect(self.left)
        self.dialog.decided.connect(self._on_listed)
        self.dialog.undo_requested.connect(self._on_undo)
        self.retranslate()

    def set_client(self, client: AssistantClient) -> None:
        self._client = client
        client.request_inbox()

    def changed(self, event: InboxChanged) -> None:
        self._count = len(event.waiting)
        self.dialog.changed(event)
        if self.dialog.isVisible():
            self.card.put_away()
        self.card.changed(event if not self.dialog.isVisible() else _quiet(event))
        self._count_shown()

    def set_theme(self, theme: Theme) -> None:
        self.card.set_theme(theme)

    def retranslate(self) -> None:
        self.card.retranslate()
        self.dialog.retranslate()
        self._count_shown()

    @Slot()
    def open(self) -> None:
        """Show the list; another process may have decided something meanwhile."""
        if self._client is not None:
            self._client.request_inbox()
        self.card.put_away()
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self.dialog.waiting.setFocus()

    def _count_shown(self) -> None:
        counted = self.tr("Memory inbox ({count})").replace("{count}", str(self._count))
        self.button.setText(counted)
        self.button.setAccessibleName(counted)
        self.button.setVisible(self._count > 0)
        self.action.setText(counted if self._count else self.tr("Memory inbox"))

    @Slot(str, bool, str)
    def _on_decided(self, proposal_id: str, keep: bool, text: str) -> None:
        if self._client is not None:
            self._client.decide(proposal_id, keep=keep, text=text)

    @Slot(str, bool)
    def _on_listed(self, proposal_id: str, keep: bool) -> None:
        self._on_decided(proposal_id, keep, "")

    @Slot(str)
    def _on_undo(self, change_id: str) -> None:
        if self._client is not None:
            self._client.undo_memory(change_id)


def _quiet(event: InboxChanged) -> InboxChanged:
    """For the card while the list is open: what happens is seen there."""
    return InboxChanged(event.waiting, event.recent)
