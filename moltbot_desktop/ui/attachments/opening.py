"""Before a file that came with a message is opened the person is asked.

FileQuestion(path, window).open()

Whoever made the file chose its name, and a program goes by its ending: only endings of what is
read, looked at or listened to are handed to the system. Of all others the folder can be shown.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

_OPENED = frozenset(
    """
    .txt .md .csv .tsv .json .log .pdf .png .jpg .jpeg .gif .webp .bmp .tif .tiff .heic .avif
    .odt .ods .odp .docx .xlsx .pptx .epub
    .mp3 .ogg .oga .opus .flac .wav .m4a .mp4 .m4v .mov .webm .mkv .avi
    """.split()
)


def may_be_opened(path: Path) -> bool:
    """Whether a file of this name is only read, looked at or listened to."""
    return path.suffix.casefold() in _OPENED


class FileQuestion(QMessageBox):
    """Asks, and opens the file or its folder after a yes."""

    def __init__(
        self,
        path: Path,
        parent: QWidget,
        open_address: Callable[[QUrl], object] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Open a file"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        opened = may_be_opened(path)
        self.setText(
            self.tr("Open this file outside Moltbot?")
            if opened
            else self.tr("This file might do something when it is opened. Show where it lies?")
        )
        self.setInformativeText(str(path))
        if opened:
            opens = self.addButton(self.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
            opens.clicked.connect(lambda: open_address(QUrl.fromLocalFile(str(path))))
        shows = self.addButton(self.tr("Show in its folder"), QMessageBox.ButtonRole.ActionRole)
        shows.clicked.connect(lambda: open_address(QUrl.fromLocalFile(str(path.parent))))
        self.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
