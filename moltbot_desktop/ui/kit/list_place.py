"""A place that is a list with the details of the chosen row beside it.

    class SchedulePlace(ListPlace[Job]):
        def look(self, searched: str) -> Look[Job]: ...          # on a worker thread: asks the desk
        def details(self, thing: Job) -> QWidget: ...            # on the main thread
        def emptiness(self, searched: str) -> Emptiness: ...     # what an empty list teaches

It looks anew when it is gone to, when the window is chosen, every two seconds while `live`, and
after each act. What is the same is left alone, so that nobody loses a selection or their place.
A narrow window shows the list or the details; Escape or "back" goes from these to the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.asking import Asking, Refused
from moltbot_desktop.ui.kit.done_bar import DoneBar
from moltbot_desktop.ui.kit.measures import GAP, SMALL, WIDE
from moltbot_desktop.ui.kit.reading_order import in_reading_order, widgets_of
from moltbot_desktop.ui.kit.rows import Row, Rows
from moltbot_desktop.ui.kit.scrolling import put_into
from moltbot_desktop.ui.kit.states import StateView
from moltbot_desktop.ui.kit.texts import button, note, title
from moltbot_desktop.ui.place import Place
from moltbot_desktop.ui.real_press import IsReal, from_window_system
from moltbot_desktop.ui.theme import Theme

T = TypeVar("T")
A = TypeVar("A")

_LOOK_MS = 2_000
_TYPING_MS = 250
_SLOW_MS = 400
"""A first look that takes longer says so; one that does not would only flicker."""
_NARROW_PX = 620
_LIST_PX = 320


@dataclass(frozen=True)
class PlaceParts:
    """What a place is made of beside its desk.

    Attributes:
        worker: desks are asked on its thread.
        is_real: which events are the person's own press (`real_press`).
    """

    icons: Icons
    worker: Worker
    language: Language
    clock: Clock
    is_real: IsReal = from_window_system


@dataclass(frozen=True)
class Look(Generic[T]):
    """How things stand.

    Attributes:
        things: what the rows stand for, in the same order; each is handed to `details`.
        waiting: how many of them wait for the person; the rail shows it.
        note: a sentence below the title.
        live: they change by themselves: look again soon.
    """

    rows: tuple[Row, ...]
    things: tuple[T, ...] = ()
    note: str = ""
    waiting: int = 0
    live: bool = False


@dataclass(frozen=True)
class Emptiness:
    """What an empty list says, and the word on its button, "" for none."""

    title: str
    text: str
    press: str = ""


class ListPlace(Place, Generic[T]):
    """See the module. Its `icon` is that of the empty state."""

    def __init__(self, parts: PlaceParts, name: str, icon: str, *, searches: bool = True) -> None:
        super().__init__()
        self.parts = parts
        self.asking = Asking(parts.worker, parts.language, self)
        self._look: Look[T] = Look(())
        self._theme: Theme | None = None
        self._looked = False
        self._single = self._instead = False
        self._wanted = ""
        self.title, self.note = title(name), note()
        self.search = QLineEdit()
        self.search.setObjectName("field")
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText(self.tr("Search (Ctrl+F)"))
        self.search.setAccessibleName(self.tr("Search"))
        self.search.setVisible(searches)
        self.rows = Rows(name)
        self.done = DoneBar(parts.icons)
        self.state = StateView(parts.icons, icon)
        self.back = button(self.tr("Back to the list"), "quiet")
        self._details_of = ""
        self.area = QScrollArea()
        self.area.setObjectName("place_area")
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._actions = QHBoxLayout()
        self._lay_out()
        self._connect()

    # ------------------------------------------------------------------ for the place itself

    def look(self, searched: str) -> Look[T]:
        """How things stand now; called on a worker thread, may block and raise MoltbotError. It
        touches no widget and keeps nothing."""
        raise NotImplementedError

    def details(self, thing: T) -> QWidget:
        """What stands beside the list while the row of `thing` is chosen. It may be what stands
        there already, in which nothing is then touched."""
        raise NotImplementedError

    def emptiness(self, searched: str) -> Emptiness:
        """What to say where there are no rows."""
        raise NotImplementedError

    def begin(self) -> None:
        """The button of the empty state."""

    def add_action(
        self, text: str, act: Callable[[], None], kind: str = "secondary"
    ) -> QPushButton:
        """A button beside the title."""
        made = button(text, kind)
        made.clicked.connect(act)
        self._actions.addWidget(made)
        return made

    def add_above(self, widget: QWidget) -> None:
        """`widget` stands above the search."""
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.insertWidget(1, widget)

    def act(self, work: Callable[[], A], done: Callable[[A], None]) -> None:
        """Have the desk do something, tell it, and look anew; a refusal is told at the foot."""

        def taken(answer: A) -> None:
            done(answer)
            self.refresh()

        def refused(answer: Refused) -> None:
            self.done.complain(answer.words)
            self.refresh()

        self.asking.ask(work, taken, refused)

    def show_instead(self, form: QWidget) -> None:
        """Show `form` beside the list, which waits, until `show_list`: nothing that was typed is
        lost to a change elsewhere."""
        self._instead = True
        self._list_side.setEnabled(False)
        self._details_of = ""
        put_into(self.area, form)
        self._order_stops()
        self._pages.setCurrentWidget(self._split)
        self._list_side.setVisible(bool(self._look.rows) and not self._single)
        self._detail_side.show()

    def stand_on(self, row: str) -> None:
        """Choose that row as soon as it is there."""
        self._wanted = row

    def show_list(self) -> None:
        """As it was before `show_instead`."""
        self._instead = False
        self._list_side.setEnabled(True)
        self._show_side(details=False)
        if self._look.rows:
            self.refresh_details()
            self.rows.setFocus()
        else:
            self._pages.setCurrentWidget(self.state)

    def confirm(self, question: str, press: str, agreed: Callable[[], None]) -> None:
        """Ask before what cannot be undone; `press` is the word on the button that does it."""
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(self.title.text())
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(question)
        yes = box.addButton(press, QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(no)
        yes.clicked.connect(agreed)
        box.open()

    # ------------------------------------------------------------------ looking

    @Slot()
    def refresh(self) -> None:
        """Look anew."""
        searched = self.search.text().strip()
        self.asking.ask(
            lambda: self.look(searched),
            lambda found: self._take(found, searched),
            self._cannot_look,
            about="look",
        )

    def thing(self, row: str) -> T | None:
        """What that row stands for, None when it is gone."""
        pairs = zip(self._look.rows, self._look.things, strict=False)
        return next((thing for one, thing in pairs if one.id == row), None)

    def refresh_details(self) -> None:
        """Make what stands beside the list anew."""
        self._show_details(self.rows.current)

    def _take(self, look: Look[T], searched: str) -> None:
        same = self._looked and look == self._look
        self._looked, self._look = True, look
        self.note.setText(look.note)
        self.note.setVisible(bool(look.note))
        self._slow.stop()
        self.badge_changed.emit(look.waiting)
        self.rows.show_rows(look.rows)
        if self._instead:
            return
        if self._wanted:
            self.rows.choose(self._wanted)
            self._wanted = ""
        if look.rows:
            # Chosen before it is shown: a list that gets the keys chooses a row by itself, half.
            if not self.rows.current:
                self.rows.choose(look.rows[0].id)
            elif not same:
                self.refresh_details()
            self._show_split()
        else:
            empty = self.emptiness(searched)
            self._press: Callable[[], None] = self.begin
            self._say(empty)
        self._timer.setInterval(_LOOK_MS)
        if look.live and self.isVisible():
            self._timer.start()
        else:
            self._timer.stop()

    def _show_split(self) -> None:
        """List and details; keys that were in what stood there before go to the list."""
        page, focused = self._pages.currentWidget(), self.focusWidget()
        held = False
        if page is not None and page is not self._split and focused is not None:
            held = page is focused or page.isAncestorOf(focused)
        self._pages.setCurrentWidget(self._split)
        if held:
            self.rows.setFocus()

    @Slot()
    def _on_slow(self) -> None:
        if not self._looked:
            self._say(Emptiness(self.tr("One moment…"), ""))

    def _say(self, words: Emptiness) -> None:
        """Show this in place of list and details."""
        self.state.say(words.title, words.text, words.press)
        self._pages.setCurrentWidget(self.state)
        if self.state.hasFocus() and words.press:
            self.state.button.setFocus()

    def _cannot_look(self, refusal: Refused) -> None:
        self._slow.stop()
        if self._instead:
            self.done.complain(refusal.words)
            return
        self._press = self.refresh
        wrong = self.tr("This cannot be shown now.")
        self._say(Emptiness(wrong, refusal.words, self.tr("Try again")))

    @Slot()
    def _on_pressed(self) -> None:
        self._press()

    # ------------------------------------------------------------------ the details

    @Slot(str)
    def _show_details(self, row: str) -> None:
        if self._instead:
            return
        scrolled = self.area.verticalScrollBar().value() if row == self._details_of else 0
        self._details_of = row
        thing = self.thing(row)
        focused = self.focusWidget()
        pressed = focused.text() if isinstance(focused, QPushButton) else ""
        inside = focused is not None and self.area.isAncestorOf(focused)
        made = self.details(thing) if thing is not None else QWidget()
        if made is self.area.widget():
            return  # the place keeps it, with what was typed
        put_into(self.area, made)
        self._order_stops()
        self.area.verticalScrollBar().setValue(scrolled)
        if inside:
            self._focus_again(pressed)

    def _focus_again(self, text: str) -> None:
        """The details were made anew under the person's hands."""
        buttons = self.area.findChildren(QPushButton)
        same = [one for one in buttons if one.text() == text]
        (same[0] if same else self.rows).setFocus()

    def _show_side(self, *, details: bool) -> None:
        """In a narrow window: one of the two."""
        self._list_side.setVisible(not (self._single and details))
        self._detail_side.setVisible(not self._single or details)
        self.back.setVisible(self._single)

    @Slot()
    def _on_opened(self) -> None:
        """In a narrow window the details are a step away."""
        if self._single and self.rows.current:
            self._show_side(details=True)

    @Slot()
    def _on_back(self) -> None:
        self._show_side(details=False)
        self.rows.setFocus()

    # ------------------------------------------------------------------ as a place

    def entered(self, what: str = "") -> None:
        self._wanted = what
        if not self._looked:
            self._order_stops()  # whoever made the place has added all by now
            self._slow.start()
        self.refresh()

    def left(self) -> None:
        self._timer.stop()
        self._slow.stop()

    def take_focus(self) -> None:
        page = self._pages.currentWidget()
        if page is self.state and self.state.button.isVisible():
            self.state.button.setFocus()
        elif page is self._split:
            self.rows.setFocus()
        elif page is not None:
            page.setFocus()  # before the first look what is shown after it takes the keys over

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for one in (self.rows, self.done, self.state):
            one.set_theme(theme)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        escape = event.key() == Qt.Key.Key_Escape
        if escape and self._instead:
            self.show_list()
        elif escape and self._single and self._detail_side.isVisible():
            self._on_back()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            if self._looked and self.isVisible():
                self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        single = self.width() < _NARROW_PX
        if single != self._single:
            self._single = single
            self._show_side(details=False)

    # ------------------------------------------------------------------ making

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SMALL)
        self.note.hide()
        head.addWidget(self.title, 1)
        head.addLayout(self._actions)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._list_side, self._detail_side = QWidget(), QWidget()
        left, right = QVBoxLayout(self._list_side), QVBoxLayout(self._detail_side)
        for column in (left, right):
            column.setContentsMargins(0, 0, 0, 0)
        left.addWidget(self.rows)
        right.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeft)
        right.addWidget(self.area, 1)
        self.back.hide()
        for side in (self._list_side, self._detail_side):
            self._split.addWidget(side)
        self._split.setSizes([_LIST_PX, 2 * _LIST_PX])
        self._split.setStretchFactor(1, 1)
        self._pages = QStackedWidget()
        for page in (QWidget(), self._split, self.state):  # nothing, until the first look
            self._pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(WIDE, GAP, WIDE, GAP)
        column.setSpacing(SMALL)
        column.addLayout(head)
        for widget in (self.note, self.search):
            column.addWidget(widget)
        column.addWidget(self._pages, 1)
        column.addWidget(self.done)

    def _order_stops(self) -> None:
        """Of Tab: from the head down, the list before what stands beside it."""
        column, shown = self.layout(), self.area.widget()
        assert column is not None
        middle = [self.rows, self.back, *([shown] if shown else ()), self.state]
        stops = widgets_of(self._actions)
        for one in widgets_of(column):
            stops += middle if one is self._pages else [one]
        in_reading_order(stops)

    def _connect(self) -> None:
        self._press = self.begin
        self._timer, self._typing, self._slow = QTimer(self), QTimer(self), QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(_SLOW_MS)
        self._slow.timeout.connect(self._on_slow)
        self._timer.timeout.connect(self.refresh)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(self.refresh)
        self.search.textChanged.connect(lambda: self._typing.start())
        self.rows.chosen.connect(self._show_details)
        self.rows.opened.connect(self._on_opened)
        self.rows.clicked.connect(self._on_opened)
        self.state.pressed.connect(self._on_pressed)
        self.back.clicked.connect(self._on_back)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self.search.setFocus)


def column_of(parts: Sequence[QWidget], *, spacing: int = SMALL) -> QWidget:
    """Details: `parts` below each other, at the top."""
    made = QWidget()
    made.setObjectName("place_details")
    column = QVBoxLayout(made)
    column.setContentsMargins(WIDE, 0, SMALL, SMALL)
    column.setSpacing(spacing)
    for one in parts:
        column.addWidget(one)
    column.addStretch(1)
    return made


def buttons_of(made: Sequence[QPushButton]) -> QWidget:
    """Buttons beside each other, on the left."""
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(SMALL)
    for one in made:
        row.addWidget(one)
    row.addStretch(1)
    return box
