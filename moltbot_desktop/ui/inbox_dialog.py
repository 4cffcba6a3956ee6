"""The memory inbox: what waits to be remembered, and what was decided lately.

One key each: Enter keeps the chosen fact, Delete drops it, and in the lower list Enter undoes.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.gateway.client import InboxChanged
from moltbot_desktop.sdk.inbox import ChangeKind, MemoryChange, Proposal

_ID = Qt.ItemDataRole.UserRole
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class InboxDialog(QDialog):
    """Lists of facts.

    Signals:
        decided: id and whether to keep it.
        undo_requested: id of a fact that was decided on.
    """

    decided = Signal(str, bool)
    undo_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._event = InboxChanged((), ())
        self._told = QLabel(self)
        self._empty = QLabel(self)
        self._empty.setObjectName("inbox_note")
        self._recent_title = QLabel(self)
        self._recent_title.setObjectName("inbox_note")
        for label in (self._told, self._empty):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.waiting, self.recent = QListWidget(self), QListWidget(self)
        for facts in (self.waiting, self.recent):
            facts.setWordWrap(True)
            facts.installEventFilter(self)
        self.keep, self.drop, self.undo, self.ready = (QPushButton(self) for _ in range(4))
        for button in (self.keep, self.drop, self.undo, self.ready):
            button.setObjectName("secondary")
            button.setAutoDefault(False)
        self._lay_out()
        self._connect()
        self.retranslate()
        self.resize(560, 520)

    def changed(self, event: InboxChanged) -> None:
        """Show what waits now; the chosen place in the lists stays."""
        self._event = event
        self._told.setText(event.told)
        self._told.setVisible(bool(event.told))
        _fill(self.waiting, [(one.id, self._waiting_words(one)) for one in event.waiting])
        _fill(self.recent, [(one.id, self._decided_words(one)) for one in event.recent])
        self._empty.setVisible(not event.waiting)
        self.waiting.setVisible(bool(event.waiting))
        self.recent.setVisible(bool(event.recent))
        self._recent_title.setVisible(bool(event.recent))
        self.undo.setVisible(bool(event.recent))
        for button in (self.keep, self.drop):
            button.setEnabled(bool(event.waiting))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Memory inbox"))
        self._empty.setText(
            self.tr("Nothing waits. What you mention about yourself in a chat is proposed here.")
        )
        self._recent_title.setText(self.tr("Decided lately"))
        self.keep.setText(self.tr("Keep"))
        self.drop.setText(self.tr("No"))
        self.undo.setText(self.tr("Undo"))
        self.ready.setText(self.tr("Close"))
        self.waiting.setAccessibleName(self.tr("Waiting for your yes"))
        self.recent.setAccessibleName(self.tr("Decided lately"))
        self.changed(self._event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            if watched is self.waiting and key in _ENTER:
                self._on_keep()
                return True
            if watched is self.waiting and key == Qt.Key.Key_Delete:
                self._on_drop()
                return True
            if watched is self.recent and key in _ENTER:
                self._on_undo()
                return True
        return super().eventFilter(watched, event)

    def _waiting_words(self, proposal: Proposal) -> str:
        time = proposal.time[:16].replace("T", " ")
        lines = [proposal.text, f"“{proposal.quote}” · {time}"]
        if proposal.replaces:
            takes = self.tr("Takes the place of: {fact}")
            lines.append(takes.replace("{fact}", proposal.replaces))
        return "\n".join(lines)

    def _decided_words(self, change: MemoryChange) -> str:
        words = {
            ChangeKind.KEPT: self.tr("Kept: {fact}"),
            ChangeKind.REJECTED: self.tr("Not kept: {fact}"),
            ChangeKind.STORED: self.tr("Remembered: {fact}"),
            ChangeKind.UNDONE: self.tr("Undone: {fact}"),
        }[change.kind]
        return words.replace("{fact}", change.text)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(8)
        for widget in (self._told, self._empty):
            column.addWidget(widget)
        column.addWidget(self.waiting, 3)
        decisions = QHBoxLayout()
        decisions.addStretch(1)
        decisions.addWidget(self.drop)
        decisions.addWidget(self.keep)
        column.addLayout(decisions)
        column.addWidget(self._recent_title)
        column.addWidget(self.recent, 2)
        ends = QHBoxLayout()
        ends.addWidget(self.undo)
        ends.addStretch(1)
        ends.addWidget(self.ready)
        column.addLayout(ends)

    def _connect(self) -> None:
        self.keep.clicked.connect(self._on_keep)
        self.drop.clicked.connect(self._on_drop)
        self.undo.clicked.connect(self._on_undo)
        self.ready.clicked.connect(self.close)

    @Slot()
    def _on_keep(self) -> None:
        if chosen := _chosen(self.waiting):
            self.decided.emit(chosen, True)

    @Slot()
    def _on_drop(self) -> None:
        if chosen := _chosen(self.waiting):
            self.decided.emit(chosen, False)

    @Slot()
    def _on_undo(self) -> None:
        if chosen := _chosen(self.recent):
            self.undo_requested.emit(chosen)


def _fill(facts: QListWidget, lines: list[tuple[str, str]]) -> None:
    """Put `lines` (id and words) in; the row that was chosen stays chosen."""
    row = max(0, facts.currentRow())
    facts.clear()
    for number, words in lines:
        item = QListWidgetItem(words, facts)
        item.setData(_ID, number)
    facts.setCurrentRow(min(row, len(lines) - 1))


def _chosen(facts: QListWidget) -> str:
    item = facts.currentItem()
    return str(item.data(_ID)) if item is not None else ""
