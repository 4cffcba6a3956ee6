"""The rail on the left of the window: where a person can go, where they are, and what waits there.

    rail = Rail(icons, specs)
    rail.chosen.connect(window.go)     # a PlaceId
    rail.set_badge(MEMORY, 3)

Each place is a button with an icon and a word. In a low or narrow window the words go and stay as
tool tips. Up and Down move between the places, Ctrl+1 to Ctrl+9 go to them (see `MainWindow`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.place import PlaceId, PlaceSpec
from moltbot_desktop.ui.theme import Theme

_WIDE, _NARROW = 84, 52
_ICON = QSize(22, 22)
_TALL_PX, _LOW_PX = 54, 38
_BADGE_PX = 16
_MOST_SHOWN = 9


class Rail(QWidget):
    """Signals:
    chosen: the person wants to go to this place (a `PlaceId`).
    """

    chosen = Signal(str)

    def __init__(self, icons: Icons, specs: Sequence[PlaceSpec]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icons, self._specs = icons, tuple(specs)
        self._narrow_window = False
        self.buttons = {one.id: RailButton() for one in specs}
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 8)
        column.setSpacing(2)
        parted = False
        for spec in specs:
            button = self.buttons[spec.id]
            if spec.below and not parted:
                column.addStretch(1)
                parted = True
            button.clicked.connect(partial(self._pressed, spec.id))
            button.installEventFilter(self)
            column.addWidget(button)
        if not parted:
            column.addStretch(1)
        self.setAccessibleName(self.tr("Places"))
        self.retranslate()

    def set_here(self, place: PlaceId) -> None:
        """Mark where the person is."""
        for name, button in self.buttons.items():
            button.setChecked(name == place)

    def set_badge(self, place: PlaceId, count: int) -> None:
        """`count` things wait at `place`."""
        self.buttons[place].count = count
        self._name(place)

    def set_theme(self, theme: Theme) -> None:
        for spec in self._specs:
            button = self.buttons[spec.id]
            button.setIcon(self._icons.sign(spec.icon, theme.text))
            button.badge_ground, button.badge_text = QColor(theme.accent), QColor(theme.on_accent)

    def set_narrow_window(self, narrow: bool) -> None:
        """There is little room beside the rail."""
        self._narrow_window = narrow
        self._fit()

    def retranslate(self) -> None:
        for spec in self._specs:
            self.buttons[spec.id].setText(spec.title())
            self.buttons[spec.id].setToolTip(spec.title())
            self._name(spec.id)

    def _name(self, place: PlaceId) -> None:
        button = self.buttons[place]
        waiting = self.tr("{place}, {count} waiting")
        name = waiting.replace("{place}", button.text()).replace("{count}", str(button.count))
        button.setAccessibleName(name if button.count else button.text())
        button.update()

    def _pressed(self, place: PlaceId, checked: bool = False) -> None:
        self.chosen.emit(place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down go from place to place."""
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            buttons = [*self.buttons.values()]
            key = Qt.Key(event.key())
            if key in steps and isinstance(watched, RailButton):
                at = buttons.index(watched) + steps[key]
                buttons[at % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        low = self.height() < len(self.buttons) * (_TALL_PX + 2) + 16
        bare = low or self._narrow_window
        self.setFixedWidth(_NARROW if bare else _WIDE)
        for button in self.buttons.values():
            button.set_bare(bare)


class RailButton(QToolButton):
    """A place's button, with the number of what waits there over its icon.

    Attributes:
        count: of what waits, 0 for nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.badge_ground, self.badge_text = QColor("#0f6e66"), QColor("#ffffff")
        self.setObjectName("rail_button")
        self.setCheckable(True)
        self.setIconSize(_ICON)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_bare(False)

    def nextCheckState(self) -> None:
        """Being here is not the button's to say: `Rail.set_here` does."""

    def set_bare(self, bare: bool) -> None:
        style = Qt.ToolButtonStyle
        self.setToolButtonStyle(style.ToolButtonIconOnly if bare else style.ToolButtonTextUnderIcon)
        self.setFixedHeight(_LOW_PX if bare else _TALL_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.count:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.badge_ground)
        font = painter.font()
        font.setPixelSize(10)
        font.setBold(True)
        painter.setFont(font)
        shown = str(self.count) if self.count <= _MOST_SHOWN else f"{_MOST_SHOWN}+"
        wide = painter.fontMetrics().horizontalAdvance(shown) + _BADGE_PX // 2
        place = QRect(self.width() // 2 + 4, 3, max(_BADGE_PX, wide), _BADGE_PX)
        painter.drawRoundedRect(place, _BADGE_PX / 2, _BADGE_PX / 2)
        painter.setPen(self.badge_text)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)
