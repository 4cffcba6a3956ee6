"""The list of pages, on the left of the settings.

    tree = PagesTree("Pages")
    tree.show_lines(outline(...), "general", "memory")      # and the chosen one
    tree.chosen.connect(lambda page, part: ...)             # the person chose another

What is folded stays so until it is unfolded: by a click on its line, Enter, or the right arrow.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from moltbot_desktop.ui.settings.parts import Line

_PAGE = Qt.ItemDataRole.UserRole
_PART = Qt.ItemDataRole.UserRole + 1


class PagesTree(QTreeWidget):
    """Lines, each of a page or of a part of one.

    Signals:
        chosen: a page, and a part of it or "".
    """

    chosen = Signal(str, str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name`: what screen readers are told."""
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setAccessibleName(name)
        self.setExpandsOnDoubleClick(False)
        self._unfolded: set[str] = set()
        self._lines: Sequence[Line] = ()
        self.currentItemChanged.connect(self._on_current)
        self.itemExpanded.connect(self._on_unfolded)
        self.itemCollapsed.connect(self._on_folded)
        self.itemClicked.connect(self._turn)

    def show_lines(self, lines: Sequence[Line], page: str, part: str) -> None:
        """These lines, the one of `part` chosen, or of its page where it has none."""
        with QSignalBlocker(self):
            if lines != self._lines:
                self._lines = lines
                self.clear()
                for line in lines:
                    self._add(self, line)
            found = self._item(page, part) or self._item(page, "")
            if found is None:
                self.setCurrentIndex(QModelIndex())
                return
            self.setCurrentItem(found)
            if (above := found.parent()) is not None:
                above.setExpanded(True)

    def line(self, title: str) -> QTreeWidgetItem | None:
        """The line that says `title`, wherever it is."""
        exact = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive
        return next(iter(self.findItems(title, exact)), None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if item is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._turn(item)
        else:
            super().keyPressEvent(event)

    def _add(self, above: QTreeWidget | QTreeWidgetItem, line: Line) -> None:
        item = QTreeWidgetItem(above, [line.title])
        item.setData(0, _PAGE, line.page)
        item.setData(0, _PART, line.part)
        for one in line.below:
            self._add(item, one)
        item.setExpanded(not line.folded or line.part in self._unfolded)

    def _item(self, page: str, part: str) -> QTreeWidgetItem | None:
        every = self.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)
        of_page = (one for one in every if one.data(0, _PAGE) == page)
        return next((one for one in of_page if one.data(0, _PART) == part), None)

    @Slot()
    def _on_current(self) -> None:
        if (item := self.currentItem()) is not None:
            self.chosen.emit(str(item.data(0, _PAGE)), str(item.data(0, _PART)))

    @Slot(QTreeWidgetItem)
    def _turn(self, item: QTreeWidgetItem) -> None:
        if item.childCount() and item.data(0, _PART):
            item.setExpanded(not item.isExpanded())

    @Slot(QTreeWidgetItem)
    def _on_unfolded(self, item: QTreeWidgetItem) -> None:
        self._unfolded.add(str(item.data(0, _PART)))

    @Slot(QTreeWidgetItem)
    def _on_folded(self, item: QTreeWidgetItem) -> None:
        self._unfolded.discard(str(item.data(0, _PART)))
