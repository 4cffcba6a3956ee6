"""`moltbot-desktop cron`: what the assistant does by itself, and how it went.

    cron add "every weekday at 8:30" "What is on today?"
    cron list        cron edit ID --when "every day at 9"        cron runs ID
    cron disable ID  cron enable ID  cron remove ID  cron run ID  cron status
    cron export > jobs.json          cron import jobs.json

`ID` is a job's id, the beginning of one, or its name. Times are read as the assistant reads them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from typing import Protocol, TextIO

from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.schedule import (
    AgentTurn,
    CatchUp,
    Cron,
    Job,
    JobBook,
    JobDraft,
    JobRun,
    Schedule,
    SystemEvent,
    WakeMode,
)
from moltbot_desktop.sdk.schedule_words import (
    job_in_words,
    missed_in_words,
    moment_in_words,
    run_in_words,
)

_LAST = "last"
"""The channel of who wrote last, see `sdk.schedule`."""
_SHOWN = 40
_PHRASES = Phrases(
    english={
        "none": "Nothing is scheduled. For example:\n"
        '  moltbot-desktop cron add "every weekday at 8:30" "What is on today?"',
        "added": "Added: {job}",
        "changed": "Changed: {job}",
        "removed": "Removed: {name}",
        "runs_now": "“{name}” runs in a moment.",
        "runs_later": "“{name}” runs as soon as Moltbot Desktop does; it is not running now.",
        "no_runs": "“{name}” has not run yet.",
        "nobody": "Moltbot Desktop is not running: nothing is carried out until it does.",
        "running": "Moltbot Desktop is running and carries jobs out.",
        "disabled": "The schedule is switched off (cron.enabled in moltbot.json).",
        "count": "{count} scheduled; next: {next}.",
        "nothing": "nothing",
        "imported": "Taken in: {count}.",
        "known": "Nothing new: jobs that were here before are not taken in again.",
        "no_channel": "The channel “{name}” is not set up here.",
        "channels": "There are: {names}, and last, where you wrote last.",
        "no_channels": "No channel is set up: leave --channel out, and the answer is shown here; or"
        " say last, for where you wrote last.",
        "half_a_place": "An answer goes to somebody on a channel.",
        "whole_place": "Give both --channel and --to, or --channel last, for where you wrote last.",
        "no_agent": "There is no agent “{name}”.",
        "agents": "There are: {names}.",
        "tz_only": "A time zone goes with a cron expression or a repeated clock time.",
        "no_jobs_file": "{path} is no file of jobs.",
        "choose_jobs_file": "Choose a jobs.json, such as “cron export” prints.",
        "unreadable": "{path} cannot be read.",
        "let_read": "Make it readable for you, or copy it to a folder of yours.",
    },
    chinese={
        "none": "没有定时任务。例如：\n"
        '  moltbot-desktop cron add "每个工作日8点半" "今天有什么安排？"',
        "added": "已添加：{job}",
        "changed": "已修改：{job}",
        "removed": "已删除：{name}",
        "runs_now": "“{name}”马上运行。",
        "runs_later": "Moltbot Desktop 没有在运行；“{name}”会在它启动后运行。",
        "no_runs": "“{name}”还没有运行过。",
        "nobody": "Moltbot Desktop 没有在运行，启动之前不会执行任何任务。",
        "running": "Moltbot Desktop 正在运行，会执行定时任务。",
        "disabled": "定时任务已关闭（moltbot.json 里的 cron.enabled）。",
        "count": "共{count}个；下一个：{next}。",
        "nothing": "无",
        "imported": "已导入{count}个。",
        "known": "没有新任务：以前有过的任务不会再次导入。",
        "no_channel": "这里没有设置渠道“{name}”。",
        "channels": "有：{names}，以及 last（你上次写信的地方）。",
        "no_channels": "还没有设置渠道：不写 --channel，回答就显示在这里；也可以写 last，表示你上次"
        "写信的地方。",
        "half_a_place": "回答要发给某个渠道上的某个人。",
        "whole_place": "请同时写 --channel 和 --to，或写 --channel last，表示你上次写信的地方。",
        "no_agent": "没有叫“{name}”的智能体。",
        "agents": "有：{names}。",
        "tz_only": "时区只能用于 cron 表达式或重复的钟点。",
        "no_jobs_file": "{path} 不是任务文件。",
        "choose_jobs_file": "请选择 jobs.json，例如“cron export”写出的文件。",
        "unreadable": "读不了 {path}。",
        "let_read": "请让它可读，或把它复制到你自己的文件夹。",
    },
)


class Imports(Protocol):
    """Jobs of a jobs.json."""

    def __call__(self, text: str) -> tuple[int, tuple[str, ...]]:
        """Take in those that were never here; how many, and what could not be read.

        Raises:
            UserInputInvalid: `text` is no jobs.json.
        """
        ...


@dataclass(frozen=True)
class CronTools:
    """What the command works with.

    Attributes:
        read_when: a person's words as a schedule. Raises UserInputInvalid with what to say.
        job_as_json, run_as_json: in the reference's shape.
        read_file: the content of a file that the person names. Raises OSError.
        here: this computer's zone.
        channels, agents: names of those that are set up.
    """

    book: JobBook
    read_when: Callable[[str], Schedule]
    job_as_json: Callable[[Job], JsonObject]
    run_as_json: Callable[[JobRun], JsonObject]
    import_jobs: Imports
    read_file: Callable[[Path], bytes]
    here: tzinfo
    channels: Sequence[str] = ()
    agents: Sequence[str] = ()


def run_cron(tools: CronTools, arguments: Arguments, language: Language, out: TextIO) -> int:
    """Carry `arguments.action` out; returns the exit code.

    Raises:
        MoltbotError: it could not be done.
    """
    return CronCommand(tools, arguments, language, out).run()


@dataclass(frozen=True)
class CronCommand:
    """One call of the command."""

    tools: CronTools
    arguments: Arguments
    language: Language
    out: TextIO

    def run(self) -> int:
        match self.arguments.action:
            case "add":
                self._told("added", self.tools.book.add(self._draft()))
            case "edit":
                job = self._job()
                self._told("changed", self.tools.book.change(job.id, self._edited(job.draft)))
            case "enable" | "disable":
                job = self._job()
                draft = replace(job.draft, enabled=self.arguments.action == "enable")
                self._told("changed", self.tools.book.change(job.id, draft))
            case "remove":
                job = self._job()
                self.tools.book.remove(job.id)
                self._print("removed", {"removed": job.id}, name=job.draft.name)
            case "run":
                self._run_soon(self._job())
            case "runs":
                self._runs(self._job())
            case "status":
                self._status()
            case "export":
                self._write({"version": 1, "jobs": self._all()}, indent=2)
            case "import":
                self._import(Path(self.arguments.name))
            case _:
                self._list()
        return 0

    def _job(self) -> Job:
        return self.tools.book.find(self.arguments.name)

    def _draft(self) -> JobDraft:
        given = self.arguments
        self._must_be_there()
        text = given.text
        turn = AgentTurn(text, channel=given.channel, to=given.to,
                         deliver=True if given.channel else None)  # fmt: skip
        return JobDraft(
            name=given.title,
            schedule=self._schedule(given.when, given.tz),
            payload=SystemEvent(text) if given.main else turn,
            agent_id=given.agent,
            delete_after_run=given.once,
            wake_mode=WakeMode.NOW if given.now else WakeMode.NEXT_HEARTBEAT,
            catch_up=CatchUp.ONCE if given.catch_up else None,
        )

    def _must_be_there(self) -> None:
        """A job for a channel or an agent that is not there would fail later, when nobody looks.

        Raises:
            UserInputInvalid: one of them is not; says which there are.
        """
        channel, agent = self.arguments.channel, self.arguments.agent
        tools, language = self.tools, self.language
        if channel and channel not in (_LAST, *tools.channels):
            key = "channels" if tools.channels else "no_channels"
            raise UserInputInvalid(
                _PHRASES.say("no_channel", language, name=channel[:_SHOWN]),
                hint=_PHRASES.say(key, language, names=", ".join(tools.channels)),
            )
        if bool(self.arguments.to) != bool(channel) and channel != _LAST:
            raise UserInputInvalid(
                _PHRASES.say("half_a_place", language), hint=_PHRASES.say("whole_place", language)
            )
        if agent and agent.lower() not in map(str.lower, tools.agents):
            raise UserInputInvalid(
                _PHRASES.say("no_agent", language, name=agent[:_SHOWN]),
                hint=_PHRASES.say("agents", language, names=", ".join(tools.agents)),
            )

    def _edited(self, draft: JobDraft) -> JobDraft:
        given = self.arguments
        if given.when:
            draft = replace(draft, schedule=self._schedule(given.when, given.tz))
        elif given.tz:
            draft = replace(draft, schedule=self._in_zone(draft.schedule, given.tz))
        if given.text and isinstance(draft.payload, AgentTurn):
            draft = replace(draft, payload=replace(draft.payload, message=given.text))
        elif given.text:
            draft = replace(draft, payload=SystemEvent(given.text))
        return replace(draft, name=given.title or draft.name)

    def _schedule(self, when: str, tz: str) -> Schedule:
        schedule = self.tools.read_when(when)
        return self._in_zone(schedule, tz) if tz else schedule

    def _in_zone(self, schedule: Schedule, tz: str) -> Schedule:
        if not isinstance(schedule, Cron):
            raise UserInputInvalid(_PHRASES.say("tz_only", self.language))
        return replace(schedule, tz=tz)

    def _told(self, key: str, job: Job) -> None:
        words = job_in_words(job, self.tools.here, self.language)
        self._print(key, self.tools.job_as_json(job), job=words)

    def _run_soon(self, job: Job) -> None:
        self.tools.book.run_soon(job.id)
        running = self.tools.book.status().running
        key = "runs_now" if running else "runs_later"
        self._print(key, {"id": job.id, "running": running}, name=job.draft.name)

    def _runs(self, job: Job) -> None:
        runs, missed = self.tools.book.runs(job.id), self.tools.book.missed(job.id)
        if self.arguments.json:
            gone: list[JsonValue] = [
                {"first": one.first_ms, "last": one.last_ms, "count": one.count, "more": one.more,
                 "busy": one.busy} for one in missed
            ]  # fmt: skip
            ran: list[JsonValue] = [self.tools.run_as_json(run) for run in runs]
            self._write({"entries": ran, "missed": gone})
            return
        here, language = self.tools.here, self.language
        lines = [run_in_words(run, here, language) for run in runs]
        lines += [missed_in_words(job.draft.name, one, here, language) for one in missed]
        self._line("\n".join(lines) or _PHRASES.say("no_runs", language, name=job.draft.name))

    def _status(self) -> None:
        status = self.tools.book.status()
        if self.arguments.json:
            self._write(
                {
                    "enabled": status.enabled,
                    "running": status.running,
                    "jobs": status.jobs,
                    "nextWakeAtMs": status.next_ms,
                }
            )
            return
        moment = _PHRASES.say("nothing", self.language)
        if status.next_ms is not None:
            moment = moment_in_words(status.next_ms, self.tools.here)
        self._line(_PHRASES.say("count", self.language, count=status.jobs, next=moment))
        key = "disabled" if not status.enabled else "running" if status.running else "nobody"
        self._line(_PHRASES.say(key, self.language))

    def _list(self) -> None:
        if self.arguments.json:
            self._write({"jobs": self._all()})
            return
        here, language = self.tools.here, self.language
        lines = [job_in_words(job, here, language) for job in self.tools.book.jobs()]
        self._line("\n".join(lines) or _PHRASES.say("none", language))

    def _all(self) -> list[JsonValue]:
        return [self.tools.job_as_json(job) for job in self.tools.book.jobs()]

    def _import(self, path: Path) -> None:
        try:
            text = self.tools.read_file(path).decode()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError, UnicodeDecodeError,
                ValueError) as error:  # fmt: skip
            said = _PHRASES.say("no_jobs_file", self.language, path=path)
            how = _PHRASES.say("choose_jobs_file", self.language)
            raise UserInputInvalid(said, hint=how) from error
        except OSError as error:
            said = _PHRASES.say("unreadable", self.language, path=path)
            raise UserInputInvalid(said, hint=_PHRASES.say("let_read", self.language)) from error
        count, problems = self.tools.import_jobs(text)
        if self.arguments.json:
            self._write({"imported": count, "problems": list(problems)})
            return
        key = "imported" if count or problems else "known"
        self._line(_PHRASES.say(key, self.language, count=count))
        for problem in problems:
            self._line(translated(problem, self.language))

    def _print(self, key: str, data: JsonObject, **values: object) -> None:
        if self.arguments.json:
            self._write(data)
        else:
            self._line(_PHRASES.say(key, self.language, **values))

    def _write(self, data: JsonObject, indent: int | None = None) -> None:
        self._line(json.dumps(data, ensure_ascii=False, indent=indent, default=dict))

    def _line(self, text: str) -> None:
        self.out.write(text + "\n")
