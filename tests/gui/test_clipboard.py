"""The clipboard of the window, used from another thread as tools do."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.qt.main_thread import MainThread
from moltbot_desktop.sdk.clipboard import Copied
from moltbot_desktop.ui.clipboard import WindowClipboard

T = TypeVar("T")


def elsewhere(qtbot: QtBot, work: Callable[[], T]) -> T:
    """`work` on another thread, while the window goes on."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(work)
        qtbot.waitUntil(answer.done)
        return answer.result()


@pytest.fixture
def clipboard(qtbot: QtBot) -> WindowClipboard:
    made = WindowClipboard()
    made.attach(MainThread(QGuiApplication.instance()))
    return made


def test_a_text_is_written_and_read(qtbot: QtBot, clipboard: WindowClipboard) -> None:
    elsewhere(qtbot, lambda: clipboard.write("你好\nworld"))
    assert QGuiApplication.clipboard().text() == "你好\nworld"
    assert elsewhere(qtbot, clipboard.read) == Copied("你好\nworld")


def test_files_and_pictures_are_told_as_what_they_are(
    qtbot: QtBot, clipboard: WindowClipboard
) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/ada/a b.pdf"), QUrl("https://example.org")])
    QGuiApplication.clipboard().setMimeData(data)
    assert elsewhere(qtbot, clipboard.read) == Copied(files=("/home/ada/a b.pdf",))
    QGuiApplication.clipboard().setImage(QImage(7, 5, QImage.Format.Format_RGB32))
    assert elsewhere(qtbot, clipboard.read) == Copied(picture=(7, 5))
    QGuiApplication.clipboard().clear()
    assert elsewhere(qtbot, clipboard.read) == Copied()


def test_before_there_is_a_window_it_says_so() -> None:
    with pytest.raises(ToolError, match="no window yet"):
        WindowClipboard().read()
