"""The clipboard lent to the assistant, whose tools run on other threads.

clipboard = WindowClipboard()            # made by `app`, handed to the tool
clipboard.attach(MainThread())           # on the main thread, once there is a QApplication
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QClipboard, QGuiApplication, QImage

from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.qt.main_thread import MainThread
from moltbot_desktop.sdk.clipboard import Copied

T = TypeVar("T")


class WindowClipboard:
    """Implements `sdk.clipboard.Clipboard`."""

    def __init__(self) -> None:
        self._main: MainThread | None = None

    def attach(self, main: MainThread) -> None:
        """There is a QApplication from now on."""
        self._main = main

    def read(self) -> Copied:
        return self._call(_read)

    def write(self, text: str) -> None:
        self._call(lambda: _clipboard().setText(text))

    def _call(self, work: Callable[[], T]) -> T:
        try:
            if self._main is not None:
                return self._main.call(work)
        except TimeoutError as error:
            raise ToolError("The window does not answer, so I cannot use the clipboard.") from error
        raise ToolError("There is no window yet; try again.")


def _clipboard() -> QClipboard:
    """Raises ToolError where the desktop keeps it from us."""
    wayland = QGuiApplication.platformName().startswith("wayland")
    if wayland and QGuiApplication.focusWindow() is None:
        raise ToolError(
            "On this desktop (Wayland) only the window in front may use the clipboard.",
            hint="Click on my window and ask again.",
        )
    return QGuiApplication.clipboard()


def _read() -> Copied:
    return _told(_clipboard().mimeData())


def _told(data: QMimeData | None) -> Copied:
    """None, against what Qt's types say, when it was emptied."""
    if data is None:
        return Copied()
    if data.hasUrls():
        files = tuple(url.toLocalFile() for url in data.urls() if url.isLocalFile())
        if files:
            return Copied(files=files)
    if data.hasText():
        return Copied(data.text())
    picture = data.imageData() if data.hasImage() else None
    if isinstance(picture, QImage):
        return Copied(picture=(picture.width(), picture.height()))
    return Copied()
