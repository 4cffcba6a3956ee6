"""Every run, newest first; what each was made of beside the list; and any of them told anew.

ActivityPlace(parts, desk)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from moltbot_desktop.core.events import RunEnded, RunStarted
from moltbot_desktop.gateway.client import AssistantClient, ClientEvent
from moltbot_desktop.sdk.activity import (
    ALL_RUNS,
    USUAL_PAGE,
    Origin,
    RunDetail,
    RunPage,
    RunsDesk,
    RunSummary,
)
from moltbot_desktop.ui.activity.cards import RunCards
from moltbot_desktop.ui.activity.replay import ReplayForm
from moltbot_desktop.ui.activity.words import fact_lines, origins, row_of, title_of, whole_text
from moltbot_desktop.ui.kit.asking import Refused
from moltbot_desktop.ui.kit.list_place import (
    Emptiness,
    ListPlace,
    Look,
    PlaceParts,
    buttons_of,
    column_of,
)
from moltbot_desktop.ui.kit.measures import SMALL
from moltbot_desktop.ui.kit.rows import Row
from moltbot_desktop.ui.kit.segments import Segments
from moltbot_desktop.ui.kit.texts import button, heading, note
from moltbot_desktop.ui.place import CHAT

ALL, FAILED = "all", "failed"
_OLDER = "older"
"""The row that brings more of them; no run is called so."""
_MOST = 5_000
"""Of one list: who looks for something older searches for it."""

Thing = RunSummary | None


class ActivityPlace(ListPlace[Thing]):
    """The runs of a `RunsDesk`."""

    def __init__(self, parts: PlaceParts, desk: RunsDesk) -> None:
        self._desk = desk
        self._filter, self._limit = ALL_RUNS, USUAL_PAGE
        self._detail: RunDetail | None = None
        self._cards: QWidget | None = None
        self._form: ReplayForm | None = None
        self._client: AssistantClient | None = None
        super().__init__(parts, self.tr("Activity"), "activity")
        self.segments = Segments(((ALL, self.tr("All")), (FAILED, self.tr("Not well"))))
        self.origin, self.agent = QComboBox(), QComboBox()
        self.add_above(self._choices())
        self._connect_choices()
        copy = QShortcut(QKeySequence("Ctrl+Shift+C"), self)
        copy.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        copy.activated.connect(self._copy)

    def _choices(self) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SMALL)
        self.origin.setAccessibleName(self.tr("Where the request came from"))
        self.origin.addItem(self.tr("From anywhere"), "")
        for origin, name in origins().items():
            self.origin.addItem(name, origin.value)
        self.agent.setAccessibleName(self.tr("Which agent"))
        self.agent.addItem(self.tr("All agents"), "")
        self.agent.hide()
        row.addWidget(self.segments, 1)
        for one in (self.origin, self.agent):
            row.addWidget(one)
        return box

    def _connect_choices(self) -> None:
        self.segments.chosen.connect(self._on_filter)
        for one in (self.origin, self.agent):
            one.currentIndexChanged.connect(self._on_filter)
        self.search.textChanged.connect(self._begin_anew)
        for signal in (self.rows.opened, self.rows.clicked):
            signal.connect(self._on_row)

    def set_client(self, client: AssistantClient) -> None:
        self._client = client

    def entered(self, what: str = "") -> None:
        """`what`: the id of a run, or `failed` for those that went wrong."""
        if what in (ALL, FAILED):
            self.segments.choose(what)
            what = ""
        self.asking.ask(self._desk.agents, self._show_agents, lambda _: None, about="agents")
        super().entered(what)

    def left(self) -> None:
        super().left()
        if self._form is not None:
            self.show_list()

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        if self.isVisible() and any(isinstance(one, RunStarted | RunEnded) for one in events):
            self.refresh()

    # ------------------------------------------------------------------ the list

    def look(self, searched: str) -> Look[Thing]:
        wanted, limit = replace(self._filter, words=searched), self._limit
        page = self._desk.runs(wanted, limit=min(limit, _MOST))
        runs = page.runs
        while page.older and len(runs) < limit:
            page = self._desk.runs(wanted, page.older, limit - len(runs))
            runs += page.runs
        language, now = self.parts.language, self.parts.clock.now()
        today = f"{now.astimezone():%Y-%m-%d}"
        rows = tuple(row_of(one, language, today) for one in runs)
        goes_on = any(one.outcome is None for one in runs[:1])
        if not page.older:
            return Look(rows, runs, live=goes_on)
        return Look((*rows, self._older_row(page, limit)), (*runs, None), live=goes_on)

    def _older_row(self, page: RunPage, limit: int) -> Row:
        if limit >= _MOST:
            return Row(_OLDER, self.tr("There are older ones"), self.tr("Search for them above."))
        return Row(_OLDER, self.tr("Show older ones"), self.tr("Press Enter, or click."))

    def emptiness(self, searched: str) -> Emptiness:
        if not searched and self._filter == replace(ALL_RUNS, failed=True):
            return Emptiness(
                self.tr("Everything went well."),
                self.tr("What failed, took too long or was given up stands here."),
            )
        if searched or self._filter != ALL_RUNS:
            return Emptiness(
                self.tr("Nothing found."), self.tr("Try another word, or look at all of them.")
            )
        return Emptiness(
            self.tr("Nothing was asked yet."),
            self.tr(
                "Each request stands here with all that followed from it: what I was given, what I"
                " called, who allowed it, and my answer. Any of them can be told anew with another"
                " model, to compare."
            ),
        )

    @Slot()
    def _on_filter(self) -> None:
        origin = self.origin.currentData()  # Qt gives back a bare text
        self._filter = replace(
            ALL_RUNS,
            failed=self.segments.current == FAILED,
            origin=Origin(origin) if origin else None,
            agent=self.agent.currentData() or "",
        )
        self._begin_anew()
        self.refresh()

    @Slot()
    def _begin_anew(self) -> None:
        self._limit = USUAL_PAGE

    @Slot()
    def _on_row(self) -> None:
        if self.rows.current == _OLDER and self._limit < _MOST:
            self._limit = min(_MOST, 2 * self._limit)
            self.refresh()

    def _show_agents(self, names: Sequence[str]) -> None:
        known = [self.agent.itemData(at) for at in range(1, self.agent.count())]
        if known != [*names]:
            chosen = self.agent.currentData()
            self.agent.blockSignals(True)
            while self.agent.count() > 1:
                self.agent.removeItem(1)
            for name in names:
                self.agent.addItem(name, name)
            self.agent.setCurrentIndex(max(0, self.agent.findData(chosen)))
            self.agent.blockSignals(False)
        self.agent.setVisible(len(names) > 1)

    # ------------------------------------------------------------------ details

    def details(self, thing: Thing) -> QWidget:
        self._cards = None
        if thing is None:
            self._detail = None
            return column_of((note(self.tr("There are runs from before these.")),))
        known = self._detail
        self._cards = place = QWidget()
        column = QVBoxLayout(place)
        column.setContentsMargins(0, 0, 0, 0)
        shown = [heading(title_of(thing)), *map(note, fact_lines(thing)), self._buttons(thing)]
        if known is not None and known.summary == thing:
            column.addWidget(RunCards(known, self.parts.language))
        else:
            self._detail = None
            self.asking.ask(
                lambda: self._desk.detail(thing.id),
                lambda found: self._show_cards(place, found),
                lambda refused: self._no_cards(place, refused),
                about="detail",
            )
        return column_of((*shown, place))

    def _buttons(self, run: RunSummary) -> QWidget:
        anew = button(self.tr("Tell it anew"))
        anew.setEnabled(bool(run.words))
        anew.clicked.connect(lambda: self._tell_anew(run))
        copy = button(self.tr("Copy"))
        copy.setToolTip(self.tr("Ctrl+Shift+C"))
        copy.clicked.connect(self._copy)
        there = button(self.tr("Go to the conversation"))
        there.clicked.connect(lambda: self._go_to(run))
        return buttons_of((anew, there, copy))

    def _go_to(self, run: RunSummary) -> None:
        if self._client is None:
            self.done.complain(self.tr("The assistant is not ready yet. Try again in a moment."))
            return
        self._client.open_session(run.session_id)
        self.place_requested.emit(CHAT, "")

    def _show_cards(self, place: QWidget, found: RunDetail) -> None:
        if place is not self._cards:
            return  # something else stands there by now
        self._detail = found
        _fill(place, RunCards(found, self.parts.language))

    def _no_cards(self, place: QWidget, refused: Refused) -> None:
        if place is self._cards:
            _fill(place, note(refused.words))

    @Slot()
    def _copy(self) -> None:
        if self._detail is not None:
            text = whole_text(self._detail, self.parts.language)
            QGuiApplication.clipboard().setText(text)
            self.done.tell(self.tr("Copied."))

    # ------------------------------------------------------------------ replay

    def _tell_anew(self, run: RunSummary) -> None:
        steps = self._detail.steps if self._detail is not None else ()
        skills = [*dict.fromkeys(one.skill for one in steps if one.skill)]
        self._form = form = ReplayForm(self.asking, self._desk, run.id, skills, self.parts.language)
        form.finished.connect(self.show_list)
        self.show_instead(form)
        form.take_focus()

    def show_list(self) -> None:
        if self._form is not None:
            self._form.let_go()
            self._form = None
        super().show_list()


def _fill(place: QWidget, shown: QWidget) -> None:
    column = place.layout()
    assert column is not None
    column.addWidget(shown)
    shown.show()  # at once: Qt would wait for its loop
