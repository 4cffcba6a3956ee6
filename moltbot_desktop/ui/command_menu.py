"""The list that opens while a command is typed: "/co" offers /commands, /context, /compact.

    menu = CommandMenu(composer, central)
    menu.set_commands(event.commands)        # of CommandsListed
    menu.place()                             # after the window changed its size

It floats over the end of the conversation, never takes the focus, and needs the keyboard alone:
arrows choose, Tab and Enter write the command into the field, Escape closes the list. Enter on a
name that stands there whole sends it, as if there were no list.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.gateway.client import CommandHelp
from moltbot_desktop.ui.composer import Composer

_MOST_ROWS = 8
_GAP_PX = 6
_MARGIN_PX = 5
_ROW_PADDING_PX = 12
_NAME = Qt.ItemDataRole.UserRole
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def matching(commands: Sequence[CommandHelp], typed: str) -> tuple[CommandHelp, ...]:
    """The commands that `typed` may become: those that begin so, then those that hold it.

    Nothing once something stands behind the name, and nothing for text that is no command.
    """
    if not typed.startswith("/") or any(one.isspace() for one in typed):
        return ()
    part = typed[1:].casefold()
    begins = [one for one in commands if any(name.startswith(part) for name in _names(one))]
    holds = [one for one in commands if one not in begins and any(part in n for n in _names(one))]
    return (*begins, *holds)


def _names(command: CommandHelp) -> tuple[str, ...]:
    return (command.name, *command.aliases)


def _meant(command: CommandHelp, typed: str) -> str:
    """The name that is being typed: who begins a command in English is offered no Chinese."""
    part = typed[1:].casefold()
    return next((name for name in _names(command) if name.startswith(part)), command.name)


class CommandMenu(QFrame):
    """Offers what fits the text of `composer`; a child of `area`, in whose coordinates it lies.

    Signals:
        begun: a command begins to be typed: which there are may have changed meanwhile.
    """

    begun = Signal()

    def __init__(self, composer: Composer, area: QWidget) -> None:
        super().__init__(area)
        self.setObjectName("command_menu")
        self._composer = composer
        self._area = area
        self._commands: tuple[CommandHelp, ...] = ()
        self._left_at = ""
        self.rows = QListWidget(self)
        self.rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows.setUniformItemSizes(True)
        self.rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        column.addWidget(self.rows)
        self.rows.itemClicked.connect(self._on_clicked)
        composer.edit.textChanged.connect(self._on_text)
        composer.edit.textChanged.connect(self._on_edited)
        composer.edit.focus_changed.connect(self._on_focus)
        composer.edit.installEventFilter(self)
        composer.installEventFilter(self)
        self.retranslate()
        self.hide()

    @property
    def names(self) -> tuple[str, ...]:
        """What it offers now, best first."""
        return tuple(self.rows.item(row).data(_NAME) for row in range(self.rows.count()))

    def set_commands(self, commands: Sequence[CommandHelp]) -> None:
        if tuple(commands) != self._commands:  # the list that is open stays as it is
            self._commands = tuple(commands)
            self._on_text()

    def place(self) -> None:
        """Lie above the field, as wide as it is."""
        rows = min(self.rows.count(), _MOST_ROWS)
        corner = self._composer.mapTo(self._area, QPoint(0, 0))
        wanted = rows * self._row_px() + 2 * _MARGIN_PX + 2
        height = min(wanted, max(self._row_px(), corner.y() - _GAP_PX))
        self.setGeometry(corner.x(), corner.y() - height - _GAP_PX, self._composer.width(), height)

    def retranslate(self) -> None:
        self.rows.setAccessibleName(self.tr("Commands"))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The keys of the field while the list is open, and where the field has gone."""
        if watched is self._composer and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self.place()  # hidden too: showing it may be what moves the field
        elif self.isVisible() and event.type() is QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            return self._key(event) or super().eventFilter(watched, event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Up:
                self._move(-1)
            case Qt.Key.Key_Down:
                self._move(1)
            case Qt.Key.Key_Escape:
                self._close()
            case Qt.Key.Key_Tab:
                self._take()
            case key if key in _ENTER and not self._is_whole():
                self._take()
            case _:
                return False
        return True

    def _is_whole(self) -> bool:
        typed = self._composer.text[1:].casefold()
        return any(typed in _names(one) for one in self._commands)

    def _move(self, by: int) -> None:
        self.rows.setCurrentRow((self.rows.currentRow() + by) % self.rows.count())

    def _take(self) -> None:
        """Write the chosen command; a space behind it when more may follow."""
        name = self.rows.currentItem().data(_NAME)
        more = next(bool(one.arguments) for one in self._commands if name in _names(one))
        self._left_at = f"/{name} " if more else f"/{name}"
        self.hide()
        edit = self._composer.edit
        edit.setPlainText(self._left_at)
        edit.moveCursor(QTextCursor.MoveOperation.End)
        edit.setFocus()

    def _close(self) -> None:
        self._left_at = self._composer.text
        self.hide()

    @Slot(QListWidgetItem)
    def _on_clicked(self, item: QListWidgetItem) -> None:
        self.rows.setCurrentItem(item)
        self._take()

    @Slot(bool)
    def _on_focus(self, focused: bool) -> None:
        if not focused:
            self.hide()

    @Slot()
    def _on_edited(self) -> None:
        if self._composer.text == "/":
            self.begun.emit()

    @Slot()
    def _on_text(self) -> None:
        typed = self._composer.text
        if typed == self._left_at and typed:
            return  # closed, or just chosen: it opens again with the next letter
        self._left_at = ""
        found = matching(self._commands, typed)
        if not found or (len(found) == 1 and typed[1:].casefold() in _names(found[0])):
            self.hide()
            return
        self._fill(found, typed)
        self.place()
        self.show()
        self.raise_()

    def _fill(self, commands: Sequence[CommandHelp], typed: str) -> None:
        self.rows.clear()
        for command in commands:
            name = _meant(command, typed)
            item = QListWidgetItem(self.rows)
            item.setData(_NAME, name)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"/{name}: {command.help}")
            item.setSizeHint(QSize(0, self._row_px()))
            self.rows.setItemWidget(item, _row(name, command.help))
        self.rows.setCurrentRow(0)

    def _row_px(self) -> int:
        return self.fontMetrics().height() + _ROW_PADDING_PX


def _row(name: str, told: str) -> QWidget:
    """The name of a command and what it is for."""
    row = QLabel()
    row.setObjectName("command_row")
    row.setTextFormat(Qt.TextFormat.RichText)
    # Narrow windows cut the help at the right edge; they do not grow for it.
    row.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    row.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    row.setText(f"<b>/{name}</b>&nbsp;&nbsp; {_escaped(told)}")
    return row


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
