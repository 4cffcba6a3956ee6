"""Reminders and jobs in one list, what each is about beside it, and one form for new ones.

SchedulePlace(parts, desk)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from moltbot_desktop.sdk.planned import JobPast, Planned, PlannedDesk, Understood
from moltbot_desktop.sdk.reminders import Again, Reminder
from moltbot_desktop.sdk.schedule import AgentTurn, At, Job, JobDraft, OnEvent, SystemEvent
from moltbot_desktop.sdk.schedule_words import (
    missed_in_words,
    moment_in_words,
    run_in_words,
    schedule_in_words,
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
from moltbot_desktop.ui.schedule.plan_form import Plan, PlanForm
from moltbot_desktop.ui.schedule.words import JOB, REMINDER, all_rows, is_due, moment, request_of

_MINUTE_MS = 60_000
_LATER = 10

Thing = tuple[Planned, Reminder | Job]


class SchedulePlace(ListPlace[Thing]):
    """What a `PlannedDesk` has in its books."""

    def __init__(self, parts: PlaceParts, desk: PlannedDesk) -> None:
        self._desk = desk
        self._past: QWidget | None = None
        super().__init__(parts, self.tr("Schedule"), "schedule")
        self.new = self.add_action(self.tr("New"), self.begin, "primary")
        self.new.setToolTip(self.tr("Ctrl+N"))
        for keys, act in (("Ctrl+N", self.begin), ("Delete", self._delete_current)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    # ------------------------------------------------------------------ the list

    def look(self, searched: str) -> Look[Thing]:
        planned = self._desk.look()
        rows = all_rows(planned, searched, self.parts.language)
        known: dict[str, Reminder | Job] = {f"{REMINDER}{one.id}": one for one in planned.reminders}
        known |= {f"{JOB}{one.id}": one for one in planned.jobs}
        due = sum(is_due(one, planned) for one in planned.reminders)
        # The moment of the look is no news: what is shown is made anew when something else is.
        still = replace(planned, now_ms=planned.now_ms // _MINUTE_MS * _MINUTE_MS)
        things = tuple((still, known[one.id]) for one in rows)
        off = "" if planned.switched_on or not planned.jobs else self._switched_off()
        return Look(rows, things, off, due, live=True)

    def _switched_off(self) -> str:
        return self.tr("Jobs are switched off in the settings; reminders still come.")

    def emptiness(self, searched: str) -> Emptiness:
        if searched:
            return Emptiness(self.tr("Nothing found."), self.tr("Try another word."))
        return Emptiness(
            self.tr("Nothing is planned."),
            self.tr(
                "I can remind you, or do something by myself: “every weekday at 8:30, tell me what"
                " is on today”. You can also just say it in the chat."
            ),
            self.tr("Plan something"),
        )

    def begin(self) -> None:
        self._open_form(Plan(), self._save_new)

    # ------------------------------------------------------------------ details

    def details(self, thing: Thing) -> QWidget:
        self._past = None
        planned, one = thing
        if isinstance(one, Reminder):
            return self._reminder(planned, one)
        return self._job(planned, one)

    def _reminder(self, planned: Planned, one: Reminder) -> QWidget:
        due_ms = int(one.due.timestamp() * 1000)
        when = moment(due_ms, planned.now_ms, planned.here, self.parts.language)
        shown: list[QWidget] = [heading(one.text)]
        if one.again is None:
            shown.append(plain(when))
        else:
            shown.append(plain(schedule_in_words(one.again, planned.here, self.parts.language)))
            shown.append(note(self.tr("Next: {moment}").replace("{moment}", when)))
        set_on = self.tr("Noted on {moment}").replace(
            "{moment}", moment_in_words(int(one.created.timestamp() * 1000), planned.here)
        )
        buttons = (
            self._button(self.tr("In 10 minutes"), lambda: self._later(planned, one, _LATER)),
            self._button(self.tr("Change"), lambda: self._change_reminder(planned, one)),
            self._button(self.tr("Delete"), lambda: self._delete_reminder(one), "danger"),
        )
        return column_of((*shown, note(set_on), buttons_of(buttons)))

    def _job(self, planned: Planned, job: Job) -> QWidget:
        draft = job.draft
        shown: list[QWidget] = [heading(draft.name)]
        shown.append(plain(schedule_in_words(draft.schedule, planned.here, self.parts.language)))
        if job.state.next_ms is not None:
            coming = moment(job.state.next_ms, planned.now_ms, planned.here, self.parts.language)
            shown.append(note(self.tr("Next: {moment}").replace("{moment}", coming)))
        if (wanted := request_of(draft)) != draft.name:
            shown.append(plain(wanted))
        if draft.provenance:
            asked = self.tr("The words of others asked for it: {who}")
            shown.append(note(asked.replace("{who}", draft.provenance)))
        switch = self.tr("Switch off") if draft.enabled else self.tr("Switch on")
        buttons = (
            self._button(self.tr("Run now"), lambda: self._run(job)),
            self._button(switch, lambda: self._switch(job)),
            self._button(self.tr("Change"), lambda: self._change_job(planned, job)),
            self._button(self.tr("Delete"), lambda: self._delete_job(job), "danger"),
        )
        shown.append(buttons_of(buttons))
        self._past = past = QWidget()
        QVBoxLayout(past).setContentsMargins(0, 0, 0, 0)
        shown.append(past)
        self.asking.ask(
            lambda: self._desk.past(job.id),
            lambda found: self._show_past(past, found, planned, job),
            lambda refused: self._no_past(past, refused),
            about="past",
        )
        return column_of(shown)

    def _show_past(self, place: QWidget, past: JobPast, planned: Planned, job: Job) -> None:
        if place is not self._past:
            return  # something else stands there by now
        language = self.parts.language
        lines = [run_in_words(one, planned.here, language) for one in past.runs]
        missed = [
            missed_in_words(job.draft.name, one, planned.here, language) for one in past.missed
        ]
        if lines or missed:
            _fill(place, heading(self.tr("How it went")), *map(plain, (*lines, *missed)))
        else:
            _fill(place, note(self.tr("It has not run yet.")))

    def _no_past(self, place: QWidget, refused: Refused) -> None:
        if place is self._past:
            _fill(place, note(refused.words))

    def _button(self, text: str, act: Callable[[], None], kind: str = "secondary") -> QPushButton:
        made = button(text, kind)
        made.clicked.connect(lambda: act())
        return made

    # ------------------------------------------------------------------ the form

    def _open_form(
        self,
        plan: Plan,
        save: Callable[[Plan, Understood], None],
        kept: Understood | None = None,
    ) -> None:
        form = PlanForm(self.asking, self._desk, plan, save, self.parts.language, kept=kept)
        form.cancelled.connect(self.show_list)
        self.show_instead(form)
        form.take_focus()

    def _save_new(self, plan: Plan, understood: Understood) -> None:
        told = self.tr("Planned: {what}").replace("{what}", plan.what)
        if plan.itself:
            draft = _new_job(plan, understood)
            self._act(lambda: f"{JOB}{self._desk.add_job(draft).id}", told)
        else:
            when = _time_of(understood)
            self._act(lambda: f"{REMINDER}{self._desk.remind(when, plan.what).id}", told)

    def _change_reminder(self, planned: Planned, one: Reminder) -> None:
        def save(plan: Plan, understood: Understood) -> None:
            when = _time_of(understood)

            def changed() -> str:
                made = self._desk.remind(when, plan.what)  # first: nothing is lost on the way
                self._desk.cancel_reminder(one.id)
                return f"{REMINDER}{made.id}"

            self._act(changed, self.tr("Changed: {what}").replace("{what}", plan.what))

        due_ms, again = int(one.due.timestamp() * 1000), one.again
        if again is None:
            words = moment_in_words(due_ms, planned.here)
        else:
            words = schedule_in_words(again, planned.here, self.parts.language)
        kept = Understood(_when_of(one), words, (due_ms,), planned.now_ms, planned.here)
        self._open_form(Plan(one.text, words), save, kept)

    def _change_job(self, planned: Planned, job: Job) -> None:
        words = schedule_in_words(job.draft.schedule, planned.here, self.parts.language)

        def save(plan: Plan, understood: Understood) -> None:
            draft = _changed(job.draft, plan, understood)
            told = self.tr("Changed: {what}").replace("{what}", draft.name)
            self._act(lambda: f"{JOB}{self._desk.change_job(job.id, draft).id}", told)

        coming = () if job.state.next_ms is None else (job.state.next_ms,)
        kept = Understood(job.draft.schedule, words, coming, planned.now_ms, planned.here)
        self._open_form(Plan(request_of(job.draft), words, itself=True), save, kept)

    # ------------------------------------------------------------------ acts

    def _act(self, work: Callable[[], str], told: str) -> None:
        """Do it, tell it, and stand on the row that it gives."""

        def done(row: str) -> None:
            self.done.tell(told)
            self.show_list()
            self.stand_on(row)

        self.act(work, done)

    def _later(self, planned: Planned, one: Reminder, minutes: int) -> None:
        def later() -> str:
            now = self._desk.look().now_ms
            made = self._desk.remind(At(now + minutes * _MINUTE_MS), one.text)
            if one.again is None:  # else it comes at its own times besides
                self._desk.cancel_reminder(one.id)
            return f"{REMINDER}{made.id}"

        self._act(later, self.tr("I remind you again in 10 minutes."))

    def _run(self, job: Job) -> None:
        told = self.tr("It begins in a moment: {name}").replace("{name}", job.draft.name)
        self.act(lambda: self._desk.run_job(job.id), lambda _: self.done.tell(told))

    def _switch(self, job: Job) -> None:
        draft = replace(job.draft, enabled=not job.draft.enabled)
        words = self.tr("On: {name}") if draft.enabled else self.tr("Off: {name}")
        told = words.replace("{name}", draft.name)
        self.act(lambda: self._desk.change_job(job.id, draft), lambda _: self.done.tell(told))

    def _delete_current(self) -> None:
        thing = self.thing(self.rows.current)
        if thing is not None and self.rows.hasFocus():
            one = thing[1]
            if isinstance(one, Reminder):
                self._delete_reminder(one)
            else:
                self._delete_job(one)

    def _delete_reminder(self, one: Reminder) -> None:
        self._deleted(
            one.text,
            lambda: self._desk.cancel_reminder(one.id),
            lambda: f"{REMINDER}{self._desk.remind(_when_of(one), one.text).id}",
        )

    def _delete_job(self, job: Job) -> None:
        self._deleted(
            job.draft.name,
            lambda: self._desk.remove_job(job.id),
            lambda: f"{JOB}{self._desk.add_job(job.draft).id}",
        )

    def _deleted(self, name: str, work: Callable[[], bool], back: Callable[[], str]) -> None:
        told = self.tr("Deleted: {name}").replace("{name}", name)
        again = self.tr("Back: {name}").replace("{name}", name)
        self.act(work, lambda _: self.done.tell(told, lambda: self._act(back, again)))


def _fill(place: QWidget, *lines: QWidget) -> None:
    column = place.layout()
    assert column is not None
    for line in lines:
        column.addWidget(line)
        line.show()  # at once: Qt would wait for its loop


def _time_of(understood: Understood) -> At | Again:
    assert not isinstance(understood.schedule, OnEvent)  # the form saves no such reminder
    return understood.schedule


def _when_of(reminder: Reminder) -> At | Again:
    return reminder.again or At(int(reminder.due.timestamp() * 1000))


def _new_job(plan: Plan, understood: Understood) -> JobDraft:
    return JobDraft(name="", schedule=understood.schedule, payload=AgentTurn(plan.what))


def _changed(draft: JobDraft, plan: Plan, understood: Understood) -> JobDraft:
    payload = (
        replace(draft.payload, message=plan.what)
        if isinstance(draft.payload, AgentTurn)
        else SystemEvent(plan.what)
    )
    name = "" if draft.name == request_of(draft) else draft.name
    return replace(draft, name=name, payload=payload, schedule=understood.schedule)
