"""What fills the model's window, as a small table behind the button in the status line.

    panel = ContextPanel(window)
    panel.show_context(event)        # of ContextShown

A row for each part of the next prompt, its share as a bar, what stands inside it below; then the
sum, the room that is left, and how much of it the model has read already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.gateway.client import ContextShare, ContextShown
from moltbot_desktop.ui.kit.scrolling import put_into

translate = QCoreApplication.translate
_BAR_STEPS = 1000
_LEAST_SIZE = (420, 260)


def used_tokens(shares: Sequence[ContextShare]) -> int | None:
    """What the prompt costs; None while something in it was not counted."""
    counted = [one.tokens for one in shares if not one.inside]
    known = [tokens for tokens in counted if tokens is not None]
    return sum(known) if known and len(known) == len(counted) else None


def percent_used(shown: ContextShown) -> int | None:
    """How full the window is, 0..100; None while that is not known."""
    used = used_tokens(shown.shares)
    if used is None or not shown.window_tokens:
        return None
    return min(100, round(100 * used / shown.window_tokens))


class ContextPanel(QDialog):
    """Stays open beside the conversation; asked again, it shows the newer numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ContextShown((), 0, 0)
        self._note = QLabel(self)
        self._note.setObjectName("inbox_note")
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self._area = QScrollArea(self)
        self._area.setObjectName("context_area")
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.close_button = QPushButton(self)
        self.close_button.setObjectName("secondary")
        self.close_button.clicked.connect(self._on_close)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(12)
        column.addWidget(self._area, 1)
        column.addWidget(self._note)
        column.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignRight)
        self.setMinimumSize(*_LEAST_SIZE)
        self.retranslate()

    def show_context(self, shown: ContextShown) -> None:
        """Show `shown` in the place of what stood here."""
        self._shown = shown
        put_into(self._area, self._table(shown))
        self._note.setText(self._summary(shown))
        self.show()
        self.raise_()
        self.close_button.setFocus()

    def rows(self) -> list[str]:
        """What the table says, a line for each row."""
        table = self._area.widget()
        texts = [one.text() for one in table.findChildren(QLabel)] if table else []
        return [
            f"{name.strip()} {cost}" for name, cost in zip(texts[::2], texts[1::2], strict=True)
        ]

    @property
    def summary(self) -> str:
        return self._note.text()

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("What fills the model's window"))
        self.close_button.setText(self.tr("Close"))
        self._area.setAccessibleName(self.tr("Parts of the next request"))

    def _table(self, shown: ContextShown) -> QWidget:
        table = QWidget()
        table.setObjectName("context_table")
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 0, 6, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(7)
        grid.setColumnStretch(1, 1)
        counted = used_tokens(shown.shares) is not None
        shares = [one if counted else replace(one, tokens=None) for one in shown.shares]
        most = max((_size(one) for one in shares), default=0)
        for row, share in enumerate(shares):
            self._add_row(grid, row, share, most)
        grid.setRowStretch(len(shown.shares), 1)
        return table

    def _add_row(self, grid: QGridLayout, row: int, share: ContextShare, most: int) -> None:
        name = QLabel(("    " if share.inside else "") + part_words(share.name))
        cost = QLabel(self._cost(share))
        for label in (name, cost):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("inside", bool(share.inside))
        cost.setAlignment(Qt.AlignmentFlag.AlignRight)
        grid.addWidget(name, row, 0)
        grid.addWidget(cost, row, 2)
        if not share.inside:
            bar = QProgressBar()
            bar.setObjectName("context_bar")
            bar.setTextVisible(False)
            bar.setFixedHeight(7)
            bar.setRange(0, _BAR_STEPS)
            bar.setValue(_BAR_STEPS * _size(share) // max(1, most))
            grid.addWidget(bar, row, 1, Qt.AlignmentFlag.AlignVCenter)

    def _cost(self, share: ContextShare) -> str:
        if share.tokens is None:
            words = self.tr("{count} characters")
            return words.replace("{count}", f"{share.characters:,}")
        return self.tr("{count} tokens").replace("{count}", f"{share.tokens:,}")

    def _summary(self, shown: ContextShown) -> str:
        used = used_tokens(shown.shares)
        if not shown.shares:
            return self.tr("This cannot be counted now.")
        if used is None and shown.window_tokens:
            return self.tr("The sizes are in characters: this model has not counted all of it.")
        if used is None or not shown.window_tokens:
            return self.tr("Tokens can be counted once a model is loaded: send a message first.")
        text = self.tr("{used} of {window} tokens: {percent} % of the window.")
        text = text.replace("{used}", f"{used:,}").replace("{window}", f"{shown.window_tokens:,}")
        text = text.replace("{percent}", str(percent_used(shown)))
        if shown.cached_tokens:
            cached = self.tr("The model has read {cached} of them before.")
            text += " " + cached.replace("{cached}", f"{shown.cached_tokens:,}")
        return text

    @Slot()
    def _on_close(self) -> None:
        self.hide()


def _size(share: ContextShare) -> int:
    return share.characters if share.tokens is None else share.tokens


def part_words(name: str) -> str:
    """A part of the prompt in words; a file keeps its own name."""
    return {
        "system": translate("ContextPanel", "Instructions"),
        "tools": translate("ContextPanel", "Tools"),
        "skills": translate("ContextPanel", "Skills"),
        "memory": translate("ContextPanel", "Memory"),
        "chat": translate("ContextPanel", "Conversation"),
    }.get(name, name)
