"""What becomes of a message that was taken in before the program ended, and never finished.

    after_restart(run_id, transcript.entries(), changes_something)

The transcript knows how far it came: a message without an entry never began; a stored outcome was
only not sent; a run that was stopped in the middle is begun anew, under an id of its own, unless
one of its tools may have changed something in the world. Then nobody does that twice: the person
is told once what was done. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
)

_TRY = "~"


@dataclass(frozen=True)
class RunIt:
    """It is run now, as `run_id`."""

    run_id: RunId


@dataclass(frozen=True)
class SendIt:
    """`run_id` has ended well before; its outcome is still to be sent."""

    run_id: RunId
    outcome: RunOutcome


@dataclass(frozen=True)
class WasJoined:
    """`run_id`, which was for another message, was to answer this one too; if it did not come to
    that, this one is run as `otherwise`."""

    run_id: RunId
    otherwise: RunId


@dataclass(frozen=True)
class TellWhatWasDone:
    """It must not be run again: the tools named in `done`, in the words they were told in, may
    have changed something."""

    run_id: RunId
    done: tuple[str, ...]


Recovery = RunIt | SendIt | WasJoined | TellWhatWasDone


def after_restart(
    run_id: RunId, entries: Sequence[TranscriptEntry], changes_something: Callable[[str], bool]
) -> Recovery:
    """What to do about the message that was accepted as `run_id`.

    Args:
        entries: the transcript of its conversation, opened after the program's start, so that
            runs which were killed have an outcome.
        changes_something: whether a tool of that name may have changed something in the world.
    """
    begun = {entry.run_id for entry in entries if isinstance(entry, UserEntry)}
    tries = [run_id]
    while next_try(run_id, len(tries)) in begun:
        tries.append(next_try(run_id, len(tries)))
    last = tries[-1]
    if last not in begun:
        return RunIt(run_id)
    outcome = _outcome(last, entries)
    if outcome is not None and outcome.kind is OutcomeKind.JOINED:
        return WasJoined(RunId(outcome.reason), next_try(run_id, len(tries)))
    if outcome is not None and outcome.kind is not OutcomeKind.CANCELLED:
        return SendIt(last, outcome)
    done = _done(last, entries, changes_something)
    return TellWhatWasDone(last, done) if done else RunIt(next_try(run_id, len(tries)))


def next_try(run_id: RunId, tries: int) -> RunId:
    """The id of the run that follows so many for the same message."""
    return RunId(f"{run_id}{_TRY}{tries}") if tries else run_id


def first_try(run_id: RunId) -> RunId:
    """The id under which the message of a run, whichever try it is, was run at first."""
    return RunId(run_id.partition(_TRY)[0])


def _outcome(run_id: RunId, entries: Sequence[TranscriptEntry]) -> RunOutcome | None:
    for entry in entries:
        if isinstance(entry, OutcomeEntry) and entry.run_id == run_id:
            return entry.outcome
    return None


def _done(
    run_id: RunId, entries: Sequence[TranscriptEntry], changes_something: Callable[[str], bool]
) -> tuple[str, ...]:
    """What a person was told of each call that may have changed something; the tool's name where
    no result came."""
    done: list[str] = []
    open_calls: dict[str, int] = {}
    for entry in entries:
        if isinstance(entry, AssistantEntry) and entry.run_id == run_id:
            calls = [call for call in entry.message.tool_calls if changes_something(call.name)]
            open_calls = {call.id: len(done) + place for place, call in enumerate(calls)}
            done += [call.name for call in calls]
        elif isinstance(entry, ToolResultEntry) and entry.run_id == run_id:
            place = open_calls.pop(entry.message.tool_call_id, None)
            if place is not None and entry.display:
                done[place] = entry.display
    return tuple(done)
