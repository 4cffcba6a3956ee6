"""What is to happen and when, in the person's own words, with what was understood below them.

    form = PlanForm(asking, desk, Plan("call Anna", "tomorrow at 9", itself=False), save)

Nothing is saved that was not understood: the button wakes up when it was. What the words mean is
asked of the desk a moment after the last key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.planned import PlannedDesk, Understood
from moltbot_desktop.sdk.schedule import At, OnEvent
from moltbot_desktop.ui.kit.asking import Asking, Refused
from moltbot_desktop.ui.kit.measures import HAIR, SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, heading, note
from moltbot_desktop.ui.schedule.words import moment

_TYPING_MS = 250


@dataclass(frozen=True)
class Plan:
    """What the form holds.

    Attributes:
        itself: the assistant does it by itself; otherwise the person is reminded of it.
    """

    what: str = ""
    when: str = ""
    itself: bool = False


class PlanForm(QWidget):
    """Signals:
    cancelled: it is put away with nothing saved.
    """

    cancelled = Signal()

    def __init__(
        self,
        asking: Asking,
        desk: PlannedDesk,
        plan: Plan,
        save: Callable[[Plan, Understood], None],
        language: Language,
        *,
        kept: Understood | None = None,
    ) -> None:
        """`kept` is what the plan's words stand for already, which may be more than words say; it
        is a change then, and whether it is a reminder or a job stays as it is."""
        super().__init__()
        self._asking, self._desk, self._save = asking, desk, save
        self._language = language
        self._kept, self._kept_words = kept, plan.when
        self._understood: Understood | None = None
        self._wrong = ""
        self.what, self.when = QLineEdit(plan.what), QLineEdit(plan.when)
        self.itself = QCheckBox(self.tr("The assistant does it by itself"))
        self.itself.setChecked(plan.itself)
        self.itself.setVisible(kept is None)
        self.meaning = note()
        self.save_button = button(self.tr("Save"), "primary")
        self.cancel_button = button(self.tr("Cancel"))
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._lay_out(self.tr("Change") if plan.what else self.tr("Something new"))
        self._connect()
        self._follow()
        self._read()

    def take_focus(self) -> None:
        self.what.setFocus()

    @property
    def plan(self) -> Plan:
        return Plan(self.what.text().strip(), self.when.text().strip(), self.itself.isChecked())

    def _lay_out(self, name: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.setSpacing(HAIR)
        column.addWidget(heading(name))
        self._what_label, self._when_label = QLabel(), QLabel(self.tr("When?"))
        for label, line in ((self._what_label, self.what), (self._when_label, self.when)):
            line.setObjectName("field")
            label.setBuddy(line)
            column.addSpacing(SMALL)
            column.addWidget(label)
            column.addWidget(line)
        self.when.setPlaceholderText(self.tr("in 45 minutes · Friday at 14:30 · every day at 9"))
        column.addWidget(self.meaning)
        column.addSpacing(SMALL)
        column.addWidget(self.itself)
        column.addSpacing(SMALL)
        row = QHBoxLayout()
        row.addWidget(self.save_button)
        row.addWidget(self.cancel_button)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)

    def _connect(self) -> None:
        self.itself.toggled.connect(self._follow)
        self.what.textChanged.connect(self._show_button)
        self.when.textChanged.connect(self._on_typed)
        self._typing.timeout.connect(self._read)
        self.save_button.clicked.connect(self._on_save)
        self.cancel_button.clicked.connect(self.cancelled)
        for line in (self.what, self.when):
            line.returnPressed.connect(self._on_save)

    @Slot()
    def _follow(self) -> None:
        itself = self.itself.isChecked()
        what = self.tr("What shall the assistant do?") if itself else self.tr("Remind you of what?")
        self._what_label.setText(what)
        self.what.setAccessibleName(what)
        self.when.setAccessibleName(self._when_label.text())
        self._show_meaning()

    @Slot()
    def _on_typed(self) -> None:
        self._understood = None
        self._show_button()
        self._typing.start()

    @Slot()
    def _read(self) -> None:
        said = self.when.text().strip()
        if not said:
            self._wrong = ""
            self.meaning.setText("")
            return
        if self._kept is not None and said == self._kept_words:
            self._taken(self._kept)
            return
        self._asking.ask(
            lambda: self._desk.understand(said), self._taken, self._unclear, about="when"
        )

    def _taken(self, understood: Understood) -> None:
        self._understood = understood
        self._wrong = ""
        self._show_meaning()

    def _unclear(self, refused: Refused) -> None:
        self._understood = None
        self._wrong = refused.words
        self._show_meaning()

    def _show_meaning(self) -> None:
        self.meaning.setText(self._wrong or self._meaning())
        self._show_button()

    def _meaning(self) -> str:
        understood = self._understood
        if understood is None:
            return ""
        if not self.itself.isChecked() and isinstance(understood.schedule, OnEvent):
            return self.tr("A reminder comes at a time. This the assistant does by itself.")
        now_ms, here = understood.now_ms, understood.here
        times = [moment(one, now_ms, here, self._language) for one in understood.next_ms]
        if isinstance(understood.schedule, At):
            return "".join(times[:1])
        if not times:
            return understood.words
        told = self.tr("{when}: {times} …")
        return told.replace("{when}", understood.words).replace("{times}", ", ".join(times))

    @Slot()
    def _show_button(self) -> None:
        understood = self._understood
        fits = understood is not None and (
            self.itself.isChecked() or not isinstance(understood.schedule, OnEvent)
        )
        self.save_button.setEnabled(fits and bool(self.what.text().strip()))

    @Slot()
    def _on_save(self) -> None:
        if self.save_button.isEnabled() and self._understood is not None:
            self._save(self.plan, self._understood)
