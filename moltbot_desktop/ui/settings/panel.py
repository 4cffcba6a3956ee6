"""The panel above a settings form: how something stands, with buttons, and a guide.

    view = PanelView(words, act)
    view.show_panel(panel)          # as often as it is asked for: what is the same stays as it is

Rows are made anew only when they say something else; the button that had the focus gets it back,
or the one that stands in its place now. Of many rows the first are shown, and the rest on demand.
A guide's links are opened only after the person has seen where they lead, and its pictures never.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.sdk.panels import Panel, PanelAction, PanelPart, PanelRow, Tone
from moltbot_desktop.ui.link_question import LinkQuestion, may_be_opened
from moltbot_desktop.ui.settings.row_buttons import quiet_button
from moltbot_desktop.ui.settings.texts import Words

_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_MARKS = {Tone.PLAIN: "", Tone.GOOD: "● ", Tone.BAD: "▲ "}
"""Beside the colour, for those who see none."""
_AT_ONCE = 20
"""Rows of one part; a channel may have hundreds of accounts, and a row takes milliseconds."""


class PanelView(QWidget):
    """A column of parts.

    Signals:
        rebuilt: its buttons are new ones.
    """

    rebuilt = Signal()

    def __init__(self, words: Words, act: Callable[[PanelAction], None]) -> None:
        super().__init__()
        self._words, self._act = words, act
        self._panel: Panel = ()
        self._unfolded: set[str] = set()
        self.buttons: dict[str, QPushButton] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(4, 0, 14, 4)
        self._column.setSpacing(4)
        self.hide()

    def show_panel(self, panel: Panel) -> None:
        """Show `panel`; () shows nothing."""
        if panel == self._panel:
            return
        self._panel = panel
        self._build()

    def _build(self) -> None:
        focus, before = self.window().focusWidget(), [*self.buttons]
        focused = next((key for key, one in self.buttons.items() if one is focus), "")
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.buttons = {}
        for part in self._panel:
            made = self._part(part)
            self._column.addWidget(made)
            made.show()  # at once: what is not shown cannot have the focus back
        self.setVisible(bool(self._panel))
        if focused and self.buttons:  # the button that stands in its place, where it is gone
            now = [*self.buttons]
            place = min(before.index(focused), len(now) - 1)
            self.buttons[focused if focused in self.buttons else now[place]].setFocus()
        self.rebuilt.emit()

    def _part(self, part: PanelPart) -> QWidget:
        made = QWidget()
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 0, 0, 6)
        column.setSpacing(4)
        column.addWidget(_label(part.title, "field_heading"))
        more = f"more:{part.title}"
        shown = part.rows if more in self._unfolded else part.rows[:_AT_ONCE]
        for row in shown:
            column.addWidget(self._row(row))
        if len(part.rows) > _AT_ONCE:
            count = len(part.rows)
            label = self._words("fold" if len(shown) == count else "show_all", count=count)
            column.addWidget(self._folding(more, label, part), 0, Qt.AlignmentFlag.AlignLeft)
        if part.empty and not part.rows:
            column.addWidget(_label(part.empty, "field_note"))
        if part.guide:
            self._add_guide(column, part)
        return made

    def _row(self, row: PanelRow) -> QWidget:
        made = QWidget()
        line = QHBoxLayout(made)
        line.setContentsMargins(0, 0, 0, 0)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(_label(_MARKS[row.tone] + row.text, _NAMES[row.tone]))
        if row.detail:
            words.addWidget(_label(row.detail, "field_note"))
        line.addLayout(words, 1)
        for action in row.actions:
            line.addWidget(self._button(action), 0, Qt.AlignmentFlag.AlignTop)
        return made

    def _button(self, action: PanelAction) -> QPushButton:
        name = action.name or action.label
        button = quiet_button(action.label, name)
        button.clicked.connect(lambda: self._pressed(action))
        self.buttons[action.id] = button
        return button

    def _add_guide(self, column: QVBoxLayout, part: PanelPart) -> None:
        fold = f"fold:{part.title}"
        opened = part.unfolded != (fold in self._unfolded)  # as it came, or the other way round
        button = self._folding(fold, self._words("fold" if opened else "unfold"), part)
        column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        if opened:
            guide = _label(_PICTURE.sub(r"\1", part.guide), "guide")
            guide.setTextFormat(Qt.TextFormat.MarkdownText)
            guide.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextBrowserInteraction
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            guide.linkActivated.connect(self._on_link)
            column.addWidget(guide)

    def _folding(self, fold: str, label: str, part: PanelPart) -> QPushButton:
        button = quiet_button(label, part.title)
        button.clicked.connect(lambda: self._fold(fold))
        self.buttons[fold] = button
        return button

    def _fold(self, part: str) -> None:
        self._unfolded ^= {part}
        self._build()

    def _pressed(self, action: PanelAction) -> None:
        if action.copies:
            QGuiApplication.clipboard().setText(action.copies)
            self.buttons[action.id].setText(self._words("copied"))
        elif not action.asks:
            self._act(action)
        else:
            question = QMessageBox(self)
            question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            question.setWindowTitle(action.label)
            question.setTextFormat(Qt.TextFormat.PlainText)
            question.setText(action.asks)
            yes = question.addButton(action.label, QMessageBox.ButtonRole.AcceptRole)
            question.addButton(self._words("cancel"), QMessageBox.ButtonRole.RejectRole)
            yes.clicked.connect(lambda: self._act(action))
            question.open()

    @Slot(str)
    def _on_link(self, address: str) -> None:
        url = QUrl(address)
        if may_be_opened(url):
            LinkQuestion(url, self).open()


_NAMES = {Tone.PLAIN: "panel_row", Tone.GOOD: "panel_good", Tone.BAD: "field_problem"}


def _label(text: str, name: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label
