"""The schedule over the local socket, under the reference's names.

    cron.list       {includeDisabled?}                → {jobs: […]}
    cron.status     {}                                → {enabled, jobs, nextWakeAtMs, running}
    cron.add        {name, schedule, payload, …}      → the job
    cron.update     {id, patch}                       → the job
    cron.remove     {id}                              → {ok, removed}
    cron.run        {id, mode?: force|due}            → {ok, ran: false, reason: queued|not-due}
    cron.runs       {id, limit?}                      → {entries: […]}, oldest first
    wake            {text, mode?}                     → {ok}
    system-event    {text}                            → {ok}
    last-heartbeat  {}                                → {ts, agentId, status, preview?}, or null

Events: `cron` {jobId, action: added|updated|removed|started|finished, …} when this assistant does
something to a job, and `heartbeat`, as `last-heartbeat` tells it.

Jobs have the shape of the reference's jobs.json; `jobId` may stand for `id`, as there. What changes
something asks the owner, as the `cron` tool does: a run that nobody watches is being made, or words
are put into the system's mouth. The command `moltbot-desktop cron` is the person's own and asks
nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.rpc.methods import FILLED, FLAG, GROUP, TEXT, WHOLE, Given, Method
from moltbot_desktop.schedule.happening import JobHappening
from moltbot_desktop.schedule.jobs_json import draft_as_json, job_as_json, read_draft, run_as_json
from moltbot_desktop.schedule.pulse import LastLook
from moltbot_desktop.sdk.schedule import Job, JobBook, JobDraft, WakeMode
from moltbot_desktop.sdk.tools import Effect

CRON, HEARTBEAT = "cron", "heartbeat"
_MOST_RUNS = 500
_LONGEST_NOTICE = 4_000
_DRAFT: Mapping[str, JsonObject] = {
    "name": TEXT,
    "description": TEXT,
    "agentId": {"type": ["string", "null"]},
    "enabled": FLAG,
    "deleteAfterRun": FLAG,
    "schedule": GROUP,
    "sessionTarget": {"enum": ["main", "isolated"]},
    "wakeMode": {"enum": [mode.value for mode in WakeMode]},
    "payload": GROUP,
    "catchUp": TEXT,
    "isolation": GROUP,
}
_NOTICE: JsonObject = {**FILLED, "maxLength": _LONGEST_NOTICE}


class Permission(Protocol):
    """`rpc.doorman.Doorman`."""

    async def ask(self, method: str, params: JsonObject, effect: Effect) -> None:
        """Return when it may be done.

        Raises:
            PolicyDenied: it may not.
        """
        ...


@dataclass(frozen=True)
class CronMethods:
    """Attributes:
    in_thread: every call of the book blocks.
    last_look: what came of the last heartbeat, None before the first.
    """

    book: JobBook
    in_thread: InThread
    permission: Permission
    last_look: Callable[[], LastLook | None]
    now: Callable[[], datetime]

    def methods(self) -> tuple[Method, ...]:
        one = {"id": FILLED, "jobId": FILLED}
        return (
            Method("cron.list", self._list, {"includeDisabled": FLAG}),
            Method("cron.status", self._status),
            Method("cron.add", self._add, _DRAFT, ("schedule", "payload"), once=True),
            Method("cron.update", self._update, {**one, "patch": GROUP}, ("patch",)),
            Method("cron.remove", self._remove, one),
            Method("cron.run", self._run, {**one, "mode": {"enum": ["force", "due"]}}, once=True),
            Method("cron.runs", self._runs, {**one, "limit": WHOLE}),
            Method(
                "wake",
                self._wake,
                {"text": _NOTICE, "mode": {"enum": [mode.value for mode in WakeMode]}},
                ("text",),
                once=True,
            ),
            Method("system-event", self._event, {"text": _NOTICE}, ("text",), once=True),
            Method("last-heartbeat", self._last_heartbeat),
        )

    async def _list(self, given: Given) -> JsonValue:
        jobs = await self.in_thread(self.book.jobs)
        all_of_them = given.flag("includeDisabled")
        return {"jobs": [job_as_json(job) for job in jobs if all_of_them or job.draft.enabled]}

    async def _status(self, _: Given) -> JsonValue:
        status = await self.in_thread(self.book.status)
        return {
            "enabled": status.enabled,
            "running": status.running,
            "jobs": status.jobs,
            "nextWakeAtMs": status.next_ms,
        }

    async def _add(self, given: Given) -> JsonValue:
        draft = _draft(given.params)
        await self._may("cron.add", given)
        return job_as_json(await self.in_thread(lambda: self.book.add(draft)))

    async def _update(self, given: Given) -> JsonValue:
        job = await self._job(given)
        patch = given.group("patch")
        if strange := sorted(set(patch) - set(_DRAFT)):
            raise UserInputInvalid(f"A job has no `{strange[0]}` that could be changed.")
        draft = replace(_draft(_merged(job.draft, patch)), provenance=job.draft.provenance)
        await self._may("cron.update", given)
        return job_as_json(await self.in_thread(lambda: self.book.change(job.id, draft)))

    async def _remove(self, given: Given) -> JsonValue:
        job = await self._job(given)
        await self._may("cron.remove", given)
        return {"ok": True, "removed": await self.in_thread(lambda: self.book.remove(job.id))}

    async def _run(self, given: Given) -> JsonValue:
        job = await self._job(given)
        due = job.state.next_ms is not None and job.state.next_ms <= _milliseconds(self.now())
        if given.text("mode") == "due" and not due:
            return {"ok": True, "ran": False, "reason": "not-due"}
        await self._may("cron.run", given)
        await self.in_thread(lambda: self.book.run_soon(job.id))
        return {"ok": True, "ran": False, "reason": "queued"}

    async def _runs(self, given: Given) -> JsonValue:
        job = await self._job(given)
        limit = min(given.whole("limit", 50), _MOST_RUNS)
        runs = await self.in_thread(lambda: self.book.runs(job.id, limit))
        return {"entries": [run_as_json(run) for run in reversed(runs)]}

    async def _wake(self, given: Given) -> JsonValue:
        await self._may("wake", given)
        mode = WakeMode(given.text("mode", WakeMode.NOW))
        await self.in_thread(lambda: self.book.wake(given.text("text"), mode))
        return {"ok": True}

    async def _event(self, given: Given) -> JsonValue:
        await self._may("system-event", given)
        text = given.text("text")
        await self.in_thread(lambda: self.book.wake(text, WakeMode.NEXT_HEARTBEAT))
        return {"ok": True}

    async def _last_heartbeat(self, _: Given) -> JsonValue:
        look = self.last_look()
        return None if look is None else look_json(look)

    async def _job(self, given: Given) -> Job:
        named = given.text("id") or given.text("jobId")
        if not named:
            raise UserInputInvalid("Which job? `id` is missing.", hint="cron.list names them.")
        return await self.in_thread(lambda: self.book.find(named))

    async def _may(self, method: str, given: Given) -> None:
        await self.permission.ask(method, given.params, Effect.SCHEDULE_WRITE)


def look_json(look: LastLook) -> JsonObject:
    """What came of a heartbeat, also as the event of that name."""
    told: dict[str, JsonValue] = {"ts": _milliseconds(look.at)}
    told |= {"agentId": look.agent_id, "status": look.status}
    if look.text:
        told["preview"] = look.text[:200]
    return told


def happening_json(one: JobHappening) -> JsonObject:
    """What happened to a job, as the `cron` event."""
    run: JsonObject = {} if one.run is None else run_as_json(one.run)
    told: dict[str, JsonValue] = {**run, "jobId": one.job_id, "action": one.action}
    if one.next_ms is not None:
        told["nextRunAtMs"] = one.next_ms
    return told


def _draft(value: JsonObject) -> JobDraft:
    """A job's definition.

    Raises:
        UserInputInvalid: it cannot be used, or `sessionTarget` and `payload` contradict.
    """
    wanted, payload = value.get("sessionTarget"), value.get("payload")
    kind = payload.get("kind") if isinstance(payload, Mapping) else None
    if wanted is not None and (wanted == "main") != (kind == "systemEvent"):
        raise UserInputInvalid(
            "A job for `main` has a payload of kind systemEvent, an `isolated` one an agentTurn."
        )
    return read_draft(value)


def _merged(draft: JobDraft, patch: JsonObject) -> JsonObject:
    """The definition with what `patch` changes; a payload of the same kind keeps what the patch
    leaves out."""
    before = draft_as_json(draft)
    merged = {**before, **patch}
    old, new = before["payload"], patch.get("payload")
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        same = new.get("kind", old.get("kind")) == old.get("kind")
        merged["payload"] = {**old, **new} if same else new
        if "sessionTarget" not in patch:
            merged.pop("sessionTarget", None)
    return merged


def _milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)
