"""Jobs in the reference's shape: what `cron/jobs.json` holds and `cron list --json` prints.

    job_as_json(job)            # {"id": ..., "schedule": {"kind": "cron", ...}, ...}
    read_jobs(text)             # jobs of a jobs.json, and what in it could not be read

What the reference has and we read: version 1, `jobs` with `schedule`, `sessionTarget`, `payload`,
`wakeMode`, `enabled`, `deleteAfterRun`, `agentId`, `description`, `isolation`; and what its older
versions wrote: a schedule without a kind, `provider` for the channel. Ours in addition: schedule
kind `event`, and `catchUp` and `provenance`. `state` is written, and read only for whether a
single moment has run already: the ledger knows the rest better.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.schedule.slots import checked_schedule
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    At,
    CatchUp,
    Cron,
    EventKind,
    Every,
    Isolation,
    Job,
    JobDraft,
    JobRun,
    OnEvent,
    Payload,
    PostMode,
    RunStatus,
    Schedule,
    SystemEvent,
    WakeMode,
    schedule_as_json,
)

LONGEST_TEXT = 20_000
_NO_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_LONGEST_NAME = 60


@dataclass(frozen=True)
class ReadJob:
    """A job of a file; `done` when it is a single moment that has run."""

    id: str
    created_ms: int
    draft: JobDraft
    done: bool


@dataclass(frozen=True)
class ReadJobs:
    """What a jobs.json holds; `problems` has a sentence for each job that was left out."""

    jobs: tuple[ReadJob, ...]
    problems: tuple[str, ...]


def job_as_json(job: Job) -> JsonObject:
    """`job` as the reference writes it."""
    draft, state = job.draft, job.state
    last = state.last
    about: dict[str, JsonValue] = {"nextRunAtMs": state.next_ms}
    if last is not None:
        about |= {
            "runningAtMs": last.started_ms if last.status is RunStatus.RUNNING else None,
            "lastRunAtMs": last.started_ms,
            "lastStatus": _reference_status(last.status),
            "lastError": last.error or None,
            "lastDurationMs": _duration(last),
        }
    if state.missed:
        about["missed"] = state.missed
    return {
        "id": job.id,
        **draft_as_json(draft),
        "createdAtMs": job.created_ms,
        "updatedAtMs": job.updated_ms,
        "state": {key: value for key, value in about.items() if value is not None},
    }


def draft_as_json(draft: JobDraft) -> JsonObject:
    """`draft` with the reference's names; what is not set is left out."""
    isolated = isinstance(draft.payload, AgentTurn)
    optional: dict[str, JsonValue] = {
        "agentId": draft.agent_id,
        "description": draft.description,
        "deleteAfterRun": draft.delete_after_run,
        "catchUp": draft.catch_up.value if draft.catch_up else "",
        "provenance": draft.provenance,
        "isolation": _isolation_as_json(draft.isolation),
    }
    return {
        "name": draft.name,
        "enabled": draft.enabled,
        "schedule": schedule_as_json(draft.schedule),
        "sessionTarget": "isolated" if isolated else "main",
        "wakeMode": draft.wake_mode.value,
        "payload": _payload_as_json(draft.payload),
        **{key: value for key, value in optional.items() if value},
    }


def run_as_json(run: JobRun) -> JsonObject:
    """One run, as a line of the reference's runs/<id>.jsonl."""
    line: dict[str, JsonValue] = {
        "ts": run.ended_ms or run.started_ms or run.slot_ms,
        "jobId": run.job_id,
        "action": "finished" if run.ended_ms else "started",
        "status": run.status.value,
        "error": run.error or None,
        "summary": run.summary or None,
        "runAtMs": run.slot_ms,
        "durationMs": _duration(run),
    }
    return {key: value for key, value in line.items() if value is not None}


def _duration(run: JobRun) -> int | None:
    if run.started_ms is None or run.ended_ms is None:
        return None
    return max(0, run.ended_ms - run.started_ms)


def _reference_status(status: RunStatus) -> str | None:
    """The reference knows ok, error and skipped."""
    if status in (RunStatus.CLAIMED, RunStatus.RUNNING):
        return None
    return "error" if status is RunStatus.INTERRUPTED else status.value


def _isolation_as_json(how: Isolation) -> JsonObject:
    """What differs from the usual."""
    usual = Isolation()
    written: tuple[tuple[str, JsonValue, JsonValue], ...] = (
        ("postToMainPrefix", how.prefix, usual.prefix),
        ("postToMainMode", how.mode.value, usual.mode.value),
        ("postToMainMaxChars", how.max_chars, usual.max_chars),
    )
    return {name: value for name, value, otherwise in written if value != otherwise}


def _payload_as_json(payload: Payload) -> JsonObject:
    if isinstance(payload, SystemEvent):
        return {"kind": "systemEvent", "text": payload.text}
    optional: dict[str, JsonValue] = {
        "model": payload.model,
        "thinking": payload.thinking,
        "timeoutSeconds": payload.timeout_seconds,
        "channel": payload.channel,
        "to": payload.to,
        "bestEffortDeliver": payload.best_effort,
    }
    given: dict[str, JsonValue] = {key: value for key, value in optional.items() if value}
    if payload.deliver is not None:
        given["deliver"] = payload.deliver
    return {"kind": "agentTurn", "message": payload.message, **given}


