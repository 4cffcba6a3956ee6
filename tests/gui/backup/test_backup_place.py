"""The place "Backup": saving everything, bringing it in after a look, putting snapshots back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.backup import Does, Going, LeftOut, Part, Step, Why
from moltbot_desktop.ui.backup.forms import ExportForm, Form, ImportForm, RestoreForm
from moltbot_desktop.ui.backup.page import BackupPlace
from moltbot_desktop.ui.backup.progress import ALL
from moltbot_desktop.ui.backup.words import left_groups, moment, step_groups
from tests.fakes.backup_desk import MADE, FakeBackupDesk
from tests.gui.places import ARTIFACTS, Stage, button_in, texts_in

FILE = Path("/media/stick/mine.zip")
THEIRS = Path("/home/ada/.openclaw")


def opened(stage: Stage, desk: FakeBackupDesk, *, dark: bool = False) -> BackupPlace:
    """As a person sees it whose presses are real."""
    parts = replace(stage.parts, is_real=lambda _: True)
    return stage.show(BackupPlace(parts, desk), dark=dark)


def form_in(place: BackupPlace) -> Form:
    [form] = [one for one in place.findChildren(Form) if one.isVisible()]
    return form


def late_enough(stage: Stage) -> None:
    """Later than a key that was already on its way."""
    assert isinstance(stage.parts.clock, ManualClock)
    stage.parts.clock.advance(1.0)


def test_an_empty_list_teaches_and_begins(stage: Stage) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    assert place.state.text.startswith("Nothing is saved yet.")
    stage.press(Qt.Key.Key_Space)
    form = form_in(place)
    assert isinstance(form, ExportForm)
    place.export_to(form, FILE)
    stage.settle()
    assert desk.written == {FILE: ()}
    shown = texts_in(form_in(place))
    assert "The backup is written" in shown and "Memory (2)" in shown
    assert "workspace/.env: keys do not go along; set them again" in shown
    stage.screenshot("backup-written-light-en")


def test_only_what_is_ticked_is_saved(stage: Stage) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    place.begin()
    form = form_in(place)
    assert isinstance(form, ExportForm)
    boxes = form._boxes
    for part, box in boxes.items():
        box.setChecked(part in (Part.MEMORY, Part.SKILLS))
    place.export_to(form, FILE)
    stage.settle()
    assert desk.written == {FILE: (Part.MEMORY, Part.SKILLS)}


def test_nothing_ticked_cannot_be_saved(stage: Stage) -> None:
    place = opened(stage, FakeBackupDesk())
    place.begin()
    form = form_in(place)
    assert isinstance(form, ExportForm)
    for box in form._boxes.values():
        box.setChecked(False)
    assert not form.save.isEnabled()


def test_what_could_not_be_written_says_why_and_can_be_tried_again(stage: Stage) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    place.begin()
    form = form_in(place)
    assert isinstance(form, ExportForm)
    desk.refusal = StorageError("The disk is full.", hint="Free some space.")
    place.export_to(form, FILE)
    stage.settle()
    assert place.done.label.text() == "The disk is full. Free some space."
    assert form_in(place) is form and form.save.isEnabled() and not form.waiting.isVisible()


def test_an_import_is_shown_before_it_is_done(stage: Stage) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    place.begin_import()
    stage.settle()
    place.import_from(FILE)
    stage.settle()
    form = form_in(place)
    assert isinstance(form, ImportForm)
    shown = texts_in(form)
    assert "Memory: new (1)" in shown
    assert "workspace/plan (imported 1f3a).md" in shown
    assert any(one.startswith("hooks.enabled: would let more happen") for one in shown)
    assert f"{FILE}, written on {moment(MADE)}" in shown
    assert not form.keys.isVisible() and desk.imported == []
    stage.screenshot("backup-import-light-en")
    late_enough(stage)
    stage.press(Qt.Key.Key_Space)
    assert [one.source for one in desk.imported] == [FILE]
    assert "It is brought in" in texts_in(form_in(place))
    button_in(place, "Close").click()
    stage.settle()
    assert place.rows.current == "s1" and place.rows.rows[0].title == moment(MADE)


def test_a_press_that_was_on_its_way_or_the_assistants_own_brings_nothing_in(
    stage: Stage,
) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    place.import_from(FILE)
    stage.settle()
    stage.press(Qt.Key.Key_Space)  # too early
    assert desk.imported == []
    unreal = replace(stage.parts, is_real=lambda _: False)
    other = stage.show(BackupPlace(unreal, desk))
    other.import_from(FILE)
    stage.settle()
    late_enough(stage)
    stage.press(Qt.Key.Key_Space)
    form = form_in(other)
    assert isinstance(form, ImportForm)
    form.press.click()
    QTest.mouseClick(form.press, Qt.MouseButton.LeftButton)
    stage.settle()
    assert desk.imported == []


def test_what_is_the_owners_own_is_planned_anew(stage: Stage) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    place.import_from(FILE)
    stage.settle()
    form = form_in(place)
    assert isinstance(form, ImportForm)
    form.mine.setChecked(True)
    stage.settle()
    form = form_in(place)
    assert isinstance(form, ImportForm)
    assert form.plan.mine and form.mine.isChecked()
    assert not any("would let more" in one for one in texts_in(form))


def test_another_programs_folder_is_offered_with_its_keys(stage: Stage) -> None:
    desk = FakeBackupDesk()
    desk.folders = (THEIRS,)
    place = opened(stage, desk)
    place.begin_import()
    stage.settle()
    button_in(place, f"Found here: {THEIRS}").click()
    stage.settle()
    form = form_in(place)
    assert isinstance(form, ImportForm)
    assert f"OpenClaw: {THEIRS}" in texts_in(form) and form.keys.isVisible()
    form.keys.setChecked(True)
    stage.settle()
    form = form_in(place)
    assert isinstance(form, ImportForm) and form.plan.keys


def test_an_import_with_nothing_new_has_nothing_to_press(stage: Stage) -> None:
    desk = FakeBackupDesk()
    desk.steps = (Step(Part.MEMORY, "MEMORY.md", Does.SAME),)
    place = opened(stage, desk)
    place.import_from(FILE)
    stage.settle()
    form = form_in(place)
    assert isinstance(form, ImportForm) and not form.press.isEnabled()
    assert "Everything that can be taken is here already." in texts_in(form)


def test_escape_leaves_a_plan_that_is_still_read(stage: Stage) -> None:
    desk = FakeBackupDesk()
    desk.snapshot()
    place = opened(stage, desk)
    place.import_from(FILE)
    QTest.keyClick(place, Qt.Key.Key_Escape)
    stage.settle()
    assert not [one for one in place.findChildren(Form) if one.isVisible()]
    assert place.rows.current == "s1"


def test_a_snapshot_is_made_and_put_back_at_the_next_start(stage: Stage) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    button_in(place, "Make a snapshot").click()
    stage.settle()
    assert place.rows.rows[0].detail == "Made by you"
    button_in(place, "Put everything back…").click()
    form = form_in(place)
    assert isinstance(form, RestoreForm)
    QTest.mouseClick(form.press, Qt.MouseButton.LeftButton)
    stage.settle()
    assert desk.ordered == []  # too early
    late_enough(stage)
    QTest.mouseClick(form.press, Qt.MouseButton.LeftButton)
    stage.settle()
    assert desk.ordered == ["s1"]
    assert place.done.label.text().startswith("It is put back when I start next")


def test_an_import_that_was_cut_off_is_told(stage: Stage) -> None:
    desk = FakeBackupDesk()
    desk.cut_off = desk.snapshot().id
    place = BackupPlace(stage.parts, desk)
    with stage.qtbot.waitSignal(place.badge_changed, check_params_cb=lambda count: count == 1):
        stage.show(place)
    assert "was cut off" in place.note.text() and moment(MADE) in place.note.text()


def test_what_a_helper_gets_is_shown_before_it_is_written(stage: Stage) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    place.begin_bundle()
    stage.settle()
    form = form_in(place)
    assert "about.json · 3 B" in texts_in(form) and desk.written == {}
    place.bundle_to(form, FILE)  # type: ignore[arg-type]  # any form can wait
    stage.settle()
    assert FILE in desk.written
    assert place.done.label.text().startswith(f"Written: {FILE}")


def test_names_from_an_archive_stay_on_their_line_and_in_bounds() -> None:
    hostile = "a\nkeys: all\u202etaken"
    steps = [Step(Part.MEMORY, hostile, Does.WAITS, why=Why.NAME) for _ in range(15)]
    [(what, names)] = step_groups(steps, Language.ENGLISH)
    assert what == "Memory: left to you (15)"
    assert len(names) == 13 and names[-1] == "… and 3 more"
    assert names[0] == "a\ufffdkeys: all\ufffdtaken: a name that cannot be used"
    assert left_groups([LeftOut(hostile, Why.LINK)], Language.ENGLISH)[0][1][0].count("\n") == 0


def test_what_does_not_come_along_says_so() -> None:
    steps = [Step(Part.TOLD, "extensions/theirs", Does.WAITS, why=Why.NO_COUNTERPART)]
    [(what, names)] = step_groups(steps, Language.ENGLISH)
    assert what == "Not brought in (1)"
    assert names == ("extensions/theirs: means nothing here",)


def test_it_has_room_in_the_narrowest_window(stage: Stage) -> None:
    desk = FakeBackupDesk()
    desk.snapshot()
    place = opened(stage, desk)
    assert place.minimumSizeHint().width() <= 360  # the least window, less its rail
    place.resize(360, 440)
    place.begin()
    stage.settle()
    form = form_in(place)
    assert isinstance(form, ExportForm) and not place.rows.isVisible()
    stage.qtbot.waitUntil(lambda: not form._body.visibleRegion().isEmpty())
    stage.screenshot("backup-narrow-light-en")


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_a_picture_in_the_dark(stage: Stage) -> None:
    desk = FakeBackupDesk()
    desk.snapshot()
    place = opened(stage, desk, dark=True)
    assert place.rows.rows[0].detail == "你做的"
    stage.screenshot("backup-dark-zh")
    place.import_from(FILE)
    stage.settle()
    stage.screenshot("backup-import-dark-zh")


# --- what can be stopped


class Held:
    """A desk's work that stands at one of its steps until the test lets it go on."""

    def __init__(self) -> None:
        self.at = threading.Event()
        self.may_go = threading.Event()
        self.settles = False

    def __call__(self, going: Going) -> None:
        going.on(1, 4)
        if self.settles:
            going.last()
        self.at.set()
        assert self.may_go.wait(60)
        going.on(2, 4)
        going.last()


