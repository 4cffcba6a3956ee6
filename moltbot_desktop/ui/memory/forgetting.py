"""A place that a search found, and what forgetting it would take away, before it does.

form = ForgetForm(hit, "Today, line 3", language)
form.show_foreseen(foreseen)         # only then can it be forgotten
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.forgetting_words import where_found
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.sdk.memory_desk import Foreseen
from moltbot_desktop.ui.kit.list_place import buttons_of
from moltbot_desktop.ui.kit.measures import SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, heading, note, plain
from moltbot_desktop.ui.memory.words import whys


class HitDetails(QWidget):
    """Attributes:
        of: the agent and the place.

    Signals:
        opened: the note is to be shown, at this place.
        forget: it is to be forgotten.
    """

    opened = Signal()
    forget = Signal()

    def __init__(self, agent: str, hit: SearchHit, place: str) -> None:
        super().__init__()
        self.of = (agent, hit)
        column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.setSpacing(SMALL)
        column.addWidget(heading(place))
        column.addWidget(plain(hit.snippet))
        if hit.why:
            found = self.tr("Found by: {reasons}. Score: {score} of 1.")
            found = found.replace("{reasons}", whys(hit)).replace("{score}", f"{hit.score:.2f}")
            column.addWidget(note(found))
        if hit.mark:
            column.addWidget(
                note(self.tr("Not your words: {source}").replace("{source}", hit.mark))
            )
        if hit.source == "memory":
            show, forget = button(self.tr("Open the note")), button(self.tr("Forget…"), "danger")
            show.clicked.connect(self.opened)
            forget.clicked.connect(self.forget)
            column.addWidget(buttons_of((show, forget)))
        else:
            column.addWidget(note(self.tr("Said in a conversation; it stands in no note.")))
        column.addStretch(1)


class ForgetForm(QWidget):
    """Signals:
    agreed: forget it; whether conversations and everything else lose it too.
    cancelled: nothing is forgotten.
    """

    agreed = Signal(bool)
    cancelled = Signal()

    def __init__(self, hit: SearchHit, language: Language) -> None:
        super().__init__()
        self._language = language
        self.goes, self.stays = note(self.tr("Looking where it stands…")), note()
        self.everywhere = QCheckBox(self.tr("Take it out of those as well; nothing brings it back"))
        self.everywhere.hide()
        self.forget = button(self.tr("Forget"), "danger")
        self.forget.setEnabled(False)
        self.cancel = button(self.tr("Cancel"))
        self.forget.clicked.connect(lambda: self.agreed.emit(self.everywhere.isChecked()))
        self.cancel.clicked.connect(self.cancelled)
        column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.setSpacing(SMALL)
        column.addWidget(heading(self.tr("Forget this?")))
        for one in (plain(hit.snippet), self.goes, self.stays, self.everywhere):
            column.addWidget(one)
        column.addWidget(buttons_of((self.forget, self.cancel)))
        column.addWidget(note(self.tr("For ten minutes the note can be brought back.")))
        column.addStretch(1)

    def show_foreseen(self, foreseen: Foreseen) -> None:
        """What would go, and what would stay."""
        paths = ", ".join(foreseen.paths)
        goes = self.tr(
            "It goes from {files}, from the search index, from what waits in the inbox, and from"
            " what models have kept."
        )
        self.goes.setText(goes.replace("{files}", paths))
        stays = where_found(foreseen.elsewhere, self._language)
        if foreseen.said:
            said = self.tr("It is said in past conversations ({count}).")
            stays.insert(0, said.replace("{count}", str(len(foreseen.said))))
        self.stays.setText("\n".join(stays))
        self.stays.setVisible(bool(stays))
        self.everywhere.setVisible(bool(foreseen.said or foreseen.elsewhere.places))
        self.forget.setEnabled(True)
        self.cancel.setFocus()
