"""`cron`: things the assistant does by itself, at times or whenever something happens.

The reference's actions with flat arguments, because a small model must be able to call it; `when`
comes as the person said it and is read by `tools.repeating`. Adding and changing ask the owner
(policy: a run that nobody watches is being made); looking does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    Job,
    JobBook,
    JobDraft,
    SystemEvent,
    WakeMode,
    schedule_as_json,
)
from moltbot_desktop.sdk.schedule_words import (
    job_in_words,
    moment_in_words,
    run_in_words,
    schedule_in_words,
)
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.sessions.keys import parse_session_key
from moltbot_desktop.tools.repeating import parse_schedule
from moltbot_desktop.tools.replies import arguments, ask, failure, text_argument
from moltbot_desktop.tools.when import Unclear

_LOOKING = ("status", "list", "runs")
_CHANGING = ("add", "update", "remove", "run", "wake")
_MOST_LISTED = 50
_PHRASES = Phrases(
    {
        "ask_action": "What shall I do with the schedule: list, add, change or remove something?",
        "ask_message": "What shall I do then?",
        "ask_id": "Which one? Tell me its id or its name.",
        "added": "Scheduled {when}: {name} (id {id})",
        "changed": "Changed: {job}",
        "removed": "Removed from the schedule: {name}",
        "run": "“{name}” runs in a moment.",
        "woken": "Noted; it comes up with the next prompt.",
        "none": "Nothing is scheduled.",
        "list": "Scheduled:\n{lines}",
        "no_runs": "“{name}” has not run yet.",
        "status": "{count} scheduled; next: {next}.",
        "status_off": "The schedule is switched off (cron.enabled in moltbot.json).",
        "nothing": "nothing",
        "not_theirs": "Text of others is in this conversation: I make no notice of it.",
    },
    {
        "ask_action": "要怎么处理定时任务：查看、添加、修改还是删除？",
        "ask_message": "到时候要做什么？",
        "ask_id": "哪一个？请告诉我编号或名称。",
        "added": "已安排，{when}：{name}（编号{id}）",
        "changed": "已修改：{job}",
        "removed": "已从日程中删除：{name}",
        "run": "“{name}”马上运行。",
        "woken": "记下了，下次会提到。",
        "none": "没有定时任务。",
        "list": "定时任务：\n{lines}",
        "no_runs": "“{name}”还没有运行过。",
        "status": "共{count}个定时任务；下一个：{next}。",
        "status_off": "定时任务已关闭（moltbot.json 里的 cron.enabled）。",
        "nothing": "无",
        "not_theirs": "对话里有别人的内容，不能作为通知。",
    },
)


@dataclass(frozen=True)
class _Call:
    given: ToolInput
    language: Language
    provenance: str
    here: tzinfo
    agent: str

    def say(self, key: str, **values: object) -> str:
        return _PHRASES.say(key, self.language, **values)


class CronTool:
    """The schedule, for a model."""

    def __init__(self, book: JobBook, clock: Clock) -> None:
        self._book = book
        self._clock = clock

    @property
    def spec(self) -> ToolSpec:
        actions: JsonValue = {"type": "string", "enum": [*_LOOKING, *_CHANGING]}
        target: JsonValue = {"type": "string", "enum": ["isolated", "main"]}
        mode: JsonValue = {"type": "string", "enum": ["now", "next-heartbeat"]}
        return ToolSpec(
            "cron",
            "Schedule what you shall do by yourself.",
            arguments(
                ("action",),
                action=actions,
                id=text_argument("of the job"),
                name=text_argument(),
                when=text_argument("as the user said it, or a cron expression"),
                message=text_argument("what to do then"),
                target=target,
                channel=text_argument("to send the answer to"),
                to=text_argument(),
                mode=mode,
                enabled={"type": "boolean"},
            ),
            Effect.SCHEDULE_WRITE,
            core=False,
            reads=tuple((action, Effect.SCHEDULE_READ) for action in _LOOKING),
            keywords="cron job timer every daily weekly repeat 定时 每天 每周 任务 计划",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        here = self._clock.now().tzinfo
        assert here is not None  # the clock promises it
        key = parse_session_key(context.session)
        agent = key.agent if key is not None else ""
        call = _Call(given, context.language, context.provenance, here, agent)
        carry_out: dict[str, Callable[[_Call], ToolResult]] = {
            "status": self._status,
            "list": self._list,
            "runs": self._runs,
            "add": self._add,
            "update": self._update,
            "remove": self._remove,
            "run": self._run,
            "wake": self._wake,
        }
        wanted = carry_out.get(given.text("action"))
        return wanted(call) if wanted else ask("action", call.say("ask_action"))

    def _status(self, call: _Call) -> ToolResult:
        status = self._book.status()
        moment = call.say("nothing")
        if status.next_ms is not None:
            moment = moment_in_words(status.next_ms, call.here)
        display = call.say("status", count=status.jobs, next=moment)
        if not status.enabled:
            display = call.say("status_off")
        enabled, jobs = status.enabled, status.jobs
        data: dict[str, JsonValue] = {"enabled": enabled, "jobs": jobs, "next": moment}
        return ToolResult(data, display, private=bool(jobs))

    def _list(self, call: _Call) -> ToolResult:
        jobs = self._book.jobs()
        rows: list[JsonValue] = [_row(job, call.here) for job in jobs[:_MOST_LISTED]]
        lines = [f"- {job_in_words(job, call.here, call.language)}" for job in jobs[:_MOST_LISTED]]
        display = call.say("list", lines="\n".join(lines)) if jobs else call.say("none")
        return ToolResult({"jobs": rows}, display, private=bool(jobs))

    def _runs(self, call: _Call) -> ToolResult:
        job = self._named(call)
        if job is None:
            return ask("id", call.say("ask_id"))
        runs = self._book.runs(job.id, 10)
        rows: list[JsonValue] = [
            {
                "due": moment_in_words(run.slot_ms, call.here),
                "status": run.status.value,
                "summary": run.error or run.summary,
            }
            for run in runs
        ]
        lines = [run_in_words(run, call.here, call.language) for run in runs]
        display = "\n".join(lines) or call.say("no_runs", name=job.draft.name)
        theirs = any(run.summary for run in runs)  # what a run read, nobody knows any more
        return ToolResult({"runs": rows}, display, taints=theirs, private=bool(runs))

    def _add(self, call: _Call) -> ToolResult:
        message = call.given.text("message")
        if not message:
            return ask("message", call.say("ask_message"))
        if call.provenance and call.given.text("target") == "main":
            return _not_theirs(call)
        schedule = parse_schedule(
            call.given.text("when"), self._clock.now(), language=call.language
        )
        if isinstance(schedule, Unclear):
            return _unclear(schedule)
        payload = _payload(call.given, message)
        draft = JobDraft(
            call.given.text("name"),
            schedule,
            payload,
            agent_id=call.agent,
            wake_mode=_mode(call.given),
            provenance=call.provenance,
        )
        job = self._book.add(draft)
        when = schedule_in_words(schedule, call.here, call.language)
        display = call.say("added", when=when, name=job.draft.name, id=job.id)
        return ToolResult({"ok": True, "job": _row(job, call.here)}, display, private=True)

    def _update(self, call: _Call) -> ToolResult:
        job = self._named(call)
        if job is None:
            return ask("id", call.say("ask_id"))
        draft, given = job.draft, call.given
        if call.provenance and isinstance(draft.payload, SystemEvent) and given.text("message"):
            return _not_theirs(call)
        if given.text("when"):
            schedule = parse_schedule(given.text("when"), self._clock.now(), language=call.language)
            if isinstance(schedule, Unclear):
                return _unclear(schedule)
            draft = replace(draft, schedule=schedule)
        if given.text("message"):
            draft = replace(draft, payload=_reworded(draft, given.text("message")))
        if given.text("name"):
            draft = replace(draft, name=given.text("name"))
        enabled = given.arguments.get("enabled")
        if isinstance(enabled, bool):
            draft = replace(draft, enabled=enabled)
        if call.provenance:
            draft = replace(draft, provenance=call.provenance)
        changed = self._book.change(job.id, draft)
        display = call.say("changed", job=job_in_words(changed, call.here, call.language))
        return ToolResult({"ok": True, "job": _row(changed, call.here)}, display, private=True)

    def _remove(self, call: _Call) -> ToolResult:
        job = self._named(call)
        if job is None:
            return ask("id", call.say("ask_id"))
        self._book.remove(job.id)
        return ToolResult({"ok": True}, call.say("removed", name=job.draft.name), private=True)

    def _run(self, call: _Call) -> ToolResult:
        job = self._named(call)
        if job is None:
            return ask("id", call.say("ask_id"))
        self._book.run_soon(job.id)
        return ToolResult({"ok": True}, call.say("run", name=job.draft.name), private=True)

    def _wake(self, call: _Call) -> ToolResult:
        message = call.given.text("message")
        if not message:
            return ask("message", call.say("ask_message"))
        if call.provenance:
            return _not_theirs(call)
        self._book.wake(message, _mode(call.given))
        return ToolResult({"ok": True}, call.say("woken"))

    def _named(self, call: _Call) -> Job | None:
        reference = call.given.text("id") or (
            call.given.text("name") if call.given.text("action") != "update" else ""
        )
        return self._book.find(reference) if reference else None


def _not_theirs(call: _Call) -> ToolResult:
    """A notice speaks with the program's voice; text of others must not."""
    return failure("a notice cannot hold what others wrote", call.say("not_theirs"))


def _unclear(found: Unclear) -> ToolResult:
    error = f"`when` is not clear ({found.doubt.value})"
    return ToolResult({"error": error}, found.question, ok=False, question=found.question)


def _payload(given: ToolInput, message: str) -> SystemEvent | AgentTurn:
    if given.text("target") == "main":
        return SystemEvent(message)
    return AgentTurn(message, channel=given.text("channel"), to=given.text("to"),
                     deliver=True if given.text("channel") else None)  # fmt: skip


def _reworded(draft: JobDraft, message: str) -> SystemEvent | AgentTurn:
    if isinstance(draft.payload, SystemEvent):
        return SystemEvent(message)
    return replace(draft.payload, message=message)


def _mode(given: ToolInput) -> WakeMode:
    return WakeMode.NOW if given.text("mode") == "now" else WakeMode.NEXT_HEARTBEAT


def _row(job: Job, here: tzinfo) -> dict[str, JsonValue]:
    row: dict[str, JsonValue] = {
        "id": job.id,
        "name": job.draft.name,
        "enabled": job.draft.enabled,
        "schedule": schedule_as_json(job.draft.schedule),
    }
    if job.state.next_ms is not None:
        row["next"] = moment_in_words(job.state.next_ms, here)
    return row
