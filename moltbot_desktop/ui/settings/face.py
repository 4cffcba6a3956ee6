"""What the settings are made of: widgets and where they stand. `view` gives them life.

class SettingsView(SettingsFace): ...
    super().__init__(parts, name, icon)
    self.area.setWidget(form)
    self.show_pages()                  # instead of saying that they are being read
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.kit.measures import GAP, SMALL, WIDE
from moltbot_desktop.ui.kit.states import StateView
from moltbot_desktop.ui.kit.texts import title
from moltbot_desktop.ui.place import Place
from moltbot_desktop.ui.settings.texts import Words
from moltbot_desktop.ui.settings.tree import PagesTree
from moltbot_desktop.ui.theme import Theme

_SLOW_MS = 400
"""Pages that take longer are told to be read; a word before would only flicker."""
_LIST_PX = 210
_HEAD_PX = 30
"""As high as a button, so that the titles of all places stand at the same height."""


class SettingsFace(Place):
    """A title; below it pages on the left, and on the right the search, the form's area, what is
    told, the buttons. Until there are pages it says why not."""

    def __init__(self, parts: PlaceParts, name: str, icon: str) -> None:
        super().__init__()
        self.words = Words(parts.language)
        self.title, self.state = title(name), StateView(parts.icons, icon)
        self.title.setMinimumHeight(_HEAD_PX)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SLOW_MS)
        self._slow.timeout.connect(self._on_slow)
        self._make_widgets()
        self._lay_out()

    def expect(self) -> None:
        """Pages are asked for; where there are none yet and it takes its time, it says so."""
        if self._shown.currentWidget() is not self._whole:
            self._slow.start()

    @Slot()
    def _on_slow(self) -> None:
        self.show_state(self.words("acting"), self.words("loading"))

    def show_state(self, name: str, text: str, press: str = "") -> None:
        """That there are no pages, instead of them; `press` is what its button says."""
        self._slow.stop()
        self.state.say(name, text, press)
        self._shown.setCurrentWidget(self.state)

    def show_pages(self) -> None:
        """The pages; whoever waited for them gets the keys there."""
        self._slow.stop()
        if self._shown.currentWidget() is not self._whole:
            self._shown.setCurrentWidget(self._whole)
            if self._waited_for:
                self.take_focus()

    @Slot()
    def begin_search(self) -> None:
        """Give the keys to the search, as soon as there is something to search in."""
        self._searches = True
        self.search.selectAll()
        self.take_focus()

    def take_focus(self) -> None:
        self._waited_for = self._shown.currentWidget() is not self._whole
        if self._waited_for and self.state.button.isVisible():
            self.state.button.setFocus()
        elif self._waited_for:
            self.setFocus()
        elif self._searches:
            self._searches = False
            self.search.setFocus()
        else:
            self.tree.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Who asked for the search before there was one has begun to type already."""
        if self._searches and self._waited_for and event.text().isprintable() and event.text():
            self.search.insert(event.text())
        else:
            super().keyPressEvent(event)

    def set_theme(self, theme: Theme) -> None:
        self.state.set_theme(theme)

    def _make_widgets(self) -> None:
        words = self.words
        self.tree = PagesTree(words("pages"))
        self.tree.setFixedWidth(_LIST_PX)
        self.search = QLineEdit()
        self.search.setObjectName("field")
        self.search.setPlaceholderText(words("search"))
        self.search.setAccessibleName(words("search"))
        self.search.setClearButtonEnabled(True)
        self.advanced = QCheckBox(words("advanced"))
        self._note, self._empty, self.told, self._state = (QLabel() for _ in range(4))
        self.later = QLabel()
        for label in (self._note, self._empty, self.told, self._state, self.later):
            label.setObjectName("field_note")
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.area = QScrollArea()
        self.area.setObjectName("settings_area")
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        names = ("save", "undo", "revert", "reload", "start_again")
        buttons = [QPushButton(words(name)) for name in names]
        self.save_button, self.undo_button, self.revert_button, *_ = buttons
        self.reload_button, self.again_button = buttons[-2:]
        self.again_button.setToolTip(words("start_again_help"))
        self.reload_button.setToolTip(words("reload_help"))
        self.reload_button.hide()  # until a page can use it
        for button in buttons:
            button.setObjectName("secondary")
            button.setAutoDefault(False)
        self.save_button.setObjectName("primary")

    def _lay_out(self) -> None:
        self._whole, self._shown = QWidget(), QStackedWidget()
        self._waited_for = self._searches = False
        for one in (QWidget(), self.state, self._whole):  # nothing, until there is something
            self._shown.addWidget(one)
        page = QVBoxLayout(self)
        page.setContentsMargins(WIDE, GAP, WIDE, GAP)
        page.setSpacing(SMALL)
        page.addWidget(self.title)
        page.addWidget(self._shown, 1)
        row = QHBoxLayout(self._whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(WIDE)
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
        self._waits = QWidget()
        waits = QHBoxLayout(self._waits)
        waits.setContentsMargins(0, 0, 0, 0)
        waits.addWidget(self.later, 1)
        waits.addWidget(self.again_button, 0, Qt.AlignmentFlag.AlignTop)
        self._waits.hide()  # until something waits for a new start
        column.addWidget(self._waits)
        column.addWidget(self.area, 1)
        column.addWidget(self._state)  # of its own: in a narrow window the buttons fill their line
        self._foot = QWidget()
        foot = QHBoxLayout(self._foot)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.addStretch(1)
        for button in (self.undo_button, self.revert_button, self.save_button):
            foot.addWidget(button)
        column.addWidget(self._foot)
        row.addLayout(column, 1)
        QWidget.setTabOrder(self.advanced, self.again_button)
