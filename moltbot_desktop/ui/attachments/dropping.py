"""Files that are dragged onto the conversation or pasted into the field.

    drops = Drops(page, can_take, icons)
    drops.paths_given.connect(row.add_paths)       # while files are over `page` it says so

What is dragged or copied is looked at only when it is dropped or pasted.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QImage
from PySide6.QtWidgets import QLabel, QWidget

_EDGE_PX = 12


def paths_in(source: QMimeData) -> tuple[Path, ...]:
    """The files of this computer in what is dragged or was copied."""
    return tuple(Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile())


def picture_in(source: QMimeData) -> QImage | None:
    """A copied picture; None where there are words, which a picture only shows once more."""
    if source.hasImage() and not source.text().strip():
        picture = source.imageData()
        if isinstance(picture, QImage) and not picture.isNull():
            return picture
    return None


class Drops(QObject):
    """Lets files be dropped anywhere on `page`.

    Signals:
        paths_given: a tuple of paths was dropped.
        picture_given: a picture was.
    """

    paths_given = Signal(tuple)
    picture_given = Signal(QImage)

    def __init__(self, page: QWidget, can_take: Callable[[], bool]) -> None:
        super().__init__(page)
        self._page, self._can_take = page, can_take
        self.hint = QLabel(page)
        self.hint.setObjectName("drop_hint")
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.hide()
        page.setAcceptDrops(True)
        page.installEventFilter(self)
        self.retranslate()

    def retranslate(self) -> None:
        self.hint.setText(self.tr("Drop here: it comes along with your message"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.DragEnter | QEvent.Type.DragMove:
                assert isinstance(event, QDragMoveEvent)
                return self._over(event)
            case QEvent.Type.DragLeave:
                self.hint.hide()
            case QEvent.Type.Drop:
                assert isinstance(event, QDropEvent)
                return self._dropped(event)
        return super().eventFilter(watched, event)

    def _over(self, event: QDragMoveEvent) -> bool:
        if not self._wanted(event.mimeData()):
            event.ignore()
            return True
        edge = _EDGE_PX
        self.hint.setGeometry(self._page.rect().adjusted(edge, edge, -edge, -edge))
        self.hint.show()
        self.hint.raise_()
        event.setDropAction(Qt.DropAction.CopyAction)  # the file stays where it is
        event.accept()
        return True

    def _dropped(self, event: QDropEvent) -> bool:
        self.hint.hide()
        source = event.mimeData()
        if not self._wanted(source):
            event.ignore()
            return True
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if paths := paths_in(source):
            self.paths_given.emit(paths)
        elif (picture := picture_in(source)) is not None:
            self.picture_given.emit(picture)
        return True

    def _wanted(self, source: QMimeData) -> bool:
        files = any(url.isLocalFile() for url in source.urls())
        return self._can_take() and (files or (source.hasImage() and not source.hasUrls()))
