"""A fact that waits, or that was decided on, beside the list.

details = ProposalDetails("main", proposal)
details.kept.connect(...)        # in these words, "" for those proposed
"""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from moltbot_desktop.sdk.inbox import MemoryChange, Proposal
from moltbot_desktop.ui.kit.list_place import buttons_of
from moltbot_desktop.ui.kit.measures import SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, heading, note, plain
from moltbot_desktop.ui.memory.words import minutes

_LINES = 4


class ProposalDetails(QWidget):
    """Attributes:
        of: the agent and the fact.

    Signals:
        kept: in which words; "" for those that were proposed.
        dropped: it is not to be remembered.
    """

    kept = Signal(str)
    dropped = Signal()

    def __init__(self, agent: str, proposal: Proposal) -> None:
        super().__init__()
        self.of = (agent, proposal)
        self.edit = QPlainTextEdit(proposal.text)
        self.edit.setObjectName("field_area")
        self.edit.setTabChangesFocus(True)
        self.edit.setAccessibleName(self.tr("In your words"))
        self.edit.setFixedHeight(self.edit.fontMetrics().lineSpacing() * _LINES + 2 * WIDE)
        self.keep = button(self.tr("Keep"), "primary")
        self.drop = button(self.tr("Do not keep"))
        self.keep.setToolTip(self.tr("K or Enter, in the list"))
        self.drop.setToolTip(self.tr("D or Delete, in the list"))
        self.keep.clicked.connect(self.on_keep)
        self.drop.clicked.connect(self.dropped)
        column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.setSpacing(SMALL)
        column.addWidget(heading(self.tr("Shall I remember this?")))
        column.addWidget(self.edit)
        said = self.tr("You said on {when}:").replace("{when}", minutes(proposal.time))
        column.addWidget(note(said))
        column.addWidget(plain(self.tr("“{quote}”").replace("{quote}", proposal.quote)))
        if proposal.replaces:
            takes = self.tr("It takes the place of: {fact}")
            column.addWidget(note(takes.replace("{fact}", proposal.replaces)))
        column.addWidget(buttons_of((self.keep, self.drop)))
        column.addWidget(note(self.tr("K keeps it, D does not; both can be undone.")))
        column.addStretch(1)

    @Slot()
    def on_keep(self) -> None:
        """It is to be kept, as it stands here."""
        words = " ".join(self.edit.toPlainText().split())
        self.kept.emit("" if words == self.of[1].text else words)


class ChangeDetails(QWidget):
    """Signals:
    undone: it is to be taken back.
    """

    undone = Signal()

    def __init__(self, change: MemoryChange, told: str) -> None:
        """`told`: what became of it, a sentence."""
        super().__init__()
        self.undo = button(self.tr("Undo"))
        self.undo.clicked.connect(self.undone)
        column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.setSpacing(SMALL)
        column.addWidget(heading(change.text))
        column.addWidget(plain(told))
        column.addWidget(note(minutes(change.time)))
        column.addWidget(buttons_of((self.undo,)))
        column.addStretch(1)
