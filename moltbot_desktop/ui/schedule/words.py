"""How the schedule reads: moments as a person says them, and a row for each thing planned. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.sdk.planned import Planned
from moltbot_desktop.sdk.reminders import Reminder
from moltbot_desktop.sdk.schedule import AgentTurn, Job, JobDraft, RunStatus
from moltbot_desktop.sdk.schedule_words import schedule_in_words
from moltbot_desktop.ui.kit.rows import Row

translate = QCoreApplication.translate

REMINDER, JOB = "reminder:", "job:"
_DAY_NAMES = 6
_CHINESE_DAYS = "一二三四五六日"


def moment(at_ms: int, now_ms: int, here: tzinfo, language: Language) -> str:
    """``today 14:30``, ``tomorrow 09:00``, ``Friday 14:30``, else the date."""
    at, now = (_local(one, here) for one in (at_ms, now_ms))
    time = f"{at:%H:%M}"
    days = (at.date() - now.date()).days
    near = {
        -1: translate("Schedule", "yesterday {time}"),
        0: translate("Schedule", "today {time}"),
        1: translate("Schedule", "tomorrow {time}"),
    }
    if days in near:
        return near[days].replace("{time}", time)
    if 0 < days <= _DAY_NAMES:
        day = f"周{_CHINESE_DAYS[at.weekday()]}" if language is Language.CHINESE else f"{at:%A}"
        return f"{day} {time}"
    return f"{at:%Y-%m-%d} {time}"


def all_rows(planned: Planned, searched: str, language: Language) -> tuple[Row, ...]:
    """Reminders, then jobs, as far as they have `searched` in them."""
    reminders = [_reminder_row(one, planned, language) for one in planned.reminders]
    jobs = [_job_row(one, planned, language) for one in planned.jobs]
    wanted = searched.casefold()
    return tuple(
        one for one in (*reminders, *jobs) if wanted in f"{one.title} {one.detail}".casefold()
    )


def request_of(draft: JobDraft) -> str:
    """What a job is to do, in the owner's words."""
    return draft.payload.message if isinstance(draft.payload, AgentTurn) else draft.payload.text


def is_due(reminder: Reminder, planned: Planned) -> bool:
    return reminder.due.timestamp() * 1000 <= planned.now_ms


def _reminder_row(reminder: Reminder, planned: Planned, language: Language) -> Row:
    due_ms = int(reminder.due.timestamp() * 1000)
    when = moment(due_ms, planned.now_ms, planned.here, language)
    if reminder.again is not None:
        when = f"{schedule_in_words(reminder.again, planned.here, language)} · {when}"
    late = is_due(reminder, planned)
    badge = translate("Schedule", "due") if late else translate("Schedule", "reminder")
    tone = Tone.BAD if late else Tone.PLAIN
    return Row(f"{REMINDER}{reminder.id}", reminder.text, when, badge, tone)


def _job_row(job: Job, planned: Planned, language: Language) -> Row:
    draft, state = job.draft, job.state
    when = schedule_in_words(draft.schedule, planned.here, language)
    if state.next_ms is not None and draft.enabled:
        coming = moment(state.next_ms, planned.now_ms, planned.here, language)
        when = f"{when} · {coming}"
    badge, tone = _standing(job)
    return Row(f"{JOB}{job.id}", draft.name, when, badge, tone, faded=not draft.enabled)


def _standing(job: Job) -> tuple[str, Tone]:
    last = job.state.last
    if last is not None and last.status is RunStatus.RUNNING:
        return translate("Schedule", "running"), Tone.GOOD
    if not job.draft.enabled:
        return translate("Schedule", "off"), Tone.PLAIN
    if last is not None and last.status in (RunStatus.ERROR, RunStatus.INTERRUPTED):
        return translate("Schedule", "failed"), Tone.BAD
    return translate("Schedule", "job"), Tone.PLAIN


def _local(milliseconds: int, here: tzinfo) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(here)
