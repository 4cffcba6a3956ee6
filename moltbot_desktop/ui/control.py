"""What the owner sees while the assistant uses the screen: a banner, and the numbers it goes by.

    face = ScreenFace(Injections(clock)) # made by `app`, handed to the tool
    face.attach(MainThread())            # on the main thread, once there is a QApplication

Clicks go through the numbers; their window is cut to what is drawn, because not every desktop can
show windows that are half there. The banner never takes the keys away from the program in use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QRegion,
    QScreen,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.qt.main_thread import MainThread
from moltbot_desktop.sdk.desktop import Box, ControlWords, Injections, ShownMark
from moltbot_desktop.ui.lent_clipboard import LentClipboard
from moltbot_desktop.ui.real_press import from_window_system

T = TypeVar("T")

_INK = QColor("#1c1400")
_LABEL = QColor("#ffc83d")
_FRAME = 1
_FONT_PX = 11
_PADDING = 3
_BANNER_TOP = 12
_TALL = 3
_ABOVE_ALL = (
    Qt.WindowType.FramelessWindowHint
    | Qt.WindowType.WindowStaysOnTopHint
    | Qt.WindowType.BypassWindowManagerHint
    | Qt.WindowType.WindowDoesNotAcceptFocus
)


class ScreenFace:
    """Implements `sdk.desktop.ControlFace`; every method may be called from any thread."""

    def __init__(self, injections: Injections) -> None:
        self._injections = injections
        self._main: MainThread | None = None
        self._banner: _Banner | None = None
        self._overlays: list[_Overlay] = []
        self._lent: LentClipboard | None = None

    @property
    def injections(self) -> Injections:
        return self._injections

    def attach(self, main: MainThread) -> None:
        """There are windows from now on."""
        self._main = main

    @property
    def in_use(self) -> bool:
        """Whether the screen is used now; on the main thread."""
        return self._banner is not None

    def uncover(self, area: QRect) -> None:
        """No numbers over `area`, where a window of ours has come to the front; main thread."""
        for overlay in self._overlays:
            overlay.uncover(area)

    def is_owners(self, event: QEvent) -> bool:
        """Whether a person's device made `event`: what the assistant presses itself comes over the
        window system too, and answers no card."""
        return from_window_system(event) and not self._injections.recent()

    def begin(self, words: ControlWords, stop: Callable[[], None]) -> None:
        self._call(lambda: self._begin(words, stop))

    def show_marks(self, marks: Sequence[ShownMark]) -> None:
        self._call(lambda: self._show_marks(marks))

    def end(self) -> None:
        if self._main is not None:
            self._main.post(self._end)

    def lend_clipboard(self, text: str) -> None:
        self._call(lambda: self._lend(text))

    def clipboard_reads(self) -> int:
        return self._call(lambda: self._lent.reads if self._lent is not None else 0)

    def restore_clipboard(self) -> None:
        self._call(self._restore)

    def _call(self, work: Callable[[], T]) -> T:
        try:
            if self._main is not None:
                return self._main.call(work)
        except TimeoutError as error:
            raise ToolError("The window does not answer, so I leave the screen alone.") from error
        raise ToolError("There is no window yet; try again.")

    # ------------------------------------------------------------------ on the main thread

    def _begin(self, words: ControlWords, stop: Callable[[], None]) -> None:
        self._end()
        self._banner = _Banner(words, stop)
        self._banner.show_on(QGuiApplication.primaryScreen())

    def _show_marks(self, marks: Sequence[ShownMark]) -> None:
        self._take_away_marks()
        for screen in QGuiApplication.screens():
            points = QGuiApplication.platformName() == "cocoa"
            here = [(mark.number, on_screen(mark.box, screen, points=points)) for mark in marks]
            here = [(number, box) for number, box in here if box is not None]
            if here:
                overlay = _Overlay(screen, [(n, box) for n, box in here if box is not None])
                overlay.show()
                self._overlays.append(overlay)
        if self._banner is not None:
            self._banner.raise_()

    def _take_away_marks(self) -> None:
        for overlay in self._overlays:
            overlay.close()
            overlay.deleteLater()
        self._overlays.clear()

    def _end(self) -> None:
        self._restore()
        self._take_away_marks()
        if self._banner is not None:
            self._banner.close()
            self._banner.deleteLater()
            self._banner = None

    def _lend(self, text: str) -> None:
        self._restore()
        self._lent = LentClipboard(QGuiApplication.clipboard(), text)

    def _restore(self) -> None:
        if self._lent is not None:
            self._lent.give_back()
            self._lent = None


def on_screen(box: Box, screen: QScreen, *, points: bool = False) -> QRect | None:
    """`box`, of the desktop, in the measure of `screen`; None when it is on another.

    Qt keeps a screen's origin in pixels and scales what lies on it; macOS (`points`) counts in Qt's
    own measure from the start.
    """
    scale, area = 1.0 if points else screen.devicePixelRatio(), screen.geometry()
    left, top = (box.x - area.x()) / scale, (box.y - area.y()) / scale
    rect = QRect(round(left), round(top), round(box.width / scale), round(box.height / scale))
    return rect if QRect(QPoint(0, 0), area.size()).contains(rect.center()) else None


class _Overlay(QWidget):
    """The numbers on one screen. No click, key or pointer ever meets it."""

    def __init__(self, screen: QScreen, marks: Sequence[tuple[int, QRect]]) -> None:
        super().__init__(None, _ABOVE_ALL | Qt.WindowType.WindowTransparentForInput)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(screen.geometry())
        self._font = QFont(self.font())
        self._font.setPixelSize(_FONT_PX)
        self._font.setBold(True)
        self._marks = [(number, box, self._label(number, box)) for number, box in marks]
        mask = QRegion()
        for _, box, label in self._marks:
            inner = box.adjusted(_FRAME, _FRAME, -_FRAME, -_FRAME)
            mask += QRegion(box) - QRegion(inner)
            mask += QRegion(label)
        self.setMask(mask)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        painter.fillRect(self.rect(), _LABEL)
        painter.setPen(_INK)
        for number, _, label in self._marks:
            painter.fillRect(label, _LABEL)
            painter.drawRect(label.adjusted(0, 0, -1, -1))
            painter.drawText(label, Qt.AlignmentFlag.AlignCenter, str(number))

    def uncover(self, area: QRect) -> None:
        left = self.mask() - QRegion(area.translated(-self.geometry().topLeft()))
        if left.isEmpty():
            self.hide()  # a window without a mask would be there as a whole
        else:
            self.setMask(left)

    def _label(self, number: int, box: QRect) -> QRect:
        """In a corner: the left one of a button, the right one of a field, whose text begins on
        the left."""
        metrics = QFontMetrics(self._font)
        size = QSize(metrics.horizontalAdvance(str(number)) + 2 * _PADDING, metrics.height())
        label = QRect(box.topLeft(), size)
        if box.height() > _TALL * size.height():
            label.moveRight(box.right())
        return label


class _Banner(QWidget):
    """Says that the screen is used, and how to end that."""

    def __init__(self, words: ControlWords, stop: Callable[[], None]) -> None:
        super().__init__(None, _ABOVE_ALL)
        self.setObjectName("control_banner")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(words.title)
        self.setWindowTitle(words.title)
        self.setStyleSheet(
            f"#control_banner {{ background: {_LABEL.name()}; border: 1px solid {_INK.name()}; }}"
            f"#control_banner QLabel {{ color: {_INK.name()}; background: transparent; }}"
            f"#control_banner QPushButton {{ color: {_INK.name()}; background: transparent;"
            f" border: 1px solid {_INK.name()}; border-radius: 6px; padding: 5px 14px; }}"
        )
        title, how = QLabel(words.title, self), QLabel(words.how_to_stop, self)
        bold = QFont(title.font())
        bold.setBold(True)
        title.setFont(bold)
        self.stop = QPushButton(words.stop, self)
        self.stop.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stop.clicked.connect(stop)
        texts = QVBoxLayout()
        texts.setSpacing(1)
        texts.addWidget(title)
        texts.addWidget(how)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 10, 8)
        row.setSpacing(16)
        row.addLayout(texts)
        row.addWidget(self.stop)

    def show_on(self, screen: QScreen) -> None:
        """At the top, in the middle."""
        self.adjustSize()
        area = screen.availableGeometry()
        self.move(area.center().x() - self.width() // 2, area.top() + _BANNER_TOP)
        self.show()
