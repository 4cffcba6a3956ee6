"""What is due now: a pure decision over one job and the mark in its ledger.

    plan = due_slots(job, mark_ms, last_ended_ms, now_ms, here)
    plan.run        # the time to run now, None for none
    plan.missed     # the times that went by, None for none
    plan.mark_ms    # everything up to here is decided; write it with the claim, in one transaction

The mark is what makes every time of a schedule run once or be told as missed: all times up to it
are decided, none after it is. It only ever moves on, unless the wall clock was set back by hours.
Then it comes back with the clock, or a wrong date, once corrected, would leave a job silent for
as long as the clock was wrong; times that were run already are known by their row and stay run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import tzinfo

from moltbot_desktop.schedule.slots import Times
from moltbot_desktop.sdk.schedule import At, CatchUp, JobDraft, Missed, OnEvent

GRACE_MS = 60_000
"""What is run later than this is late. The executor looks every half minute."""
SET_BACK_MS = 2 * 3_600_000
"""A mark further ahead than this was made under a wrong clock. Changes of the hour are no jumps:
marks are instants."""


@dataclass(frozen=True)
class Plan:
    """What to do with one job at one moment; `mark_ms` is the new mark."""

    mark_ms: int
    run: int | None = None
    missed: Missed | None = None


def first_mark(draft: JobDraft, now_ms: int) -> int:
    """The mark of a job that is made, changed or switched on at `now_ms`.

    A single moment counts even when it has gone by: it was asked for.
    """
    if isinstance(draft.schedule, At):
        return min(draft.schedule.at_ms - 1, now_ms)
    return now_ms


def catch_up_of(draft: JobDraft) -> CatchUp:
    """What the job says, or what suits its schedule."""
    if draft.catch_up is not None:
        return draft.catch_up
    return CatchUp.ONCE if isinstance(draft.schedule, At) else CatchUp.SKIP


def due_slots(
    draft: JobDraft,
    created_ms: int,
    mark_ms: int,
    last_ended_ms: int | None,
    now_ms: int,
    here: tzinfo,
) -> Plan:
    """What is to be done with a job that is switched on and does not run at the moment.

    Args:
        created_ms: when it got its schedule.
        mark_ms: up to where its times are decided.
        last_ended_ms: when its last run ended, None before the first.
        here: this computer's zone.
    """
    if mark_ms > now_ms + SET_BACK_MS:
        return Plan(first_mark(draft, now_ms))
    if isinstance(draft.schedule, OnEvent):
        return Plan(mark_ms)
    times = Times(draft.schedule, created_ms, here)
    latest = times.last(mark_ms, now_ms)
    if latest is None:
        return Plan(mark_ms)
    runs = now_ms - latest <= GRACE_MS or catch_up_of(draft) is CatchUp.ONCE
    missed = times.span(mark_ms, latest - 1 if runs else latest)
    if missed is not None and last_ended_ms is not None and last_ended_ms >= missed.first_ms:
        missed = replace(missed, busy=True)
    return Plan(latest, latest if runs else None, missed)


def next_due(draft: JobDraft, created_ms: int, mark_ms: int, here: tzinfo) -> int | None:
    """When a job that is switched on is due next; None when it never is."""
    return Times(draft.schedule, created_ms, here).after(mark_ms)
