"""What stands beside the snapshots while a backup is saved, brought in or put back.

form = ExportForm(language)
form.wanted.connect(lambda: choose_a_file(form.parts))
form.wait(tr("Writing…"))          # until the desk has answered
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QProgressBar, QPushButton, QVBoxLayout, QWidget

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.backup import BundleFile, ImportPlan, Part, Snapshot
from moltbot_desktop.sdk.backup_words import size_words
from moltbot_desktop.ui.backup.progress import ALL, Progress
from moltbot_desktop.ui.backup.words import Group, moment, part_name, step_groups
from moltbot_desktop.ui.kit.list_place import buttons_of
from moltbot_desktop.ui.kit.measures import HAIR, SMALL, WIDE
from moltbot_desktop.ui.kit.texts import button, heading, note, plain
from moltbot_desktop.ui.real_press import ActivationGuard, IsReal

translate = QCoreApplication.translate

_BAR_PX = 4


class Form(QWidget):
    """A heading, what there is to read and to choose, buttons; it can be told to wait.

    Signals:
        wanted: the person wants what the form is for.
        cancelled: nothing of it.
    """

    wanted = Signal()
    cancelled = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(WIDE, 0, SMALL, SMALL)
        self._column.setSpacing(SMALL)
        self._column.addWidget(heading(name))
        self._body = QWidget()
        self._lines = QVBoxLayout(self._body)
        self._lines.setContentsMargins(0, 0, 0, 0)
        self._lines.setSpacing(HAIR)
        self._column.addWidget(self._body)
        self.bar, self.waiting = QProgressBar(), note()
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(_BAR_PX)
        self._progress: Progress | None = None
        self.stop = button(translate("Backup", "Cancel"))
        self.stop.clicked.connect(self._on_stopped)
        for one in (self.bar, self.waiting, self.stop):
            one.hide()
            self._column.addWidget(one)
        self._column.setAlignment(self.stop, Qt.AlignmentFlag.AlignLeft)

    def add(self, widget: QWidget, *, gap: int = 0) -> None:
        self._lines.addSpacing(gap)
        self._lines.addWidget(widget)

    def add_groups(self, groups: Sequence[Group]) -> None:
        for what, names in groups:
            self.add(plain(what), gap=HAIR)
            if names:
                self.add(note("\n".join(names)))

    def end(self, buttons: Sequence[QPushButton]) -> None:
        """The buttons below all; the last thing to be added."""
        self._buttons = buttons_of(buttons)
        self._column.addSpacing(SMALL)
        self._column.addWidget(self._buttons)
        self._column.addStretch(1)

    def cancel(self, text: str) -> QPushButton:
        made = button(text)
        made.clicked.connect(self.cancelled)
        return made

    def wait(self, words: str, progress: Progress | None = None) -> None:
        """Nothing can be pressed twice; `words` say what goes on. With `progress` it is shown how
        far it has come, and it can be stopped."""
        self._body.setEnabled(False)
        self._buttons.setEnabled(False)
        self.waiting.setText(words)
        self.bar.setAccessibleName(words)
        for one in (self.bar, self.waiting):
            one.show()
        self.bar.setRange(0, 0)  # nobody knows how long
        if progress is None:
            return
        progress.came.connect(self._show_progress)
        progress.settled.connect(self._cannot_stop)
        self._progress = progress
        self._buttons.hide()  # one way to cancel, not two
        self.stop.setEnabled(True)
        self.stop.show()
        self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(int)
    def _show_progress(self, share: int) -> None:
        self.bar.setRange(0, ALL)
        self.bar.setValue(share)

    @Slot()
    def _cannot_stop(self) -> None:
        self.stop.hide()

    def _on_stopped(self) -> None:
        if self._progress is not None:
            self._progress.stop()
        self.stop.setEnabled(False)
        self.waiting.setText(translate("Backup", "Stopping…"))

    def go_on(self) -> None:
        """It was not done: once more, if the person likes."""
        self._body.setEnabled(True)
        self._buttons.setEnabled(True)
        self._buttons.show()
        for one in (self.bar, self.waiting, self.stop):
            one.hide()

    def take_focus(self) -> None:
        found = [one for one in self._buttons.findChildren(QPushButton) if one.isEnabled()]
        if found:
            found[0].setFocus(Qt.FocusReason.OtherFocusReason)


class GuardedForm(Form):
    """A form whose act only the person's own press begins (`real_press`): the assistant may use
    the screen, but loosens no rule with it."""

    def __init__(self, name: str, press: str, clock: Clock, is_real: IsReal) -> None:
        super().__init__(name)
        self.press = button(press, "primary")
        self._guard = ActivationGuard(self.press, clock, is_real)
        self._guard.activated.connect(self.wanted)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._guard.restart()


class ExportForm(Form):
    """What is to go into the file; all of it, when nothing is unticked."""

    def __init__(self, language: Language) -> None:
        super().__init__(self.tr("Save a backup"))
        self.add(
            note(
                self.tr(
                    "Everything goes into one file, to keep or to take to another computer. Keys"
                    " and passwords stay here. What you said stands in it as you said it: keep the"
                    " file as you keep your diary."
                )
            )
        )
        self._boxes: dict[Part, QCheckBox] = {}
        for part in Part:
            if part is not Part.TOLD:
                box = self._boxes[part] = QCheckBox(part_name(part, language))
                box.setChecked(True)
                box.toggled.connect(self._on_toggled)
                self.add(box, gap=HAIR)
        self.save = button(self.tr("Choose a place for it…"), "primary")
        self.save.clicked.connect(self.wanted)
        self.end((self.save, self.cancel(self.tr("Cancel"))))

    @property
    def parts(self) -> tuple[Part, ...]:
        """() for everything, lists to be read included."""
        chosen = tuple(part for part, box in self._boxes.items() if box.isChecked())
        return () if len(chosen) == len(self._boxes) else chosen

    def _on_toggled(self) -> None:
        self.save.setEnabled(any(one.isChecked() for one in self._boxes.values()))

    def take_focus(self) -> None:
        self.save.setFocus()


class SourceForm(Form):
    """Where to bring something in from.

    Signals:
        file_wanted, folder_wanted: the person wants to choose one.
        chosen: this folder, which was found by itself.
    """

    file_wanted = Signal()
    folder_wanted = Signal()
    chosen = Signal(str)

    def __init__(self, found: Sequence[Path]) -> None:
        super().__init__(self.tr("Bring something in"))
        self.add(
            note(
                self.tr(
                    "From a backup file, or from the folder of Moltbot, Clawdbot or OpenClaw."
                    " You see first what would be done. Nothing that is here is overwritten, and"
                    " the other folder is only read."
                )
            )
        )
        for folder in found:
            take = button(self.tr("Found here: {folder}").replace("{folder}", str(folder)))
            take.clicked.connect(lambda _=False, name=str(folder): self.chosen.emit(name))
            self.add(take, gap=SMALL)
        file = button(self.tr("Choose a backup file…"), "primary")
        file.clicked.connect(self.file_wanted)
        folder_button = button(self.tr("Choose a folder…"))
        folder_button.clicked.connect(self.folder_wanted)
        self.end((file, folder_button, self.cancel(self.tr("Cancel"))))


class ImportForm(GuardedForm):
    """What an import would do, before it is done.

    Signals:
        changed: something was ticked, and the plan is another one now.
    """

    changed = Signal()

    def __init__(self, plan: ImportPlan, clock: Clock, is_real: IsReal, language: Language) -> None:
        super().__init__(
            self.tr("This would be brought in"), self.tr("Bring it in"), clock, is_real
        )
        self.plan = plan
        self.add(note(_origin(plan, self.tr("{path}, written on {when}"))))
        if not plan.changes:
            self.add(plain(self.tr("Everything that can be taken is here already.")), gap=SMALL)
        self.add_groups(step_groups(plan.steps, language))
        self.mine, self.keys = QCheckBox(self.tr("It is my own")), QCheckBox()
        self.mine.setChecked(plan.mine)
        self.keys.setText(self.tr("Take keys and passwords along"))
        self.keys.setChecked(plan.keys)
        self.keys.setVisible(not plan.made)
        self.add(self.mine, gap=SMALL)
        self.add(
            note(
                self.tr(
                    "Tick it only if nobody else has had it in hands: then also comes in what runs"
                    " programs, lets people in or sends things away."
                )
            )
        )
        self.add(self.keys, gap=SMALL)
        for box in (self.mine, self.keys):
            box.toggled.connect(self.changed)
        self.press.setEnabled(plan.changes)
        self.add(
            note(self.tr("A snapshot is made first, so that it can be taken back.")), gap=SMALL
        )
        self.end((self.press, self.cancel(self.tr("Cancel"))))

    def take_focus(self) -> None:
        (self.press if self.press.isEnabled() else self.mine).setFocus()


class RestoreForm(GuardedForm):
    """What putting a snapshot back means, before it is ordered."""

    def __init__(self, one: Snapshot, clock: Clock, is_real: IsReal) -> None:
        name = self.tr("Put everything back to {when}?").replace("{when}", moment(one.made))
        super().__init__(name, self.tr("Put it back at the next start"), clock, is_real)
        self.add(
            plain(
                self.tr(
                    "Files, settings, conversations, reminders and jobs become what they were then."
                    " How they are now becomes a snapshot first, so this can be taken back too."
                )
            )
        )
        self.add(
            note(
                self.tr(
                    "It is done when the assistant starts next: quit and start it again. What you"
                    " allowed and took back stays as it is now."
                )
            ),
            gap=SMALL,
        )
        self.end((self.press, self.cancel(self.tr("Cancel"))))


class BundleForm(Form):
    """What a helper would get to read, all of it, before it is written."""

    def __init__(self, files: Sequence[BundleFile]) -> None:
        super().__init__(self.tr("For somebody who helps you"))
        self.add(
            note(
                self.tr(
                    "A file that says how the assistant is set up and what went wrong. It has no"
                    " conversation, no memory, no name and no key in it. This goes in:"
                )
            )
        )
        for one in files:
            size = size_words(len(one.text.encode()))
            self.add(plain(f"{one.name} · {size}"), gap=HAIR)
        save = button(self.tr("Choose a place for it…"), "primary")
        save.clicked.connect(self.wanted)
        self.end((save, self.cancel(self.tr("Cancel"))))


class ReportForm(Form):
    """What was done, until it is closed."""

    def __init__(self, name: str, lines: Sequence[str], groups: Sequence[Group]) -> None:
        super().__init__(name)
        for line in lines:
            self.add(plain(line))
        self.add_groups(groups)
        self.end((self.cancel(self.tr("Close")),))


def _origin(plan: ImportPlan, dated: str) -> str:
    if not plan.made:
        return f"{plan.program}: {plan.source}"
    return dated.replace("{when}", moment(plan.made)).replace("{path}", str(plan.source))
