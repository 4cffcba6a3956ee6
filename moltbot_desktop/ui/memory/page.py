"""The notes as files, the facts that wait for a yes, and a search: parts of one place.

    MemoryPlace(parts, desk)

Files are the truth: what is typed goes into them with Ctrl+S and when the person leaves, and what
somebody else wrote meanwhile is never written over unasked (`drafts`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from moltbot_desktop.gateway.client import AssistantClient, ClientEvent, InboxChanged
from moltbot_desktop.sdk.forgetting_words import where_gone
from moltbot_desktop.sdk.inbox import MemoryChange, Proposal
from moltbot_desktop.sdk.inbox_words import in_words
from moltbot_desktop.sdk.memory import SearchHit, StoredNote
from moltbot_desktop.sdk.memory_desk import (
    Clash,
    Found,
    Gone,
    MemoryDesk,
    NoteFile,
    NoteText,
    Saved,
    Whose,
)
from moltbot_desktop.ui.kit.asking import Refused
from moltbot_desktop.ui.kit.list_place import Emptiness, ListPlace, Look, PlaceParts
from moltbot_desktop.ui.kit.rows import Row
from moltbot_desktop.ui.kit.segments import Segments
from moltbot_desktop.ui.memory.drafts import Drafts
from moltbot_desktop.ui.memory.editor import NoteEditor
from moltbot_desktop.ui.memory.forgetting import ForgetForm, HitDetails
from moltbot_desktop.ui.memory.inbox_details import ChangeDetails, ProposalDetails
from moltbot_desktop.ui.memory.merging import both
from moltbot_desktop.ui.memory.new_note import NewNote
from moltbot_desktop.ui.memory.words import (
    change_row,
    hit_row,
    in_order,
    name_of,
    note_row,
    place_of,
    proposal_row,
)
from moltbot_desktop.ui.place import MODELS
from moltbot_desktop.ui.theme import Theme

NOTES, INBOX, SEARCH = "notes", "inbox", "search"

Thing = tuple[str, NoteFile | Proposal | MemoryChange | SearchHit]
"""Of an agent."""


class MemoryPlace(ListPlace[Thing]):
    """What a `MemoryDesk` has."""

    def __init__(self, parts: PlaceParts, desk: MemoryDesk) -> None:
        self._desk = desk
        self._client: AssistantClient | None = None
        self._agent, self._agents = "", tuple[Whose, ...]()
        self._count = 0
        self._goto = ("", 0)
        super().__init__(parts, self.tr("Memory"), "memory")
        self.drafts = Drafts(self.asking, desk, self)
        self.drafts.saved.connect(self._on_saved)
        self.drafts.clashed.connect(self._on_clashed)
        self.drafts.refused.connect(self._on_refused)
        self.new = self.add_action(self.tr("New note"), self.begin, "primary")
        self.new.setToolTip(self.tr("Ctrl+N"))
        self.models = self.add_action(self.tr("Search by meaning…"), self._on_models)
        self.models.setToolTip(self.tr("It needs a small model, which you can get there."))
        self.models.hide()
        self.segments = Segments(
            (
                (NOTES, self.tr("Notes")),
                (INBOX, self.tr("Inbox")),
                (SEARCH, self.tr("Search")),
            )
        )
        self.segments.chosen.connect(self._on_segment)
        self.whose = QComboBox()
        self.whose.setAccessibleName(self.tr("Whose memory"))
        self.whose.hide()
        self.whose.activated.connect(self._on_whose)
        above = QWidget()
        row = QHBoxLayout(above)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.segments, 1)
        row.addWidget(self.whose)
        self.add_above(above)
        self._make_keys()

    def _make_keys(self) -> None:
        new = QShortcut(QKeySequence("Ctrl+N"), self)
        new.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        new.activated.connect(self.begin)
        self.rows.opened.connect(self._open_current)
        self._deciding: list[QShortcut] = []
        for keys, act in (
            *((key, self._keep_current) for key in ("K", "Return", "Enter")),
            *((key, self._drop_current) for key in ("D", "Delete")),
        ):
            shortcut = QShortcut(QKeySequence(keys), self.rows)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(act)
            shortcut.setEnabled(False)
            self._deciding.append(shortcut)

    # ------------------------------------------------------------------ from the window

    def set_client(self, client: AssistantClient) -> None:
        self._client = client
        client.request_inbox()

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        for event in events:
            if isinstance(event, InboxChanged):
                self._count = len(event.waiting)
                self._show_waiting()
                if self.isVisible():
                    self.refresh()

    def entered(self, what: str = "") -> None:
        self.asking.ask(self._desk.agents, self._take_agents, lambda _: None, about="agents")
        if what in self.segments.buttons:
            self.segments.choose(what)
            what = ""
        super().entered(what)

    def left(self) -> None:
        super().left()
        self.drafts.save_all()

    def keep(self) -> None:
        self.drafts.save_now()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        if (editor := self.editor) is not None:
            editor.set_theme(theme)

    # ------------------------------------------------------------------ the lists

    def look(self, searched: str) -> Look[Thing]:
        agent, part = self._agent or self._desk.agents()[0].id, self.segments.current
        waiting = self._desk.waiting()
        if part == INBOX:
            return self._inbox(agent, searched, waiting)
        if part == SEARCH:
            return self._search(agent, searched, waiting)
        today = self.parts.clock.now().date()
        files = in_order(self._desk.notes(agent))
        unsaved = self.drafts.of(agent)
        lost = unsaved - {one.path for one in files}
        files += [NoteFile(path, (), 0, own=True) for path in sorted(lost)]
        pairs: list[tuple[Row, Thing]] = [
            (note_row(one, today, unsaved=one.path in unsaved), (agent, one)) for one in files
        ]
        return _look(pairs, searched, self.tr("Plain files on this computer."), waiting)

    def _inbox(self, agent: str, searched: str, waiting: int) -> Look[Thing]:
        now = self._desk.inbox(agent)
        pairs: list[tuple[Row, Thing]] = [(proposal_row(one), (agent, one)) for one in now.waiting]
        pairs += [(change_row(one), (agent, one)) for one in now.recent]
        told = self.tr("What you mentioned about yourself. I remember it when you say so.")
        return _look(pairs, searched, told, waiting)

    def _search(self, agent: str, searched: str, waiting: int) -> Look[Thing]:
        found, today = self._desk.search(agent, searched), self.parts.clock.now().date()
        rows = [hit_row(one, number, today) for number, one in enumerate(found.hits)]
        things = tuple((agent, one) for one in found.hits)
        return Look(tuple(rows), things, found.note, waiting)

    def emptiness(self, searched: str) -> Emptiness:
        if searched:
            return Emptiness(self.tr("Nothing found."), self.tr("Try another word."))
        if self.segments.current == INBOX:
            return Emptiness(
                self.tr("Nothing waits."),
                self.tr(
                    "What you mention about yourself in a chat is proposed here, with the words it"
                    " was taken from. I keep only what you say yes to."
                ),
            )
        if self.segments.current == SEARCH:
            return Emptiness(
                self.tr("What are you looking for?"),
                self.tr(
                    "Ask in your own words: “Who is my dentist?” I show where it stands, why I"
                    " think so, and can forget it there."
                ),
            )
        return Emptiness(
            self.tr("I remember nothing yet."),
            self.tr(
                "Tell me in the chat what to remember: “Remember that my dentist is Dr. Okafor.”"
                " Or write a note. All of it is plain text, and yours."
            ),
            self.tr("Write a note"),
        )

    # ------------------------------------------------------------------ notes

    @property
    def editor(self) -> NoteEditor | None:
        """The note that is open."""
        shown = self.area.widget()
        return shown if isinstance(shown, NoteEditor) else None

    def details(self, thing: Thing) -> QWidget:
        agent, one = thing
        if isinstance(one, NoteFile):
            return self._note(agent, one)
        self.drafts.save_all()
        shown = self.area.widget()
        if isinstance(one, Proposal):
            if isinstance(shown, ProposalDetails) and shown.of == thing:
                return shown  # with what was typed into it
            return self._proposal(agent, one)
        if isinstance(one, SearchHit):
            return self._hit(agent, one)
        made = ChangeDetails(one, in_words(one, self.parts.language))
        made.undone.connect(lambda: self._undo(agent, one))
        return made

    def _note(self, agent: str, file: NoteFile) -> QWidget:
        editor = self.editor
        if editor is not None and (editor.agent, editor.file.path) == (agent, file.path):
            if editor.file.stamp != file.stamp:
                editor.file = file
                self._read(editor)
            return editor
        self.drafts.save_all()
        name = name_of(file.path, self.parts.clock.now().date())
        editor = NoteEditor(agent, file, name, self._theme)
        editor.typed.connect(self._on_typed)
        editor.save_wanted.connect(self._on_save)
        editor.mine.connect(self._on_mine)
        editor.theirs.connect(self._on_theirs)
        editor.both.connect(self._on_both)
        path, line = self._goto
        if path == file.path:
            editor.go_to(line)
            self._goto = ("", 0)
        draft = self.drafts.draft(agent, file.path)
        if draft is not None:
            editor.show_note(draft.base, draft.text)
        self._read(editor)
        return editor

    def _read(self, editor: NoteEditor) -> None:
        agent, path = editor.agent, editor.file.path

        def taken(found: NoteText) -> None:
            if editor is not self.editor:
                return  # another one stands there by now
            draft = self.drafts.draft(agent, path)
            if draft is None:
                editor.show_note(found)
            elif draft.base.digest != found.digest and draft.text != found.text:
                editor.ask_which(found)

        def refused(answer: Refused) -> None:
            self.done.complain(answer.words)

        self.asking.ask(lambda: self._desk.read(agent, path), taken, refused, about="note")

    @Slot()
    def _on_typed(self) -> None:
        editor = self.editor
        if editor is not None and editor.base is not None:
            self.drafts.typed(editor.agent, editor.file.path, editor.base, editor.text)

    @Slot()
    def _on_save(self) -> None:
        if (editor := self.editor) is not None:
            self.drafts.save(editor.agent, editor.file.path)

    @Slot(str, object)
    def _on_saved(self, agent: str, saved: Saved) -> None:
        told = self.tr("Saved: {path}").replace("{path}", saved.path)
        self._written(agent, saved, told)
        self.refresh()

    def _written(self, agent: str, saved: Saved, told: str) -> None:
        """Tell it, with a way back, and have the editor know."""
        editor = self.editor
        if editor is not None and (editor.agent, editor.file.path) == (agent, saved.path):
            base = NoteText(saved.path, saved.text, saved.digest, editable=True)
            if self.drafts.draft(agent, saved.path) is None:
                editor.show_note(base)
            editor.set_base(base)
        self.done.tell(told, lambda: self._put_back(agent, saved))

    def _put_back(self, agent: str, saved: Saved) -> None:
        again = self.tr("As it was: {path}").replace("{path}", saved.path)
        changed = self.tr("{path} was changed since, so it stays as it is.")

        def done(answer: Saved | Clash) -> None:
            if isinstance(answer, Clash):
                self.done.complain(changed.replace("{path}", saved.path))
            else:
                self._written(agent, answer, again)

        self.act(lambda: self._desk.write(agent, saved.path, saved.before, saved.digest), done)

    @Slot(str, str)
    def _on_refused(self, path: str, words: str) -> None:
        self.done.complain(words)
        self.refresh()

    # ------------------------------------------------------------------ two wrote at once

    @Slot(str, object)
    def _on_clashed(self, agent: str, theirs: NoteText) -> None:
        editor = self.editor
        if editor is not None and (editor.agent, editor.file.path) == (agent, theirs.path):
            editor.ask_which(theirs)
            return
        told = self.tr("{path} was changed meanwhile. Open it to choose what stays.")
        self.done.complain(told.replace("{path}", theirs.path))
        self.refresh()

    @Slot()
    def _on_mine(self) -> None:
        if (editor := self.editor) is not None and editor.other is not None:
            self._settle(editor, editor.other, editor.text)

    @Slot()
    def _on_both(self) -> None:
        editor = self.editor
        if editor is not None and editor.base is not None and editor.other is not None:
            text = both(editor.base.text, editor.text, editor.other.text)
            self._settle(editor, editor.other, text)

    @Slot()
    def _on_theirs(self) -> None:
        editor = self.editor
        if editor is None or editor.other is None:
            return
        agent, mine, theirs = editor.agent, editor.text, editor.other
        self.drafts.drop(agent, theirs.path)
        editor.show_note(theirs)
        editor.set_base(theirs)

        def undo() -> None:
            self.drafts.typed(agent, theirs.path, theirs, mine)
            self.drafts.save(agent, theirs.path)

        self.done.tell(self.tr("What you had typed is gone."), undo)

    def _settle(self, editor: NoteEditor, theirs: NoteText, text: str) -> None:
        """The file is to say `text` in place of `theirs`."""
        agent, path = editor.agent, theirs.path
        editor.show_note(theirs, text)
        editor.set_base(theirs)
        self.drafts.typed(agent, path, theirs, text)
        self.drafts.save(agent, path)

    # ------------------------------------------------------------------ a new note

    def begin(self) -> None:
        self.segments.choose(NOTES)
        form = NewNote()
        form.cancelled.connect(self.show_list)
        form.written.connect(self._on_new)
        self.drafts.save_all()
        self.show_instead(form)
        form.take_focus()

    @Slot(str)
    def _on_new(self, text: str) -> None:
        agent = self._agent or self._agents[0].id

        def done(saved: Saved) -> None:
            known = saved.before == saved.text
            told = self.tr("I know that already.") if known else self.tr("Remembered.")
            self.show_list()
            self.stand_on(saved.path)
            if known:
                self.done.tell(told)
            else:
                self._written(agent, saved, told)

        self.act(lambda: self._desk.add(agent, text), done)

    # ------------------------------------------------------------------ the inbox

    def _proposal(self, agent: str, one: Proposal) -> QWidget:
        made = ProposalDetails(agent, one)
        made.kept.connect(
            lambda words: self._decide(agent, lambda: self._desk.keep(agent, one.id, words))
        )
        made.dropped.connect(lambda: self._drop(agent, one))
        return made

    @Slot()
    def _keep_current(self) -> None:
        shown = self.area.widget()
        if isinstance(shown, ProposalDetails):
            shown.on_keep()

    @Slot()
    def _drop_current(self) -> None:
        shown = self.area.widget()
        if isinstance(shown, ProposalDetails):
            self._drop(*shown.of)
        elif isinstance(shown, HitDetails) and shown.of[1].source == "memory":
            self._forget(*shown.of)

    def _drop(self, agent: str, one: Proposal) -> None:
        self._decide(agent, lambda: self._desk.drop(agent, one.id))

    def _decide(self, agent: str, work: Callable[[], MemoryChange]) -> None:
        self._change(work, lambda change: lambda: self._undo(agent, change))

    def _undo(self, agent: str, one: MemoryChange) -> None:
        self._change(lambda: self._desk.undo(agent, one.id), lambda _: None)

    def _change(
        self,
        work: Callable[[], MemoryChange],
        back: Callable[[MemoryChange], Callable[[], None] | None],
    ) -> None:
        """Do it, tell it, and how to take it `back`."""

        def done(change: MemoryChange) -> None:
            self.done.tell(in_words(change, self.parts.language), back(change))
            if self._client is not None:
                self._client.request_inbox()  # the chat shows it too

        self.act(work, done)

    def _show_waiting(self) -> None:
        """How many wait for the default agent; of the others only the list itself tells."""
        word, mine = self.tr("Inbox"), not self._agents or self._agents[0].id == self._agent
        self.segments.set_word(INBOX, f"{word} ({self._count})" if self._count and mine else word)
        self.badge_changed.emit(self._count)

    # ------------------------------------------------------------------ search and forgetting

    def _hit(self, agent: str, hit: SearchHit) -> QWidget:
        made = HitDetails(agent, hit, place_of(hit, self.parts.clock.now().date()))
        made.opened.connect(lambda: self._open(hit))
        made.forget.connect(lambda: self._forget(agent, hit))
        return made

    @Slot()
    def _open_current(self) -> None:
        """Enter, on a place that was found."""
        shown = self.area.widget()
        if isinstance(shown, HitDetails) and shown.of[1].source == "memory":
            self._open(shown.of[1])

    def _open(self, hit: SearchHit) -> None:
        self._goto = (hit.path, hit.start_line)
        self.segments.choose(NOTES)
        self.stand_on(hit.path)

    def _forget(self, agent: str, hit: SearchHit) -> None:
        form = ForgetForm(hit, self.parts.language)
        form.cancelled.connect(self.show_list)
        form.agreed.connect(lambda everywhere: self._forget_now(agent, hit, everywhere))
        self.show_instead(form)

        def refused(answer: Refused) -> None:
            self.done.complain(answer.words)
            self.show_list()

        self.asking.ask(
            lambda: self._desk.foresee(agent, hit),
            lambda found: form.show_foreseen(found) if self.area.widget() is form else None,
            refused,
            about="foresee",
        )

    def _forget_now(self, agent: str, hit: SearchHit, everywhere: bool) -> None:
        back = self.tr("Back in {path}.")

        def undo() -> None:
            def done(stored: StoredNote) -> None:
                self.done.tell(back.replace("{path}", stored.path))

            self.act(lambda: self._desk.bring_back(agent), done)

        def done(gone: Gone) -> None:
            told = self.tr("Forgotten: {text}").replace("{text}", hit.snippet)
            lines = [told, *where_gone(gone.elsewhere, self.parts.language), *gone.problems]
            self.done.tell("\n".join(lines), undo)
            self.show_list()
            if self._client is not None:
                self._client.request_inbox()
                if everywhere:
                    self._client.request_history()  # the chat shows the words no more

        self.act(lambda: self._desk.forget(agent, hit, everywhere=everywhere), done)

    def _show_ways(self, found: Found) -> None:
        self.models.setVisible(self.segments.current == SEARCH and not found.by_meaning)

    @Slot()
    def _on_models(self) -> None:
        self.place_requested.emit(MODELS, "")

    # ------------------------------------------------------------------ whose

    def _take_agents(self, agents: tuple[Whose, ...]) -> None:
        if agents == self._agents:
            return
        self._agents = agents
        if self._agent not in {one.id for one in agents}:
            self._agent = agents[0].id
        self.whose.clear()
        for one in agents:
            self.whose.addItem(one.name, one.id)
        self.whose.setCurrentIndex([one.id for one in agents].index(self._agent))
        self.whose.setVisible(len(agents) > 1)
        self.refresh()

    @Slot(int)
    def _on_whose(self, index: int) -> None:
        self.drafts.save_all()
        self._agent = self._agents[index].id
        self._show_waiting()
        self.search.clear()
        self.refresh()

    @Slot(str)
    def _on_segment(self, part: str) -> None:
        self.drafts.save_all()
        for one in self._deciding:
            is_delete = one.key() == QKeySequence("Delete")
            one.setEnabled(part == INBOX or (part == SEARCH and is_delete))
        self.models.hide()
        self.search.clear()
        self.refresh()
        if part == SEARCH:
            agent = self._agent
            self.asking.ask(
                lambda: self._desk.search(agent, ""), self._show_ways, lambda _: None, about="ways"
            )
            self.search.setFocus()


def _look(
    pairs: Sequence[tuple[Row, Thing]], searched: str, told: str, waiting: int
) -> Look[Thing]:
    """Those with `searched` in them."""
    wanted = searched.casefold()
    kept = [
        (row, one)
        for row, one in pairs
        if wanted in f"{row.title} {row.detail} {row.badge} {row.id}".casefold()
    ]
    rows, things = tuple(row for row, _ in kept), tuple(one for _, one in kept)
    return Look(rows, things, told if pairs else "", waiting, live=True)
