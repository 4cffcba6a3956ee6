"""What of the settings is to be seen: the list, the chosen part's fields or what was searched for.

class SettingsView(SettingsShown): ...
    self._forms["general"] = form
    self._show_all()

A search goes through all pages of the place. Those that are not open are read and searched beside
the window, so that typing never waits for them; where the page that is shown has nothing of the
words, the first that has is shown, and the one from before when the search is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.sdk.forms import (
    FieldPlace,
    FormNode,
    FormState,
    SettingsDesk,
    SettingsPage,
)
from moltbot_desktop.sdk.panels import PanelAction
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.place import PlaceId
from moltbot_desktop.ui.settings.drawn import Drawings, Drawn, Searched, searched
from moltbot_desktop.ui.settings.editing import Asking, Edit
from moltbot_desktop.ui.settings.face import SettingsFace
from moltbot_desktop.ui.settings.form_view import FormView
from moltbot_desktop.ui.settings.panel import PanelView
from moltbot_desktop.ui.settings.parts import (
    ADVANCED,
    all_of,
    has_advanced,
    outline,
    part_at,
    shown_place,
    without,
)

_ELSEWHERE_MS = 200
"""After so long without a key the other pages are searched."""


class SettingsShown(SettingsFace):
    """The forms of a place, and which of them is shown; `SettingsView` fills and saves them."""

    def __init__(self, parts: PlaceParts, desk: SettingsDesk, name: str, place: PlaceId) -> None:
        super().__init__(parts, name, str(place))
        self._desk, self._worker, self._language = desk, parts.worker, parts.language
        self._place = place
        self._all_pages: tuple[SettingsPage, ...] = ()
        self._pages: tuple[SettingsPage, ...] = ()
        self._forms: dict[str, FormState] = {}
        self._drawings = Drawings(parts.language)
        self._page = self._part = ""
        self._link = ""
        self._unreadable: dict[FieldPlace, str] = {}
        self._busy = False
        self._elsewhere: dict[str, Searched] = {}
        self._looked_for = ""
        self._before: tuple[str, str] | None = None
        self.view = FormView(Asking(self.words, self._edit, self._set_unreadable))
        self.panel = PanelView(self.words, self._act)
        self.area.setWidget(_above(self.panel, self.view))
        self._looks_elsewhere = QTimer(self)
        self._looks_elsewhere.setSingleShot(True)
        self._looks_elsewhere.setInterval(_ELSEWHERE_MS)
        self._looks_elsewhere.timeout.connect(self._look_elsewhere)
        self.view.rebuilt.connect(self._order_tabs)
        self.panel.rebuilt.connect(self._order_panel)
        self.search.textChanged.connect(self._on_search)
        self.advanced.toggled.connect(self._show_form)

    # ------------------------------------------------------------------ what `SettingsView` does

    def _edit(self, edit: Edit) -> None:
        """Carry out what a field asks for."""
        raise NotImplementedError

    def _act(self, action: PanelAction) -> None:
        """Carry out what a button of the panel says."""
        raise NotImplementedError

    def _turned(self) -> None:
        """Another page is shown, whose form is there."""
        raise NotImplementedError

    # ------------------------------------------------------------------ what there is

    @property
    def form(self) -> FormState | None:
        """The form of the chosen page."""
        return self._forms.get(self._page)

    def _chosen(self) -> SettingsPage | None:
        return next((one for one in self._pages if one.id == self._page), None)

    def _drawn(self) -> Drawn | None:
        page, form = self._chosen(), self.form
        return None if page is None or form is None else self._drawings.of(page, form)

    @property
    def _searched_words(self) -> str:
        return self.search.text().strip()

    def _found_here(self) -> frozenset[FieldPlace] | None:
        """What the page that is shown has of the words; None while nothing is searched for."""
        page, form, words = self._chosen(), self.form, self._searched_words
        if page is None or form is None or not words:
            return None
        return searched(page, form, words, self._language, self._drawn()).places

    # ------------------------------------------------------------------ the list and the form

    def _show_all(self) -> None:
        self._show_form()
        self._show_tree()

    def _show_tree(self) -> None:
        here, found = self._found_here(), None
        parts = self._drawings.all(self._forms)
        if self._searched_words:
            known = self._elsewhere
            found = {page: one.places for page, one in known.items()}
            parts = {page: one.drawn.parts for page, one in known.items()} | parts
            if here is not None:
                found[self._page] = here
        name = self.words("advanced_group")
        lines = outline(self._pages, self._page, parts, name, found)
        drawn = self._drawn()
        shown = self._part or (
            drawn.parts[0].id if self._sectioned and drawn and drawn.parts else ""
        )
        self.tree.show_lines(lines, self._page, shown)

    @property
    def _sectioned(self) -> bool:
        page = self._chosen()
        return page is not None and bool(page.sections)

    @Slot()
    def _show_form(self) -> None:
        drawn, page = self._drawn(), self._chosen()
        if drawn is None or page is None:
            return
        self._follow_link(drawn)
        found = self._found_here()
        node = self._chosen_part(drawn) if found is None else all_of(drawn.root, drawn.parts)
        self.advanced.setVisible(has_advanced(drawn.root))
        self.view.set_entry(page.entry)
        self.view.show_node(node, advanced=self.advanced.isChecked(), only=found)
        rare = self._part == ADVANCED and found is None
        alone = found is None and (bool(node.place) or self._sectioned) and not rare
        self._note.setText(node.help if alone else page.note if not page.sections or rare else "")
        self._note.setVisible(bool(self._note.text()))
        self.reload_button.setVisible(page.renewable)
        self._show_emptiness()
        for place, sentence in self._unreadable.items():
            if (row := self.view.row(place)) is not None:
                row.tell_unreadable(sentence)
        self._show_buttons()

    def _chosen_part(self, drawn: Drawn) -> FormNode:
        nothing = replace(drawn.root, children=(), named=False)
        if self._part == ADVANCED and self._sectioned:
            return nothing
        chosen = next((one.node for one in drawn.parts if one.id == self._part), None)
        if chosen is not None or not drawn.parts:
            return chosen or drawn.root
        if self._sectioned:
            return drawn.parts[0].node
        return without(drawn.root, {one.node.place for one in drawn.parts}) or nothing

    def _follow_link(self, drawn: Drawn) -> None:
        """To the part that somebody was sent to, and in it to the very field."""
        link, self._link = self._link, ""
        part = part_at(drawn.parts, link) if link else None
        if part is not None:
            self._part = part.id
        if link and (part is None or part.id != link):
            QTimer.singleShot(0, self, lambda: self._go_to_field(link))

    def _go_to_field(self, link: str) -> None:
        self.view.finish()
        rows = [one for one in self.view.rows if shown_place(one.node) == link]
        if not rows and self.advanced.isVisible() and not self.advanced.isChecked():
            self.advanced.setChecked(True)  # it may be one of those
            self._go_to_field(link)
        elif rows:
            self.area.ensureWidgetVisible(rows[0])
            rows[0].take_focus()

    def _show_emptiness(self) -> None:
        """A page without fields says so, unless something else stands on it."""
        drawn, page, words = self._drawn(), self._chosen(), self._searched_words
        quiet = page is not None and (page.live or self._part == ADVANCED)
        empty = not self.view.rows and bool(words or not quiet)
        looked = len(self._pages) < 2 or words == self._looked_for
        said = ("not_found" if looked else "searching") if words else "nothing"
        self._empty.setText(self.words(said) if empty else "")
        self._empty.setVisible(empty)
        fields = drawn is None or bool(drawn.root.children) or drawn.root.named
        self._foot.setVisible(fields)  # where nothing can be set nothing is to be saved

    def _show_buttons(self) -> None:
        form = self.form
        dirty = form is not None and form.dirty
        wrong = (form.wrong if form is not None else 0) + len(self._unreadable)
        self.save_button.setEnabled(dirty and not self._busy and not self._unreadable)
        self.undo_button.setEnabled(form is not None and form.can_undo and not self._busy)
        self.revert_button.setEnabled((dirty or bool(self._unreadable)) and not self._busy)
        # What was edited and not saved would be gone.
        saved = not any(one.dirty for one in self._forms.values()) and not self._unreadable
        self.again_button.setEnabled(saved)
        said = [self.words("unsaved")] if dirty or self._unreadable else []
        said += [self.words("wrong", count=wrong)] if wrong else []
        self._state.setText(" ".join(said))
        self._state.setVisible(bool(said))

    def _set_unreadable(self, place: FieldPlace, sentence: str) -> None:
        if sentence:
            self._unreadable[place] = sentence
        else:
            self._unreadable.pop(place, None)
        if (row := self.view.row(place)) is not None:
            row.tell_unreadable(sentence)
        self._show_buttons()

    def _tell(self, sentence: str, *, wrong: bool = False) -> None:
        self.told.setText(sentence)
        self.told.setObjectName("field_problem" if wrong else "field_note")
        self.told.style().polish(self.told)
        self.told.setVisible(bool(sentence))

    # ------------------------------------------------------------------ searching

    @Slot()
    def _on_search(self) -> None:
        words = self._searched_words
        if words:
            self._before = self._before or (self._page, self._part)
            if len(self._pages) > 1:
                self._looks_elsewhere.start()
        else:
            self._looks_elsewhere.stop()
            self._elsewhere, self._looked_for = {}, ""
            self._go_back()
        self._show_all()

    def _go_back(self) -> None:
        """To where the search began, unless something was edited or chosen since."""
        before, self._before = self._before, None
        form = self.form
        if before is None or (form is not None and form.dirty):
            return
        page, part = before
        if page in self._forms:
            self._show_page(page, part)

    @Slot()
    def _look_elsewhere(self) -> None:
        """Search all pages, beside what the person does."""
        words, forms, pages = self._searched_words, dict(self._forms), self._pages
        self._worker.submit(
            lambda: self._read_and_searched(pages, forms, words),
            lambda found: self._take_elsewhere(words, found),
        )

    def _read_and_searched(
        self, pages: Sequence[SettingsPage], forms: Mapping[str, FormState], words: str
    ) -> dict[str, Searched]:
        found: dict[str, Searched] = {}
        for page in pages:
            try:
                form = forms[page.id] if page.id in forms else self._desk.open(page.id)
            except MoltbotError:
                continue  # its page says why, to whoever goes there
            found[page.id] = searched(page, form, words, self._language)
        return found

    def _take_elsewhere(self, words: str, found: dict[str, Searched]) -> None:
        if words != self._searched_words:
            return  # something else by now, for which it looks again
        if self._busy:
            self._looks_elsewhere.start()
            return
        self._elsewhere, self._looked_for = found, words
        here = self._found_here()
        others = [page for page, one in found.items() if one.places and page != self._page]
        if others and not here:
            page = others[0]
            self._forms.setdefault(page, found[page].drawn.form)
            self._show_page(page, "")
        self._show_all()

    def _show_page(self, page: str, part: str) -> None:
        """Another page, whose form is there."""
        turned, self._page, self._part = page != self._page, page, part
        if turned:
            self._unreadable.clear()
            self._turned()

    # ------------------------------------------------------------------ the way of the Tab key

    @Slot()
    def _order_tabs(self) -> None:
        """Tab goes through the fields before it comes to the buttons below them; rows made anew
        stand last in the window's chain, in their order. Only the buttons are moved: Qt looks
        through the whole chain for each, and a page may have thousands of fields."""
        before = next(filter(None, map(_last_stop, reversed(self.view.rows))), self.advanced)
        edits = (self.undo_button, self.revert_button, self.save_button)
        for button in (self.reload_button, *edits):
            QWidget.setTabOrder(before, button)
            before = button

    def _show_waiting(self, waiting: str) -> None:
        """What holds from the next start on, and the button for it; "" for nothing."""
        self.later.setText(waiting)
        self._waits.setVisible(bool(waiting))

    @Slot()
    def _order_panel(self) -> None:
        """Tab comes to the panel's buttons before it comes to the fields below them."""
        before: QWidget = self.advanced
        for button in self.panel.buttons.values():
            QWidget.setTabOrder(before, button)
            before = button


def _above(panel: QWidget, form: QWidget) -> QWidget:
    """Both in one column that scrolls."""
    made = QWidget()
    made.setObjectName("settings_page")
    column = QVBoxLayout(made)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(panel)
    column.addWidget(form, 1)
    return made


def _last_stop(row: QWidget) -> QWidget | None:
    """The last in a row that Tab stops at."""
    window, tab = row.window(), Qt.FocusPolicy.TabFocus
    inside = (one for one in row.findChildren(QWidget) if one.window() is window)
    return next(reversed([one for one in inside if one.focusPolicy() & tab]), None)
