"""Where the person writes: Enter sends, Shift+Enter breaks the line, Esc stops, Up recalls.

Where files may come along (`Composer.given`), they stand above the field until they are sent.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDropEvent, QFocusEvent, QImage, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.gateway.client import GivenFile
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.attachments.dropping import paths_in, picture_in
from moltbot_desktop.ui.attachments.given import GivenRow
from moltbot_desktop.ui.attachments.reading import LeftOut, Taken
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.theme import Theme

_LEAST_LINES = 1
_MOST_LINES = 8
MAX_TYPED_CHARACTERS = 20_000
"""A line's layout costs the square of its length: at a million characters the field would freeze
for minutes, and no model reads that much at once anyway."""
PAUSE_MS = 350
"""So long after the last key the text is told as `paused`: longer than the gap between two keys of
a fluent typist, short enough that a model can read along before Enter."""


class MessageEdit(QPlainTextEdit):
    """The text field.

    Signals:
        send_requested: Enter.
        stop_requested: Esc.
        recall_requested: Up in an empty field.
        focus_changed: got or lost the keyboard.
        too_long: a paste of so many characters was not taken.
        paths_given, picture_given: what was pasted or dropped where files may come along.
    """

    send_requested = Signal()
    stop_requested = Signal()
    recall_requested = Signal()
    focus_changed = Signal(bool)
    too_long = Signal(int)
    paths_given = Signal(tuple)
    picture_given = Signal(QImage)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.takes_files = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.textChanged.connect(self._fit_height)
        self._fit_height()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """While a Chinese word is being composed, Enter belongs to the input method."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._composing:
                event.accept()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if not shift:
                self.send_requested.emit()
            case Qt.Key.Key_Escape if not self._composing:
                self.stop_requested.emit()
            case Qt.Key.Key_Up if not self.toPlainText():
                self.recall_requested.emit()
            case _:
                super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return super().canInsertFromMimeData(source) or (self.takes_files and source.hasImage())

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pasted text is plain, and whole or not at all: half of it would be a trap. Files, copied
        or dropped here, come along; where none may, they are named by their paths."""
        paths = paths_in(source)
        picture = picture_in(source) if self.takes_files else None
        if paths and self.takes_files:
            self.paths_given.emit(paths)
        elif picture is not None:
            self.picture_given.emit(picture)
        else:
            self.insert_words(named(map(str, paths)) or source.text())

    def dropEvent(self, event: QDropEvent) -> None:
        """A file that is dropped stays where it is, whatever was offered."""
        files = bool(paths_in(event.mimeData()))
        super().dropEvent(event)
        if files:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def insert_words(self, text: str) -> None:
        """At the cursor, whole or not at all."""
        if len(text) + len(self.toPlainText()) > MAX_TYPED_CHARACTERS:
            self.too_long.emit(len(text))
        else:
            self.insertPlainText(text)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit_height()

    @Slot()
    def _fit_height(self) -> None:
        lines = min(_MOST_LINES, max(_LEAST_LINES, int(self.document().size().height())))
        margins = 2 * self.document().documentMargin() + 2
        self.setFixedHeight(int(lines * self.fontMetrics().lineSpacing() + margins))


def named(paths: Iterable[str]) -> str:
    """`paths` as words, those with blanks in quotation marks; "" without any."""
    quoted = (f'"{path}"' if any(map(str.isspace, path)) else path for path in paths)
    return "".join(f"{path} " for path in quoted)


@dataclass(frozen=True)
class Draft:
    """What was written and not sent."""

    text: str = ""
    files: tuple[Taken, ...] = ()


class Composer(QFrame):
    """The field with its buttons.

    Attributes:
        given: the files that come along; None where none may.

    Signals:
        sent: the text as it was typed; it stays in the field until `accepted`, as files do.
        stop_requested: the person wants the answer to end.
        paused: the text in the field, which has not changed for a moment.
    """

    sent = Signal(str)
    paused = Signal(str)
    stop_requested = Signal()

    def __init__(
        self, icons: Icons, worker: Worker | None = None, parent: QWidget | None = None
    ) -> None:
        """`worker` reads the files that come along; without one there are none."""
        super().__init__(parent)
        self.setObjectName("composer")
        self._icons = icons
        self._theme: Theme | None = None
        self._busy = False
        self._last = ""
        self._send_read = False
        self.edit = MessageEdit(self)
        self.given = GivenRow(icons, worker, self) if worker is not None else None
        self.edit.takes_files = self.given is not None
        self.clip = QToolButton(self)
        self.clip.setObjectName("clip")
        self.clip.setIconSize(QSize(20, 20))
        self.clip.setFixedSize(36, 36)
        self.clip.setVisible(self.given is not None)
        self.button = QToolButton(self)
        self.button.setObjectName("send")
        self.button.setIconSize(QSize(20, 20))
        self.button.setFixedSize(36, 36)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._lay_out()
        self._connect()
        self.retranslate()

    @property
    def text(self) -> str:
        return self.edit.toPlainText()

    @property
    def files(self) -> tuple[GivenFile, ...]:
        """What comes along."""
        return self.given.files if self.given is not None else ()

    @property
    def draft(self) -> Draft:
        return Draft(self.text, self.given.draft() if self.given is not None else ())

    def set_draft(self, draft: Draft) -> None:
        """In the place of what is written now."""
        self.set_text(draft.text)
        if self.given is not None:
            self.given.set_draft(draft.files)

    def set_text(self, text: str) -> None:
        """Put `text` into the field, as much of it as the field can hold."""
        self.edit.setPlainText(text[:MAX_TYPED_CHARACTERS])
        self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def accepted(self) -> None:
        """The message was taken: the field is free, Up brings the words back."""
        self._last = self.text
        self.edit.clear()
        if self.given is not None:
            self.given.clear()

    def give_back(self, text: str, files: Sequence[GivenFile] = ()) -> None:
        """A message that was not kept returns; its words only where nothing else is being
        written."""
        if not self.text.strip():
            self.set_text(text)
        else:
            self._last = text
        if self.given is not None:
            self.given.add_again(files)

    @Slot()
    def choose_files(self) -> None:
        """Ask which files are to come along."""
        if self.given is None:
            return
        dialog = QFileDialog(self, self.tr("Files for this message"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._on_chosen)
        dialog.open()

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self._show_button()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.clip.setIcon(self._icons.sign("clip", theme.muted))
        if self.given is not None:
            self.given.set_theme(theme)
        self._show_button()

    def retranslate(self) -> None:
        self.edit.setPlaceholderText(self.tr("Ask or tell me something"))
        self.edit.setAccessibleName(self.tr("Message"))
        self.edit.setAccessibleDescription(
            self.tr("Enter sends, Shift+Enter starts a new line, Escape stops the answer.")
        )
        self.clip.setAccessibleName(self.tr("Add files"))
        self.clip.setToolTip(self.tr("Add files (Ctrl+Shift+A)"))
        if self.given is not None:
            self.given.retranslate()
        self._show_button()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(8 if self.given is not None else 14, 8, 8, 8)
        column.setSpacing(8)
        if self.given is not None:
            column.addWidget(self.given)
        row = QHBoxLayout()
        row.setSpacing(8)
        column.addLayout(row)
        if self.given is not None:
            row.addWidget(self.clip, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.edit, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignBottom)

    def _connect(self) -> None:
        self.edit.send_requested.connect(self._send)
        self.edit.stop_requested.connect(self.stop_requested)
        self.edit.recall_requested.connect(self._recall)
        self.edit.focus_changed.connect(self._on_focus)
        self.edit.textChanged.connect(self._show_button)
        self.edit.textChanged.connect(self._pause.start)
        self._pause.timeout.connect(self._on_pause)
        self.button.clicked.connect(self._on_button)
        if self.given is not None:
            self.clip.clicked.connect(self.choose_files)
            self.edit.paths_given.connect(self.given.add_paths)
            self.edit.picture_given.connect(self.given.add_picture)
            self.given.changed.connect(self._show_button)
            self.given.changed.connect(self._order_tabs)
            self.given.settled.connect(self._on_read)
            self.given.left_out.connect(self._on_left_out)
            self.given.left.connect(self.edit.setFocus)
            self._order_tabs()

    @Slot()
    def _order_tabs(self) -> None:
        """Tab goes as one reads: the chips, the clip, the field, the button."""
        chips = self.given.chips if self.given is not None else ()
        order = (*(chip.cross for chip in chips), self.clip, self.edit, self.button)
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)

    @property
    def _written(self) -> bool:
        return bool(self.text.strip() or self.files)

    @property
    def _stops(self) -> bool:
        """The button stops while an answer is written and nothing new is."""
        return self._busy and not self._written

    @Slot()
    def _show_button(self) -> None:
        if self._theme is None:
            return
        ready = self._stops or self._written
        self.button.setIcon(
            self._icons.sign(
                "stop" if self._stops else "send",
                self._theme.on_accent if ready else self._theme.muted,
            )
        )
        self.button.setProperty("ready", ready)
        self.button.style().polish(self.button)
        name = self.tr("Stop") if self._stops else self.tr("Send")
        self.button.setAccessibleName(name)
        self.button.setToolTip(self.tr("Stop (Esc)") if self._stops else self.tr("Send (Enter)"))

    @Slot()
    def _on_button(self) -> None:
        if self._stops:
            self.stop_requested.emit()
        else:
            self._send()

    @Slot()
    def _on_pause(self) -> None:
        self.paused.emit(self.text)

    @Slot()
    def _send(self) -> None:
        self._pause.stop()
        self._send_read = self.given is not None and self.given.reading
        if self._written and not self._send_read:
            self.sent.emit(self.text)

    @Slot()
    def _on_read(self) -> None:
        """What was to be sent with files that were not read yet goes now."""
        if self._send_read:
            self._send()

    @Slot(tuple)
    def _on_left_out(self, _: tuple[LeftOut, ...]) -> None:
        """The person sees first what does not come along."""
        self._send_read = False

    @Slot(list)
    def _on_chosen(self, names: list[str]) -> None:
        if self.given is not None:
            self.given.add_paths([Path(name) for name in names])
        self.edit.setFocus()

    @Slot()
    def _recall(self) -> None:
        if self._last:
            self.set_text(self._last)

    @Slot(bool)
    def _on_focus(self, focused: bool) -> None:
        self.setProperty("focused", focused)
        self.style().polish(self)


class TypingElsewhere(QObject):
    """Letters typed while another part of the window has the keyboard go into `edit`."""

    def __init__(self, edit: MessageEdit) -> None:
        super().__init__(edit)
        self._edit = edit

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            control = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
            typed = event.text()
            if typed.strip() and typed.isprintable() and not event.modifiers() & control:
                self._edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
                self._edit.insertPlainText(typed)
                return True
        return super().eventFilter(watched, event)
