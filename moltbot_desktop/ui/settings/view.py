"""Settings: pages on the left, the chosen one's fields on the right.

    SettingsView(parts, desk, "Settings")                        # the place "Settings"
    SettingsView(parts, desk, "Channels", place=CHANNELS)        # only the pages that belong there

All with the keyboard: Ctrl+F searches, Ctrl+S saves, Ctrl+Shift+Z undoes the last edit. Going
elsewhere keeps what was not saved; nothing is saved unasked.

Other programs write the file too, an editor first of all: whenever the window is chosen, what is
not edited is read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QMessageBox

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.gateway.client import AssistantClient, AssistantStatus, ClientEvent
from moltbot_desktop.sdk.forms import FormState, SettingsDesk, SettingsPage
from moltbot_desktop.sdk.panels import Panel, PanelAction
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.place import SETTINGS, PlaceId
from moltbot_desktop.ui.settings.editing import Edit
from moltbot_desktop.ui.settings.parts import has_problem, places_of
from moltbot_desktop.ui.settings.showing import SettingsShown

T = TypeVar("T")

_PANEL_MILLISECONDS = 2_000
"""Between two looks at what stands above a form."""


class SettingsView(SettingsShown):
    """Forms of a desk: those whose pages belong to one place of the window."""

    def __init__(
        self,
        parts: PlaceParts,
        desk: SettingsDesk,
        name: str,
        place: PlaceId = SETTINGS,
    ) -> None:
        """`name`: what stands above it."""
        super().__init__(parts, desk, name, place)
        self._wanted = ""
        self._looking = self._answers = False
        self._looks = QTimer(self)
        self._looks.setInterval(_PANEL_MILLISECONDS)
        self._connect()
        self._show_buttons()

    def entered(self, what: str = "") -> None:
        """It is shown: at the page `what`, if that is one of its own, and at one part of it as in
        ``skills#notes`` or one setting as in ``general#ui.theme``. What was not edited is read
        anew."""
        self._looks.start()
        what, _, self._link = what.partition("#")
        if not any(form.dirty for form in self._forms.values()) and not self._busy:
            self._wanted = what
            self._forms.clear()
            self.expect()
            self._ask(
                lambda: (self._desk.pages(), self._desk.waiting()),
                lambda found: self._take_first_pages(*found),
            )
        elif what in {one.id for one in self._pages}:
            self._open(what)

    def left(self) -> None:
        self._looks.stop()
        self._searches = False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._look_again()

    # ------------------------------------------------------------------ the desk

    def _ask(self, work: Callable[[], T], take: Callable[[T], None]) -> None:
        """Have the desk do something beside the main thread."""

        def told(deliver: Callable[[], None]) -> None:
            self._busy = False
            deliver()
            self._show_buttons()

        self._busy = True
        self._show_buttons()
        self._worker.submit(lambda: self._done(work, take), told)

    def _done(self, work: Callable[[], T], take: Callable[[T], None]) -> Callable[[], None]:
        try:
            value = work()
        except MoltbotError as error:
            refusal = in_words(error, self._language)
            return lambda: self._refused(refusal)
        return lambda: take(value)

    def _refused(self, refusal: str) -> None:
        if not self._pages:
            self.show_state(self.words("not_shown"), refusal, self.words("again"))
            return
        self._tell(refusal, wrong=True)
        if self.form is None:
            self.view.clear()  # what stands there is of another page

    def _look_again(self) -> None:
        """Read what is not edited anew, beside what the person does."""
        page, form = self._page, self.form
        if not self.isVisible() or self._busy or (form is not None and form.dirty):
            return

        def looked() -> tuple[tuple[SettingsPage, ...], FormState | None]:
            pages = self._desk.pages()
            known = any(one.id == page for one in pages)
            return pages, self._desk.open(page) if known else None

        self._worker.submit(
            lambda: self._done(looked, lambda found: self._looked(page, *found)),
            lambda deliver: self._take_look(page, deliver),
        )

    def _take_look(self, page: str, deliver: Callable[[], None]) -> None:
        before = self.form
        if self._busy or page != self._page or (before is not None and before.dirty):
            return  # something is asked for or edited by now
        deliver()
        self._show_buttons()

    def _looked(self, page: str, pages: tuple[SettingsPage, ...], form: FormState | None) -> None:
        before, self._forms = self.form, self._edited()
        if form is None:
            self._take_pages(pages)  # the page is gone
            return
        self._forms[page] = form if before is None or form.saved != before.saved else before
        if pages == self._all_pages and self._forms[page] is before:
            if self.told.objectName() == "field_problem":
                self._tell("")  # it can be read again
            return
        self._set_pages(pages)
        self._show_all()
        self._tell(self.words("read_anew") if before is not None else "")

    def _edited(self) -> dict[str, FormState]:
        """The forms that are not as the file has them."""
        return {name: one for name, one in self._forms.items() if one.dirty}

    def _set_pages(self, pages: tuple[SettingsPage, ...]) -> None:
        self._all_pages = pages
        self._pages = tuple(one for one in pages if one.place == self._place)

    def _take_first_pages(self, pages: tuple[SettingsPage, ...], waiting: str) -> None:
        self._show_waiting(waiting)
        self._take_pages(pages)

    def _take_pages(self, pages: tuple[SettingsPage, ...]) -> None:
        self._set_pages(pages)
        known = [page.id for page in self._pages]
        wanted, self._wanted = self._wanted, ""
        chosen = [one for one in (wanted, self._page) if one in known] or known
        if chosen:
            self._open(chosen[0])
        else:
            self.show_state(self.words("no_pages"), "")

    def _open(self, page: str) -> None:
        self.show_pages()
        if self._link:
            self.search.clear()
        self._page = page
        self._unreadable.clear()
        self._turned()
        if page in self._forms:
            self._show_all()
        else:
            self._tell(self.words("loading"))
            self._ask(lambda: self._desk.open(page), lambda form: self._take_form(page, form))

    def _take_form(self, page: str, form: FormState) -> None:
        self._forms[page] = form
        if page == self._page:
            self._tell("")
            self._show_all()

    @Slot()
    def save(self) -> None:
        """Write what was changed on this page."""
        self.view.settle()
        form, page = self.form, self._page
        if form is None or self._busy or not form.dirty or self._unreadable:
            return
        if form.wrong:
            self._to_first_problem()
            return
        self._tell(self.words("saving"))
        # Pages are asked for as well: what stands on one may be another thing now.
        self._ask(
            lambda: (self._desk.save(page, form), self._desk.pages(), self._desk.waiting()),
            lambda done: self._saved(page, *done),
        )

    @Slot()
    def reload(self) -> None:
        """Have what this page is about brought in anew."""
        self.view.settle()
        form, page = self.form, self._page
        if self._busy or form is None:
            return
        self._tell(self.words("reloading"))
        # It may have other settings now; what was edited and not saved is kept all the same.
        self._ask(
            lambda: (
                self._desk.reload(page),
                self._desk.pages(),
                form if form.dirty else self._desk.open(page),
            ),
            lambda done: self._reloaded(page, *done),
        )

    def _reloaded(
        self, page: str, stands: str, pages: tuple[SettingsPage, ...], form: FormState
    ) -> None:
        self._set_pages(pages)
        self._take_form(page, form)
        self._tell(stands)

    def _saved(
        self, page: str, form: FormState, pages: tuple[SettingsPage, ...], waiting: str
    ) -> None:
        self._set_pages(pages)
        del self._forms[page]
        self._forms = self._edited()  # the same may stand on another page
        self._take_form(page, form)
        self._tell(self.words("saved"))
        self._show_waiting(waiting)

    # ------------------------------------------------------------------ the panel

    def _turned(self) -> None:
        self.panel.show_panel(())
        self._look_at_panel()

    @Slot()
    def _look_at_panel(self) -> None:
        """See how what stands above the form is now, beside what the person does."""
        page = self._chosen()
        if page is None or not page.live:
            self.panel.show_panel(())
        elif self.isVisible() and not self._looking:
            self._looking = True
            asked = page.id
            self._worker.submit(
                lambda: self._done(
                    lambda: self._desk.panel(asked), lambda panel: self._take_panel(asked, panel)
                ),
                self._end_look,
            )

    def _end_look(self, deliver: Callable[[], None]) -> None:
        self._looking = False
        deliver()

    def _take_panel(self, page: str, panel: Panel) -> None:
        if page == self._page:
            self.panel.show_panel(panel)
            self._show_emptiness()

    def _act(self, action: PanelAction) -> None:
        if action.page:
            self._go(action.page)
            return
        page = self._page
        if self._busy:
            return
        self._tell(self.words("acting"))
        form = self.form
        kept = form if form is not None and form.dirty else None
        self._ask(
            lambda: (
                self._desk.act(page, action.id),
                self._desk.pages(),
                kept or self._desk.open(page),
                self._desk.panel(page),
            ),
            lambda done: self._acted(page, *done),
        )

    def _acted(
        self,
        page: str,
        told: str,
        pages: tuple[SettingsPage, ...],
        form: FormState,
        panel: Panel,
    ) -> None:
        self._set_pages(pages)
        self._forms = self._edited()  # the same may stand on another page
        self._take_form(page, form)
        self._take_panel(page, panel)
        self._tell(told)

    def _go(self, page: str) -> None:
        """To a page, wherever it stands."""
        place = next((one.place for one in self._all_pages if one.id == page), self._place)
        if place == self._place:
            self._part = ""
            self._open(page)
            self.tree.setFocus()  # the button that was pressed is gone
        else:
            self.place_requested.emit(place, page)

    # ------------------------------------------------------------------ edits

    def _edit(self, edit: Edit) -> None:
        form = self.form
        if form is None or self._busy:
            return
        try:
            self._forms[self._page] = edit(form)
        except MoltbotError as error:
            self._tell(in_words(error, self._language), wrong=True)
            return
        self._tell("")
        self._show_form()

    @Slot()
    def _on_undo(self) -> None:
        self._edit(lambda form: form.undo())

    @Slot()
    def _on_revert(self) -> None:
        self._unreadable.clear()
        self._edit(lambda form: form.revert())
        self._look_again()

    def _to_first_problem(self) -> None:
        """To what is wrong in what is shown, else to the part that has something wrong."""
        if self._to_problem() or self.form is None:
            return
        drawn = self._drawn()
        wrong = [one.id for one in drawn.parts if has_problem(one.node)] if drawn else []
        self._part = wrong[0] if wrong else ""
        self._before = None
        self.search.clear()
        self._show_all()
        self._to_problem()

    def _to_problem(self) -> bool:
        self.view.finish()
        for row in self.view.rows:
            if row.problem:
                self.area.ensureWidgetVisible(row)
                row.take_focus()
                return True
        return False

    # ------------------------------------------------------------------ a new start

    def set_client(self, client: AssistantClient) -> None:
        client.request_status()

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        for event in events:
            if isinstance(event, AssistantStatus):
                self._answers = event.busy

    @Slot()
    def _on_again(self) -> None:
        """Start again; whoever waits for an answer is asked first."""
        if not self._answers:
            self.new_start_requested.emit()
            return
        question = QMessageBox(self)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setWindowTitle(self.words("start_again"))
        question.setTextFormat(Qt.TextFormat.PlainText)
        question.setText(self.words("start_again_busy"))
        yes = question.addButton(self.words("start_again"), QMessageBox.ButtonRole.AcceptRole)
        no = question.addButton(self.words("cancel"), QMessageBox.ButtonRole.RejectRole)
        question.setDefaultButton(no)
        yes.clicked.connect(self.new_start_requested)
        question.open()

    # ------------------------------------------------------------------ keys and clicks

    @Slot(str, str)
    def _on_chosen(self, page: str, part: str) -> None:
        if self._busy:
            self._show_tree()  # the page that is being read or saved stays the chosen one
            return
        self.view.settle()
        self._part = part
        self._before = None
        if page != self._page:
            self._open(page)
        else:
            self._show_form()
        if self._searched_words:
            self._go_to_part(part)
        else:
            self.area.verticalScrollBar().setValue(0)

    def _go_to_part(self, part: str) -> None:
        """Of what was found, to the first field of a part."""
        drawn = self._drawn()
        nodes = [one.node for one in drawn.parts if one.id == part] if drawn else []
        places = {place for node in nodes for place in places_of(node) if place}
        self.view.finish()
        row = next((one for one in self.view.rows if one.node.place in places), None)
        if row is not None:
            self.area.verticalScrollBar().setValue(row.y())

    def _connect(self) -> None:
        self.state.pressed.connect(self.entered)
        self._looks.timeout.connect(self._look_at_panel)
        self.tree.chosen.connect(self._on_chosen)
        self.save_button.clicked.connect(self.save)
        self.undo_button.clicked.connect(self._on_undo)
        self.revert_button.clicked.connect(self._on_revert)
        self.reload_button.clicked.connect(self.reload)
        self.again_button.clicked.connect(self._on_again)
        for keys, asked in (
            (QKeySequence(QKeySequence.StandardKey.Save), self.save),
            (QKeySequence("Ctrl+Shift+Z"), self._on_undo),
            (QKeySequence(QKeySequence.StandardKey.Find), self.begin_search),
        ):
            QShortcut(keys, self).activated.connect(asked)
