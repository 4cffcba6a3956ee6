"""The list of conversations left of the chat.

    side = ConversationsSide(desk, parts, settings)
    side.open_requested.connect(...)        # session, entry
    side.refresh()

Asked on a worker thread; what was archived or put into the bin can be brought back at once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSettings, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QInputDialog,
    QLineEdit,
    QMenu,
    QVBoxLayout,
)

from moltbot_desktop.core.ids import SessionId
from moltbot_desktop.sdk.past import ConversationsDesk
from moltbot_desktop.sdk.sessions import ExportForm, SessionInfo, Shelf
from moltbot_desktop.ui.conversations.listing import hit_rows, place_of, rows_of, title_of
from moltbot_desktop.ui.kit.asking import Asking, Refused
from moltbot_desktop.ui.kit.done_bar import DoneBar
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.kit.measures import SMALL
from moltbot_desktop.ui.kit.rows import Row, Rows
from moltbot_desktop.ui.kit.segments import Segments
from moltbot_desktop.ui.kit.texts import note
from moltbot_desktop.ui.theme import Theme

_WIDTH_PX = 264
_TYPING_MS = 250
_PINNED = "conversations/pinned"
_NAME_CHARACTERS = 40

Found = tuple[tuple[Row, ...], dict[str, SessionInfo]]


class ConversationsSide(QFrame):
    """Signals:
    open_requested: a conversation (its id) is to be shown, at an entry or at its end ("").
    put_away: a conversation was archived or thrown away.
    """

    open_requested = Signal(str, str)
    put_away = Signal(str)

    def __init__(self, desk: ConversationsDesk, parts: PlaceParts, settings: QSettings) -> None:
        super().__init__()
        self.setObjectName("conversations")
        self.setFixedWidth(_WIDTH_PX)
        self._desk, self._parts, self._settings = desk, parts, settings
        self.asking = Asking(parts.worker, parts.language, self)
        self._infos: dict[str, SessionInfo] = {}
        self._here, self._mark = "", True
        self._rows_wait = QTimer(self)
        self._rows_wait.setSingleShot(True)
        self._rows_wait.setInterval(_TYPING_MS)
        self._rows_wait.timeout.connect(self.refresh)
        self.search = QLineEdit()
        self.search.setObjectName("field")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._rows_wait.start)
        self.shelves = Segments(
            (
                (Shelf.KEPT, self.tr("Chats")),
                (Shelf.ARCHIVED, self.tr("Archive")),
                (Shelf.DELETED, self.tr("Bin")),
            )
        )
        self.shelves.chosen.connect(self.refresh)
        self.rows = Rows(self.tr("Conversations"))
        self.rows.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.rows.customContextMenuRequested.connect(self._on_menu)
        self.rows.opened.connect(self.open_row)
        self.rows.clicked.connect(lambda index: self.open_row(self.rows.rows[index.row()].id))
        self.empty = note()
        self.empty.hide()
        self.done = DoneBar(parts.icons)
        column = QVBoxLayout(self)
        column.setContentsMargins(SMALL, SMALL, SMALL, SMALL)
        column.setSpacing(SMALL)
        for widget in (self.search, self.shelves, self.rows, self.empty, self.done):
            column.addWidget(widget, int(widget is self.rows))
        column.addStretch(0)
        self.retranslate()

    def retranslate(self) -> None:
        self.search.setPlaceholderText(self.tr("Search all conversations"))
        self.search.setAccessibleName(self.tr("Search all conversations"))
        self.search.setToolTip(self.tr("Search all conversations (Ctrl+K)"))

    def set_theme(self, theme: Theme) -> None:
        self.rows.set_theme(theme)
        self.done.set_theme(theme)

    # ------------------------------------------------------------------ looking

    @property
    def shelf(self) -> Shelf:
        return Shelf(self.shelves.current)

    def set_here(self, session: str) -> None:
        """That one is shown in the chat."""
        self._here, self._mark = session, True
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody on a channel may have written while nobody saw the list."""
        super().showEvent(event)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Look anew; while nobody sees the list, it waits for them."""
        if not self.isVisible():
            return
        words, shelf = self.search.text().strip(), self.shelf
        pinned, now = self.pinned(), self._parts.clock.now()

        def look() -> Found:
            infos = self._desk.conversations(shelf)
            known: dict[str, SessionInfo] = {one.id: one for one in infos}
            if not words:
                return tuple(rows_of(infos, now, pinned)), known
            hits = [one for one in self._desk.search(words) if one.session.shelf is shelf]
            known |= {one.session.id: one.session for one in hits}
            return tuple(hit_rows(infos, hits, words)), known

        self.asking.ask(look, partial(self._take, words), self._refused, about="look")

    def _take(self, words: str, found: Found) -> None:
        rows, self._infos = found
        self.rows.show_rows(rows)
        if self._mark and not words:  # once: then the person stands where they like
            self._mark = False
            self.rows.choose(self._here)
        self.rows.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        self.empty.setText(self._emptiness(words))

    def _emptiness(self, words: str) -> str:
        if words:
            return self.tr("Nobody said “{words}” here.").replace("{words}", words)
        match self.shelf:
            case Shelf.KEPT:
                return self.tr("What you talk about stands here, day by day. Say something first.")
            case Shelf.ARCHIVED:
                return self.tr("Nothing is put away. Delete in the list of chats puts one here.")
            case Shelf.DELETED:
                return self.tr("The bin is empty.")

    def _refused(self, refusal: Refused) -> None:
        self.done.complain(refusal.words)

    # ------------------------------------------------------------------ doing

    @Slot(str)
    def open_row(self, row: str) -> None:
        """Show what that row leads to."""
        place = place_of(row)
        info = self._infos.get(place.session)
        if info is not None and info.shelf is not Shelf.DELETED:
            self.open_requested.emit(place.session, place.entry)

    def pinned(self) -> frozenset[str]:
        """Ids of those that stand above the others."""
        kept = self._settings.value(_PINNED, "")
        return frozenset(str(kept).split()) if kept else frozenset()

    def pin(self, session: str, *, on: bool) -> None:
        """Let it stand above the others, or among them."""
        pinned = self.pinned() | {session} if on else self.pinned() - {session}
        self._settings.setValue(_PINNED, " ".join(sorted(pinned)))
        self.refresh()

    def put(self, info: SessionInfo) -> None:
        """Into the archive, or from there into the bin; can be taken back at once."""
        desk, name = self._desk, _short(info)
        if info.shelf is Shelf.KEPT:
            told = self.tr("Archived: {name}")
            self._act(
                lambda: desk.archive(info.id, away=True),
                told.replace("{name}", name),
                partial(self.bring_back, info.id),
            )
            self.put_away.emit(info.id)
        elif info.shelf is Shelf.ARCHIVED:
            told = self.tr("In the bin: {name}")
            self._act(
                lambda: desk.delete(info.id),
                told.replace("{name}", name),
                lambda: self._act(lambda: desk.restore(info.id), self.tr("It is back.")),
            )

    def bring_back(self, session: SessionId) -> None:
        """Out of the archive, and shown."""

        def back() -> SessionInfo:
            return self._desk.archive(session, away=False)

        self._act(back, self.tr("It is back."))
        self.open_requested.emit(session, "")

    def rename(self, info: SessionInfo) -> None:
        """Ask for its name."""
        asked = QInputDialog(self)
        asked.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asked.setWindowTitle(self.tr("Rename"))
        asked.setLabelText(self.tr("What is it called? Left empty, it goes by its first words."))
        asked.setTextValue(info.label or title_of(info))
        asked.setOkButtonText(self.tr("Rename"))
        asked.setCancelButtonText(self.tr("Cancel"))
        asked.textValueSelected.connect(
            lambda name: self._act(lambda: self._desk.rename(info.id, name), "")
        )
        asked.open()

    def export(self, info: SessionInfo, form: ExportForm) -> None:
        """Ask where to, then write it."""
        asked = QFileDialog(self, self.tr("Export"))
        asked.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asked.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        asked.setDefaultSuffix(form.value)
        asked.selectFile(_file_name(info, form))
        asked.fileSelected.connect(lambda path: self.export_to(info, form, Path(path)))
        asked.open()

    def export_to(self, info: SessionInfo, form: ExportForm, path: Path) -> None:
        told = self.tr("Written: {path}").replace("{path}", str(path))
        self._act(lambda: self._desk.export(info.id, form, path), told)

    def _act(
        self,
        work: Callable[[], object],
        told: str,
        undo: Callable[[], None] | None = None,
    ) -> None:
        def done(_: object) -> None:
            if told:
                self.done.tell(told, undo)
            self.refresh()

        self.asking.ask(work, done, self._refused)

    # ------------------------------------------------------------------ menu and keys

    def chosen(self) -> SessionInfo | None:
        """The conversation that the person stands on."""
        return self._infos.get(place_of(self.rows.current).session)

    @Slot(QPoint)
    def _on_menu(self, point: QPoint) -> None:
        if (menu := self.menu()) is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.rows.viewport().mapToGlobal(point))

    def menu(self) -> QMenu | None:
        """What can be done with the chosen one; None where none is."""
        info = self.chosen()
        if info is None:
            return None
        menu = QMenu(self)

        def add(text: str, act: Callable[[], object], keys: str = "") -> None:
            action = QAction(text, menu)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda: act())
            menu.addAction(action)

        if info.shelf is Shelf.DELETED:
            back = lambda: self._desk.restore(info.id)  # noqa: E731
            add(self.tr("Bring back"), lambda: self._act(back, self.tr("It is back.")))
            return menu
        add(self.tr("Open"), partial(self.open_row, self.rows.current), "Return")
        add(self.tr("Rename…"), partial(self.rename, info), "F2")
        on = info.id in self.pinned()
        words = self.tr("Unpin") if on else self.tr("Pin")
        add(words, partial(self.pin, info.id, on=not on))
        if info.shelf is Shelf.KEPT:
            add(self.tr("Archive"), partial(self.put, info), "Del")
        else:
            add(self.tr("Bring back"), partial(self.bring_back, info.id))
            add(self.tr("Put into the bin"), partial(self.put, info), "Del")
        menu.addSeparator()
        markdown, json = ExportForm.MARKDOWN, ExportForm.JSON
        add(self.tr("Export as Markdown…"), partial(self.export, info, markdown))
        add(self.tr("Export as JSON…"), partial(self.export, info, json))
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that the list itself has no use for."""
        info = self.chosen() if self.rows.hasFocus() else None
        match event.key():
            case Qt.Key.Key_F2 if info is not None and info.shelf is not Shelf.DELETED:
                self.rename(info)
            case Qt.Key.Key_Delete if info is not None:
                self.put(info)
            case Qt.Key.Key_Down if self.search.hasFocus():
                self.rows.setFocus()
            case Qt.Key.Key_Escape if self.search.text():
                self.search.clear()
            case _:
                super().keyPressEvent(event)


def _short(info: SessionInfo) -> str:
    title = title_of(info)
    cut = title[: _NAME_CHARACTERS - 1] + "…"
    return title if len(title) <= _NAME_CHARACTERS else cut


def _file_name(info: SessionInfo, form: ExportForm) -> str:
    """Its name without what a file system may not take."""
    kept = "".join(one if one.isalnum() or one in " -_" else " " for one in title_of(info))
    return f"{' '.join(kept.split())[:60] or info.id}.{form.value}"
