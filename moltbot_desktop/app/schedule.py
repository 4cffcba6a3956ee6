"""The schedule put together: the book of jobs, the executor, the heartbeat, standing intents.

The book alone is what `moltbot-desktop cron` and the `cron` tool need; carrying jobs out begins
with `running_schedule`, in the one process that holds the lock.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.power import on_battery
from moltbot_desktop.config.heartbeat import HeartbeatConfig
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, StoreBusy, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.gateway.client import Notice, NoticeKind
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.executor import (
    CronExecutor,
    ExecutorParts,
    JobEnded,
    JobNews,
    RunJob,
)
from moltbot_desktop.schedule.heartbeat import HeartbeatRules
from moltbot_desktop.schedule.intents import SETTLED_SECONDS, FileIntents, Watch, matters
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.jobs_json import read_jobs
from moltbot_desktop.schedule.ledger import Ledger
from moltbot_desktop.schedule.notices import NewNotice, Notices
from moltbot_desktop.schedule.pulse import LastLook, Pulse, PulseParts
from moltbot_desktop.schedule.slots import zone
from moltbot_desktop.sdk.schedule import EventKind, RunStatus
from moltbot_desktop.sdk.schedule_words import PHRASES, missed_in_words
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.keys import KeyKind, job_key, main_session_key
from moltbot_desktop.storage.changes import Changes
from moltbot_desktop.storage.locks import FileLock
from moltbot_desktop.storage.watching import FolderWatch

HEARTBEAT_FILE = "HEARTBEAT.md"
_MOST_INSTRUCTIONS = 100_000
_BOOK_LOOKED_AT_EVERY = 60.0
_TEXTS = Phrases(
    english={
        "set_aside": "The book of scheduled jobs was damaged and set aside as {path}.",
        "set_aside_hint": "Jobs that were in it will not run; please add them again.",
        "not_read": "{path}: {problem}",
        "heartbeat": "Heartbeat: {text}",
    },
    chinese={
        "set_aside": "定时任务簿损坏，已移到 {path}。",
        "set_aside_hint": "里面的任务不会再运行，请重新添加。",
        "not_read": "{path}：{problem}",
        "heartbeat": "例行检查：{text}",
    },
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Schedule:
    """The book, and what else looks into its database.

    Attributes:
        default_agent: the id of whoever has jobs that name nobody.
    """

    database: ScheduleDatabase
    book: JobStore
    notices: Notices
    default_agent: AgentId

    def leave_notice(self, key: SessionKey, text: str) -> None:
        """For the next prompt of that conversation."""
        self.notices.add(NewNotice(key, text))

    def close(self) -> None:
        self.database.close()


def open_schedule(paths: Paths, loaded: LoadedConfig, clock: Clock) -> Schedule:
    """Open the book, made when missing.

    Raises:
        StorageError: it cannot be used.
    """
    agent = AgentId(loaded.config.default_agent)
    database = ScheduleDatabase(_folder(paths) / "jobs.sqlite", clock)
    lock = _lock(paths)
    book = JobStore(
        database,
        new_id=lambda: uuid.uuid4().hex,
        main_key=main_session_key(agent),
        enabled=loaded.config.cron.enabled,
        is_running=lambda: _is_held(lock),
    )
    return Schedule(database, book, Notices(database), agent)


def take_in_jobs_file(
    schedule: Schedule, paths: Paths, loaded: LoadedConfig, language: Language
) -> list[Notice]:
    """Read the reference's jobs.json, whose jobs are taken in once; what could not be read, and
    whether the book was damaged."""
    told = []
    if schedule.database.set_aside is not None:
        text = _TEXTS.say("set_aside", language, path=schedule.database.set_aside)
        told.append(Notice(text, _TEXTS.say("set_aside_hint", language), serious=True))
    path = loaded.config.cron.store or _folder(paths) / "jobs.json"
    try:
        read = read_jobs(path.read_text(encoding="utf-8"))
        schedule.book.import_jobs(read)
    except FileNotFoundError:
        return told
    except (OSError, UnicodeDecodeError, UserInputInvalid, StorageError) as error:
        return [*told, Notice(_TEXTS.say("not_read", language, path=path, problem=error))]
    return told + [
        Notice(_TEXTS.say("not_read", language, path=path, problem=problem))
        for problem in read.problems
    ]


@dataclass(frozen=True)
class Surrounding:
    """What the running schedule needs of the assistant.

    Attributes:
        runner: carries out what a job asks of an agent.
        tell: the person; on the event loop.
        busy: whether the owner is being answered.
        looked: hears what came of each heartbeat; on the event loop.
    """

    paths: Paths
    loaded: LoadedConfig
    clock: Clock
    workspace: Path
    language: Language
    runner: RunJob
    tell: Callable[[Notice], None]
    busy: Callable[[], bool]
    looked: Callable[[LastLook], None] = lambda _: None


@asynccontextmanager
async def running_schedule(schedule: Schedule, around: Surrounding) -> AsyncIterator[None]:
    """Carry jobs out, look around, watch files; leaving the context ends all of it."""
    loop = asyncio.get_running_loop()
    pulse = _pulse(schedule, around)
    executor = CronExecutor(
        ExecutorParts(
            ledger=Ledger(schedule.database),
            runner=around.runner,
            clock=around.clock,
            lock=_lock(around.paths),
            main_key=lambda agent: main_session_key(_agent(schedule, agent)),
            job_key=lambda agent, job: job_key(_agent(schedule, agent), KeyKind.CRON, job),
            tell=lambda news: _tell(news, around),
            wake=pulse.wake if pulse is not None else _nobody,
            asked=schedule.notices.take_asked,
        ),
        limit=around.loaded.config.cron.max_concurrent_runs,
    )

    def happened(kind: EventKind, what: Callable[[str], str]) -> None:
        loop.call_soon_threadsafe(executor.happened, kind, what)

    def watch(folder: Path, changed: Callable[[Changes], None]) -> Watch:
        watching = FolderWatch([folder], around.clock, seen=_ignored, settled=changed,
                               debounce_seconds=SETTLED_SECONDS, matters=matters)  # fmt: skip
        watching.start()
        return watching

    intents = FileIntents(around.workspace, schedule.book.jobs, watch, happened)
    changed = asyncio.Event()

    def book_changed() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(changed.set)

    schedule.database.on_change(book_changed)

    def begin() -> None:
        executor.happened(EventKind.STARTUP, lambda _: "The assistant has just started.")
        changed.set()

    tasks = [loop.create_task(_watched(intents, changed), name="standing intents")]
    if around.loaded.config.cron.enabled:
        tasks.append(loop.create_task(executor.run(begin), name="schedule"))
    if pulse is not None:
        tasks.append(loop.create_task(pulse.run(), name="heartbeat"))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(intents.close)


async def _watched(intents: FileIntents, changed: asyncio.Event) -> None:
    """Follow the book, which other processes write too."""
    while True:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_BOOK_LOOKED_AT_EVERY):
                await changed.wait()
        changed.clear()
        try:
            await asyncio.to_thread(intents.refresh)
        except StorageError as error:
            _log.warning("standing intents cannot be read: %s", error)


def _pulse(schedule: Schedule, around: Surrounding) -> Pulse | None:
    """The heartbeat of the default agent; None when the settings want none."""
    config = around.loaded.config
    agent = schedule.default_agent
    settings = config.heartbeat_of(agent)
    if settings is None:
        return None
    hours = settings.active_hours
    here = _zone(around.clock)
    main = main_session_key(agent)
    rules = HeartbeatRules(
        every_seconds=settings.every_seconds,
        configured=settings != type(settings)(),
        active=None if hours is None else (hours.start, hours.end),
        prompt=settings.prompt,
        ack_max_chars=settings.ack_max_chars,
        target=settings.target,
        to=settings.to or "",
        model=settings.model or "",
    )

    def tell(text: str, labels: Labels) -> None:
        schedule.notices.add(NewNotice(main, f"Heartbeat: {text}", labels=labels))
        said = _TEXTS.say("heartbeat", around.language, text=text)
        around.tell(Notice(said, kind=NoticeKind.NEWS, title="heartbeat"))

    return Pulse(
        PulseParts(
            agent_id=agent,
            key=job_key(agent, KeyKind.CRON, "heartbeat"),
            rules=rules,
            zone=_active_zone(settings, config.agent.user_timezone or "", here),
            runner=around.runner,
            clock=around.clock,
            new_id=lambda: uuid.uuid4().hex,
            instructions=lambda: _instructions(around.workspace / HEARTBEAT_FILE),
            notices=lambda: schedule.notices.calling(main),
            answered=lambda through: schedule.notices.answered(main, through),
            busy=around.busy,
            on_battery=on_battery,
            tell=tell,
            looked=around.looked,
        )
    )


def _active_zone(settings: HeartbeatConfig, user: str, here: tzinfo) -> tzinfo:
    """Of the active hours. A name that is none costs the person nothing but the difference."""
    named = settings.active_hours.timezone if settings.active_hours is not None else "user"
    try:
        return zone({"user": user, "local": ""}.get(named, named), here)
    except UserInputInvalid as error:
        _log.warning("the hours of the heartbeat: %s", error)
        return here


def _instructions(path: Path) -> str | None:
    """A file that cannot be read asks for nothing, and must not be asked about for ever."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MOST_INSTRUCTIONS)
    except FileNotFoundError:
        return None
    except OSError as error:
        _log.warning("%s cannot be read: %s", path, error)
        return ""


