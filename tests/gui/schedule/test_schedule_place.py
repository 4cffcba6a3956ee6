"""The place "Schedule": what is planned, planning something new, changing and undoing it."""

from __future__ import annotations

from datetime import UTC

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.planned import JobPast
from moltbot_desktop.sdk.schedule import AgentTurn, Cron, JobDraft, JobRun, RunStatus
from moltbot_desktop.ui.schedule.page import SchedulePlace
from moltbot_desktop.ui.schedule.plan_form import PlanForm
from moltbot_desktop.ui.schedule.words import moment
from tests.fakes.planned_desk import NOW, FakePlannedDesk
from tests.gui.places import Stage, button_in, texts_in

BRIEF = JobDraft("Morning brief", Cron("30 8 * * 1-5"), AgentTurn("What is on today?"))


def opened(stage: Stage, desk: FakePlannedDesk) -> SchedulePlace:
    return stage.show(SchedulePlace(stage.parts, desk))


def form_in(place: SchedulePlace) -> PlanForm:
    [form] = [one for one in place.findChildren(PlanForm) if one.isVisible()]
    return form


def understood(stage: Stage, form: PlanForm) -> None:
    stage.qtbot.waitUntil(lambda: form.save_button.isEnabled())


def test_reminders_and_jobs_stand_in_one_list(stage: Stage) -> None:
    desk = FakePlannedDesk()
    desk.reminder("water the plants", -5)
    desk.reminder("call Anna", 45)
    desk.add_job(BRIEF)
    place = opened(stage, desk)
    assert [(one.title, one.detail, one.badge) for one in place.rows.rows] == [
        ("water the plants", "today 08:55", "due"),
        ("call Anna", "today 09:45", "reminder"),
        ("Morning brief", "on weekdays at 08:30 · tomorrow 08:30", "job"),
    ]
    stage.screenshot("schedule-light-en")


def test_what_is_due_waits_on_the_rail(stage: Stage) -> None:
    desk = FakePlannedDesk()
    desk.reminder("water the plants", -5)
    place = SchedulePlace(stage.parts, desk)
    with stage.qtbot.waitSignal(place.badge_changed, check_params_cb=lambda count: count == 1):
        stage.show(place)


def test_something_new_is_planned_by_keyboard_alone(stage: Stage) -> None:
    desk = FakePlannedDesk()
    place = opened(stage, desk)
    assert place.state.text.startswith("Nothing is planned.")
    stage.press(Qt.Key.Key_Space)  # on "Plan something"
    form = form_in(place)
    QTest.keyClicks(place.focusWidget(), "call Anna")
    stage.press(Qt.Key.Key_Tab)
    QTest.keyClicks(place.focusWidget(), "in 45 minutes")
    understood(stage, form)
    assert "today 09:45" in texts_in(place)
    stage.press(Qt.Key.Key_Return)
    assert [(one.text, one.due.minute) for one in desk.reminders] == [("call Anna", 45)]
    assert place.done.label.text() == "Planned: call Anna"
    assert [one.title for one in place.rows.rows] == ["call Anna"]


def test_what_the_assistant_does_by_itself(stage: Stage) -> None:
    desk = FakePlannedDesk()
    place = opened(stage, desk)
    place.begin()
    form = form_in(place)
    form.what.setText("What is on today?")
    form.when.setText("at startup")
    stage.qtbot.waitUntil(lambda: "A reminder comes at a time." in form.meaning.text())
    assert not form.save_button.isEnabled()
    form.itself.setChecked(True)
    assert form.save_button.isEnabled()
    form.when.setText("every weekday at 8:30")
    understood(stage, form)
    assert form.meaning.text() == "on weekdays at 08:30: tomorrow 08:30 …"
    form.save_button.click()
    stage.settle()
    [job] = desk.jobs
    assert (job.draft.schedule, job.draft.payload) == (
        Cron("30 8 * * 1-5"),
        AgentTurn("What is on today?"),
    )


def test_a_reminder_that_comes_again(stage: Stage) -> None:
    desk = FakePlannedDesk()
    place = opened(stage, desk)
    place.begin()
    form = form_in(place)
    form.what.setText("water the plants")
    form.when.setText("every Monday and Thursday at 8")
    understood(stage, form)
    form.save_button.click()
    stage.settle()
    assert [one.again for one in desk.reminders] == [Cron("0 8 * * 1,4")]
    [row] = place.rows.rows
    assert row.detail == "every Monday and Thursday at 08:00 · Thursday 08:00"
    assert {"every Monday and Thursday at 08:00", "Next: Thursday 08:00"} <= set(texts_in(place))
    stage.screenshot("schedule-again-light-en")
    button_in(place, "In 10 minutes").click()  # once more, and again at its own times
    stage.settle()
    assert [one.again for one in desk.reminders] == [None, Cron("0 8 * * 1,4")]
    place.rows.choose(place.rows.rows[1].id)
    button_in(place, "Change").click()
    form = form_in(place)
    assert form.when.text() == "every Monday and Thursday at 08:00"
    form.what.setText("water all plants")
    understood(stage, form)
    form.save_button.click()
    stage.settle()
    assert [one.text for one in desk.reminders if one.again] == ["water all plants"]
    place.rows.choose(place.rows.rows[1].id)
    button_in(place, "Delete").click()
    stage.settle()
    place.done.undo.click()
    stage.settle()
    assert [one.again for one in desk.reminders] == [None, Cron("0 8 * * 1,4")]


