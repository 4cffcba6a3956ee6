"""A list of rows, each with a title, a line below it, and a word at its right end.

    rows = Rows(words_for_screen_readers)
    rows.show_rows((Row("a", "Call Anna", "Friday at 14:30", "due", Tone.BAD), ...))
    rows.chosen.connect(...)           # its id

Thousands of rows cost no more than those that are seen. What was chosen stays chosen while it is
there, and the list stays where it was scrolled to, whenever it is shown anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.ui.theme import LIGHT, Theme

_PAD_X, _PAD_Y, _BETWEEN = 12, 8, 2
_SMALL = 0.88
_ROW = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Row:
    """One line of a list.

    Attributes:
        id: unique in its list, and the same for the same thing.
        badge: a word at the right end, in the colour of `tone`; it never stands for itself alone.
        faded: it is not in use now.
        heading: it stands above a group and cannot be chosen.
    """

    id: str
    title: str
    detail: str = ""
    badge: str = ""
    tone: Tone = Tone.PLAIN
    faded: bool = False
    heading: bool = False

    @property
    def spoken(self) -> str:
        """All of it, for screen readers."""
        return ", ".join(filter(None, (self.title, self.badge, self.detail)))


_Index = QModelIndex | QPersistentModelIndex


class RowsModel(QAbstractListModel):
    """Rows for a view."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        if index.isValid() and self.rows[index.row()].heading:
            return Qt.ItemFlag.ItemNeverHasChildren
        return super().flags(index)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case Qt.ItemDataRole.ToolTipRole:
                return f"{row.title}\n{row.detail}".strip()
            case _:
                return row if role == _ROW else None


class RowPainter(QStyledItemDelegate):
    """Draws a row in the colours of the theme."""

    theme: Theme = LIGHT

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        row: Row = index.data(_ROW)
        if row.heading:
            return QSize(120, QFontMetrics(_smaller(option.font)).height() + _PAD_Y + 2 * _BETWEEN)
        height = QFontMetrics(option.font).height() + 2 * _PAD_Y
        if row.detail:
            height += _BETWEEN + QFontMetrics(_smaller(option.font)).height()
        return QSize(120, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row: Row = index.data(_ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.heading:
            self._paint_heading(painter, option, row)
            painter.restore()
            return
        self._paint_ground(painter, option)
        area = option.rect.adjusted(_PAD_X, _PAD_Y, -_PAD_X, -_PAD_Y)
        small = _smaller(option.font)
        beside = QRect(area)  # the badge stands in the title's line alone
        if row.badge:
            beside.setRight(self._paint_badge(painter, row, area, small) - _PAD_X)
        theme = self.theme
        painter.setFont(option.font)
        painter.setPen(QColor(theme.muted if row.faded else theme.text))
        metrics = QFontMetrics(option.font)
        _line(painter, metrics, beside, row.title)
        if row.detail:
            painter.setFont(small)
            painter.setPen(QColor(theme.muted))
            area.setTop(area.top() + metrics.height() + _BETWEEN)
            _line(painter, QFontMetrics(small), area, row.detail)
        painter.restore()

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, row: Row) -> None:
        font = _smaller(option.font)
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(self.theme.muted))
        area = option.rect.adjusted(_PAD_X, _PAD_Y, -_PAD_X, 0)
        _line(painter, QFontMetrics(font), area, row.title)

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        state = QStyle.StateFlag
        chosen, under = option.state & state.State_Selected, option.state & state.State_MouseOver
        if chosen or under:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self.theme.chosen if chosen else self.theme.hover))
            painter.drawRoundedRect(option.rect.adjusted(1, 1, -1, -1), 8, 8)
        if option.state & state.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(self.theme.accent))
            painter.drawRoundedRect(option.rect.adjusted(1, 1, -2, -2), 8, 8)

    def _paint_badge(self, painter: QPainter, row: Row, area: QRect, font: QFont) -> int:
        """Returns where it begins."""
        theme = self.theme
        colours = {Tone.PLAIN: theme.muted, Tone.GOOD: theme.good, Tone.BAD: theme.bad}
        metrics = QFontMetrics(font)
        width = min(metrics.horizontalAdvance(row.badge), area.width() // 2)
        place = QRect(area.right() - width, area.top(), width + 1, metrics.height())
        painter.setFont(font)
        painter.setPen(QColor(colours[row.tone]))
        _line(painter, metrics, place, row.badge)
        return place.left()


class Rows(QListView):
    """Signals:
    chosen: the row that the person stands on (its id), "" for none.
    opened: Enter or a double click on it.
    """

    chosen = Signal(str)
    opened = Signal(str)

    def __init__(self, spoken: str) -> None:
        super().__init__()
        self.setObjectName("rows")
        self.setAccessibleName(spoken)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._model, self._painter = RowsModel(self), RowPainter(self)
        self.setModel(self._model)
        self.setItemDelegate(self._painter)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.activated.connect(self._on_opened)

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._model.rows

    @property
    def current(self) -> str:
        """The id of the chosen row, "" for none."""
        index = self.currentIndex()
        return self.rows[index.row()].id if index.isValid() else ""

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these. What was chosen stays so; where it is gone, its neighbour is chosen."""
        if tuple(rows) == self.rows:
            return
        chosen, at = self.current, self.currentIndex().row()
        scrolled = self.verticalScrollBar().value()
        self.selectionModel().blockSignals(True)
        self._model.show_rows(rows)
        self.selectionModel().blockSignals(False)
        ids = [one.id for one in rows]
        if chosen in ids:
            self.choose(chosen)
        elif chosen and ids:
            self.choose(ids[min(at, len(ids) - 1)])
        elif chosen:
            self.chosen.emit("")
        self.verticalScrollBar().setValue(scrolled)

    def choose(self, row: str) -> None:
        """Stand on this one, if it is there, where it can be seen."""
        found = next((at for at, one in enumerate(self.rows) if one.id == row), None)
        if found is not None:
            self.setCurrentIndex(self._model.index(found, 0))
            self.scrollTo(self.currentIndex())  # it may be the current one already, out of sight

    def set_theme(self, theme: Theme) -> None:
        self._painter.theme = theme
        self.viewport().update()

    @Slot(QModelIndex)
    def _on_current(self, index: QModelIndex) -> None:
        self.chosen.emit(self.rows[index.row()].id if index.isValid() else "")

    @Slot(QModelIndex)
    def _on_opened(self, index: QModelIndex) -> None:
        self.opened.emit(self.rows[index.row()].id)


def _smaller(font: QFont) -> QFont:
    made = QFont(font)
    made.setPointSizeF(font.pointSizeF() * _SMALL)
    return made


def _line(painter: QPainter, metrics: QFontMetrics, area: QRect, text: str) -> None:
    shown = metrics.elidedText(
        text.replace("\n", " "), Qt.TextElideMode.ElideRight, area.width() + 1
    )
    place = QRect(area.left(), area.top(), area.width() + 1, metrics.height())
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
