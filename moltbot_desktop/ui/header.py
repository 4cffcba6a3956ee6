"""The top of the window: its name, the offline seal, and the buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import Theme

_ICON = QSize(18, 18)


class Header(QWidget):
    """Use:
    header = Header(icons, [inbox_button], [new_action, quit_action], side_button)
    header.new_button.clicked.connect(...)
    """

    def __init__(
        self,
        icons: Icons,
        more_buttons: Sequence[QToolButton],
        actions: Sequence[QAction],
        first: QToolButton,
    ) -> None:
        """`first` stands before the title."""
        super().__init__()
        self._icons = icons
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title = QLabel()
        self._title.setObjectName("header_title")
        self._seal = QLabel()
        self._seal.setObjectName("header_seal")
        self.new_button = QToolButton()
        self._menu_button = QToolButton()
        menu = QMenu(self)
        menu.addActions(actions)
        self._menu_button.setMenu(menu)
        self._menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 7, 10, 7)
        row.setSpacing(4)
        row.addWidget(first)
        row.addSpacing(4)
        row.addWidget(self._title)
        row.addSpacing(8)
        row.addWidget(self._seal)
        row.addStretch(1)
        for button in more_buttons:
            row.addWidget(button)
        for button in (self.new_button, self._menu_button):
            button.setIconSize(_ICON)
            row.addWidget(button)

    def set_offline(self, offline: bool) -> None:
        """Whether it may say that all stays on this computer."""
        self._seal.setHidden(not offline)

    def set_theme(self, theme: Theme) -> None:
        self.new_button.setIcon(self._icons.sign("new-chat", theme.text))
        self._menu_button.setIcon(self._icons.sign("menu", theme.text))

    def retranslate(self) -> None:
        self._title.setText(self.tr("Moltbot"))
        self._seal.setText(self.tr("offline · on this computer"))
        self.new_button.setToolTip(self.tr("New chat (Ctrl+N)"))
        self.new_button.setAccessibleName(self.tr("New chat"))
        self._menu_button.setAccessibleName(self.tr("Menu"))
