"""What the assistant was taught, in one list, and what is chosen beside it.

    SkillsPlace(parts, desk)

Skills are folders: one that is laid into the workspace, or written by an editor, stands here a
moment later. Trust is asked for in a question of its own, after what it is about was shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import (
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QFileDialog, QWidget

from moltbot_desktop.sdk.skills_desk import (
    Added,
    SkillLine,
    SkillOffer,
    SkillsDesk,
    SkillSheet,
    TakenOut,
)
from moltbot_desktop.ui.kit.asking import Refused
from moltbot_desktop.ui.kit.list_place import Emptiness, ListPlace, Look, PlaceParts
from moltbot_desktop.ui.place import SETTINGS
from moltbot_desktop.ui.skills.adding import OfferForm, SourceForm
from moltbot_desktop.ui.skills.details import SkillDetails
from moltbot_desktop.ui.skills.trust_question import TrustQuestion
from moltbot_desktop.ui.skills.words import Act, row_of, shown_lines

_SETTINGS_PAGE = "skills"
OpenFolder = Callable[[QUrl], bool]


class SkillsPlace(ListPlace[SkillLine]):
    """What a `SkillsDesk` has."""

    def __init__(
        self,
        parts: PlaceParts,
        desk: SkillsDesk,
        open_folder: OpenFolder = QDesktopServices.openUrl,
    ) -> None:
        self._desk, self._open_folder = desk, open_folder
        super().__init__(parts, self.tr("Skills"), "skills")
        self.new = self.add_action(self.tr("Add…"), self.begin, "primary")
        self.new.setToolTip(self.tr("A folder or a zip; it can also be dropped here. Ctrl+N"))
        self.setAcceptDrops(True)
        for keys, act in (("Ctrl+N", self.begin), ("Delete", self._on_delete)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    # ------------------------------------------------------------------ the list

    def look(self, searched: str) -> Look[SkillLine]:
        shelf = self._desk.look()
        lines = shown_lines(shelf.lines, searched)
        waiting = sum(one.waits for one in shelf.lines)
        told = self.tr("What I was taught. A skill of yours goes into {folder}, and appears here.")
        told = told.replace("{folder}", str(shelf.workspace))
        return Look(tuple(map(row_of, lines)), lines, told, waiting, live=True)

    def emptiness(self, searched: str) -> Emptiness:
        if searched:
            return Emptiness(self.tr("Nothing found."), self.tr("Try another word."))
        return Emptiness(
            self.tr("There are no skills."),
            self.tr(
                "A skill is a page of steps for one kind of work, a SKILL.md in a folder of its"
                " own: “Every Friday, read my notes of the week and write down what is open.”"
            ),
            self.tr("Add a skill"),
        )

    def details(self, thing: SkillLine) -> QWidget:
        before = self.area.widget()
        if isinstance(before, SkillDetails) and before.line == thing:
            return before  # what changed is elsewhere
        made = SkillDetails(thing)
        made.pressed.connect(lambda act: self._do(Act(act), made))
        self.asking.ask(
            lambda: self._desk.sheet(thing.id),
            lambda sheet: self._show_sheet(made, sheet),
            lambda refused: self._no_sheet(made, refused),
            about="sheet",
        )
        return made

    def _show_sheet(self, details: SkillDetails, sheet: SkillSheet) -> None:
        if details is self.area.widget():  # something else may stand there by now
            details.show_sheet(sheet)

    def _no_sheet(self, details: SkillDetails, refused: Refused) -> None:
        if details is self.area.widget():
            details.show_refusal(refused.words)

    # ------------------------------------------------------------------ acts

    def _do(self, act: Act, details: SkillDetails) -> None:
        line = details.line
        match act:
            case Act.TRUST:
                self._ask_trust(details)
            case Act.SWITCH_ON | Act.SWITCH_OFF:
                self._switch(line, on=act is Act.SWITCH_ON)
            case Act.SETTINGS:
                self.place_requested.emit(SETTINGS, f"{_SETTINGS_PAGE}#{line.key}")
            case Act.FOLDER:
                self._ask_folder(line.folder)
            case Act.UNTRUST:
                self._untrust(line)
            case Act.REMOVE:
                self._remove(line)

    def _ask_trust(self, details: SkillDetails) -> None:
        if details.sheet is None:
            return
        for asked in self.window().findChildren(TrustQuestion):
            asked.close()
        line, clock, is_real = details.line, self.parts.clock, self.parts.is_real
        question = TrustQuestion(line.name, details.sheet, clock, is_real, self.window())
        question.agreed.connect(lambda: self._trust(line))
        question.show()

    def _trust(self, line: SkillLine) -> None:
        told = self._named(self.tr("Trusted as it is now: {name}"), line)

        def done(_: None) -> None:
            self.done.tell(told, lambda: self._untrust(line))
            self.stand_on(line.id)  # it stands elsewhere now

        self.act(lambda: self._desk.trust(line.id, line.content_hash), done)

    def _untrust(self, line: SkillLine) -> None:
        told = self._named(self.tr("Not trusted any more, and not used: {name}"), line)

        def done(_: None) -> None:
            self.done.tell(told)
            self.stand_on(line.id)

        self.act(lambda: self._desk.untrust(line.id), done)

    def _switch(self, line: SkillLine, *, on: bool) -> None:
        words = self.tr("Switched on: {name}") if on else self.tr("Switched off: {name}")
        told = self._named(words, line)
        self.act(
            lambda: self._desk.switch(line.id, on=on),
            lambda _: self.done.tell(told, lambda: self._switch(line, on=not on)),
        )

    def _ask_folder(self, folder: Path) -> None:
        question = self.tr("Open this folder outside Moltbot?")
        self.confirm(
            f"{question}\n\n{folder}",
            self.tr("Open"),
            lambda: self._show_folder(folder),
        )

    def _show_folder(self, folder: Path) -> None:
        if not self._open_folder(QUrl.fromLocalFile(str(folder))):
            self.done.complain(
                self.tr("No program opened it. The folder is {folder}").replace(
                    "{folder}", str(folder)
                )
            )

    @Slot()
    def _on_delete(self) -> None:
        line = self.thing(self.rows.current)
        if line is not None and line.removable and self.rows.hasFocus():
            self._remove(line)

    def _remove(self, line: SkillLine) -> None:
        told = self._named(self.tr("Removed: {name}"), line)

        def done(taken: TakenOut) -> None:
            self.done.tell(told, lambda: self._bring_back(taken))

        self.act(lambda: self._desk.remove(line.id), done)

    def _bring_back(self, taken: TakenOut) -> None:
        told = self.tr("Back: {name}").replace("{name}", taken.name)

        def done(skill: str) -> None:
            self.done.tell(told)
            self.stand_on(skill)

        self.act(lambda: self._desk.bring_back(taken), done)

    def _named(self, words: str, line: SkillLine) -> str:
        return words.replace("{name}", line.shown_name)

    # ------------------------------------------------------------------ adding

    def begin(self) -> None:
        form = SourceForm()
        form.folder_wanted.connect(lambda: self._pick(QFileDialog.FileMode.Directory))
        form.zip_wanted.connect(lambda: self._pick(QFileDialog.FileMode.ExistingFile))
        form.cancelled.connect(self.show_list)
        self.show_instead(form)
        form.take_focus()

    def _pick(self, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self, self.tr("Add a skill"), str(Path.home()))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        if mode is QFileDialog.FileMode.ExistingFile:
            dialog.setNameFilter(self.tr("Packed skills (*.zip)"))
        dialog.fileSelected.connect(lambda path: self.offer(Path(path)))
        dialog.open()

    def offer(self, source: Path) -> None:
        """Look through `source`, show what was found, and add what the person then wants."""
        self.asking.ask(
            lambda: self._desk.offers(source),
            self._show_offers,
            lambda refused: self.done.complain(refused.words),
            about="offers",
        )

    def _show_offers(self, offers: Sequence[SkillOffer]) -> None:
        form = OfferForm(offers)
        form.wanted.connect(lambda: self._add(form.chosen))
        form.cancelled.connect(self.show_list)
        self.show_instead(form)
        form.take_focus()

    def _add(self, offers: Sequence[SkillOffer]) -> None:
        def done(added: tuple[Added, ...]) -> None:
            self.show_list()
            self.stand_on(added[-1].id)
            self.done.tell(self._added_words(added), lambda: self._take_back(added))

        self.act(lambda: tuple(self._desk.put_in(one.id) for one in offers), done)

    def _added_words(self, added: Sequence[Added]) -> str:
        names = ", ".join(one.name for one in added)
        if any(one.hidden for one in added):
            words = self.tr("Added: {name}. Another one of that name counts more.")
        else:
            words = self.tr("Added: {name}. Look at it, then say whether you trust it.")
        return words.replace("{name}", names)

    def _take_back(self, added: Sequence[Added]) -> None:
        told = self.tr("As it was before: {name}")
        told = told.replace("{name}", ", ".join(one.name for one in added))

        def back() -> None:
            for one in added:
                self._desk.take_back(one)

        self.act(back, lambda _: self.done.tell(told))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _files_of(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        for source in _files_of(event)[:1]:
            self.offer(source)


def _files_of(event: QDropEvent) -> list[Path]:
    return [Path(one.toLocalFile()) for one in event.mimeData().urls() if one.isLocalFile()]
