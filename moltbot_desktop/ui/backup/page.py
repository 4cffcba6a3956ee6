"""Saving everything to a file, bringing it in again, and the snapshots of how it was.

BackupPlace(parts, desk)

Nothing is ever overwritten: a backup needs a free name, an import is shown before it is done and
makes a snapshot, and putting a snapshot back makes another. The list shows the snapshots.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFileDialog, QWidget

from moltbot_desktop.sdk.backup import (
    BackupDesk,
    BundleFile,
    Exported,
    Imported,
    ImportPlan,
    NotWanted,
    Part,
    Snapshot,
)
from moltbot_desktop.sdk.backup_words import occasion_words, size_words
from moltbot_desktop.ui.backup.forms import (
    BundleForm,
    ExportForm,
    Form,
    ImportForm,
    ReportForm,
    RestoreForm,
    SourceForm,
)
from moltbot_desktop.ui.backup.progress import Progress
from moltbot_desktop.ui.backup.words import (
    capital,
    exported_groups,
    files_words,
    left_groups,
    moment,
    row_of,
    step_groups,
)
from moltbot_desktop.ui.kit.asking import Refused
from moltbot_desktop.ui.kit.list_place import (
    Emptiness,
    ListPlace,
    Look,
    PlaceParts,
    buttons_of,
    column_of,
)
from moltbot_desktop.ui.kit.texts import button, heading, note, plain

A = TypeVar("A")


class BackupPlace(ListPlace[Snapshot]):
    """What a `BackupDesk` keeps, and its acts."""

    def __init__(self, parts: PlaceParts, desk: BackupDesk) -> None:
        self._desk = desk
        self._form: Form | None = None
        super().__init__(parts, self.tr("Backup"), "backup", searches=False)
        self.save = self.add_action(self.tr("Save…"), self.begin, "primary")
        self.save.setToolTip(self.tr("Ctrl+S"))
        self.add_action(self.tr("Bring in…"), self.begin_import)
        snapshot = button(self.tr("Make a snapshot"))
        snapshot.clicked.connect(self.make_snapshot)
        helper = button(self.tr("Get help…"))
        helper.clicked.connect(self.begin_bundle)
        self.add_above(buttons_of((snapshot, helper)))
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self.begin)

    def entered(self, what: str = "") -> None:
        """`what` may be "import": the person wants to bring something in."""
        super().entered("" if what == "import" else what)
        if what == "import":
            self.begin_import()

    # ------------------------------------------------------------------ the snapshots

    def look(self, searched: str) -> Look[Snapshot]:
        found = self._desk.snapshots()
        cut_off = self._desk.unfinished()
        told = self.tr("How everything was at a moment, to be put back.") if found else ""
        for one in found:
            if one.id == cut_off:
                words = self.tr(
                    "Bringing something in was cut off. Bring in the same again to go on, or put"
                    " back the snapshot of {when}."
                )
                told = words.replace("{when}", moment(one.made))
        rows = tuple(row_of(one, self.parts.language) for one in found)
        return Look(rows, tuple(found), told, int(bool(cut_off)))

    def emptiness(self, searched: str) -> Emptiness:
        return Emptiness(
            self.tr("Nothing is saved yet."),
            self.tr(
                "Save everything that you have said and made into one file, to keep it safe or to"
                " take it to another computer. Snapshots of how everything was stand here; one is"
                " made before each import and each update."
            ),
            self.tr("Save a backup"),
        )

    def details(self, thing: Snapshot) -> QWidget:
        back = button(self.tr("Put everything back…"))
        back.clicked.connect(lambda: self.begin_restore(thing))
        version = self.tr("Version {version}").replace("{version}", thing.version)
        shown: list[QWidget] = [
            heading(moment(thing.made)),
            plain(capital(occasion_words(thing.occasion, self.parts.language))),
            note(files_words(thing.files, thing.size)),
            note(version),
        ]
        for what, names in left_groups(thing.left_out, self.parts.language):
            shown += [plain(what), note("\n".join(names))]
        return column_of((*shown, buttons_of((back,))))

    def make_snapshot(self) -> None:
        def done(made: Snapshot) -> None:
            self.done.tell(self.tr("Snapshot: {when}").replace("{when}", moment(made.made)))
            self.stand_on(made.id)

        self.act(self._desk.snapshot, done)

    def begin_restore(self, one: Snapshot) -> None:
        form = RestoreForm(one, self.parts.clock, self.parts.is_real)

        def ordered(_: Snapshot) -> None:
            self.show_list()
            self.done.tell(self.tr("It is put back when I start next: quit and start me again."))

        form.wanted.connect(
            lambda: self._do(
                form, self.tr("One moment…"), lambda: self._desk.restore_at_start(one.id), ordered
            )
        )
        self._open(form)

    # ------------------------------------------------------------------ saving

    def begin(self) -> None:
        form = ExportForm(self.parts.language)
        name = f"moltbot-{self.parts.clock.now().astimezone():%Y-%m-%d}.zip"
        form.wanted.connect(lambda: self._choose_new(name, lambda path: self.export_to(form, path)))
        self._open(form)

    def export_to(self, form: ExportForm, path: Path) -> None:
        """Write what is ticked in `form` to `path`."""
        parts: tuple[Part, ...] = form.parts
        waiting = self.tr("Writing it, and reading it back. This may take some minutes…")
        self._do_stoppable(
            form,
            waiting,
            lambda progress: self._desk.export(path, parts, progress),
            self._exported,
            self.tr("Nothing was written."),
        )

    def _exported(self, done: Exported) -> None:
        lines = (
            self.tr("{path} ({size})")
            .replace("{size}", size_words(done.size))
            .replace("{path}", str(done.path)),
            self.tr("It was read back, and is whole."),
        )
        groups = exported_groups(done, self.parts.language)
        self._open(ReportForm(self.tr("The backup is written"), lines, groups))

    # ------------------------------------------------------------------ bringing in

    def begin_import(self) -> None:
        self.asking.ask(self._desk.others, self._ask_source, self._refused, about="others")

    def _ask_source(self, found: tuple[Path, ...]) -> None:
        form = SourceForm(found)
        form.chosen.connect(lambda path: self.import_from(Path(path)))
        form.file_wanted.connect(
            lambda: self._choose(
                QFileDialog.FileMode.ExistingFile, lambda path: self.import_from(path)
            )
        )
        form.folder_wanted.connect(
            lambda: self._choose(
                QFileDialog.FileMode.Directory, lambda path: self.import_from(path)
            )
        )
        self._open(form)

    def import_from(self, path: Path, *, mine: bool = False, keys: bool = False) -> None:
        """Show what bringing in `path` would do."""
        form = self._form or SourceForm(())
        if form is not self._form:
            self._open(form)
        waiting = self.tr("Reading all of it. This may take some minutes…")
        self._do_stoppable(
            form,
            waiting,
            lambda progress: self._desk.plan(path, mine=mine, keys=keys, going=progress),
            self._show_plan,
            self.tr("Nothing was brought in: everything is as it was."),
        )

    def _show_plan(self, plan: ImportPlan) -> None:
        form = ImportForm(plan, self.parts.clock, self.parts.is_real, self.parts.language)
        form.changed.connect(
            lambda: self.import_from(
                plan.source, mine=form.mine.isChecked(), keys=form.keys.isChecked()
            )
        )
        waiting = self.tr("Bringing it in. This may take some minutes…")
        form.wanted.connect(
            lambda: self._do_stoppable(
                form,
                waiting,
                lambda progress: self._desk.import_(plan, progress),
                self._imported,
                self.tr("Nothing was brought in: everything is as it was."),
            )
        )
        self._open(form)

    def _imported(self, done: Imported) -> None:
        lines = (
            self.tr("The newest snapshot in the list is how it was before; it can be put back.")
            if done.snapshot
            else self.tr("Everything that can be taken is here already.")
        )
        groups = step_groups(done.steps, self.parts.language)
        self._open(ReportForm(self.tr("It is brought in"), (lines,), groups))
        self.stand_on(done.snapshot)

    # ------------------------------------------------------------------ for a helper

    def begin_bundle(self) -> None:
        self.asking.ask(
            self._desk.bundle_contents, self._show_bundle, self._refused, about="bundle"
        )

    def _show_bundle(self, files: tuple[BundleFile, ...]) -> None:
        form = BundleForm(files)
        form.wanted.connect(
            lambda: self._choose_new("moltbot-help.zip", lambda path: self.bundle_to(form, path))
        )
        self._open(form)

    def bundle_to(self, form: BundleForm, path: Path) -> None:
        """Write the support bundle to `path`."""
        words = self.tr("Written: {path}. Look into it before you give it to anybody.")
        told = words.replace("{path}", str(path))

        def done(_: tuple[BundleFile, ...]) -> None:
            self.show_list()
            self.done.tell(told)

        self._do(form, self.tr("Writing…"), lambda: self._desk.bundle(path), done)

    # ------------------------------------------------------------------ forms and files

    def show_list(self) -> None:
        self._form = None
        super().show_list()

    def _open(self, form: Form) -> None:
        self._form = form
        form.cancelled.connect(self.show_list)
        self.show_instead(form)
        form.take_focus()

    def _do_stoppable(
        self,
        form: Form,
        waiting: str,
        work: Callable[[Progress], A],
        take: Callable[[A], None],
        stopped: str,
    ) -> None:
        """As `_do`, and it can be stopped: `stopped` says how everything is then."""
        progress = Progress()

        def tried() -> A | None:
            try:
                return work(progress)
            except NotWanted:
                return None

        def taken(answer: A | None) -> None:
            if answer is not None:
                take(answer)
                return
            form.go_on()
            form.take_focus()
            self.done.tell(stopped)

        self._do(form, waiting, tried, taken, progress)

    def _do(
        self,
        form: Form,
        waiting: str,
        work: Callable[[], A],
        take: Callable[[A], None],
        progress: Progress | None = None,
    ) -> None:
        """`work`, while `form` waits. What comes of it is shown there; a person who left is told
        that it was done, except of a plan, which changed nothing."""
        form.wait(waiting, progress)

        def done(answer: A) -> None:
            if self._form is form:
                self.done.hide()
                take(answer)
            elif answer is not None and not isinstance(answer, ImportPlan):
                self.done.tell(self.tr("It is done."))
            self.refresh()

        def refused(refusal: Refused) -> None:
            if self._form is form:
                form.go_on()
                form.take_focus()
            self._refused(refusal)

        self.asking.ask(work, done, refused)

    def _refused(self, refusal: Refused) -> None:
        self.done.complain(refusal.words)

    def _choose_new(self, name: str, take: Callable[[Path], None]) -> None:
        """Ask for a file that is not there yet; the desk refuses one that is."""
        asked = QFileDialog(self, self.tr("Where to?"), str(Path.home()))
        asked.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        asked.setOption(QFileDialog.Option.DontConfirmOverwrite)
        asked.setDefaultSuffix("zip")
        asked.selectFile(name)
        self._ask(asked, take)

    def _choose(self, mode: QFileDialog.FileMode, take: Callable[[Path], None]) -> None:
        asked = QFileDialog(self, self.tr("Where from?"), str(Path.home()))
        asked.setFileMode(mode)
        if mode is QFileDialog.FileMode.ExistingFile:
            asked.setNameFilters([self.tr("Backups (*.zip)"), self.tr("All files (*)")])
        self._ask(asked, take)

    def _ask(self, asked: QFileDialog, take: Callable[[Path], None]) -> None:
        asked.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        asked.fileSelected.connect(lambda path: take(Path(path)))
        asked.open()
