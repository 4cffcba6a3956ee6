"""How large the conversation is written: Ctrl and +, - or 0; kept over a restart.

zoom = Zoom(settings, self)
zoom.changed.connect(...)       # zoom.share: 1.0 as the system's text
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtGui import QAction, QKeySequence

_KEPT = "window/zoom"
_STEPS = (70, 80, 90, 100, 110, 125, 150, 175, 200, 250)
_WHOLE = 100


class Zoom(QObject):
    """Signals:
    changed: `share` is another one.
    """

    changed = Signal()

    def __init__(self, settings: QSettings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._percent = _known(settings.value(_KEPT))
        self.larger, self.smaller, self.whole = QAction(self), QAction(self), QAction(self)
        self.larger.setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
        self.smaller.setShortcut(QKeySequence("Ctrl+-"))
        self.whole.setShortcut(QKeySequence("Ctrl+0"))
        self.larger.triggered.connect(lambda: self._step(1))
        self.smaller.triggered.connect(lambda: self._step(-1))
        self.whole.triggered.connect(lambda: self._set(_WHOLE))

    @property
    def share(self) -> float:
        """Of the usual size."""
        return self._percent / 100

    @property
    def actions(self) -> list[QAction]:
        return [self.larger, self.smaller, self.whole]

    def retranslate(self) -> None:
        self.larger.setText(self.tr("Larger text"))
        self.smaller.setText(self.tr("Smaller text"))
        self.whole.setText(self.tr("Usual size of text"))

    def _step(self, by: int) -> None:
        place = _STEPS.index(self._percent) + by
        self._set(_STEPS[max(0, min(place, len(_STEPS) - 1))])

    def _set(self, percent: int) -> None:
        if percent != self._percent:
            self._percent = percent
            self._settings.setValue(_KEPT, percent)
            self.changed.emit()


def _known(kept: object) -> int:
    """One of the steps, whatever stands in the file."""
    number = int(kept) if isinstance(kept, int | str) and str(kept).isdecimal() else _WHOLE
    return number if number in _STEPS else _WHOLE
