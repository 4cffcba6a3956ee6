"""What stands beside the list: how a skill stands, what can be done, and its text.

    details = SkillDetails(line)
    details.pressed.connect(...)           # an `Act`
    details.show_sheet(sheet)              # when the desk has looked into it

Everything a skill says is a stranger's text and shown as plain text: nothing of it is a link, a
picture or a heading of ours.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from moltbot_desktop.sdk.skills_desk import SkillLine, SkillSheet, SkillState
from moltbot_desktop.ui.diff_colours import DiffColours
from moltbot_desktop.ui.kit.list_place import buttons_of
from moltbot_desktop.ui.kit.measures import SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, drawable, heading, note, plain
from moltbot_desktop.ui.skills.words import (
    Act,
    act_words,
    acts_of,
    doubt_lines,
    need_words,
    origin_words,
    start_words,
    state_words,
    tool_words,
)

_BUTTONS_A_ROW = 3
_LINES_SHOWN = (3, 24)
"""Of a text: at least and at most; the rest is scrolled to."""
_LINE = 72
"""Characters that stand in one of them, about."""
_PRIMARY = (Act.TRUST, Act.SWITCH_ON)
_MOST_FILES = 30


class SkillDetails(QWidget):
    """Signals:
    pressed: what the person wants to be done with it: an `Act`.
    """

    pressed = Signal(str)

    def __init__(self, line: SkillLine) -> None:
        super().__init__()
        self.setObjectName("place_details")
        self.line = line
        self.sheet: SkillSheet | None = None
        self.buttons: dict[Act, QPushButton] = {}
        column, self._lines = QVBoxLayout(self), QVBoxLayout()
        column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        column.addLayout(self._lines)
        column.addStretch(1)
        self._lines.setSpacing(SMALL)
        self._add(heading(line.shown_name))
        if line.description:
            self._add(plain(line.description))
        self._add(plain(state_words(line), _STYLES.get(line.state, "")))
        for one in line.lacks:
            self._add(plain(_sentence(one.words)))
            self._add(note(one.advice))
        if started := start_words(line):
            self._add(note(started))
        self._add_buttons()
        self._add(note(origin_words(line)))

    def show_sheet(self, sheet: SkillSheet) -> None:
        """What the desk found in it; once."""
        self.sheet = sheet
        if Act.TRUST in self.buttons:
            self.buttons[Act.TRUST].setEnabled(True)
        if sheet.changes:
            self._add(heading(self.tr("What changed since you trusted it")), gap=SMALL)
            self._add_text(sheet.changes, self.tr("What changed"), diff=True)
        if not self.line.trusted and self.line.state is not SkillState.BROKEN:
            self._add_doubts(sheet)
        self._add_needs(sheet)
        if sheet.text:
            self._add(heading(self.tr("Its text")), gap=SMALL)
            self._add_text(sheet.text, self.tr("SKILL.md of {name}"))
        if len(sheet.files) > 1:
            named = ", ".join(sheet.files[:_MOST_FILES])
            more = " …" if len(sheet.files) > _MOST_FILES else ""
            self._add(note(self.tr("Its files: {names}").replace("{names}", named + more)))

    def show_refusal(self, words: str) -> None:
        """It could not be looked into, and why."""
        self._add(plain(words, "field_problem"))

    # ------------------------------------------------------------------ inside

    def _add(self, widget: QWidget, *, gap: int = 0) -> None:
        """Below what is there already."""
        if gap:
            self._lines.addSpacing(gap)
        self._lines.addWidget(widget)
        if self.isVisible():
            widget.show()  # at once: Qt would wait for its loop

    def _add_buttons(self) -> None:
        for act in acts_of(self.line):
            kind = "primary" if act in _PRIMARY else "danger" if act is Act.REMOVE else "secondary"
            made = button(act_words(act), kind)
            made.clicked.connect(lambda _=False, act=act: self.pressed.emit(act))
            made.setEnabled(act is not Act.TRUST)  # first what it is about is shown
            self.buttons[act] = made
        made_all = list(self.buttons.values())
        for start in range(0, len(made_all), _BUTTONS_A_ROW):
            self._add(buttons_of(made_all[start : start + _BUTTONS_A_ROW]))

    def _add_doubts(self, sheet: SkillSheet) -> None:
        self._add(heading(self.tr("What stands out in it")), gap=SMALL)
        for doubt, line in zip(sheet.doubts, doubt_lines(sheet.doubts), strict=False):
            self._add(plain(line, "field_problem" if doubt.danger else ""))
        if not sheet.doubts:
            self._add(
                note(self.tr("Nothing suspicious was found. That is no proof: read its text."))
            )

    def _add_needs(self, sheet: SkillSheet) -> None:
        lines = [*map(need_words, sheet.needs), *tool_words(sheet)]
        if not lines:
            return
        self._add(heading(self.tr("What it needs")), gap=SMALL)
        for one in lines:
            self._add(plain(one))
        if sheet.ways and any(not one.there for one in sheet.needs):
            told = self.tr("To get what is missing, type in a terminal; I run none of this myself:")
            self._add(note("\n".join((told, *sheet.ways))))

    def _add_text(self, text: str, name: str, *, diff: bool = False) -> None:
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        shown = QPlainTextEdit(drawable(text, fixed))
        shown.setObjectName("field_area")
        shown.setReadOnly(True)
        shown.setTabChangesFocus(True)
        shown.setAccessibleName(name.replace("{name}", self.line.shown_name))
        shown.setFont(fixed)
        least, most = _LINES_SHOWN
        lines = sum(1 + len(one) // _LINE for one in text.split("\n"))
        shown.setFixedHeight(
            min(max(lines, least), most) * shown.fontMetrics().lineSpacing() + 2 * WIDE
        )
        if diff:
            colours = DiffColours(shown.document())
            colours.setParent(shown)
            colours.set_on(True)
        self._add(shown)


def _sentence(clause: str) -> str:
    """The clause as a line of its own."""
    return f"{clause[:1].upper()}{clause[1:]}"


_STYLES = {
    SkillState.READY: "panel_good",
    SkillState.CHANGED: "field_problem",
    SkillState.BROKEN: "field_problem",
}
