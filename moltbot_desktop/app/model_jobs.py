"""What is done with models and takes its time, each on a thread of its own.

    jobs = ModelJobs(language)
    jobs.begin("qwen3-4b", JobKind.FETCH, work)      # work(control) -> Outcome
    jobs.now()                                       # what is shown of them
    jobs.stop("qwen3-4b")
    jobs.close()                                     # at the end of the program

`work` calls `control.tell` as it goes on, which ends it (`Stopped`) once it was told to stop. What
was stopped or has gone well without anything to tell is not shown any more.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.progress import TransferProgress
from moltbot_desktop.sdk.model_shelf import JobKind, JobState, ModelCheck, ModelJob

_JOIN_SECONDS = 1.0
_log = logging.getLogger(__name__)


class Stopped(Exception):
    """Somebody does not want it any more."""


@dataclass(frozen=True)
class Outcome:
    """What came of it, as far as somebody is to be told."""

    check: ModelCheck | None = None
    made: str = ""


@dataclass
class Control:
    """The work's side of a job.

    Attributes:
        stopping: set when it is to end.
        on_stop: called then, on the thread of whoever stops it.
    """

    note: Callable[[TransferProgress], None]
    stopping: threading.Event = field(default_factory=threading.Event)
    on_stop: Callable[[], None] = lambda: None

    def tell(self, progress: TransferProgress) -> None:
        """It has come so far. Raises Stopped."""
        self.check()
        self.note(progress)

    def sleep(self, seconds: float) -> None:
        """Wait. Raises Stopped."""
        self.stopping.wait(seconds)
        self.check()

    def check(self) -> None:
        """Raises Stopped."""
        if self.stopping.is_set():
            raise Stopped


Work = Callable[[Control], Outcome]


@dataclass
class _Entry:
    job: ModelJob
    control: Control
    thread: threading.Thread | None = None
    after: list[Callable[[], None]] = field(default_factory=list)


class ModelJobs:
    """Safe on any thread."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._lock = threading.Lock()
        self._entries: dict[str, _Entry] = {}
        self._closed = False

    def now(self) -> tuple[ModelJob, ...]:
        """In the order in which they were begun."""
        with self._lock:
            return tuple(one.job for one in self._entries.values())

    def require_free(self, name: str) -> None:
        """Raises UserInputInvalid: something is done with `name`."""
        with self._lock:
            self._require_free(name)

    def begin(self, name: str, kind: JobKind, work: Work) -> None:
        """Raises UserInputInvalid: something is done with `name` just now."""
        entry = _Entry(ModelJob(name, kind), Control(lambda progress: self._note(entry, progress)))
        with self._lock:
            self._require_free(name)
            if self._closed:
                return
            self._entries.pop(name, None)
            self._entries[name] = entry
            entry.thread = threading.Thread(
                target=self._run, args=(entry, work), name=f"model-{kind}", daemon=True
            )
            entry.thread.start()

    def stop(self, name: str, after: Callable[[], None] | None = None) -> bool:
        """Have it end soon, and then `after` done on its thread; False when it does not run."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is None or not entry.job.live:
                return False
            if after is not None:
                entry.after.append(after)
            entry.job = replace(entry.job, state=JobState.STOPPING)
            entry.control.stopping.set()
        entry.control.on_stop()
        return True

    def dismiss(self, name: str) -> None:
        """What came of it need not be shown any more."""
        with self._lock:
            entry = self._entries.get(name)
            if entry is not None and not entry.job.live:
                del self._entries[name]

    def close(self) -> None:
        """Stop all; waits a moment for their ends."""
        with self._lock:
            self._closed = True
            entries = [one for one in self._entries.values() if one.job.live]
        for entry in entries:
            self.stop(entry.job.name)
        for entry in entries:
            if entry.thread is not None:
                entry.thread.join(_JOIN_SECONDS)

    def _require_free(self, name: str) -> None:
        entry = self._entries.get(name)
        if entry is not None and entry.job.live:
            raise UserInputInvalid(
                f"Something is done with “{name}” just now.", hint="Wait until that is over."
            )

    def _note(self, entry: _Entry, progress: TransferProgress) -> None:
        with self._lock:
            entry.job = replace(entry.job, progress=progress)

    def _run(self, entry: _Entry, work: Work) -> None:
        ended = replace(entry.job, state=JobState.FAILED)  # of what nobody expects, too
        try:
            outcome = work(entry.control)
            ended = replace(entry.job, state=JobState.DONE, check=outcome.check, made=outcome.made)
        except Stopped:
            ended = replace(entry.job, state=JobState.DONE)
        except MoltbotError as error:
            _log.info("%s %s: %s", entry.job.kind, entry.job.name, error)
            ended = replace(ended, problem=in_words(error, self._language))
        finally:
            self._end(entry, ended)

    def _end(self, entry: _Entry, ended: ModelJob) -> None:
        while (after := self._shown_last(entry, ended)) is not None:
            try:
                after()
            except MoltbotError as error:
                entry.control.stopping.clear()
                problem = in_words(error, self._language)
                ended = replace(ended, state=JobState.FAILED, problem=problem)

    def _shown_last(self, entry: _Entry, ended: ModelJob) -> Callable[[], None] | None:
        """What is still to be done; when nothing is, what became of it stands there."""
        with self._lock:
            if entry.after:
                return entry.after.pop(0)
            if entry.control.stopping.is_set():
                self._entries.pop(ended.name, None)
            else:
                entry.job = replace(ended, progress=entry.job.progress)
            return None
