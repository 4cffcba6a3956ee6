"""Books of what is planned, in working memory; words of a time are read by the program's own
reader."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.schedule.slots import Times
from moltbot_desktop.sdk.planned import JobPast, Planned, Understood
from moltbot_desktop.sdk.reminders import Again, Reminder
from moltbot_desktop.sdk.schedule import AgentTurn, At, Job, JobDraft, JobState
from moltbot_desktop.sdk.schedule_words import schedule_in_words
from moltbot_desktop.tools.repeating import parse_schedule
from moltbot_desktop.tools.when import Unclear
from tests.fakes.reminders import first_time

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
"""A Monday."""


class FakePlannedDesk:
    """Promises what `sdk.planned.PlannedDesk` does; the time stands still.

    Attributes:
        ran: ids of jobs that were to run now.
        past_of: what is told of a job's past.
        refusal: raised instead of anything, None for nothing.
    """

    def __init__(self, language: Language = Language.ENGLISH) -> None:
        self.reminders: list[Reminder] = []
        self.jobs: list[Job] = []
        self.ran: list[str] = []
        self.past_of: dict[str, JobPast] = {}
        self.switched_on = True
        self.refusal: MoltbotError | None = None
        self._language = language
        self._last = 0

    def reminder(self, text: str, minutes: int) -> Reminder:
        """Lay one down that is due in `minutes`."""
        self._last += 1
        made = Reminder(self._last, NOW + timedelta(minutes=minutes), text, NOW)
        self.reminders = sorted([*self.reminders, made], key=lambda one: one.due)
        return made

    def look(self) -> Planned:
        self._may()
        return Planned(tuple(self.reminders), tuple(self.jobs), self.switched_on, _ms(NOW), UTC)

    def past(self, job_id: str) -> JobPast:
        self._may()
        return self.past_of.get(job_id, JobPast((), ()))

    def understand(self, when: str) -> Understood:
        found = parse_schedule(when, NOW, language=self._language)
        if isinstance(found, Unclear):
            raise UserInputInvalid(found.question)
        first = Times(found, _ms(NOW), UTC).after(_ms(NOW))
        words = schedule_in_words(found, UTC, self._language)
        return Understood(found, words, () if first is None else (first,), _ms(NOW), UTC)

    def remind(self, when: At | Again, text: str) -> Reminder:
        self._may()
        if isinstance(when, At):
            return self.reminder(text, (when.at_ms - _ms(NOW)) // 60_000)
        made = self.reminder(text, int((first_time(when, NOW) - NOW).total_seconds()) // 60)
        made = replace(made, again=when)
        self.reminders = [made if one.id == made.id else one for one in self.reminders]
        return made

    def cancel_reminder(self, reminder_id: int) -> bool:
        self._may()
        left = [one for one in self.reminders if one.id != reminder_id]
        found, self.reminders = len(left) < len(self.reminders), left
        return found

    def add_job(self, draft: JobDraft) -> Job:
        self._may()
        self._last += 1
        payload = draft.payload
        said = payload.message if isinstance(payload, AgentTurn) else payload.text
        named = replace(draft, name=draft.name or said)
        after = Times(draft.schedule, _ms(NOW), UTC).after(_ms(NOW))
        job = Job(f"job{self._last}", _ms(NOW), _ms(NOW), named, JobState(next_ms=after))
        self.jobs.append(job)
        return job

    def change_job(self, job_id: str, draft: JobDraft) -> Job:
        self._may()
        at = next((n for n, one in enumerate(self.jobs) if one.id == job_id), None)
        if at is None:
            raise UserInputInvalid("There is no such job.")
        made = self.add_job(draft)
        self.jobs.pop()
        self.jobs[at] = replace(made, id=job_id)
        return self.jobs[at]

    def remove_job(self, job_id: str) -> bool:
        self._may()
        left = [one for one in self.jobs if one.id != job_id]
        found, self.jobs = len(left) < len(self.jobs), left
        return found

    def run_job(self, job_id: str) -> None:
        self._may()
        self.ran.append(job_id)

    def _may(self) -> None:
        if self.refusal is not None:
            raise self.refusal


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
