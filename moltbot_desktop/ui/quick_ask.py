"""The quick question: a small window over whatever the person is doing.

    quick = QuickAsk(parts)          # made once and kept, so that it is there with the key
    quick.toggle()

It speaks in the conversation that the chat shows: what was asked here stands there too, and can be
gone on with there. Here only the questions asked here are shown, and after a while of absence none.
A card is never answered here: the chat comes up with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QRect, QSettings, QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QCursor,
    QFont,
    QGuiApplication,
    QHideEvent,
    QKeySequence,
    QScreen,
    QShortcut,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import ApprovalRequested, RunEnded, RunEvent
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.client import AssistantClient, ClientEvent
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.appearance import text_style
from moltbot_desktop.ui.composer import MAX_TYPED_CHARACTERS, Composer
from moltbot_desktop.ui.conversation import Conversation
from moltbot_desktop.ui.entries import Busy, Change, GiveBack, Reset
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.link_question import LinkQuestion, may_be_opened
from moltbot_desktop.ui.theme import Theme, filled_style_sheet
from moltbot_desktop.ui.transcript_view import TranscriptView
from moltbot_desktop.ui.words import words

_WIDTH_PX = 680
_SIDE_PX = 24
_DOWN = 0.18
"""The upper edge, as a share of the screen: in its upper third, whatever is asked."""
_TALLEST = 0.5
"""Of the screen, for the answer."""
_FORGOTTEN_SECONDS = 600.0
_ROOM_PX = 16
_LEAST_PX = 60


@dataclass(frozen=True)
class QuickAskParts:
    """What it is made of.

    Attributes:
        settings_file: where its draft is kept (an ini file).
    """

    icons: Icons
    worker: Worker
    clock: Clock
    theme: Theme
    font: QFont
    settings_file: Path
    resources: Path


def place_on(screen: QRect, height: int) -> QRect:
    """Where the window stands on a screen: in the middle, its upper edge in the upper third."""
    width = min(_WIDTH_PX, screen.width() - 2 * _SIDE_PX)
    left = screen.x() + (screen.width() - width) // 2
    return QRect(left, screen.y() + int(screen.height() * _DOWN), width, height)


def with_clip(text: str, clip: str) -> str:
    """A question and what it is about, as one message."""
    return f"{text.strip()}\n\n{clip.strip()}" if clip.strip() else text.strip()


class QuickAsk(QFrame):
    """See the module.

    Signals:
        chat_requested: go on in the chat; carries what stands in the field.
        answer_needed: a card waits in the chat, because of what was asked here.
    """

    chat_requested = Signal(str)
    answer_needed = Signal()

    def __init__(self, parts: QuickAskParts) -> None:
        flags = Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint
        super().__init__(None, flags | Qt.WindowType.WindowStaysOnTopHint)
        self.setObjectName("quick_ask")
        self._parts = parts
        self._theme = parts.theme
        self._client: AssistantClient | None = None
        self._settings = QSettings(str(parts.settings_file), QSettings.Format.IniFormat)
        self._conversation = Conversation()
        self._ours: set[RunId] = set()
        self._clip = ""
        self._early = False
        self._left = parts.clock.monotonic()
        self._make_widgets()
        self._lay_out()
        self._connect()
        self.retranslate()
        self.set_theme(parts.theme)
        if isinstance(draft := self._settings.value("quick/draft"), str) and draft:
            self.composer.set_text(draft)

    # ------------------------------------------------------------------ from the application

    def set_client(self, client: AssistantClient) -> None:
        """The assistant is ready: send what came too early."""
        self._client = client
        if self._early:
            self._early = False
            self._tell("")
            self._send(self.composer.text)

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        """Events of the assistant, in order; only what became of our own questions is shown."""
        for event in events:
            if isinstance(event, RunEvent) and event.run_id in self._ours:
                self._happened(event)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        style = self._parts.resources / "styles" / "quick_ask.qss"
        self.setStyleSheet(filled_style_sheet(style.read_text(encoding="utf-8"), theme))
        self.transcript.set_style(text_style(theme, self._parts.font))
        self.composer.set_theme(theme)
        self._drop.setIcon(self._parts.icons.sign("close", theme.muted))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Quick question"))
        self.composer.retranslate()
        self.composer.edit.setPlaceholderText(self.tr("Ask Moltbot"))
        self.transcript.setAccessibleName(self.tr("Answer"))
        self._attach.setText(self.tr("Add what I copied"))
        self._chat.setText(self.tr("Continue in the chat"))
        self._chat.setToolTip(self.tr("Ctrl+Enter"))
        self._drop.setAccessibleName(self.tr("Leave the copied text out"))
        self._show_clip()

    # ------------------------------------------------------------------ shown and hidden

    @Slot()
    def toggle(self) -> None:
        """Show it; hide it when it is what the person looks at."""
        if self.isVisible() and self.isActiveWindow():
            self.hide()
        else:
            self.come_up()

    def come_up(self, text: str | None = None) -> None:
        """Show it on the screen where the pointer is; `text`, if any, takes the field."""
        away = self._parts.clock.monotonic() - self._left
        if not self.isVisible() and away > _FORGOTTEN_SECONDS and not self._ours:
            self._forget()
        if text:
            self.composer.set_text(text)
        self._place()
        self.show()
        self.raise_()
        self.activateWindow()
        self.composer.edit.setFocus(Qt.FocusReason.PopupFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._left = self._parts.clock.monotonic()
        self.keep()

    def keep(self) -> None:
        """Write the draft down."""
        self._settings.setValue("quick/draft", self.composer.text)
        self._settings.sync()

    def _screen(self) -> QScreen:
        return QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()

    def _place(self) -> None:
        place = place_on(self._screen().availableGeometry(), 0)
        self.setFixedWidth(place.width())
        self._fit()
        self.move(place.topLeft())

    @Slot()
    def _fit(self) -> None:
        """As high as the answer, up to half of the screen."""
        shown = bool(self._conversation.entries)
        self.transcript.setVisible(shown)
        if shown:
            most = int(self._screen().availableGeometry().height() * _TALLEST)
            wanted = int(self.transcript.document().size().height()) + _ROOM_PX
            self.transcript.setFixedHeight(min(most, max(wanted, _LEAST_PX)))
        if (layout := self.layout()) is not None:
            layout.activate()
            self.setFixedHeight(layout.totalSizeHint().height())

    # ------------------------------------------------------------------ making

    def _make_widgets(self) -> None:
        parts = self._parts
        self.composer = Composer(parts.icons)
        self.transcript = TranscriptView(text_style(parts.theme, parts.font), parts.worker)
        self.transcript.hide()
        self.note = QLabel()
        self.note.setObjectName("quick_note")
        self.note.setWordWrap(True)
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.hide()
        self.clip = QFrame()
        self.clip.setObjectName("quick_clip")
        self._clip_text = QLabel()
        self._clip_text.setTextFormat(Qt.TextFormat.PlainText)
        self._drop = QToolButton()
        self._drop.setIconSize(QSize(14, 14))
        self._attach = QPushButton()
        self._chat = QPushButton()
        for button in (self._attach, self._chat):
            button.setObjectName("quiet")
            button.setAutoDefault(False)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 8)
        column.setSpacing(6)
        row = QHBoxLayout(self.clip)
        row.setContentsMargins(10, 2, 4, 2)
        row.addWidget(self._clip_text, 1)
        row.addWidget(self._drop)
        foot = QWidget()
        buttons = QHBoxLayout(foot)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.addWidget(self._attach)
        buttons.addStretch(1)
        buttons.addWidget(self._chat)
        for widget in (self.composer, self.clip, self.note, self.transcript, foot):
            column.addWidget(widget)

    def _connect(self) -> None:
        self.composer.sent.connect(self._send)
        self.composer.paused.connect(self._on_paused)
        self.composer.stop_requested.connect(self._stop)
        self.composer.edit.too_long.connect(self._on_too_long)
        self.composer.edit.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.transcript.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.transcript.link_clicked.connect(self._on_link)
        self.transcript.copy_requested.connect(self._copy)
        self._attach.clicked.connect(self._on_attach)
        self._drop.clicked.connect(self._on_drop)
        self._chat.clicked.connect(self._go_on_in_chat)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self).activated.connect(self.hide)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self._go_on_in_chat)

    # ------------------------------------------------------------------ what the person wants

    @Slot(str)
    def _send(self, text: str) -> None:
        if self._client is None:
            self._early = True
            self._tell(self.tr("One moment: the assistant is still starting."))
            return
        whole = with_clip(text, self._clip)
        try:
            run_id = self._client.send(whole)
        except UserInputInvalid as error:
            self._tell(f"{error.message} {error.hint}".strip(), serious=True)
            return
        self._ours.add(run_id)
        self.composer.accepted()
        self._clip = ""
        self._show_clip()
        self._tell("")
        self._apply(self._conversation.said(run_id, whole))
        self.transcript.scroll_to_end()

    @Slot(str)
    def _on_paused(self, text: str) -> None:
        if self._client is not None and self.isVisible():
            self._client.typing(text)

    @Slot()
    def _stop(self) -> None:
        if self._client is not None and self._ours:
            self._client.stop()

    @Slot()
    def _go_on_in_chat(self) -> None:
        text = with_clip(self.composer.text, self._clip)
        self.composer.edit.clear()
        self._on_drop()
        self.hide()
        self.chat_requested.emit(text)

    @Slot()
    def _on_attach(self) -> None:
        """Only now is the clipboard looked at: the person pressed the button."""
        copied = QGuiApplication.clipboard().text()
        if not copied.strip():
            self._tell(self.tr("You have not copied any text."))
        elif len(copied) + len(self.composer.text) > MAX_TYPED_CHARACTERS:
            self._on_too_long(len(copied))
        else:
            self._clip = copied
            self._tell("")
        self._show_clip()
        self.composer.edit.setFocus()

    @Slot()
    def _on_drop(self) -> None:
        self._clip = ""
        self._show_clip()

    @Slot(int)
    def _on_too_long(self, characters: int) -> None:
        text = self.tr("That is too long to ask here: {count} characters.")
        self._tell(text.replace("{count}", f"{characters:,}"))

    @Slot(str)
    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._tell(words().copied)

    @Slot(QUrl)
    def _on_link(self, url: QUrl) -> None:
        if may_be_opened(url):
            LinkQuestion(url, self).open()

    # ------------------------------------------------------------------ what the assistant says

    def _happened(self, event: RunEvent) -> None:
        if isinstance(event, ApprovalRequested):
            self.hide()
            self.answer_needed.emit()
            return
        self._apply(self._conversation.happened(event))
        if isinstance(event, RunEnded):
            self._ours.discard(event.run_id)

    def _apply(self, changes: Sequence[Change]) -> None:
        for change in changes:
            match change:
                case Busy():
                    self.composer.set_busy(change.busy)
                case GiveBack():
                    self.composer.give_back(change.text)
                    self._tell(change.problem, serious=True)
                case _:
                    self.transcript.apply(change)
        self._fit()

    def _forget(self) -> None:
        self._conversation = Conversation()
        self.transcript.apply(Reset((), more=False))
        self._tell("")

    def _tell(self, text: str, *, serious: bool = False) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
        self.note.setProperty("serious", serious)
        self.note.style().polish(self.note)
        self._fit()

    def _show_clip(self) -> None:
        line = " ".join(self._clip.split())
        text = self.tr("Copied text, {count} characters: {start}")
        shown = text.replace("{count}", f"{len(self._clip):,}").replace("{start}", line[:60])
        self._clip_text.setText(shown if self._clip else "")
        self.clip.setVisible(bool(self._clip))
        self._fit()
