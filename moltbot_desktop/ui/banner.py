"""A line above the input for what belongs to no message: what is wrong and what to do."""

from __future__ import annotations

import html

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.shell_words import link_words, places_named
from moltbot_desktop.ui.theme import Theme

_MOST = 3


class Banner(QFrame):
    """Shows the last notices that the person has not closed, the newest below.

    Signals:
        place_requested: another place of the window, a `PlaceId`.
    """

    place_requested = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._icons = icons
        self._told: list[tuple[str, str]] = []
        self._lines = [
            (self._label("banner_text"), self._label("banner_hint")) for _ in range(_MOST)
        ]
        self._places = self._label("banner_places")
        self._places.setTextFormat(Qt.TextFormat.RichText)
        self._places.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self._places.linkActivated.connect(self.place_requested)
        self._close = QToolButton(self)
        self._close.clicked.connect(self.dismiss)
        self._lay_out()
        self.retranslate()
        self.hide()

    @property
    def text(self) -> str:
        return "\n".join(one for one, _ in self._told)

    @property
    def hint(self) -> str:
        return "\n".join(label.text() for _, label in self._lines if label.text())

    def tell(self, text: str, hint: str, *, serious: bool) -> None:
        """Show this; a serious notice is not replaced by one that is not, and replaces those."""
        if self._told and self.property("serious") and not serious:
            return
        before = self._told if self.property("serious") == serious else []
        before = [one for one in before if one != (text, hint)]
        self._told = [*before, (text, hint)][-_MOST:]
        self._show_lines()
        if self.property("serious") != serious:
            self.setProperty("serious", serious)
            for widget in (self, *(label for line in self._lines for label in line)):
                widget.style().polish(widget)
        self.show()

    def _show_lines(self) -> None:
        """Each notice with what to do about it below; what the next one says too is said there."""
        following = [hint for _, hint in self._told[1:]]
        for at, (text, hint) in enumerate(self._lines):
            told = self._told[at] if at < len(self._told) else ("", "")
            text.setText(told[0])
            hint.setText("" if told[1] in following[at:] else told[1])
            for label in (text, hint):
                label.setVisible(bool(label.text()))
        named = places_named("\n".join(f"{text}\n{hint}" for text, hint in self._told))
        links = (f'<a href="{one}">{html.escape(link_words(one))}</a>' for one in named)
        self._places.setText("&nbsp; &nbsp;".join(links))
        self._places.setVisible(bool(named))

    def _label(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setObjectName(name)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    @Slot()
    def dismiss(self) -> None:
        self._told.clear()
        self._show_lines()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._close.setIcon(self._icons.sign("close", theme.muted))

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Notice"))
        self._close.setAccessibleName(self.tr("Close this notice"))

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 8, 9)
        column = QVBoxLayout()
        column.setSpacing(2)
        for line in self._lines:
            for label in line:
                column.addWidget(label)
        column.addWidget(self._places)
        row.addLayout(column, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
