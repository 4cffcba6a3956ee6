"""The rows of a form, or of one part of it.

    view = FormView(asking)
    view.show_node(node, advanced=False, only=None)

As long as the same fields are to be seen, an edit changes what stands in the rows and makes no new
ones, so that focus and caret stay where they are. A row costs a millisecond or two, and a page may
have hundreds: what fits on a screen is made at once, the rest in slices between which the window
answers; of a page with very many, such as a channel's with hundreds of accounts, what lies far
below is made when somebody comes near it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QTimer, Signal, Slot
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from moltbot_desktop.sdk.forms import FieldKind, FieldPlace, FormNode
from moltbot_desktop.ui.settings.editing import Asking
from moltbot_desktop.ui.settings.rows import FieldRow, row_key

_INSIDE = (FieldKind.GROUP, FieldKind.MAP)
_AT_ONCE = 16
_IN_A_SLICE = 8
_UNSEEN = 160
"""Rows that are made before anybody scrolls to them."""
_AHEAD_PX = 2_000


@dataclass(frozen=True)
class Shown:
    """A node as it is shown; `depth` in levels, `heading` stands above it."""

    node: FormNode
    depth: int
    named: bool = True
    heading: str = ""


class FormView(QWidget):
    """A column of rows.

    Signals:
        rebuilt: its rows are new ones, as many of them as are made for now.
    """

    rebuilt = Signal()

    def __init__(self, asking: Asking) -> None:
        super().__init__()
        self._asking = asking
        self.rows: list[FieldRow] = []
        self._keys: list[object] = []
        self._found: list[Shown] = []
        self._focused: FieldPlace | None = None
        self._entry = ""
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._make_slice)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(4, 0, 14, 12)
        self._column.setSpacing(2)
        self._column.addStretch(1)

    def show_node(
        self, node: FormNode, *, advanced: bool, only: frozenset[FieldPlace] | None
    ) -> None:
        """Show what is in `node`; `only` are the places that a search has found."""
        found = list(_shown(node, 0, advanced=advanced, only=only))
        keys: list[object] = [
            (row_key(one.node), one.depth, one.named, one.heading, self._entry) for one in found
        ]
        same, self._keys, self._found = keys == self._keys, keys, found
        if not same:
            self._build()
            return
        for row, one in zip(self.rows, found, strict=False):  # the rest is still to be made
            row.show_node(one.node)

    def set_entry(self, entry: str) -> None:
        """What one more entry of the form itself is; "" where that needs no word."""
        self._entry = entry

    def clear(self) -> None:
        """Show nothing."""
        self._keys, self._found = [], []
        self._build()

    def finish(self) -> None:
        """Make the rows that are still to be made."""
        if len(self.rows) < len(self._found):
            self._make(len(self._found))

    def row(self, place: FieldPlace) -> FieldRow | None:
        """The row of a place; of an alternative the one that chooses."""
        return next((row for row in self.rows if row.node.place == place), None)

    def settle(self) -> None:
        """Take over what was typed a moment ago."""
        for row in tuple(self.rows):
            if row.editor is not None:
                row.editor.settle()

    def _build(self) -> None:
        self._focused = next((row.node.place for row in self.rows if _has_focus(row)), None)
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = []
        self._column.addStretch(1)
        self._make(_AT_ONCE)
        if len(self.rows) < len(self._found):
            self._slices.start()

    @Slot()
    def _make_slice(self) -> None:
        if len(self.rows) < _UNSEEN or self._near_end(self.visibleRegion().boundingRect()):
            self._make(_IN_A_SLICE)
        else:
            self._slices.stop()
            self.rebuilt.emit()

    def _near_end(self, seen: QRect) -> bool:
        return not seen.isEmpty() and seen.bottom() >= self.height() - _AHEAD_PX

    def paintEvent(self, event: QPaintEvent) -> None:
        """What comes into view may be near the rows that are still to be made."""
        super().paintEvent(event)
        if len(self.rows) < len(self._found) and self._near_end(event.rect()):
            self._slices.start()

    def _make(self, count: int) -> None:
        """The next rows, above the stretch at the end."""
        made = len(self.rows)
        self._column.setEnabled(False)  # or each row would have all be laid out
        for one in self._found[len(self.rows) :][:count]:
            if one.heading:
                heading = QLabel(one.heading)
                heading.setObjectName("field_heading")
                self._column.insertWidget(self._column.count() - 1, heading)
            entry = "" if one.node.place else self._entry
            row = FieldRow(one.node, one.depth, self._asking, named=one.named, entry=entry)
            self.rows.append(row)
            self._column.insertWidget(self._column.count() - 1, row)
            if one.node.place == self._focused:
                self._focused = None
                row.take_focus()
        # At once, so that rows are never seen squeezed into the height of fewer.
        for row in self.rows[made:]:
            row.show()
        self._column.setEnabled(True)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        if len(self.rows) == len(self._found):
            self._slices.stop()
            self.rebuilt.emit()


def _has_focus(row: FieldRow) -> bool:
    focus = row.window().focusWidget()
    return focus is not None and row.isAncestorOf(focus)


def _shown(
    node: FormNode, depth: int, *, advanced: bool, only: frozenset[FieldPlace] | None
) -> Iterator[Shown]:
    """The rows of what is in a group; the group itself has one only where it is one of several."""
    if node.kind not in _INSIDE or node.named or node.problems:
        yield Shown(node, depth)
    yield from _inside(node, depth, advanced=advanced, only=only)


def _inside(
    node: FormNode, depth: int, *, advanced: bool, only: frozenset[FieldPlace] | None
) -> Iterator[Shown]:
    heading = ""
    for child in _by_heading(node.children):
        if only is not None and child.place not in only:
            continue
        if only is None and child.advanced and not advanced and not _needs_eyes(child):
            continue
        new = child.heading if child.heading != heading else ""
        heading = child.heading
        chosen = node.kind is FieldKind.VARIANT  # the row above has its name
        if not (chosen and child.kind in _INSIDE and not child.named):
            yield Shown(child, depth, named=not chosen, heading=new)
        step = 0 if chosen else 1
        yield from _inside(child, depth + step, advanced=advanced, only=only)


def _by_heading(nodes: tuple[FormNode, ...]) -> list[FormNode]:
    """Fields of one heading together, headings in the order in which they first appear."""
    order = list(dict.fromkeys(node.heading for node in nodes))
    return sorted(nodes, key=lambda node: order.index(node.heading))


def _needs_eyes(node: FormNode) -> bool:
    """An advanced field is shown all the same when it was set or is wrong."""
    return node.written or bool(node.problems) or any(map(_needs_eyes, node.children))
