"""What the owner sees while the screen is used, and that no click of ours is taken for theirs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.qt.main_thread import MainThread
from moltbot_desktop.sdk.desktop import Box, ControlWords, Injections, ShownMark
from moltbot_desktop.ui.control import ScreenFace, on_screen
from moltbot_desktop.ui.lent_clipboard import LentClipboard

WORDS = ControlWords("Moltbot 正在使用你的屏幕", "Shift+Esc stops it", "Stop")
MARKS = (ShownMark(1, Box(20, 30, 60, 24)), ShownMark(12, Box(100, 30, 200, 120)))


class _Spontaneous(QEvent):
    def spontaneous(self) -> bool:
        return True


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 22, tzinfo=UTC))


@pytest.fixture
def face(qtbot: QtBot, clock: ManualClock) -> Iterator[ScreenFace]:
    face = ScreenFace(Injections(clock))
    main = MainThread()
    face.attach(main)
    yield face
    face.end()
    qtbot.waitUntil(lambda: not shown())


def shown() -> list[QWidget]:
    return [
        one
        for one in QApplication.topLevelWidgets()
        if one.isVisible() and type(one).__module__.endswith("ui.control")
    ]


def test_a_press_of_ours_answers_no_card(face: ScreenFace, clock: ManualClock) -> None:
    event = _Spontaneous(QEvent.Type.MouseButtonPress)
    assert face.is_owners(event)
    face.injections.note()
    assert not face.is_owners(event)
    clock.advance(0.5)
    assert not face.is_owners(event)
    clock.advance(0.2)
    assert face.is_owners(event)
    assert not face.is_owners(QEvent(QEvent.Type.MouseButtonPress))


def test_the_banner_stays_until_the_end_and_stops(qtbot: QtBot, face: ScreenFace) -> None:
    stopped: list[bool] = []
    face.begin(WORDS, lambda: stopped.append(True))
    (banner,) = shown()
    assert banner.accessibleName() == WORDS.title
    button = banner.findChild(QPushButton)
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert stopped == [True]
    face.end()
    qtbot.waitUntil(lambda: not shown())


def test_numbers_are_cut_to_what_is_drawn_and_let_clicks_through(face: ScreenFace) -> None:
    face.begin(WORDS, lambda: None)
    face.show_marks(MARKS)
    overlay = next(one for one in shown() if one.mask().rectCount())
    assert overlay.windowFlags() & Qt.WindowType.WindowTransparentForInput
    assert not overlay.mask().contains(QPoint(60, 45))  # inside a button
    assert overlay.mask().contains(QPoint(22, 32))  # its number
    assert overlay.mask().contains(QPoint(298, 32))  # of a field, on the right
    picture = QPixmap(overlay.size())
    overlay.render(picture)
    face.show_marks(())
    assert all(not one.mask().rectCount() for one in shown())


def test_no_number_lies_over_a_window_of_ours_that_came_to_the_front(face: ScreenFace) -> None:
    face.begin(WORDS, lambda: None)
    face.show_marks(MARKS)
    overlay = next(one for one in shown() if one.mask().rectCount())
    face.uncover(QRect(0, 0, 90, 500))
    assert not overlay.mask().contains(QPoint(22, 32))
    assert overlay.mask().contains(QPoint(298, 32))
    face.uncover(QRect(0, 0, 5_000, 5_000))
    assert not overlay.isVisible()


def test_any_thread_may_call_and_hears_when_there_is_no_window(
    face: ScreenFace, qtbot: QtBot
) -> None:
    done = threading.Event()

    def elsewhere() -> None:
        face.begin(WORDS, lambda: None)
        face.show_marks(MARKS)
        done.set()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    qtbot.waitUntil(done.is_set)
    thread.join()
    assert len(shown()) == 2
    with pytest.raises(ToolError):
        ScreenFace(face.injections).show_marks(MARKS)


def test_an_error_on_the_main_thread_comes_to_whoever_asked(qtbot: QtBot) -> None:
    main, caught = MainThread(), list[BaseException]()

    def elsewhere() -> None:
        try:
            main.call(lambda: 1 // 0)
        except ZeroDivisionError as error:
            caught.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    qtbot.waitUntil(lambda: bool(caught))
    thread.join()


def test_the_clipboard_is_given_back_in_all_its_forms(qtbot: QtBot) -> None:
    clipboard = QGuiApplication.clipboard()
    before = QMimeData()
    before.setText("kept")
    before.setHtml("<b>kept</b>")
    clipboard.setMimeData(before)
    lent = LentClipboard(clipboard, "你好")
    reads = lent.reads
    assert clipboard.text() == "你好"
    assert lent.reads > reads
    lent.give_back()
    assert clipboard.text() == "kept"
    assert clipboard.mimeData().html() == "<b>kept</b>"
    clipboard.clear()


def test_marks_lie_where_the_system_counts_them() -> None:
    """Pixels are scaled to Qt's measure; macOS gives points, which are it."""
    screen = SimpleNamespace(devicePixelRatio=lambda: 2.0, geometry=lambda: QRect(100, 0, 720, 450))
    box = Box(300, 40, 60, 24)
    assert on_screen(box, screen) == QRect(100, 20, 30, 12)  # type: ignore[arg-type]
    assert on_screen(box, screen, points=True) == QRect(200, 40, 60, 24)  # type: ignore[arg-type]
    assert on_screen(Box(900, 40, 60, 24), screen, points=True) is None  # type: ignore[arg-type]
