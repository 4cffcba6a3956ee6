"""Buttons beside the message under the mouse, or the one that the keyboard stands on.

    bar = MessageBar(view, icons)
    bar.show_for(entry_id, offers, rect, above=True)
    bar.chosen                      # (entry, what is to be done; "" for all there is)

It lies above the conversation and takes no room in it, so nothing moves when it comes. It takes no
keys either: whoever has no mouse chooses in the menu, which has the same and more.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextBrowser, QToolButton

from moltbot_desktop.ui.conversations.message_menu import Doing, Offer
from moltbot_desktop.ui.entries import EntryId
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import Theme

_ICON = QSize(16, 16)
_BUTTON = QSize(26, 24)
_SIGNS: dict[str, str] = {Doing.COPY: "copy", Doing.EDIT: "edit", Doing.AGAIN: "again"}
_MORE = "more"
_OVERLAP_PX = 8
_EDGE_PX = 4


class MessageBar(QFrame):
    """Signals:
    chosen: an entry, and a `Doing`, or "" for the menu of all there is.
    """

    chosen = Signal(int, str)

    def __init__(self, view: QTextBrowser, icons: Icons) -> None:
        super().__init__(view.viewport())
        self.setObjectName("message_bar")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._view, self._icons = view, icons
        self.entry = EntryId(-1)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(0)
        self.buttons = {name: self._button(name) for name in (*_SIGNS, _MORE)}
        for button in self.buttons.values():
            row.addWidget(button)
        self.retranslate()
        self.hide()

    def show_for(
        self, entry: EntryId, offers: Sequence[Offer], rect: QRect, *, above: bool
    ) -> None:
        """At a message that covers `rect` of the viewport: at its end, or `above` it."""
        self.entry = entry
        by_doing: dict[str, Offer] = {offer.doing: offer for offer in offers}
        for doing in _SIGNS:
            self._offer(self.buttons[doing], by_doing.get(doing))
        self.buttons[Doing.AGAIN].setHidden(Doing.AGAIN not in by_doing or Doing.EDIT in by_doing)
        size = self.sizeHint()
        room = self._view.viewport().rect().adjusted(_EDGE_PX, _EDGE_PX, -_EDGE_PX, -_EDGE_PX)
        top = rect.top() - size.height() + _OVERLAP_PX if above else rect.bottom() - size.height()
        if not above:
            top += 2 * _OVERLAP_PX
        top = max(room.top(), min(top, room.bottom() - size.height()))
        left = max(room.left(), min(rect.right(), room.right()) - size.width())
        self.setGeometry(left, top, size.width(), size.height())
        self.show()
        self.raise_()

    def put_away(self) -> None:
        self.entry = EntryId(-1)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        for name, button in self.buttons.items():
            button.setIcon(self._icons.sign(_SIGNS.get(name, _MORE), theme.text))

    def retranslate(self) -> None:
        self.buttons[_MORE].setAccessibleName(self.tr("More"))
        self.buttons[_MORE].setToolTip(self.tr("More (Menu key)"))

    def _button(self, name: str) -> QToolButton:
        made = QToolButton(self)
        made.setIconSize(_ICON)
        made.setFixedSize(_BUTTON)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        doing = "" if name == _MORE else name
        made.clicked.connect(lambda: self.chosen.emit(self.entry, doing))
        return made

    def _offer(self, button: QToolButton, offer: Offer | None) -> None:
        button.setHidden(offer is None)
        if offer is not None:
            button.setAccessibleName(offer.words)
            button.setToolTip(offer.why_not or offer.words)
            button.setEnabled(not offer.why_not)
