"""Before an address of an answer is opened the person sees where it really leads.

if may_be_opened(url):
    LinkQuestion(url, window).open()
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

_OPENED_SCHEMES = ("http", "https", "mailto")


def may_be_opened(url: QUrl) -> bool:
    """Whether it is a web or mail address: nothing else is handed to the system."""
    return url.scheme().lower() in _OPENED_SCHEMES


class LinkQuestion(QMessageBox):
    """Asks, and opens the address after a yes."""

    def __init__(self, url: QUrl, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Open a link"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(self.tr("Open this address outside Moltbot?"))
        self.setInformativeText(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
        opens = self.addButton(self.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
        self.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        opens.clicked.connect(lambda: QDesktopServices.openUrl(url))