@pytest.fixture
def held() -> Iterator[Held]:
    made = Held()
    yield made
    made.may_go.set()


def begun_export(stage: Stage, desk: FakeBackupDesk, held: Held) -> tuple[BackupPlace, Form]:
    place = opened(stage, desk)
    desk.go = held
    place.begin()
    form = form_in(place)
    assert isinstance(form, ExportForm)
    place.export_to(form, FILE)
    assert held.at.wait(60)
    stage.qtbot.waitUntil(lambda: form.bar.value() == ALL // 4, timeout=60_000)
    return place, form


def test_a_backup_shows_how_far_it_is_and_can_be_cancelled(stage: Stage, held: Held) -> None:
    desk = FakeBackupDesk()
    place, form = begun_export(stage, desk, held)
    assert form.bar.isVisible() and form.stop.hasFocus()
    assert [one.text() for one in form.findChildren(QPushButton) if one.isVisible()] == ["Cancel"]
    assert place.grab().save(str(ARTIFACTS / "backup-saving-light-en.png"))
    QTest.keyClick(form.stop, Qt.Key.Key_Space)
    assert form.waiting.text() == "Stopping…" and not form.stop.isEnabled()
    held.may_go.set()
    stage.settle()
    assert desk.written == {} and place.done.label.text() == "Nothing was written."
    assert form_in(place) is form and not form.stop.isVisible() and form.save.isVisible()
    assert isinstance(form, ExportForm) and form.save.isEnabled() and form.save.hasFocus()
    place.export_to(form, FILE)  # and once more, to its end
    stage.settle()
    assert desk.written == {FILE: ()} and "The backup is written" in texts_in(form_in(place))


def test_an_import_can_be_cancelled_until_the_first_change(stage: Stage, held: Held) -> None:
    desk = FakeBackupDesk()
    place = opened(stage, desk)
    place.import_from(FILE)
    stage.settle()
    form = form_in(place)
    assert isinstance(form, ImportForm)
    desk.go = held
    late_enough(stage)
    QTest.keyClick(form.press, Qt.Key.Key_Space)
    assert held.at.wait(60)
    form.stop.click()
    held.may_go.set()
    stage.settle()
    assert desk.imported == [] and desk.kept == []
    told = place.done.label.text()
    assert told == "Nothing was brought in: everything is as it was."


def test_what_has_begun_to_change_things_cannot_be_cancelled(stage: Stage, held: Held) -> None:
    held.settles = True
    desk = FakeBackupDesk()
    place, form = begun_export(stage, desk, held)
    stage.qtbot.waitUntil(lambda: not form.stop.isVisible(), timeout=60_000)
    form.stop.click()  # a press that was on its way
    held.may_go.set()
    stage.settle()
    assert desk.written == {FILE: ()} and "The backup is written" in texts_in(form_in(place))
