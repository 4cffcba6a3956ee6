"""What the settings are made of: widgets and where they stand. `view` gives them life.

class SettingsView(SettingsFace): ...
    super().__init__(words, parent)
    self.area.setWidget(form)
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTreeWidget,
    QVBoxLayout,
)

from moltbot_desktop.ui.place import Place
from moltbot_desktop.ui.settings.texts import Words


class SettingsFace(Place):
    """Pages on the left; on the right the search, the form's area, what is told, the buttons."""

    def __init__(self, words: Words) -> None:
        super().__init__()
        self.words = words
        self._make_widgets()
        self._lay_out()

    def _make_widgets(self) -> None:
        words = self.words
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(words("pages"))
        self.tree.setFixedWidth(210)
        self.search = QLineEdit()
        self.search.setObjectName("field")
        self.search.setPlaceholderText(words("search"))
        self.search.setAccessibleName(words("search"))
        self.search.setClearButtonEnabled(True)
        self.advanced = QCheckBox(words("advanced"))
        self._note, self._empty, self.told, self._state = (QLabel() for _ in range(4))
        for label in (self._note, self._empty, self.told, self._state):
            label.setObjectName("field_note")
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.area = QScrollArea()
        self.area.setObjectName("settings_area")
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names = ("save", "undo", "revert", "reload")
        buttons = [QPushButton(words(name)) for name in names]
        self.save_button, self.undo_button, self.revert_button, _ = buttons
        self.reload_button = buttons[-1]
        self.reload_button.setToolTip(words("reload_help"))
        self.reload_button.hide()  # until a page can use it
        for button in buttons:
            button.setObjectName("secondary")
            button.setAutoDefault(False)
        self.save_button.setObjectName("primary")

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 14, 14, 12)
        row.setSpacing(14)
        row.addWidget(self.tree)
        column = QVBoxLayout()
        top = QHBoxLayout()
        top.addWidget(self.search, 1)
        top.addWidget(self.advanced)
        column.addLayout(top)
        about = QHBoxLayout()
        about.addWidget(self._note, 1)
        about.addWidget(self.reload_button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(about)
        for widget in (self._empty, self.told):
            column.addWidget(widget)
        column.addWidget(self.area, 1)
        column.addWidget(
            self._state
        )  # a line of its own: in a narrow window the buttons fill theirs
        foot = QHBoxLayout()
        foot.addStretch(1)
        for button in (self.undo_button, self.revert_button, self.save_button):
            foot.addWidget(button)
        column.addLayout(foot)
        row.addLayout(column, 1)
