"""Where the person writes: Enter sends, Shift+Enter breaks the line, Esc stops, Up recalls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QToolButton, QWidget

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
    """

    send_requested = Signal()
    stop_requested = Signal()
    recall_requested = Signal()
    focus_changed = Signal(bool)
    too_long = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
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

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pasted text is plain, and whole or not at all: half of it would be a trap. Files, copied
        or dropped here, are named by their paths, which the assistant can read."""
        text = _named_files(source) or source.text()
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


def _named_files(source: QMimeData) -> str:
    """The paths of the files in `source`, those with blanks in quotation marks; "" without any."""
    paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
    quoted = (f'"{path}"' if any(map(str.isspace, path)) else path for path in paths)
    return "".join(f"{path} " for path in quoted)


class Composer(QFrame):
    """The field with its button.

    Signals:
        sent: the text as it was typed; it stays in the field until `accepted`.
        stop_requested: the person wants the answer to end.
        paused: the text in the field, which has not changed for a moment.
    """

    sent = Signal(str)
    paused = Signal(str)
    stop_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self._icons = icons
        self._theme: Theme | None = None
        self._busy = False
        self._last = ""
        self.edit = MessageEdit(self)
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

    def set_text(self, text: str) -> None:
        """Put `text` into the field, as much of it as the field can hold."""
        self.edit.setPlainText(text[:MAX_TYPED_CHARACTERS])
        self.edit.moveCursor(QTextCursor.MoveOperation.End)

    def accepted(self) -> None:
        """The text was taken: the field is free, Up brings it back."""
        self._last = self.text
        self.edit.clear()

    def give_back(self, text: str) -> None:
        """A message that was not kept returns, unless something else is being written."""
        if not self.text.strip():
            self.set_text(text)
        else:
            self._last = text

    def set_busy(self, busy: bool) -> None:
        self._busy = busy
        self._show_button()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_button()

    def retranslate(self) -> None:
        self.edit.setPlaceholderText(self.tr("Ask or tell me something"))
        self.edit.setAccessibleName(self.tr("Message"))
        self.edit.setAccessibleDescription(
            self.tr("Enter sends, Shift+Enter starts a new line, Escape stops the answer.")
        )
        self._show_button()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(8)
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

    @property
    def _stops(self) -> bool:
        """The button stops while an answer is written and nothing new is."""
        return self._busy and not self.text.strip()

    @Slot()
    def _show_button(self) -> None:
        if self._theme is None:
            return
        ready = self._stops or bool(self.text.strip())
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
        if self.text.strip():
            self.sent.emit(self.text)

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
