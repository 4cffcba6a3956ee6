"""What stands beside the list while a skill is added: where it is, then what was found in it.

form = SourceForm()
form.folder_wanted.connect(...), form.zip_wanted.connect(...)
form = OfferForm(offers)
form.wanted.connect(lambda: put_in(form.chosen))
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from moltbot_desktop.sdk.skills_desk import SkillOffer
from moltbot_desktop.ui.kit.list_place import buttons_of
from moltbot_desktop.ui.kit.measures import SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, heading, note, plain
from moltbot_desktop.ui.skills.words import doubt_lines, offer_words


class _Form(QWidget):
    """A heading with lines below it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName("place_details")
        column, self._lines = QVBoxLayout(self), QVBoxLayout()
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.addLayout(self._lines)
        column.addStretch(1)
        self._lines.setSpacing(SMALL)
        self._lines.addWidget(heading(name))


class SourceForm(_Form):
    """Signals:
    folder_wanted, zip_wanted: the person wants to choose one.
    cancelled: nothing of it.
    """

    folder_wanted = Signal()
    zip_wanted = Signal()
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__(self.tr("Add a skill"))
        self._lines.addWidget(
            plain(
                self.tr(
                    "Choose a folder with a SKILL.md, or a zip of one, or drop it here. It is"
                    " looked through first; nothing of it is run, and nothing goes over the"
                    " network."
                )
            )
        )
        self.folder = button(self.tr("Choose a folder…"), "primary")
        self.zip = button(self.tr("Choose a zip…"))
        cancel = button(self.tr("Cancel"))
        self._lines.addWidget(buttons_of((self.folder, self.zip, cancel)))
        self.folder.clicked.connect(self.folder_wanted)
        self.zip.clicked.connect(self.zip_wanted)
        cancel.clicked.connect(self.cancelled)

    def take_focus(self) -> None:
        self.folder.setFocus()


class OfferForm(_Form):
    """What could be added, each with what the scanner found.

    Signals:
        wanted: the person wants `chosen`.
        cancelled: nothing of it.
    """

    wanted = Signal()
    cancelled = Signal()

    def __init__(self, offers: Sequence[SkillOffer]) -> None:
        one = len(offers) == 1
        name = self.tr("Add “{name}”?").replace("{name}", offers[0].name)
        super().__init__(name if one else self.tr("Which ones shall be added?"))
        self._offers = offers
        self.boxes: dict[str, QCheckBox] = {}
        for offer in offers:
            self._add(offer, alone=one)
        self._lines.addWidget(
            note(self.tr("It is not used before you trust it; that is asked for afterwards."))
        )
        self.add = button(self.tr("Add"), "primary")
        self.cancel = button(self.tr("Cancel"))
        self._lines.addWidget(buttons_of((self.add, self.cancel)))
        self.add.clicked.connect(self.wanted)
        self.cancel.clicked.connect(self.cancelled)
        self._follow()

    @property
    def chosen(self) -> tuple[SkillOffer, ...]:
        """Those that are to be added."""
        ticked = {name for name, box in self.boxes.items() if box.isChecked()}
        return tuple(
            one for one in self._offers if not one.same and (not self.boxes or one.id in ticked)
        )

    def take_focus(self) -> None:
        """On what does nothing yet: what was found is to be read first."""
        (next(iter(self.boxes.values())) if self.boxes else self.cancel).setFocus()

    def _add(self, offer: SkillOffer, *, alone: bool) -> None:
        if not alone:
            box = self.boxes[offer.id] = QCheckBox(offer.name)
            box.setChecked(not offer.same and not offer.danger)
            box.setEnabled(not offer.same)
            box.toggled.connect(self._follow)
            self._lines.addWidget(box)
        self._lines.addWidget(plain(offer.description))
        self._lines.addWidget(note(offer_words(offer)))
        for doubt, line in zip(offer.doubts, doubt_lines(offer.doubts), strict=False):
            self._lines.addWidget(plain(line, "field_problem" if doubt.danger else ""))
        if not offer.doubts:
            self._lines.addWidget(note(self.tr("Nothing suspicious was found in it.")))

    @Slot()
    def _follow(self) -> None:
        self.add.setEnabled(bool(self.chosen))
