"""What is about to be sent with a message: the row of chips above the field.

    given = GivenRow(icons, worker)
    given.add_paths([Path("/home/ada/plan.pdf")])     # read beside the window, then shown
    given.files                                      # what comes along
    draft = given.draft(); given.clear(); given.set_draft(draft)

Reading takes a moment. `reading` says that it goes on, `settled` that it is over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from moltbot_desktop.gateway.client import GivenFile
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.attachments.chips import CHIP_PX, Chip
from moltbot_desktop.ui.attachments.pictures import load_formats
from moltbot_desktop.ui.attachments.reading import (
    Read,
    Room,
    Taken,
    fitting,
    read_files,
    read_picture,
    shown_again,
)
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.measures import HAIR, NOTE, SMALL, sized
from moltbot_desktop.ui.theme import Theme

_MOST_ROWS = 3
"""Of chips; more are scrolled to."""


class GivenRow(QWidget):
    """Hidden while nothing comes along.

    Signals:
        changed: what comes along is something else now.
        settled: nothing is read any more.
        left_out: a tuple of `LeftOut`: what does not come along.
        left: the last chip was taken away by a key; the field is to have the keyboard.
    """

    changed = Signal()
    settled = Signal()
    left_out = Signal(tuple)
    left = Signal()

    def __init__(self, icons: Icons, worker: Worker, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._worker = icons, worker
        self._theme: Theme | None = None
        self._chips: list[Chip] = []
        self._open = 0
        self._age = 0
        self._sees = True
        self._row = QWidget()
        self._row.setObjectName("attachments")
        self._note = sized(QLabel(), NOTE)
        self._note.setObjectName("attachment_size")
        self._note.setWordWrap(True)
        self._lay_out()
        self.retranslate()
        self.hide()

    @property
    def files(self) -> tuple[GivenFile, ...]:
        """What comes along, in order."""
        return tuple(chip.taken.file for chip in self._chips)

    @property
    def chips(self) -> tuple[Chip, ...]:
        return tuple(self._chips)

    @property
    def note(self) -> str:
        """What is said below the chips, "" for nothing."""
        return "" if self._note.isHidden() else self._note.text()

    @property
    def reading(self) -> bool:
        return self._open > 0

    def add_paths(self, paths: Sequence[Path]) -> None:
        self._read(partial(read_files, tuple(paths), self._room()))

    def add_picture(self, picture: QImage) -> None:
        """One that was copied somewhere."""
        self._read(partial(read_picture, picture, self.tr("picture"), self._room()))

    def add_again(self, files: Sequence[GivenFile]) -> None:
        """Files of a message that came back."""
        if files:
            self._read(partial(shown_again, tuple(files)))

    def draft(self) -> tuple[Taken, ...]:
        """What comes along, to be kept while another message is written."""
        return tuple(chip.taken for chip in self._chips)

    def set_draft(self, draft: Sequence[Taken]) -> None:
        """In the place of what comes along now."""
        self.clear()
        self._add(draft)

    def clear(self) -> None:
        """Nothing comes along, and what is still being read does not either."""
        self._age += 1
        for chip in self._chips:
            self._put_away(chip)
        self._chips.clear()
        self._after()

    def set_sees(self, sees: bool) -> None:
        """Whether the model takes pictures."""
        self._sees = sees
        self._tell_note()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for chip in self._chips:
            chip.set_theme(theme)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Files that come along"))
        self._note.setText(
            self.tr("The model reads text alone: it cannot see what is in a picture.")
        )
        for chip in self._chips:
            chip.retranslate()

    # ------------------------------------------------------------------ inside

    def _lay_out(self) -> None:
        self._grid = QGridLayout(self._row)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SMALL)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(HAIR)
        column.addWidget(self._scroll)
        column.addWidget(self._note)

    def _room(self) -> Room:
        room = Room()
        for chip in self._chips:
            room = room.without(chip.taken.size)
        return room

    def _read(self, work: Callable[[], Read]) -> None:
        self._open += 1
        load_formats()
        self._worker.submit(work, partial(self._take, self._age))

    def _take(self, age: int, read: Read) -> None:
        self._open -= 1
        if age == self._age:
            fits = fitting(read.taken, self._room())
            self._add(fits.taken)
            if not_taken := (*read.left_out, *fits.left_out):
                self.left_out.emit(not_taken)
        if not self._open:
            self.settled.emit()

    def _add(self, taken: Sequence[Taken]) -> None:
        for one in taken:
            chip = Chip(one, self._icons, self._row)
            if self._theme is not None:
                chip.set_theme(self._theme)
            chip.removed.connect(partial(self._remove, chip))
            chip.cross.stepped.connect(partial(self._step, chip))
            chip.show()
            self._chips.append(chip)
        self._after()

    def _remove(self, chip: Chip) -> None:
        place, by_key = self._chips.index(chip), chip.cross.hasFocus()
        self._chips.pop(place)
        self._put_away(chip)
        self._after()
        if by_key and self._chips:
            self._focus(min(place, len(self._chips) - 1))
        elif by_key:
            self.left.emit()

    def _step(self, chip: Chip, step: int) -> None:
        place = self._chips.index(chip) + step
        if 0 <= place < len(self._chips):
            self._focus(place)

    def _focus(self, place: int) -> None:
        cross = self._chips[place].cross
        cross.setFocus(Qt.FocusReason.TabFocusReason)
        self._scroll.ensureWidgetVisible(cross)

    def _put_away(self, chip: Chip) -> None:
        chip.hide()
        chip.setParent(None)
        chip.deleteLater()

    def _after(self) -> None:
        self.setVisible(bool(self._chips))
        self._tell_note()
        self._place()
        self.changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        """As many chips beside each other as there is room for."""
        if not self._chips:
            return
        columns = max(1, (self.width() + SMALL) // (CHIP_PX + SMALL))
        for number, chip in enumerate(self._chips):
            start = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(chip, number // columns, number % columns, start)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, int(column == columns - 1))
        rows = min(_MOST_ROWS, -(-len(self._chips) // columns))
        height = self._chips[0].sizeHint().height()
        self._scroll.setFixedHeight(rows * height + (rows - 1) * SMALL)

    def _tell_note(self) -> None:
        pictures = any(chip.taken.picture is not None for chip in self._chips)
        self._note.setVisible(pictures and not self._sees)
