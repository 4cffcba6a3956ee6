"""Tab goes as one reads.

    in_reading_order([button, segments, search, rows, details])

Qt goes as things were made; what is made later, such as the details of a row, would come after
everything else of the window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QWidget


def in_reading_order(widgets: Sequence[QWidget]) -> None:
    """Tab goes through `widgets` in this order, and in each of them through what stands in it. All
    are in one window by now."""
    stops = [stop for one in widgets for stop in _stops(one)]
    for before, after in pairwise(stops):
        QWidget.setTabOrder(before, after)


def widgets_of(layout: QLayout) -> list[QWidget]:
    """Those that stand in it themselves, in its order."""
    items = map(layout.itemAt, range(layout.count()))
    found = (item.widget() for item in items if item is not None)
    return [one for one in found if one is not None]


def _stops(widget: QWidget) -> Iterator[QWidget]:
    """It and what is in it: also what only a click gives the keys to now, for of buttons that
    exclude each other Tab stops at the chosen one. A list that a box opens is a window itself."""
    window = widget.window()
    for one in (widget, *widget.findChildren(QWidget)):
        takes_keys = one.focusPolicy() != Qt.FocusPolicy.NoFocus and one.focusProxy() is None
        if takes_keys and one.window() is window:
            yield one
