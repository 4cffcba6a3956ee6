"""A run told anew: what is to be different, how long it takes, and both runs side by side.

    form = ReplayForm(asking, desk, run, skills, language)
    form.finished.connect(show_list)      # the person goes back; what goes on is stopped

Nothing is carried out and nothing is kept: it can be tried as often as one likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.activity import ReplayReport, ReplaySide, ReplayWanted, RunsDesk
from moltbot_desktop.ui.activity.cards import Card, FoldedText
from moltbot_desktop.ui.activity.words import call_words, notes_of, side_lines
from moltbot_desktop.ui.diff_colours import DiffColours
from moltbot_desktop.ui.kit.asking import Asking, Refused
from moltbot_desktop.ui.kit.list_place import buttons_of
from moltbot_desktop.ui.kit.measures import GAP, HAIR, SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, heading, note, plain

_LOOK_MS = 400
_MS = 1000
_DIFF_PX = 180


class ReplayForm(QWidget):
    """Signals:
    finished: the person has seen enough.
    """

    finished = Signal()

    def __init__(
        self, asking: Asking, desk: RunsDesk, run: str, skills: Sequence[str], language: Language
    ) -> None:
        """`skills`: those that the run read, by name."""
        super().__init__()
        self._asking, self._desk, self._run = asking, desk, run
        self._language = language
        self._going = False
        self._begun = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self.model, self.skill, self.folder = QComboBox(), QComboBox(), QLineEdit()
        self.start = button(self.tr("Tell it anew"), "primary")
        self.stop = button(self.tr("Stop"), "danger")
        self.close_button = button(self.tr("Back"))
        self.told = note()
        self._result: QWidget | None = None
        self._lay_out(skills)
        self._connect()
        self._show_going(False)
        asking.ask(desk.models, self._show_models, self._refused, about="models")

    def take_focus(self) -> None:
        self.start.setFocus()

    def let_go(self) -> None:
        """It is not shown any more: what goes on is stopped."""
        self._timer.stop()
        if self._going:
            self._going = False
            self._asking.ask(self._desk.stop_replay, lambda _: None, lambda _: None)

    # ------------------------------------------------------------------ making

    def _lay_out(self, skills: Sequence[str]) -> None:
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.setSpacing(HAIR)
        column.addWidget(heading(self.tr("Tell it anew")))
        promise = self.tr(
            "The same words go to a model again, with what it knew then. Nothing is carried out:"
            " no file, message, page or memory is touched, and nothing is kept."
        )
        column.addWidget(note(promise))
        column.addSpacing(SMALL)
        self.model.setEditable(True)
        self.model.addItem("")
        line = self.model.lineEdit()
        assert line is not None  # it is editable
        line.setPlaceholderText(self.tr("The one that answers now"))
        self._field(self.tr("Model"), self.model)
        self.skill.addItem(self.tr("As they are now"), "")
        for name in skills:
            self.skill.addItem(name, name)
        self._skill_box = QWidget()
        box = QHBoxLayout(self._skill_box)
        box.setContentsMargins(0, 0, 0, 0)
        self.folder.setObjectName("field")
        self.folder.setPlaceholderText(self.tr("Folder of the other version"))
        self.folder.setAccessibleName(self.folder.placeholderText())
        self.choose = button(self.tr("Choose…"))
        for one in (self.folder, self.choose):
            box.addWidget(one)
        if skills:
            self._field(self.tr("Skill"), self.skill)
        else:
            self.skill.hide()
        column.addWidget(self._skill_box)
        column.addSpacing(SMALL)
        column.addWidget(buttons_of((self.start, self.stop, self.close_button)))
        column.addWidget(self.told)
        self._end = QVBoxLayout()
        column.addLayout(self._end)
        column.addStretch(1)
        self._follow_skill()

    def _field(self, name: str, widget: QWidget) -> None:
        label = QLabel(name)
        label.setBuddy(widget)
        widget.setAccessibleName(name)
        self._column.addWidget(label)
        self._column.addWidget(widget)

    def _connect(self) -> None:
        self.start.clicked.connect(self._on_start)
        self.stop.clicked.connect(self._on_stop)
        self.close_button.clicked.connect(self.finished)
        self.choose.clicked.connect(self._on_choose)
        self.skill.currentIndexChanged.connect(self._follow_skill)

    def _show_models(self, names: Sequence[str]) -> None:
        self.model.addItems([*names])

    @Slot()
    def _follow_skill(self) -> None:
        self._skill_box.setVisible(bool(self.skill.currentData()))

    @Slot()
    def _on_choose(self) -> None:
        asked = QFileDialog(self, self.tr("Folder of the other version"), self.folder.text())
        asked.setFileMode(QFileDialog.FileMode.Directory)
        asked.fileSelected.connect(self.folder.setText)
        asked.finished.connect(asked.deleteLater)
        asked.open()

    # ------------------------------------------------------------------ going on

    @property
    def wanted(self) -> ReplayWanted:
        skill, folder = str(self.skill.currentData() or ""), self.folder.text().strip()
        skills = {skill: str(Path(folder).expanduser())} if skill and folder else {}
        return ReplayWanted(self._run, self.model.currentText().strip(), skills)

    @Slot()
    def _on_start(self) -> None:
        if self._result is not None:
            self._result.deleteLater()
            self._result = None
        wanted = self.wanted
        self._show_going(True)
        self._begun.start()
        self._say_going()
        self._asking.ask(
            lambda: self._desk.begin_replay(wanted), lambda _: self._timer.start(), self._refused
        )

    @Slot()
    def _on_stop(self) -> None:
        self.let_go()
        self._show_going(False)
        self.told.setText(self.tr("Stopped."))
        self.start.setFocus()

    @Slot()
    def _look(self) -> None:
        self._say_going()
        self._asking.ask(self._desk.replayed, self._taken, self._refused, about="replayed")

    def _taken(self, report: ReplayReport | None) -> None:
        if report is None or not self._going:
            return
        self._show_going(False)
        self.told.setText("")
        self._result = result = ReplayResult(report, self._language)
        self._end.addWidget(result)
        result.show()  # at once: Qt would wait for its loop

    def _refused(self, refused: Refused) -> None:
        if not self._going and self._begun.isValid():
            return  # it was stopped by hand, and that is told already
        self._show_going(False)
        self.told.setText(refused.words)

    def _show_going(self, going: bool) -> None:
        self._going = going
        if not going:
            self._timer.stop()
        self.start.setVisible(not going)
        self.stop.setVisible(going)
        for one in (self.model, self.skill, self.folder, self.choose):
            one.setEnabled(not going)
        if going:
            self.stop.setFocus()

    def _say_going(self) -> None:
        words = self.tr("It thinks … {count} s")
        self.told.setText(words.replace("{count}", str(self._begun.elapsed() // _MS)))


class ReplayResult(QWidget):
    """Both runs side by side, the calls of both, and where the answers differ."""

    def __init__(self, report: ReplayReport, language: Language) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SMALL, 0, 0)
        column.setSpacing(GAP)
        sides = QHBoxLayout()
        sides.setSpacing(GAP)
        for name, side in ((self.tr("Then"), report.before), (self.tr("Now"), report.after)):
            sides.addWidget(self._side(name, side), 1)
        column.addLayout(sides)
        for line in notes_of(report):
            column.addWidget(note(line))
        if report.calls:
            calls = [plain(call_words(one, language)) for one in report.calls]
            column.addWidget(Card(self.tr("What it called"), calls))
        if report.answer_diff:
            diff = QPlainTextEdit(report.answer_diff)
            diff.setObjectName("field_area")
            diff.setReadOnly(True)
            diff.setTabChangesFocus(True)
            diff.setAccessibleName(self.tr("Where the answers differ"))
            diff.setMinimumHeight(_DIFF_PX)
            self._colours = DiffColours(diff.document())
            self._colours.set_on(True)
            column.addWidget(Card(self.tr("Where the answers differ"), [diff]))

    def _side(self, name: str, side: ReplaySide) -> QWidget:
        answer = side.answer or self.tr("(no answer)")
        return Card(name, [*map(note, side_lines(side)), FoldedText(answer)])
