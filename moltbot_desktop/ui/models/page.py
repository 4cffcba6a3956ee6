"""Models in three lists: on this computer, to fetch, and on servers; one beside the list.

    ModelsPlace(parts, desk)

What is fetched goes on while one is elsewhere; the rail shows it. While something is in work, the
desk is asked twice a second how far it has come, and only the figures that changed are shown anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import (
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QProgressBar, QPushButton, QWidget

from moltbot_desktop.gateway.client import AssistantClient, AssistantStatus, ClientEvent
from moltbot_desktop.sdk.model_shelf import (
    EMBEDDING,
    JobKind,
    JobState,
    ModelDesk,
    ModelJob,
    ModelLine,
)
from moltbot_desktop.ui.kit.list_place import (
    Emptiness,
    ListPlace,
    Look,
    PlaceParts,
    buttons_of,
    column_of,
)
from moltbot_desktop.ui.kit.segments import Segments
from moltbot_desktop.ui.kit.texts import button, heading, note, plain
from moltbot_desktop.ui.models.words import (
    HERE,
    OFFERED,
    SERVERS,
    Act,
    Card,
    Stand,
    act_words,
    card_of,
    percent_of,
    progress_words,
    row_of,
    size_words,
    stands_of,
)
from moltbot_desktop.ui.place import PERMISSIONS, SETTINGS

_TICK_MS = 500
_SERVERS_PAGE = "general#models.providers"
_SEAL_PART = "network"
_BUTTONS_A_ROW = 4
_PRIMARY = (Act.USE, Act.FETCH, Act.RESUME, Act.AGAIN, Act.SEAL)
_DANGER = (Act.REMOVE, Act.FORGET, Act.DISCARD)


@dataclass(frozen=True)
class ModelsLook(Look[Stand]):
    """`jobs`: all of them, those whose rows are not shown too."""

    jobs: tuple[ModelJob, ...] = ()


class ModelsPlace(ListPlace[Stand]):
    """What a `ModelDesk` has."""

    def __init__(self, parts: PlaceParts, desk: ModelDesk) -> None:
        self._desk = desk
        self._client: AssistantClient | None = None
        self._jobs: tuple[ModelJob, ...] = ()
        self._card: Card | None = None
        self._shown: QWidget | None = None
        self._bar: QProgressBar | None = None
        self._bar_words: QLabel | None = None
        super().__init__(parts, self.tr("Models"), "models")
        self.unload = self.add_action(self.tr("Give memory back"), self._on_unload)
        self.unload.setToolTip(self.tr("The model leaves the memory until it is needed again."))
        self.unload.hide()
        self.import_file = self.add_action(self.tr("Add a file"), self._pick)
        self.import_file.setToolTip(self.tr("A .gguf file; it can also be dropped here. Ctrl+O"))
        self.segments = Segments(
            (
                (HERE, self.tr("On this computer")),
                (OFFERED, self.tr("To fetch")),
                (SERVERS, self.tr("On servers")),
            )
        )
        self.segments.chosen.connect(self._on_segment)
        self.add_above(self.segments)
        self.setAcceptDrops(True)
        self._ticks = QTimer(self)
        self._ticks.setInterval(_TICK_MS)
        self._ticks.timeout.connect(self._tick)
        for keys, act in (("Ctrl+O", self._pick), ("Delete", self._on_delete)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    def set_client(self, client: AssistantClient) -> None:
        self._client = client
        client.request_status()

    def deliver(self, events: Sequence[ClientEvent]) -> None:
        for event in events:
            if isinstance(event, AssistantStatus):
                self.unload.setVisible(event.model_loaded)
                size = size_words(event.model_bytes) if event.model_bytes else ""
                told = self.tr("In memory: {name} {size}").replace("{name}", event.model)
                self.unload.setAccessibleDescription(told.replace("{size}", size).strip())

    def entered(self, what: str = "") -> None:
        if what in self.segments.buttons:
            self.segments.choose(what)
            what = ""
        super().entered(what)

    # ------------------------------------------------------------------ the lists

    def look(self, searched: str) -> Look[Stand]:
        shelf = self._desk.look()
        part = self.segments.current
        stands = stands_of(shelf, part, searched)
        told = ""
        if part == HERE and shelf.memory:
            told = self.tr("The program holds {size} of memory now.").replace(
                "{size}", f"{shelf.memory / 1e9:.1f} GB"
            )
        elif part == OFFERED and shelf.sealed:
            told = self.tr("The seal is closed: nothing can be fetched until it is opened.")
        elif part == OFFERED:
            told = shelf.problem
        rows = tuple(map(row_of, stands))
        return ModelsLook(rows, stands, told, waiting=_waiting(shelf.jobs), jobs=shelf.jobs)

    def emptiness(self, searched: str) -> Emptiness:
        if searched:
            return Emptiness(self.tr("Nothing found."), self.tr("Try another word."))
        if self.segments.current == SERVERS:
            return Emptiness(
                self.tr("No server is set up."),
                self.tr(
                    "Models can also answer from a server of yours: any that speaks as OpenAI's"
                    " do, such as llama-server or vLLM. What you write then goes there."
                ),
                self.tr("Add a server"),
            )
        if self.segments.current == OFFERED:
            return Emptiness(
                self.tr("Everything is here."), self.tr("There is no further model to fetch.")
            )
        return Emptiness(
            self.tr("There are no models."),
            self.tr("Fetch one, or add a .gguf file that you have."),
            self.tr("Add a file"),
        )

    def begin(self) -> None:
        if self.segments.current == SERVERS:
            self.place_requested.emit(SETTINGS, _SERVERS_PAGE)
        else:
            self._pick()

    @Slot(str)
    def _on_segment(self, _part: str) -> None:
        self.search.clear()
        self.refresh()

    # ------------------------------------------------------------------ what goes on

    def _take(self, look: Look[Stand], searched: str) -> None:
        super()._take(look, searched)
        if isinstance(look, ModelsLook):
            self._follow(look.jobs)

    def _follow(self, jobs: tuple[ModelJob, ...]) -> None:
        """Look on while something is in work; tell what has ended."""
        self._jobs = jobs
        for one in jobs:
            if one.state is JobState.DONE and one.kind is not JobKind.TRY:
                self._tell_end(one)
        if not any(one.live for one in jobs):
            self._ticks.stop()
        elif not self._ticks.isActive():
            self._ticks.start()

    def _tell_end(self, job: ModelJob) -> None:
        name = job.made or job.name
        self.done.tell(self.tr("It is here: {name}").replace("{name}", name))
        if job.kind is JobKind.ADD:
            self.stand_on(name)

        def dismissed(_: None) -> None:
            if self.isVisible():
                self.refresh()  # what was looked at last may be from before the end

        self.asking.ask(partial(self._desk.dismiss, job.name), dismissed, lambda _: None)

    @Slot()
    def _tick(self) -> None:
        self.asking.ask(self._desk.jobs, self._take_jobs, lambda _: None, about="jobs")

    def _take_jobs(self, jobs: tuple[ModelJob, ...]) -> None:
        self.badge_changed.emit(_waiting(jobs))
        if _states(jobs) != _states(self._jobs):
            if self.isVisible():
                self.refresh()
            else:
                self._follow(jobs)
            return
        by_name = {one.name: one for one in jobs}
        stands = tuple(replace(one, job=by_name.get(one.name)) for one in self._look.things)
        rows = tuple(map(row_of, stands))
        look = self._look
        fresh = ModelsLook(rows, stands, look.note, look.waiting, look.live, jobs)
        self._take(fresh, self.search.text().strip())

    # ------------------------------------------------------------------ details

    def details(self, thing: Stand) -> QWidget:
        card, stands_there = card_of(thing), self.area.widget()
        if card == self._card and stands_there is not None and stands_there is self._shown:
            self._show_progress(thing)  # nothing is made anew under the person's hands
            return stands_there
        self._card = card
        shown: list[QWidget] = [heading(card.title)]
        if card.about:
            shown.append(plain(card.about))
        if card.wrong:
            shown.append(plain(card.wrong, "field_problem"))
        self._bar = self._bar_words = None
        if card.moving:
            self._bar, self._bar_words = QProgressBar(), note()
            self._bar.setRange(0, 100)
            self._bar.setTextVisible(False)
            self._bar.setAccessibleName(card.title)
            shown += [self._bar, self._bar_words]
            self._show_progress(thing)
        made = [self._button(act, thing) for act in card.acts]
        for start in range(0, len(made), _BUTTONS_A_ROW):
            shown.append(buttons_of(made[start : start + _BUTTONS_A_ROW]))
        shown += [*map(plain, card.facts), *map(note, card.notes)]
        self._shown = column_of(shown)
        return self._shown

    def _show_progress(self, stand: Stand) -> None:
        if self._bar is not None and self._bar_words is not None and stand.job is not None:
            self._bar.setValue(percent_of(stand.job.progress, stand.line))
            self._bar_words.setText(progress_words(stand.job))

    def _button(self, act: Act, stand: Stand) -> QPushButton:
        kind = "primary" if act in _PRIMARY else "danger" if act in _DANGER else "secondary"
        made = button(act_words(act), kind)
        made.clicked.connect(lambda: self._do(act, stand))
        return made

    # ------------------------------------------------------------------ acts

    def _do(self, act: Act, stand: Stand) -> None:
        name, line = stand.name, stand.line
        match act:
            case Act.FETCH | Act.RESUME | Act.AGAIN:
                self._quietly(lambda: self._desk.fetch(name))
            case Act.PAUSE | Act.STOP:
                self._quietly(lambda: self._desk.stop(name))
            case Act.DISMISS:
                self._quietly(lambda: self._desk.dismiss(name))
            case Act.TRY:
                self._quietly(lambda: self._desk.try_out(name))
            case Act.SETTINGS:
                self.place_requested.emit(SETTINGS, _SERVERS_PAGE)
            case Act.SEAL:
                self.place_requested.emit(PERMISSIONS, _SEAL_PART)
            case Act.DISCARD:
                self._ask_discard(stand)
            case _ if line is not None:
                self._do_with(act, line)

    def _do_with(self, act: Act, line: ModelLine) -> None:
        """What is done with a model that is here."""
        if act is Act.USE:
            self.act(lambda: self._desk.use(line.name), lambda won: self._used(line, won))
        elif act is Act.REMOVE:
            self._ask_remove(line)
        elif act is Act.FORGET:
            self._forget(line)
        elif act is Act.FOLDER:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(line.path).parent)))

    def _quietly(self, work: Callable[[], None]) -> None:
        self.act(work, lambda _: None)

    def _used(self, line: ModelLine, overruled_by: str) -> None:
        if overruled_by:
            words = self.tr("The settings name another one ({setting}), and that one is used.")
            self.done.complain(words.replace("{setting}", overruled_by))
        elif line.kind == EMBEDDING:
            words = self.tr("“{name}” searches the memory from the next start on.")
            self.done.tell(words.replace("{name}", line.name))
        else:
            if self._client is not None:
                self._client.unload_model()  # the next message loads the one that was chosen
            words = self.tr("“{name}” answers from your next message on.")
            self.done.tell(words.replace("{name}", line.name))

    def _ask_remove(self, line: ModelLine) -> None:
        question = (
            self.tr("Remove “{name}”? This frees {size}; to have it again it must be fetched anew.")
            .replace("{name}", line.name)
            .replace("{size}", size_words(line.size))
        )
        told = self.tr("Removed: {name}").replace("{name}", line.name)
        self.confirm(
            question,
            self.tr("Remove"),
            lambda: self.act(lambda: self._desk.remove(line.name), lambda _: self.done.tell(told)),
        )

    def _forget(self, line: ModelLine) -> None:
        told = self.tr("Forgotten: {name}. Its file stays.").replace("{name}", line.name)
        again = self.tr("Back: {name}").replace("{name}", line.name)

        def back() -> None:
            name = self._desk.point_at(Path(line.path))
            if line.in_use:
                self._desk.use(name)

        def undo() -> None:
            self.act(back, lambda _: self.done.tell(again))

        self.act(lambda: self._desk.remove(line.name), lambda _: self.done.tell(told, undo))

    def _ask_discard(self, stand: Stand) -> None:
        name = stand.name
        here = stand.line.fetched if stand.line is not None else 0
        if stand.job is not None and stand.job.progress is not None:
            here = stand.job.progress.done
        question = (
            self.tr("Cancel “{name}”? The {size} that are here are thrown away.")
            .replace("{name}", name)
            .replace("{size}", size_words(here))
        )
        self.confirm(
            question,
            self.tr("Throw away"),
            lambda: self._quietly(lambda: self._desk.discard(name)),
        )

    @Slot()
    def _on_delete(self) -> None:
        stand = self.thing(self.rows.current)
        if stand is None or not self.rows.hasFocus():
            return
        acts = card_of(stand).acts
        wanted = next((one for one in (Act.REMOVE, Act.FORGET, Act.DISCARD) if one in acts), None)
        if wanted is not None:
            self._do(wanted, stand)

    @Slot()
    def _on_unload(self) -> None:
        if self._client is not None:
            self._client.unload_model()

    # ------------------------------------------------------------------ a file of one's own

    @Slot()
    def _pick(self) -> None:
        kind = QStandardPaths.StandardLocation.DownloadLocation
        begin = QStandardPaths.writableLocation(kind)
        dialog = QFileDialog(self, self.tr("Add a model"), begin, self.tr("Models (*.gguf)"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.offer(Path(path)))
        dialog.open()

    def offer(self, source: Path) -> None:
        """Ask how `source` is to be taken in, and do so."""
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle(self.title.text())
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("Add “{name}”?").replace("{name}", source.name))
        box.setInformativeText(
            self.tr("It can be copied to the other models, or stay where it lies.")
        )
        copy = box.addButton(self.tr("Copy"), QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(self.tr("Leave it there"), QMessageBox.ButtonRole.ActionRole)
        box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(copy)
        copy.clicked.connect(lambda: self._add(source))
        stay.clicked.connect(lambda: self._point_at(source))
        box.open()

    def _add(self, source: Path) -> None:
        self.segments.choose(HERE)
        self._quietly(lambda: self._desk.add(source))

    def _point_at(self, source: Path) -> None:
        self.segments.choose(HERE)

        def done(name: str) -> None:
            self.done.tell(self.tr("It is here: {name}").replace("{name}", name))
            self.stand_on(name)

        self.act(lambda: self._desk.point_at(source), done)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _files_of(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        for source in _files_of(event)[:1]:
            self.offer(source)


def _files_of(event: QDropEvent) -> list[Path]:
    return [Path(one.toLocalFile()) for one in event.mimeData().urls() if one.isLocalFile()]


def _waiting(jobs: Sequence[ModelJob]) -> int:
    """What the rail shows: what is in work or has failed."""
    return sum(one.live or one.state is JobState.FAILED for one in jobs)


def _states(jobs: Sequence[ModelJob]) -> list[tuple[str, JobState]]:
    return [(one.name, one.state) for one in jobs]
