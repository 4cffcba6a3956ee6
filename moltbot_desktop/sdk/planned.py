"""What the window shows and changes of what is planned: reminders, and what the assistant does by
itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol

from moltbot_desktop.sdk.reminders import Again, Reminder
from moltbot_desktop.sdk.schedule import At, Job, JobDraft, JobRun, Missed, Schedule


@dataclass(frozen=True)
class Planned:
    """How things stand.

    Attributes:
        reminders: what has not been told yet, the next first.
        jobs: the next first, then those that are off or wait for an event.
        switched_on: `cron.enabled` of the settings.
        now_ms: the moment of the look; milliseconds of UTC since 1970.
        here: this computer's zone.
    """

    reminders: tuple[Reminder, ...]
    jobs: tuple[Job, ...]
    switched_on: bool
    now_ms: int
    here: tzinfo


@dataclass(frozen=True)
class Understood:
    """What somebody's words about a time mean.

    Attributes:
        words: the same, in the window's language: "every weekday at 08:30".
        next_ms: the next times, the first first; () where an event decides.
        now_ms, here: as of `Planned`.
    """

    schedule: Schedule
    words: str
    next_ms: tuple[int, ...]
    now_ms: int
    here: tzinfo


@dataclass(frozen=True)
class JobPast:
    """What a job did, the newest first."""

    runs: tuple[JobRun, ...]
    missed: tuple[Missed, ...]


class PlannedDesk(Protocol):
    """Reads and writes files; not for the main thread."""

    def look(self) -> Planned: ...

    def past(self, job_id: str) -> JobPast: ...

    def understand(self, when: str) -> Understood:
        """Raises UserInputInvalid: the words mean no time; its message asks for what is missing."""
        ...

    def remind(self, when: At | Again, text: str) -> Reminder:
        """Raises UserInputInvalid: it never comes, or too often for a reminder."""
        ...

    def cancel_reminder(self, reminder_id: int) -> bool:
        """False when it does not wait any more."""
        ...

    def add_job(self, draft: JobDraft) -> Job:
        """Raises UserInputInvalid: it can never be due."""
        ...

    def change_job(self, job_id: str, draft: JobDraft) -> Job:
        """Raises UserInputInvalid: there is no such job, or as `add_job`."""
        ...

    def remove_job(self, job_id: str) -> bool: ...

    def run_job(self, job_id: str) -> None:
        """Let it run now.

        Raises:
            UserInputInvalid: there is no such job, or the assistant does not run.
        """
        ...
