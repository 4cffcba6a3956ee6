"""The program's window: the rail on the left, and the place where the person is.

    window = MainWindow(parts, (chat_spec, memory_spec, ...))
    window.go(MEMORY)

The chat is always there; the others are made when they are first gone to. Ctrl+1 to Ctrl+9 go to
the first places of the rail, Ctrl+Page Down and Ctrl+Page Up to the next and the one before, Escape
back to the chat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QSettings, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QStackedWidget, QWidget

from moltbot_desktop.gateway.client import AssistantClient, ClientEvent
from moltbot_desktop.ui.chat_page import ChatPage
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.place import CHAT, SETTINGS, WELCOME, Place, PlaceId, PlaceSpec
from moltbot_desktop.ui.rail import Rail
from moltbot_desktop.ui.theme import Theme

_DEFAULT_SIZE = QSize(960, 740)
_LEAST_SIZE = QSize(420, 440)
_NARROW_PX = 640
_KEYS = 9

MakePlaces = Callable[[], Sequence[PlaceSpec]]


class MainWindow(QMainWindow):
    """All places of the program.

    Attributes:
        chat: the conversation, which is always there.

    Signals:
        quit_requested: Ctrl+Q or the menu.
        closing: the person closed the window; what that means is the application's affair.
        looked_at: the window has become the active one.
        new_start_requested: the person wants the program to start again.
    """

    quit_requested = Signal()
    closing = Signal()
    looked_at = Signal()
    new_start_requested = Signal()

    def __init__(self, parts: WindowParts, specs: Sequence[PlaceSpec] = ()) -> None:
        super().__init__()
        self._parts = parts
        self._theme = parts.theme
        self._client: AssistantClient | None = None
        self._settings = QSettings(str(parts.settings_file), QSettings.Format.IniFormat)
        self._make_actions()
        self.chat = ChatPage(
            parts, [self._settings_action, self._welcome_action, self._quit_action]
        )
        chat = PlaceSpec(CHAT, "chat", lambda: self.tr("Chat"), lambda: self.chat)
        self._specs = {one.id: one for one in (chat, *specs)}
        self._made: dict[PlaceId, Place] = {}
        self._here = CHAT
        self._order = [one.id for one in self._specs.values() if one.in_rail]
        self.rail = Rail(parts.icons, [self._specs[one] for one in self._order])
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self.retranslate()
        self.set_theme(parts.theme)
        self.go(CHAT)
        self._restore_place()

    # ------------------------------------------------------------------ from the application

    def set_client(self, client: AssistantClient) -> None:
        """The assistant is ready."""
        self._client = client
        for place in self._made.values():
            place.set_client(client)

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        """Events of the assistant, in order. Called by the mailbox."""
        for place in self._made.values():
            place.deliver(events)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.rail.set_theme(theme)
        for place in self._made.values():
            place.set_theme(theme)

    def show_problem(self, text: str, hint: str) -> None:
        """Something is wrong that belongs to no message."""
        self.chat.show_problem(text, hint)

    def retranslate(self) -> None:
        self._settings_action.setText(self.tr("Settings"))
        self._welcome_action.setText(self.tr("Welcome"))
        self._quit_action.setText(self.tr("Quit"))
        self._show_title()
        self.rail.retranslate()

    # ------------------------------------------------------------------ places

    @property
    def here(self) -> PlaceId:
        """Where the person is."""
        return self._here

    def has(self, place: PlaceId) -> bool:
        """Whether there is such a place."""
        return place in self._specs

    def place(self, place: PlaceId) -> Place:
        """A place, made now when nobody has been there.

        Raises:
            KeyError: there is none of this name.
        """
        if place not in self._made:
            self._made[place] = self._make(place)
        return self._made[place]

    def go(self, place: PlaceId, what: str = "") -> None:
        """Show `place`, and there `what`."""
        shown = self.place(place)
        if place != self._here:
            self._made[self._here].left()
        self._here = place
        self._stack.setCurrentWidget(shown)
        self.rail.set_here(place)
        self._show_title()
        shown.entered(what)
        shown.take_focus()

    def _make(self, place: PlaceId) -> Place:
        made = self._specs[place].make()
        if place in self._order:
            made.badge_changed.connect(partial(self.rail.set_badge, place))
        made.place_requested.connect(self._on_requested)
        made.said.connect(self._on_said)
        made.new_start_requested.connect(self.new_start_requested)
        self._stack.addWidget(made)
        made.set_theme(self._theme)
        if self._client is not None:
            made.set_client(self._client)
        return made

    @Slot(str, str)
    def _on_requested(self, place: str, what: str) -> None:
        if self.has(PlaceId(place)):
            self.go(PlaceId(place), what)

    @Slot(str)
    def _on_said(self, text: str) -> None:
        self.go(CHAT)
        self.chat.send(text)

    def _show_title(self) -> None:
        name = self.tr("Moltbot Desktop")
        title = self._specs[self._here].title()
        self.setWindowTitle(name if self._here == CHAT else f"{title} – {name}")

    # ------------------------------------------------------------------ making

    def _make_actions(self) -> None:
        self._settings_action = QAction(self)
        self._settings_action.setShortcut(QKeySequence("Ctrl+,"))
        self._welcome_action = QAction(self)
        self._quit_action = QAction(self)
        self._quit_action.setShortcut(QKeySequence("Ctrl+Q"))
        self.addActions([self._settings_action, self._welcome_action, self._quit_action])

    def _lay_out(self) -> None:
        central = QWidget()
        central.setObjectName("central")
        row = QHBoxLayout(central)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(self._stack, 1)
        self.setCentralWidget(central)
        self.setMinimumSize(_LEAST_SIZE)

    def _connect(self) -> None:
        self.rail.chosen.connect(lambda place: self.go(PlaceId(place)))
        self._settings_action.triggered.connect(self.show_settings)
        self._welcome_action.triggered.connect(lambda: self.go(WELCOME))
        self._welcome_action.setVisible(self.has(WELCOME))
        self._quit_action.triggered.connect(self.quit_requested)
        self.chat.waiting_changed.connect(lambda waits: self.rail.set_badge(CHAT, int(waits)))
        for number, place in enumerate(self._order[:_KEYS], start=1):
            shortcut = QShortcut(QKeySequence(f"Ctrl+{number}"), self)
            shortcut.activated.connect(partial(self.go, place))
        for keys, step in (("Ctrl+PgDown", 1), ("Ctrl+PgUp", -1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.activated.connect(partial(self._go_on, step))

    def _go_on(self, step: int) -> None:
        """To the place that many below this one, around the rail's ends."""
        order = self._order
        at = order.index(self._here) if self._here in order else 0
        self.go(order[(at + step) % len(order)])

    @Slot()
    def show_settings(self) -> None:
        if self.has(SETTINGS):
            self.go(SETTINGS)

    # ------------------------------------------------------------------ place and closing

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing hides; quitting is the application's."""
        self.keep_place()
        event.ignore()
        self.closing.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._made[self._here].left()

    def keep_place(self) -> None:
        """Write down place, size, and what was typed."""
        self._settings.setValue("window/geometry", self.saveGeometry())
        for place in self._made.values():
            place.keep()
        self._settings.sync()

    def _restore_place(self) -> None:
        geometry = self._settings.value("window/geometry")
        if geometry is None or not self.restoreGeometry(geometry):
            self.resize(_DEFAULT_SIZE)

    def come_to_front(self, place: PlaceId | None = None) -> None:
        """Show the window, whatever hid it, at `place` or where it was left."""
        hidden = not self.isVisible()
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        if place is not None and self.has(place) and place != self._here:
            self.go(place)
        elif hidden:
            self._made[self._here].entered()
        self._made[self._here].take_focus()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.looked_at.emit()
        elif event.type() is QEvent.Type.LanguageChange:
            self.retranslate()
            self.chat.retranslate()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape, where nothing had a use for it, goes back to the chat."""
        if event.key() == Qt.Key.Key_Escape and self._made[self._here].leaves():
            self.go(CHAT)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rail.set_narrow_window(self.width() < _NARROW_PX)
