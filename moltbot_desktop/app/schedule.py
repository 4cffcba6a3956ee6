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

from moltbot_desktop.app.heartbeats import HeartbeatNeeds, Heartbeats
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.automation import CronConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.errors import StorageError, StoreBusy, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.executor import CronExecutor, ExecutorParts, JobEnded, JobNews
from moltbot_desktop.schedule.intents import SETTLED_SECONDS, FileIntents, Watch, matters
from moltbot_desktop.schedule.job_store import JobStore
from moltbot_desktop.schedule.jobs_json import read_jobs
from moltbot_desktop.schedule.ledger import Ledger, What
from moltbot_desktop.schedule.looks import Looks
from moltbot_desktop.schedule.news import NewNews, News
from moltbot_desktop.schedule.notices import NewNotice, Notices
from moltbot_desktop.schedule.pulse import LastLook
from moltbot_desktop.schedule.turns import Delivery, RunJob
from moltbot_desktop.sdk.schedule import EventKind, RunStatus
from moltbot_desktop.sdk.schedule_words import PHRASES, missed_in_words
from moltbot_desktop.sessions.keys import KeyKind, job_key, main_session_key, normalise_agent_id
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.changes import Changes
from moltbot_desktop.storage.locks import FileLock
from moltbot_desktop.storage.watching import FolderWatch