def _tell(news: JobNews, around: Surrounding) -> None:
    here, language = _zone(around.clock), around.language
    if not isinstance(news, JobEnded):
        name = news.job.draft.name
        for one in news.missed:
            said = missed_in_words(name, one, here, language)
            around.tell(Notice(said, kind=NoticeKind.NEWS, title=name))
        return
    name, well = news.job.draft.name, news.status is RunStatus.OK
    if news.delivered or (well and not news.text):
        return
    key = "ended_ok" if well else "ended_badly"
    said = PHRASES.say(key, language, name=name, text=news.text)
    around.tell(Notice(said, serious=not well, kind=NoticeKind.NEWS, title=name))


def _agent(schedule: Schedule, agent: str) -> AgentId:
    return AgentId(agent) if agent else schedule.default_agent


def _folder(paths: Paths) -> Path:
    return paths.home / "cron"


def _lock(paths: Paths) -> Path:
    return _folder(paths) / "executor.lock"


def _is_held(path: Path) -> bool:
    lock = FileLock(path)
    try:
        with lock:
            return False
    except StoreBusy:
        return True
    except StorageError:
        return False


def _zone(clock: Clock) -> tzinfo:
    here = clock.now().tzinfo
    assert here is not None  # the clock promises it
    return here


def _nobody() -> None:
    """The settings want no heartbeat."""


def _ignored(_: Changes) -> None:
    """Only what has settled is news."""
