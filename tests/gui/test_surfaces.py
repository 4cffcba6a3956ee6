"""What is painted under the text of a conversation."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QImage,
    QPainter,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextFrameFormat,
)
from pytestqt.qtbot import QtBot

from moltbot_desktop.ui.document_writer import SURFACE_PROPERTY
from moltbot_desktop.ui.surfaces import paint_surfaces
from moltbot_desktop.ui.theme import LIGHT

MESSAGES, WIDTH, HEIGHT = 170, 300, 200


class Asked:
    """The layout of a document that counts how often it is asked where a frame lies."""

    def __init__(self, layout: QAbstractTextDocumentLayout) -> None:
        self._layout = layout
        self.times = 0

    def frameBoundingRect(self, frame: QTextFrame) -> QRectF:
        self.times += 1
        return self._layout.frameBoundingRect(frame)


def conversation() -> tuple[QTextDocument, list[QTextFrame]]:
    """A document of so many messages, and their frames."""
    document, frames = QTextDocument(), []
    document.setTextWidth(WIDTH)
    wanted = QTextFrameFormat()
    wanted.setMargin(3)
    wanted.setProperty(SURFACE_PROPERTY, "user")
    for number in range(MESSAGES):
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        frames.append(cursor.insertFrame(wanted))
        frames[-1].firstCursorPosition().insertText(f"message {number}\n" * (1 + number % 3))
    return document, frames


def painted(layout: object, frames: list[QTextFrame], shown: QRectF, top: float) -> QImage:
    """A picture of what stands from `top` on, `shown` being what is said to be in sight."""
    picture = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.white)
    painter = QPainter(picture)
    painter.translate(0, -top)
    paint_surfaces(painter, layout, frames, shown, LIGHT)  # type: ignore[arg-type]
    painter.end()
    return picture


@pytest.mark.parametrize("part", [0.0, 0.3, 0.5, 0.999, 1.0])
def test_of_a_long_conversation_only_what_is_in_sight_is_asked_for(
    qtbot: QtBot, part: float
) -> None:
    document, frames = conversation()
    real = document.documentLayout()
    top = part * (document.size().height() - HEIGHT)
    asked = Asked(real)
    seen = painted(asked, frames, QRectF(0, top, WIDTH, HEIGHT), top)
    assert seen == painted(real, frames, QRectF(0, 0, WIDTH, document.size().height()), top)
    colours = {seen.pixel(WIDTH // 2, y) for y in range(HEIGHT)}
    assert len(colours) > 1, "there is something in sight"
    assert asked.times < 50


def test_an_empty_conversation_has_nothing_to_paint(qtbot: QtBot) -> None:
    document = QTextDocument()
    seen = painted(document.documentLayout(), [], QRectF(0, 0, WIDTH, HEIGHT), 0)
    assert {seen.pixel(9, y) for y in range(HEIGHT)} == {0xFFFFFFFF}