_BOOK_LOOKED_AT_EVERY = 60.0
_TEXTS = Phrases(
    english={
        "set_aside": "The book of scheduled jobs was damaged and set aside as {path}.",
        "set_aside_hint": "Jobs that were in it will not run; please add them again.",
        "not_read": "{path}: {problem}",
    },
    chinese={
        "set_aside": "定时任务簿损坏，已移到 {path}。",
        "set_aside_hint": "里面的任务不会再运行，请重新添加。",
        "not_read": "{path}：{problem}",
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
    news: News
    default_agent: AgentId

    def agent(self, named: str) -> AgentId:
        """Whose a job is that names `named`."""
        return normalise_agent_id(named) if named else self.default_agent

    def leave_notice(self, key: SessionKey, text: str) -> None:
        """For the next prompt of that conversation."""
        self.notices.add(NewNotice(key, text))

    def close(self) -> None:
        self.database.close()


def open_schedule(paths: Paths, settings: Callable[[], Config], clock: Clock) -> Schedule:
    """Open the book, made when missing.

    Args:
        settings: as they are now.

    Raises:
        StorageError: it cannot be used.
    """
    agent = normalise_agent_id(settings().default_agent)
    database = ScheduleDatabase(_folder(paths) / "jobs.sqlite", clock)
    lock = _lock(paths)
    book = JobStore(
        database,
        new_id=lambda: uuid.uuid4().hex,
        main_key=main_session_key(agent),
        enabled=lambda: settings().cron.enabled,
        is_running=lambda: _is_held(lock),
    )
    return Schedule(database, book, Notices(database), News(database), agent)


def take_in_jobs_file(
    schedule: Schedule, paths: Paths, config: CronConfig, language: Language
) -> list[Notice]:
    """Read the reference's jobs.json, whose jobs are taken in once; what could not be read, and
    whether the book was damaged."""
    told = []
    if schedule.database.set_aside is not None:
        text = _TEXTS.say("set_aside", language, path=schedule.database.set_aside)
        told.append(Notice(text, _TEXTS.say("set_aside_hint", language), serious=True))
    path = config.store or _folder(paths) / "jobs.json"
    try:
        read = read_jobs(read_plain(path, MOST_STATE).decode())
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
    """What the running schedule needs of the assistant; what follows the settings is asked for at
    each use.

    Attributes:
        workspace: of an agent.
        runner: carries out what a job asks of an agent.
        tell: the person; on the event loop.
        flush: brings the news that wait to the person; on the event loop, returns at once.
        last: where the owner wrote last in a conversation of theirs, None for the window.
        busy: whether a conversation of the owner's is being answered.
        able: whether the model of an agent, or the one named, reads more than one request.
        looked: hears what came of each heartbeat; on the event loop.
        paused: whether the owner wants nothing done unasked just now.
    """

    paths: Paths
    settings: Callable[[], Config]
    clock: Clock
    language: Language
    workspace: Callable[[AgentId], Path]
    runner: RunJob
    tell: Callable[[Notice], None]
    flush: Callable[[], None]
    last: Callable[[SessionKey], Delivery | None]
    busy: Callable[[SessionKey], bool]
    able: Callable[[AgentId, str], bool]
    looked: Callable[[LastLook], None] = lambda _: None
    paused: Callable[[], bool] = lambda: False


@dataclass
class RunningSchedule:
    """Jobs, heartbeats and watched files of a program that runs. Lives on the event loop."""

    schedule: Schedule
    around: Surrounding
    executor: CronExecutor
    beats: Heartbeats
    store: Path | None

    def follow(self) -> None:
        """The settings have changed: most of them are asked for at each use; agents may have
        come, and another jobs.json."""
        self.beats.follow()
        self.executor.wake()
        cron = self.around.settings().cron
        if cron.store != self.store:
            self.store = cron.store
            around = self.around
            for notice in take_in_jobs_file(self.schedule, around.paths, cron, around.language):
                around.tell(notice)


@asynccontextmanager
async def running_schedule(
    schedule: Schedule, around: Surrounding
) -> AsyncIterator[RunningSchedule]:
    """Carry jobs out, look around, watch files; leaving the context ends all of it."""
    loop = asyncio.get_running_loop()
    beats = _heartbeats(schedule, around, lambda: executor.in_charge)
    executor = CronExecutor(_parts(schedule, around, beats))
    running = RunningSchedule(schedule, around, executor, beats, around.settings().cron.store)

    def happened(kind: EventKind, what: What) -> None:
        loop.call_soon_threadsafe(executor.happened, kind, what)

    def watch(folder: Path, changed: Callable[[Changes], None]) -> Watch:
        watching = FolderWatch([folder], around.clock, seen=_ignored, settled=changed,
                               debounce_seconds=SETTLED_SECONDS, matters=matters)  # fmt: skip
        watching.start()
        return watching

    def workspace(agent: str) -> Path:
        return around.workspace(schedule.agent(agent))

    intents = FileIntents(workspace, schedule.book.jobs, watch, happened)
    changed = asyncio.Event()

    def book_changed() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(changed.set)

    schedule.database.on_change(book_changed)

    def begin() -> None:
        executor.happened(EventKind.STARTUP, lambda *_: "The assistant has just started.")
        changed.set()

    around.flush()
    beats.follow()
    tasks = [
        loop.create_task(_watched(intents, changed), name="standing intents"),
        loop.create_task(executor.run(begin), name="schedule"),
    ]
    try:
        yield running
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await beats.close()
        await asyncio.to_thread(intents.close)


def _heartbeats(
    schedule: Schedule, around: Surrounding, in_charge: Callable[[], bool]
) -> Heartbeats:
    """`in_charge`: whether jobs are carried out here; where they are elsewhere, so are these."""
    return Heartbeats(
        HeartbeatNeeds(
            settings=around.settings,
            default_agent=schedule.default_agent,
            notices=schedule.notices,
            news=schedule.news,
            looks=Looks(schedule.database),
            clock=around.clock,
            language=around.language,
            runner=around.runner,
            workspace=around.workspace,
            last=around.last,
            busy=around.busy,
            elsewhere=lambda: (
                around.paused() or (around.settings().cron.enabled and not in_charge())
            ),
            able=around.able,
            tell=around.flush,
            looked=around.looked,
        )
    )


def _parts(schedule: Schedule, around: Surrounding, beats: Heartbeats) -> ExecutorParts:
    def main_key(agent: str) -> SessionKey:
        return main_session_key(schedule.agent(agent))

    return ExecutorParts(
        ledger=Ledger(schedule.database),
        runner=around.runner,
        clock=around.clock,
        lock=_lock(around.paths),
        main_key=main_key,
        job_key=lambda agent, job: job_key(schedule.agent(agent), KeyKind.CRON, job),
        enabled=lambda: around.settings().cron.enabled and not around.paused(),
        limit=lambda: around.settings().cron.max_concurrent_runs,
        last=lambda agent: around.last(main_key(agent)),
        news=lambda news: _in_words(news, main_key(news.job.draft.agent_id), around),
        tell=around.flush,
        wake=lambda agent: beats.wake(schedule.agent(agent)),
        asked=schedule.notices.take_asked,
    )


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


def _in_words(news: JobNews, key: SessionKey, around: Surrounding) -> NewNews:
    """What the person is told, and where it stands from then on."""
    name, language = news.job.draft.name, around.language
    if not isinstance(news, JobEnded):
        here = _zone(around.clock)
        missed = [missed_in_words(name, one, here, language) for one in news.missed]
        return NewNews(key, name, "\n".join(missed))
    well = news.status is RunStatus.OK
    text = news.text if well else translated(news.text, language)
    said = PHRASES.say("ended_ok" if well else "ended_badly", language, name=name, text=text)
    return NewNews(key, name, said, serious=not well)


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


def _ignored(_: Changes) -> None:
    """Only what has settled is news."""
