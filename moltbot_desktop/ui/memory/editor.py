"""A note as plain Markdown, with where its lines come from, and what to do when two wrote at once.

editor = NoteEditor("main", file, theme)
editor.show_note(text)              # NoteText of the desk, or what was typed before
editor.ask_which(theirs)            # somebody else has written it meanwhile
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from moltbot_desktop.sdk.memory_desk import NoteFile, NoteText
from moltbot_desktop.ui.kit.measures import SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, heading, note, plain
from moltbot_desktop.ui.memory.provenance import NoteColours, provenance
from moltbot_desktop.ui.memory.words import whence
from moltbot_desktop.ui.theme import LIGHT, Theme

_PARAGRAPH = "\u2029"


class NoteEditor(QWidget):
    """One file.

    Attributes:
        file: as the list has it; its stamp says whether to read it again.
        base: what the file said when it was read, None before that.
        other: what it says since somebody else has written it; None while nobody has.

    Signals:
        typed: it says something else than its file; or the same again.
        save_wanted: Ctrl+S, or the button.
        mine, theirs, both: which of two versions the person wants.
    """

    typed = Signal()
    save_wanted = Signal()
    mine = Signal()
    theirs = Signal()
    both = Signal()

    def __init__(self, agent: str, file: NoteFile, name: str, theme: Theme | None) -> None:
        super().__init__()
        self.agent, self.file = agent, file
        self.base: NoteText | None = None
        self.other: NoteText | None = None
        self._line = 0
        self.edit = QPlainTextEdit()
        self.edit.setObjectName("field_area")
        self.edit.setTabChangesFocus(True)
        self.edit.setReadOnly(True)
        self.edit.setAccessibleName(name)
        self._colours = NoteColours(self.edit.document(), theme or LIGHT)
        self.name, self.whence, self.state = heading(name), note(), note()
        self.save_button = button(self.tr("Save"), "primary")
        self.save_button.setToolTip(self.tr("Ctrl+S"))
        self.question = self._question()
        self._lay_out()
        self._connect()
        self._show_state()

    @property
    def text(self) -> str:
        """What stands in it, to the last character: `toPlainText` makes hard blanks soft."""
        return self.edit.document().toRawText().replace(_PARAGRAPH, "\n")

    @property
    def dirty(self) -> bool:
        return self.base is not None and self.text != self.base.text

    def show_note(self, base: NoteText, text: str | None = None) -> None:
        """The file says `base`; `text` was typed into it and not saved."""
        shown = base.text if text is None else text
        self.base = base
        if self.text != shown:
            at = self.edit.textCursor().blockNumber()
            self.edit.blockSignals(True)
            self.edit.setPlainText(shown)
            self.edit.blockSignals(False)
            self._go(at)
        exact = self.text == shown
        self.edit.setReadOnly(not (base.editable and exact))
        self._show_state()
        if self._line:
            self.go_to(self._line)

    def set_base(self, base: NoteText) -> None:
        """The file says `base` now; what was typed since stays."""
        self.base, self.other = base, None
        self.question.hide()
        self._show_state()

    def go_to(self, line: int) -> None:
        """Stand on a line, from 1, as soon as the note is there."""
        self._line = line if self.base is None else 0
        self._go(line - 1)

    def ask_which(self, other: NoteText) -> None:
        """Somebody else has written it meanwhile."""
        self.other = other
        self.question.show()
        self._show_state()

    def set_theme(self, theme: Theme) -> None:
        self._colours.set_theme(theme)

    def _go(self, block: int) -> None:
        found = self.edit.document().findBlockByNumber(max(0, block))
        if found.isValid():
            self.edit.setTextCursor(QTextCursor(found))
            self.edit.centerCursor()

    def _question(self) -> QFrame:
        frame = QFrame()
        frame.setObjectName("banner")
        words = plain(self.tr("This note was changed meanwhile, and not by you."), "banner_text")
        row, column = QHBoxLayout(), QVBoxLayout(frame)
        for word, wanted in (
            (self.tr("Keep both"), self.both),
            (self.tr("Keep mine"), self.mine),
            (self.tr("Take the other"), self.theirs),
        ):
            made = button(word)
            made.clicked.connect(wanted)
            row.addWidget(made)
        row.addStretch(1)
        column.addWidget(words)
        column.addLayout(row)
        frame.hide()
        return frame

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, 0, 0, 0)
        column.setSpacing(SMALL)
        column.addLayout(head)
        column.addWidget(self.question)
        column.addWidget(self.edit, 1)
        column.addWidget(self.whence)
        column.addWidget(self.state)

    def _connect(self) -> None:
        save = QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self)
        save.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        save.activated.connect(self.save_wanted)
        self.save_button.clicked.connect(self.save_wanted)
        self.edit.textChanged.connect(self._on_typed)
        self.edit.cursorPositionChanged.connect(self._show_whence)

    @Slot()
    def _on_typed(self) -> None:
        self._show_state()
        self.typed.emit()

    @Slot()
    def _show_whence(self) -> None:
        said = whence(provenance(self.edit.textCursor().block().text()))
        self.whence.setText(said)
        self.whence.setVisible(bool(said))

    def _show_state(self) -> None:
        waits = self.dirty and not self.question.isVisibleTo(self)
        self.save_button.setEnabled(waits)
        self.save_button.setVisible(not self.edit.isReadOnly())
        if self.base is None:
            said = ""
        elif self.dirty:
            said = self.tr("Not saved yet. It is saved with Ctrl+S, and when you leave.")
        elif not self.file.own:
            said = self.tr("{path} is yours: I only read it.").replace("{path}", self.file.path)
        elif self.edit.isReadOnly():
            said = self.tr(
                "Some of its characters cannot be read, so it is only shown here. Save it as UTF-8"
                " text in another editor, and it can be changed here again."
            )
        else:
            said = self.file.path
        self.state.setText(said)
        self._show_whence()
