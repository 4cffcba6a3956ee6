"""One quiet line below the answer: "Keep this?" with Keep, Edit and No.

    card.changed(event)          # InboxChanged: what is fresh is asked, what was done is told
    card.put_away()              # the person goes on: what was not decided waits in the inbox

It asks for one fact at a time and never takes the focus: whoever is typing goes on typing, answers
with one key (Alt+K, Alt+N), and loses nothing by not answering. After an answer it says what was
done, with an Undo.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.gateway.client import InboxChanged
from moltbot_desktop.sdk.inbox import Proposal
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import Theme


class ProposalCard(QFrame):
    """Asks whether a fact shall be kept.

    Signals:
        decided: id, whether to keep it, and the words to keep ("" for those proposed).
        undo_requested: id of the fact that was just decided on.
        left: the person closed the card with the keyboard; the focus is free.
    """

    decided = Signal(str, bool, str)
    undo_requested = Signal(str)
    left = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("proposal")
        self._icons = icons
        self._asking: list[Proposal] = []
        self._shown_id = self._undo_id = ""
        self._recent: set[tuple[str, str]] = set()
        self._question = QLabel(self)
        self._question.setObjectName("proposal_text")
        self._note = QLabel(self)
        self._note.setObjectName("proposal_note")
        for label in (self._question, self._note):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self._edit = QLineEdit(self)
        self.keep, self.change, self.drop, self.undo = (QPushButton(self) for _ in range(4))
        for button in (self.keep, self.change, self.drop, self.undo):
            button.setObjectName("quiet")
            button.setAutoDefault(False)
        self._keys = (
            (self.keep, "Alt+K"),
            (self.change, "Alt+E"),
            (self.drop, "Alt+N"),
            (self.undo, "Alt+U"),
        )
        self._close = QToolButton(self)
        self._lay_out()
        self._connect()
        self.retranslate()
        self.hide()

    @property
    def text(self) -> str:
        """What the card says."""
        return self._question.text()

    @property
    def editor(self) -> QLineEdit:
        return self._edit

    def changed(self, event: InboxChanged) -> None:
        """Ask for what is fresh; tell what was done."""
        waiting = {one.id: one for one in event.waiting}
        asked = [one.id for one in self._asking if one.id in waiting]
        fresh = [one for one in event.fresh if one in waiting and one not in asked]
        self._asking = [waiting[one] for one in (*asked, *fresh)]
        new = [one for one in event.recent if (one.id, one.kind) not in self._recent]
        self._recent = {(one.id, one.kind) for one in event.recent}
        if self._asking:
            if not (self._edit.isVisible() and asked[:1] == [self._shown_id]):
                self._ask(self._asking[0])
        elif event.told:
            self._tell(event.told, new[0].id if new else "")
        else:
            self.hide()

    @Slot()
    def put_away(self) -> None:
        """Nothing is decided by it; what was asked waits in the inbox."""
        self._asking = []
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._close.setIcon(self._icons.sign("close", theme.muted))

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Remember this?"))
        self.keep.setText(self.tr("Keep"))
        self.change.setText(self.tr("Edit"))
        self.drop.setText(self.tr("No"))
        self.undo.setText(self.tr("Undo"))
        # Set behind the text, which takes a button's key away.
        for button, key in self._keys:
            button.setShortcut(key)
        self.keep.setToolTip(self.tr("Write it into MEMORY.md") + " (Alt+K)")
        self.drop.setToolTip(self.tr("Do not remember it, and do not ask again") + " (Alt+N)")
        self._close.setToolTip(self.tr("Later: it waits in the memory inbox"))
        self._close.setAccessibleName(self.tr("Decide later"))
        self._edit.setAccessibleName(self.tr("In your words"))
        if self._asking:
            self._ask(self._asking[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self._edit.isVisible():
            self._ask(self._asking[0])
            self.change.setFocus()
        else:
            self.put_away()
            self.left.emit()

    def _ask(self, proposal: Proposal) -> None:
        self._shown_id, self._undo_id = proposal.id, ""
        question = self.tr("Keep this? “{fact}”")
        self._question.setText(question.replace("{fact}", proposal.text))
        replaces = self.tr("Takes the place of: {fact}").replace("{fact}", proposal.replaces)
        self._note.setText(replaces if proposal.replaces else "")
        self._question.setToolTip(proposal.quote)
        self._arrange(asking=True)

    def _tell(self, told: str, undo_id: str) -> None:
        self._undo_id = undo_id
        self._question.setText(told)
        self._note.clear()
        self._question.setToolTip("")
        self._arrange(asking=False)

    def _arrange(self, *, asking: bool, editing: bool = False) -> None:
        self._question.setVisible(not editing)
        self._edit.setVisible(editing)
        self._note.setVisible(bool(self._note.text()))
        self.keep.setVisible(asking)
        self.drop.setVisible(asking)
        self.change.setVisible(asking and not editing)
        self.undo.setVisible(not asking and bool(self._undo_id))
        self.show()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 6, 6)
        row.setSpacing(4)
        words = QVBoxLayout()
        words.setSpacing(2)
        for widget in (self._question, self._edit, self._note):
            words.addWidget(widget)
        row.addLayout(words, 1)
        for button in (self.keep, self.change, self.drop, self.undo, self._close):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def _connect(self) -> None:
        self.keep.clicked.connect(self._on_keep)
        self.drop.clicked.connect(self._on_drop)
        self.change.clicked.connect(self._on_edit)
        self.undo.clicked.connect(self._on_undo)
        self._edit.returnPressed.connect(self._on_keep)
        self._close.clicked.connect(self.put_away)

    @Slot()
    def _on_keep(self) -> None:
        if self._asking:
            words = self._edit.text().strip() if self._edit.isVisible() else ""
            self.decided.emit(self._asking[0].id, True, words)

    @Slot()
    def _on_drop(self) -> None:
        if self._asking:
            self.decided.emit(self._asking[0].id, False, "")

    @Slot()
    def _on_edit(self) -> None:
        self._edit.setText(self._asking[0].text)
        self._arrange(asking=True, editing=True)
        self._edit.setFocus()
        self._edit.selectAll()

    @Slot()
    def _on_undo(self) -> None:
        self.undo_requested.emit(self._undo_id)
