"""What happens to jobs, for whoever watches.

    database.on_job(lambda one: print(one.job_id, one.action))

Told after it is on the disk, on the thread that did it, and only by the process that did it: of
what another one changes, the book tells the next time it is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.sdk.schedule import JobRun


class JobAction(StrEnum):
    """What happened, in the reference's words."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    STARTED = "started"
    FINISHED = "finished"


@dataclass(frozen=True)
class JobHappening:
    """Attributes:
    run: the one that started or finished, else None.
    next_ms: when the job is due next, in milliseconds since 1970; None when it is not.
    """

    job_id: str
    action: JobAction
    run: JobRun | None = None
    next_ms: int | None = None