def read_jobs(text: str) -> ReadJobs:
    """The jobs of a jobs.json. One that cannot be read costs no other.

    Raises:
        UserInputInvalid: it is no such file at all.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserInputInvalid(f"This is not JSON: {error}.") from error
    listed = content.get("jobs") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise UserInputInvalid(
            "There are no jobs in it.", hint='It should look like {"version": 1, "jobs": [...]}.'
        )
    jobs: list[ReadJob] = []
    problems: list[str] = []
    for number, one in enumerate(listed, start=1):
        try:
            jobs.append(_read_job(one if isinstance(one, dict) else {}, number))
        except UserInputInvalid as error:
            problems.append(f"Job {number}: {error}")
    return ReadJobs(tuple(jobs), tuple(problems))


def _read_job(value: JsonObject, number: int) -> ReadJob:
    draft = read_draft(value)
    state = _object(value, "state")
    done = isinstance(draft.schedule, At) and state.get("lastStatus") == "ok"
    return ReadJob(
        _text(value, "id") or f"job-{number}", _number(value, "createdAtMs", 0), draft, done
    )


def read_draft(value: JsonObject) -> JobDraft:
    """A job's definition from the reference's shape.

    Raises:
        UserInputInvalid: its schedule or its payload cannot be used.
    """
    wake = _text(value, "wakeMode")
    catch_up = _text(value, "catchUp")
    return checked_draft(
        JobDraft(
            name=_text(value, "name"),
            schedule=read_schedule(_object(value, "schedule")),
            payload=_read_payload(_object(value, "payload")),
            description=_text(value, "description"),
            agent_id=_text(value, "agentId"),
            enabled=value.get("enabled") is not False,
            delete_after_run=value.get("deleteAfterRun") is True,
            wake_mode=WakeMode.NOW if wake == WakeMode.NOW.value else WakeMode.NEXT_HEARTBEAT,
            catch_up=CatchUp(catch_up) if catch_up in set(CatchUp) else None,
            provenance=_text(value, "provenance"),
            isolation=_read_isolation(_object(value, "isolation")),
        )
    )


def _read_isolation(value: JsonObject) -> Isolation:
    usual = Isolation()
    mode = _text(value, "postToMainMode")
    return Isolation(
        _in_one_line(_text(value, "postToMainPrefix"))[:_LONGEST_NAME] or usual.prefix,
        PostMode(mode) if mode in set(PostMode) else usual.mode,
        min(max(0, _number(value, "postToMainMaxChars", usual.max_chars)), LONGEST_TEXT),
    )


def checked_draft(draft: JobDraft) -> JobDraft:
    """`draft`, with a name, when it can be used.

    Raises:
        UserInputInvalid: it never does anything, or says too much.
    """
    text = draft.payload.text if isinstance(draft.payload, SystemEvent) else draft.payload.message
    if not text.strip():
        raise UserInputInvalid("The job says nothing.", hint="Give it something to do.")
    if len(text) > LONGEST_TEXT or len(draft.description) > LONGEST_TEXT:
        raise UserInputInvalid(f"A job has room for {LONGEST_TEXT} characters.")
    name = _in_one_line(draft.name) or _in_one_line(text) or "?"
    short = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return JobDraft(**{**vars(draft), "name": short, "schedule": checked_schedule(draft.schedule)})


def _in_one_line(text: str) -> str:
    """Without what a terminal would obey: a name is shown in lists."""
    return " ".join(_NO_NAME.sub(" ", text).split())


def read_schedule(value: JsonObject) -> Schedule:
    """What `sdk.schedule.schedule_as_json` wrote, or the reference.

    Raises:
        UserInputInvalid: it is none.
    """
    match value.get("kind") or _kind_of(value):
        case "at":
            return At(_moment(value.get("atMs", value.get("at"))))
        case "every":
            anchor = value.get("anchorMs")
            every = _number(value, "everyMs", 0)
            return Every(every, anchor if _is_number(anchor) else None)  # type: ignore[arg-type]
        case "cron":
            return Cron(_text(value, "expr") or _text(value, "cron"), _text(value, "tz"))
        case "event":
            kind = _text(value, "event")
            if kind in set(EventKind):
                return OnEvent(EventKind(kind), _text(value, "path"))
    raise UserInputInvalid(
        "It has no schedule.", hint="A schedule has a kind: at, every, cron or event."
    )


def _kind_of(value: JsonObject) -> str:
    """What a schedule without a kind must be, which the reference wrote once."""
    kinds = {"atMs": "at", "at": "at", "everyMs": "every", "expr": "cron"}
    return next((kind for name, kind in kinds.items() if name in value), "")


def _read_payload(value: JsonObject) -> Payload:
    match value.get("kind"):
        case "systemEvent":
            return SystemEvent(_text(value, "text"))
        case "agentTurn":
            deliver = value.get("deliver")
            return AgentTurn(
                message=_text(value, "message"),
                model=_text(value, "model"),
                thinking=_text(value, "thinking"),
                timeout_seconds=max(0, _number(value, "timeoutSeconds", 0)),
                deliver=deliver if isinstance(deliver, bool) else None,
                channel=_text(value, "channel") or _text(value, "provider"),
                to=_text(value, "to"),
                best_effort=value.get("bestEffortDeliver") is True,
            )
    raise UserInputInvalid(
        "It does nothing.", hint="A payload has a kind: systemEvent or agentTurn."
    )


def _moment(value: JsonValue) -> int:
    """Milliseconds, or ISO text; without a zone it is UTC, as in the reference."""
    if _is_number(value):
        return int(value)  # type: ignore[arg-type]
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        raise UserInputInvalid("It says no moment.", hint="Write it like 2026-12-01T09:00:00Z.")
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return int(aware.timestamp() * 1000)


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: JsonObject, key: str, otherwise: int) -> int:
    found = value.get(key)
    return int(found) if _is_number(found) else otherwise  # type: ignore[arg-type]


def _text(value: JsonObject, key: str) -> str:
    found = value.get(key)
    return found.strip() if isinstance(found, str) else ""


def _object(value: JsonObject, key: str) -> JsonObject:
    found = value.get(key)
    return found if isinstance(found, Mapping) else {}