def test_words_that_mean_no_time_ask_back_and_save_nothing(stage: Stage) -> None:
    place = opened(stage, FakePlannedDesk())
    place.begin()
    form = form_in(place)
    form.what.setText("call Anna")
    form.when.setText("when the moon is blue")
    stage.qtbot.waitUntil(lambda: bool(form.meaning.text()))
    assert not form.save_button.isEnabled()


def test_a_form_is_not_lost_when_something_changes_meanwhile(stage: Stage) -> None:
    desk = FakePlannedDesk()
    desk.reminder("call Anna", 45)
    place = opened(stage, desk)
    place.begin()
    form_in(place).what.setText("half written")
    desk.reminder("water the plants", 5)
    place.refresh()
    stage.settle()
    assert form_in(place).what.text() == "half written"
    stage.press(Qt.Key.Key_Escape)
    assert not place.findChildren(PlanForm) or not form_shown(place)
    assert "call Anna" in texts_in(place)


def form_shown(place: SchedulePlace) -> bool:
    return any(one.isVisible() for one in place.findChildren(PlanForm))


def test_deleting_can_be_undone(stage: Stage) -> None:
    desk = FakePlannedDesk()
    desk.reminder("call Anna", 45)
    desk.add_job(BRIEF)
    place = opened(stage, desk)
    stage.press(Qt.Key.Key_Delete)
    assert desk.reminders == [] and place.done.label.text() == "Deleted: call Anna"
    place.done.undo.click()
    stage.settle()
    assert [one.text for one in desk.reminders] == ["call Anna"]
    place.rows.choose(place.rows.rows[1].id)
    button_in(place, "Delete").click()
    stage.settle()
    assert desk.jobs == []
    place.done.undo.click()
    stage.settle()
    assert [one.draft for one in desk.jobs] == [BRIEF]


def test_a_job_is_run_switched_off_and_changed(stage: Stage) -> None:
    desk = FakePlannedDesk()
    job = desk.add_job(BRIEF)
    place = opened(stage, desk)
    button_in(place, "Run now").click()
    stage.settle()
    assert desk.ran == [job.id]
    button_in(place, "Switch off").click()
    stage.settle()
    assert not desk.jobs[0].draft.enabled and place.rows.rows[0].badge == "off"
    button_in(place, "Change").click()
    form = form_in(place)
    form.what.setText("What is on tomorrow?")
    understood(stage, form)
    form.save_button.click()
    stage.settle()
    draft = desk.jobs[0].draft
    assert draft.payload == AgentTurn("What is on tomorrow?")
    assert (draft.schedule, draft.enabled) == (BRIEF.schedule, False)


def test_a_schedule_that_words_cannot_say_is_kept(stage: Stage) -> None:
    desk = FakePlannedDesk()
    odd = JobDraft("Odd", Cron("*/7 3-5 1,15 * *", "Asia/Tokyo"), AgentTurn("look"))
    desk.add_job(odd)
    place = opened(stage, desk)
    button_in(place, "Change").click()
    form = form_in(place)
    form.what.setText("look again")
    understood(stage, form)
    form.save_button.click()
    stage.settle()
    assert desk.jobs[0].draft.schedule == odd.schedule


def test_how_it_went_stands_below_it(stage: Stage) -> None:
    desk = FakePlannedDesk()
    job = desk.add_job(BRIEF)
    slot = int(NOW.timestamp() * 1000) - 3_600_000
    failed = JobRun(job.id, slot, RunStatus.ERROR, slot, slot + 1, "the disk is full")
    desk.past_of[job.id] = JobPast((failed,), ())
    place = opened(stage, desk)
    assert "2026-11-23 08:00  failed  the disk is full" in texts_in(place)


def test_again_in_ten_minutes(stage: Stage) -> None:
    desk = FakePlannedDesk()
    desk.reminder("water the plants", -5)
    place = opened(stage, desk)
    button_in(place, "In 10 minutes").click()
    stage.settle()
    assert [(one.text, one.due.minute) for one in desk.reminders] == [("water the plants", 10)]


def test_a_book_that_cannot_be_written_loses_nothing(stage: Stage) -> None:
    desk = FakePlannedDesk()
    place = opened(stage, desk)
    place.begin()
    form = form_in(place)
    form.what.setText("call Anna")
    form.when.setText("in 5 minutes")
    understood(stage, form)
    desk.refusal = StorageError("The disk is full.", hint="Free some space.")
    form.save_button.click()
    stage.settle()
    assert place.done.label.text() == "The disk is full. Free some space."
    assert form_in(place).what.text() == "call Anna"


def test_moments_as_a_person_says_them() -> None:
    now = int(NOW.timestamp() * 1000)
    day = 86_400_000
    said = [moment(now + n * day, now, UTC, Language.ENGLISH) for n in (-2, -1, 0, 1, 2, 6, 7)]
    assert said == [
        "2026-11-21 09:00",
        "yesterday 09:00",
        "today 09:00",
        "tomorrow 09:00",
        "Wednesday 09:00",
        "Sunday 09:00",
        "2026-11-30 09:00",
    ]
    assert moment(now + 2 * day, now, UTC, Language.CHINESE) == "周三 09:00"


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_a_picture_in_the_dark(stage: Stage) -> None:
    desk = FakePlannedDesk(Language.CHINESE)
    desk.reminder("给安娜打电话", -5)
    desk.add_job(BRIEF)
    stage.show(SchedulePlace(stage.parts, desk), dark=True)
    stage.screenshot("schedule-dark-zh")
