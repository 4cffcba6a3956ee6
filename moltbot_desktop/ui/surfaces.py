"""The rounded surfaces under messages, cards and code.

A QTextFrame's own background has square corners, so the view paints the surfaces itself before
the text; a frame says in its format which one it wants (`SURFACE_PROPERTY`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QPen,
    QTextFrame,
    QTextFrameFormat,
)

from moltbot_desktop.ui.document_writer import SURFACE_PROPERTY
from moltbot_desktop.ui.theme import Theme

_ROUNDED = ("user", "tool", "notice", "serious", "reminder", "code")
_BELOW_TEXT_PX = {"user": 6, "notice": 5, "serious": 5, "reminder": 5}
"""Qt adds a line's extra height below its text; taken off again, the text stands in the middle."""


def paint_surfaces(
    painter: QPainter,
    layout: QAbstractTextDocumentLayout,
    frames: Sequence[QTextFrame],
    shown: QRectF,
    theme: Theme,
) -> None:
    """Paint what lies under those of `frames` (in order, from the top) that `shown` touches.

    The others are not asked where they lie: each question gives up the interpreter's lock and waits
    for it again, and at the end of a long conversation beside a model that reads, 170 of them held
    the window for 8 ms.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    first = bisect_left(frames, shown.top(), key=lambda one: layout.frameBoundingRect(one).bottom())
    for frame in islice(frames, first, None):
        if layout.frameBoundingRect(frame).top() > shown.bottom():
            return
        _paint_frame(painter, layout, frame, theme)


def surface_rect(layout: QAbstractTextDocumentLayout, frame: QTextFrame) -> QRectF:
    """What the surface of `frame` covers in the document."""
    return _without_margins(layout.frameBoundingRect(frame), frame.frameFormat())


def paint_ring(
    painter: QPainter, layout: QAbstractTextDocumentLayout, frame: QTextFrame, theme: Theme
) -> None:
    """Show that the keyboard stands on `frame`, or that it is worked on."""
    painter.setPen(QPen(QColor(theme.accent), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(surface_rect(layout, frame).adjusted(-6, -5, 6, 2), 14, 14)


def _paint_frame(
    painter: QPainter, layout: QAbstractTextDocumentLayout, frame: QTextFrame, theme: Theme
) -> None:
    wanted = frame.frameFormat()
    surface = wanted.property(SURFACE_PROPERTY)
    rect = _without_margins(layout.frameBoundingRect(frame), wanted)
    if surface == "quote":
        bar = QRectF(rect.left() - 14, rect.top() + 2, 3, rect.height() - 10)
        painter.fillRect(bar, QColor(theme.line))
    elif surface in _ROUNDED:
        _paint_rounded(painter, rect, surface, theme)
    for child in frame.childFrames():
        _paint_frame(painter, layout, child, theme)


def _paint_rounded(painter: QPainter, rect: QRectF, surface: str, theme: Theme) -> None:
    bordered = surface in ("tool", "code")
    painter.setPen(QPen(QColor(theme.line)) if bordered else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(_fill(surface, theme)))
    radius = 14 if surface == "user" else 10
    below = _BELOW_TEXT_PX.get(surface, 0.5)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -below), radius, radius)


def _fill(surface: str, theme: Theme) -> str:
    return {
        "user": theme.bubble,
        "tool": theme.ground,
        "notice": theme.hover,
        "reminder": theme.warn_ground,
        "serious": theme.bad_ground,
        "code": theme.code_ground,
    }[surface]


def _without_margins(rect: QRectF, wanted: QTextFrameFormat) -> QRectF:
    return rect.adjusted(
        wanted.leftMargin(), wanted.topMargin(), -wanted.rightMargin(), -wanted.bottomMargin()
    )
