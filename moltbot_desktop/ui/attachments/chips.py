"""A file that is about to be sent: thumbnail or sign, name, size, a cross that takes it away."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from moltbot_desktop.ui.attachments.reading import Taken
from moltbot_desktop.ui.attachments.words import size_words
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.measures import HAIR, NOTE, SMALL, sized
from moltbot_desktop.ui.theme import Theme

CHIP_PX = 232
_PICTURE_PX = 36
_NAME_PX = 138
_SIGN = QSize(20, 20)
_CROSS = QSize(14, 14)


class RemoveButton(QToolButton):
    """The cross of a chip. Delete and Backspace do what a click does; the arrows go to others.

    Signals:
        stepped: to the chip before (-1) or behind (1).
    """

    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.click()
            case Qt.Key.Key_Left:
                self.stepped.emit(-1)
            case Qt.Key.Key_Right:
                self.stepped.emit(1)
            case _:
                super().keyPressEvent(event)


class Chip(QFrame):
    """Signals:
    removed: the person takes it away.
    """

    removed = Signal()

    def __init__(self, taken: Taken, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("attachment")
        self.setFixedWidth(CHIP_PX)
        self.taken = taken
        self._icons = icons
        self._sign = QLabel(self)
        self._sign.setFixedSize(_PICTURE_PX, _PICTURE_PX)
        self._sign.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._name = QLabel(self)
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._size = sized(QLabel(self), NOTE)
        self._size.setObjectName("attachment_size")
        self._size.setTextFormat(Qt.TextFormat.PlainText)
        self.cross = RemoveButton(self)
        self.cross.setIconSize(_CROSS)
        self.cross.clicked.connect(self.removed)
        self._lay_out()
        self._show()
        self.retranslate()

    def set_theme(self, theme: Theme) -> None:
        self.cross.setIcon(self._icons.sign("close", theme.muted))
        if self.taken.picture is None:
            self._sign.setPixmap(self._icons.sign("clip", theme.muted).pixmap(_SIGN))

    def retranslate(self) -> None:
        said = f"{self.taken.file.name}, {size_words(self.taken.size)}"
        self.setAccessibleName(said)
        self.setToolTip(said)
        self._size.setText(size_words(self.taken.size))
        self.cross.setAccessibleName(self.tr("Remove {file}").replace("{file}", said))
        self.cross.setToolTip(self.tr("Remove (Delete)"))

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(HAIR, HAIR, HAIR, HAIR)
        row.setSpacing(SMALL)
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self._name)
        column.addWidget(self._size)
        row.addWidget(self._sign)
        row.addLayout(column, 1)
        row.addWidget(self.cross, 0, Qt.AlignmentFlag.AlignVCenter)

    def _show(self) -> None:
        metrics = self._name.fontMetrics()
        name = metrics.elidedText(self.taken.file.name, Qt.TextElideMode.ElideMiddle, _NAME_PX)
        self._name.setText(name)
        if self.taken.picture is not None:
            ratio = self.devicePixelRatioF()
            picture = QPixmap.fromImage(self.taken.picture).scaled(
                QSize(_PICTURE_PX, _PICTURE_PX) * ratio,
                Qt.AspectRatioMode.KeepAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
            picture.setDevicePixelRatio(ratio)
            self._sign.setPixmap(picture)
