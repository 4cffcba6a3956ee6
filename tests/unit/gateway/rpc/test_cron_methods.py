"""The schedule over the socket: the reference's shapes, and the owner's word before a change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import PolicyDenied
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.cron_methods import CronMethods
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.notices import Notices
from moltbot_desktop.schedule.pulse import LastLook, LookStatus
from moltbot_desktop.sdk.tools import Effect
from tests.fakes.jobs import MAIN_KEY, job_book

T = TypeVar("T")
BRIEF: JsonObject = {
    "name": "Brief",
    "schedule": {"kind": "cron", "expr": "0 8 * * *", "tz": "UTC"},
    "sessionTarget": "isolated",
    "payload": {"kind": "agentTurn", "message": "What is on?", "thinking": "low"},
}


@dataclass
class Owner:
    says_yes: bool = True
    asked: list[tuple[str, Effect]] = field(default_factory=list)

    async def ask(self, method: str, params: JsonObject, effect: Effect) -> None:
        self.asked.append((method, effect))
        if not self.says_yes:
            raise PolicyDenied("no")


async def at_once(call: Callable[[], T], /) -> T:
    return call()


@dataclass
class Socket:
    book: JobStore
    owner: Owner = field(default_factory=Owner)
    look: LastLook | None = None

    def ask(self, name: str, params: JsonObject | None = None) -> JsonValue:
        now = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
        group = CronMethods(self.book, at_once, self.owner, lambda: self.look, lambda: now)
        return asyncio.run(Methods(group.methods(), Repeats(lambda: 0.0)).call(name, params or {}))

    def add(self, **more: JsonValue) -> str:
        answer = self.ask("cron.add", {**BRIEF, **more})
        assert isinstance(answer, dict)
        return str(answer["id"])


@pytest.fixture
def socket(tmp_path: Path) -> Socket:
    clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
    return Socket(job_book(ScheduleDatabase(tmp_path / "jobs.sqlite", clock)))


def test_a_job_is_added_listed_and_removed(socket: Socket) -> None:
    job = socket.add()
    answer = socket.ask("cron.list")
    assert isinstance(answer, dict)
    (listed,) = answer["jobs"]
    assert {key: listed[key] for key in BRIEF} == BRIEF
    status = socket.ask("cron.status")
    assert isinstance(status, dict)
    assert (status["jobs"], status["enabled"]) == (1, True)
    assert status["nextWakeAtMs"] == int(datetime(2026, 1, 6, 8, tzinfo=UTC).timestamp() * 1000)
    assert socket.ask("cron.remove", {"id": job}) == {"ok": True, "removed": True}
    assert socket.ask("cron.list", {"includeDisabled": True}) == {"jobs": []}


def test_the_references_names_for_a_job_and_for_when_it_runs_are_known(socket: Socket) -> None:
    isolation: JsonObject = {"postToMainPrefix": "Brief", "postToMainMode": "full"}
    job = socket.add(isolation=isolation)
    answer = socket.ask("cron.list")
    assert isinstance(answer, dict) and answer["jobs"][0]["isolation"] == isolation
    due: JsonObject = {"jobId": job, "mode": "due"}
    assert socket.ask("cron.run", due) == {"ok": True, "ran": False, "reason": "not-due"}
    assert socket.owner.asked[-1][0] != "cron.run"
    force: JsonObject = {"jobId": job, "mode": "force"}
    assert socket.ask("cron.run", force) == {"ok": True, "ran": False, "reason": "queued"}
    with pytest.raises(RpcFailure, match="Which job"):
        socket.ask("cron.runs", {})


def test_jobs_that_are_off_are_listed_when_asked_for(socket: Socket) -> None:
    socket.add(enabled=False)
    assert socket.ask("cron.list") == {"jobs": []}
    answer = socket.ask("cron.list", {"includeDisabled": True})
    assert isinstance(answer, dict)
    assert len(answer["jobs"]) == 1


def test_an_update_changes_what_it_names(socket: Socket) -> None:
    job = socket.add()
    patch: JsonObject = {"enabled": False, "payload": {"kind": "agentTurn", "message": "Any news?"}}
    changed = socket.ask("cron.update", {"id": job, "patch": patch})
    assert isinstance(changed, dict)
    assert changed["name"] == "Brief"
    assert changed["enabled"] is False
    assert changed["payload"] == {"kind": "agentTurn", "message": "Any news?", "thinking": "low"}


def test_an_update_to_another_kind_keeps_nothing_of_the_old_one(socket: Socket) -> None:
    job = socket.add()
    patch: JsonObject = {"payload": {"kind": "systemEvent", "text": "Stand up."}}
    changed = socket.ask("cron.update", {"id": job, "patch": patch})
    assert isinstance(changed, dict)
    assert changed["sessionTarget"] == "main"
    assert changed["payload"] == {"kind": "systemEvent", "text": "Stand up."}


@pytest.mark.parametrize(
    "params",
    [
        {"schedule": {"kind": "cron", "expr": "not one"}},
        {"schedule": {"kind": "at", "atMs": 1}},
        {"payload": {"kind": "systemEvent", "text": "hi"}},
        {"payload": {"kind": "agentTurn", "message": " "}},
        {"provenance": ""},
    ],
)
def test_a_job_that_cannot_be_is_refused_before_the_owner_is_asked(
    socket: Socket, params: JsonObject
) -> None:
    with pytest.raises(RpcFailure):
        socket.ask("cron.add", {**BRIEF, **params})
    assert socket.ask("cron.list", {"includeDisabled": True}) == {"jobs": []}


def test_a_patch_cannot_take_a_mark_away(socket: Socket) -> None:
    job = socket.add()
    with pytest.raises(RpcFailure, match="provenance"):
        socket.ask("cron.update", {"id": job, "patch": {"provenance": ""}})


def test_a_run_is_queued_and_its_runs_are_told(socket: Socket) -> None:
    job = socket.add()
    assert socket.ask("cron.run", {"id": job}) == {"ok": True, "ran": False, "reason": "queued"}
    assert socket.ask("cron.runs", {"id": "Brief"}) == {"entries": []}


def test_an_unknown_job_is_told(socket: Socket) -> None:
    for name in ("cron.remove", "cron.run", "cron.runs"):
        with pytest.raises(RpcFailure, match="no job"):
            socket.ask(name, {"id": "nothing"})
    assert not socket.owner.asked


def test_notices_wait_for_the_main_conversation(socket: Socket) -> None:
    assert socket.ask("wake", {"text": "Mail has come.", "mode": "now"}) == {"ok": True}
    assert socket.ask("system-event", {"text": "The backup is done."}) == {"ok": True}
    waiting = Notices(socket.book.database).waiting(MAIN_KEY)
    assert [one.text for one in waiting] == ["Mail has come.", "The backup is done."]


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("cron.add", BRIEF),
        ("cron.update", {"id": "Brief", "patch": {"enabled": False}}),
        ("cron.remove", {"id": "Brief"}),
        ("cron.run", {"id": "Brief"}),
        ("wake", {"text": "hi"}),
        ("system-event", {"text": "hi"}),
    ],
)
def test_nothing_is_changed_without_the_owners_yes(
    socket: Socket, name: str, params: JsonObject
) -> None:
    socket.add()
    before = socket.ask("cron.list", {"includeDisabled": True})
    socket.owner.says_yes = False
    with pytest.raises(RpcFailure, match="no"):
        socket.ask(name, params)
    assert socket.owner.asked[-1] == (name, Effect.SCHEDULE_WRITE)
    assert socket.ask("cron.list", {"includeDisabled": True}) == before
    assert not Notices(socket.book.database).waiting(MAIN_KEY)


def test_the_last_heartbeat_is_told(socket: Socket) -> None:
    assert socket.ask("last-heartbeat") is None
    noon = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
    socket.look = LastLook("main", noon, LookStatus.SENT, "x" * 300)
    assert socket.ask("last-heartbeat") == {
        "ts": int(noon.timestamp() * 1000),
        "agentId": "main",
        "status": "sent",
        "preview": "x" * 200,
    }
