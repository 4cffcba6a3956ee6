"""Answers to messages of channels: from the end of a run into the outbox, each once.

    answers = Answers(mail, reply, gate, on_next)
    job = Job(accepted, routes)
    answers.expect(run_id, job)           # a run for it begins
    answers.ended(run_id, outcome, words) # its words are in the outbox, the message is done

A run may be for several messages (collected ones, or those put into a running turn), and a message
may be answered by several runs (a broadcast). A message leaves the inbox with the last of its
answers, in the transaction that puts that answer into the outbox.

Before that each answer passes the gate (`reply_gate`). What goes to one place goes in the order in
which it was said: an answer that the owner is asked about, or that the disk does not take yet,
holds up what is behind it. Should the program end meanwhile, its message is still in the inbox and
the owner is asked again.

A file that an answer names goes behind it as a message of its own (`answer_files`).

What is told while a run goes on (`along`) takes the same way, steps and thoughts and parts of the
answer. With the end of the run goes what of the answer is not on its way yet. Between parts there
may be pauses (`pauses`).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.along import Aside
from moltbot_desktop.gateway.answer_files import AnswerFiles
from moltbot_desktop.gateway.chunks import rest_from
from moltbot_desktop.gateway.drafts import Drafts
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_items import Accepted
from moltbot_desktop.gateway.outgoing_files import behind
from moltbot_desktop.gateway.pauses import PauseRules, Pauses
from moltbot_desktop.gateway.recovery import first_try
from moltbot_desktop.gateway.reply_gate import ReplyGate, Words, plain
from moltbot_desktop.gateway.reply_text import without_files
from moltbot_desktop.gateway.routing import ResolvedRoute, Routes
from moltbot_desktop.gateway.streamed import caught_up, part_name, sent_of
from moltbot_desktop.sdk.channels import DeliveryTarget, Envelope, OutboundMessage

T = TypeVar("T")

Reply = Callable[[str, Envelope], Sequence[OutboundMessage]]
"""An answer as messages that its channel can take."""

_Work = Callable[[], Coroutine[None, None, None]]
"""Not the coroutine itself: one that is made and never awaited is told as a warning, and a task
that is cancelled before its first step awaits nothing."""
_DISK_PAUSE = 5.0
_CLOSE_SECONDS = 3.0
_UNSAID = (OutcomeKind.SILENT, OutcomeKind.CANCELLED, OutcomeKind.JOINED)
_log = logging.getLogger(__name__)


class Job:
    """One accepted message and the agents that answer it.

    Attributes:
        now: routes to begin with; the others follow one by one (`next_route`).
        again: it was taken in before this start; each of its agents may have begun.
    """

    def __init__(self, accepted: Accepted, found: Routes, *, again: bool = False) -> None:
        self.accepted = accepted
        self.again = again
        self.now = found.routes[:1] if found.sequential else found.routes
        self._later = deque(found.routes[len(self.now) :])
        self._several = len(found.routes) > 1
        self._unanswered = len(found.routes)

    @property
    def envelope(self) -> Envelope:
        return self.accepted.envelope

    def run_id(self, route: ResolvedRoute) -> RunId:
        """Of the run that answers for `route`."""
        row = self.accepted.run_id
        return RunId(f"{row}:{route.agent}") if self._several else row

    def answered(self) -> tuple[RunId, ...]:
        """One more of its answers is there; with the last one, what leaves the inbox."""
        self._unanswered -= 1
        return () if self._unanswered > 0 else (self.accepted.run_id,)

    def next_route(self) -> ResolvedRoute | None:
        return self._later.popleft() if self._later else None


@dataclass
class _InParts:
    """Attributes:
    names: of the parts that this try of a run has sent.
    pause: between them.
    """

    pause: PauseRules
    names: set[str] = field(default_factory=set)


class Answers:
    """Lives on the agent's event loop.

    Attributes:
        reply: makes messages of an answer, `aside` of what is told beside it.
        on_next: hears of a job whose next agent may begin.
        drafts: shows answers while they are written; None for never.
        files: takes along what an answer names; None for nothing.
        pauses: are made between the parts of an answer.
    """

    def __init__(
        self,
        mail: MailDesk,
        reply: Reply,
        aside: Reply,
        gate: ReplyGate,
        on_next: Callable[[Job, ResolvedRoute], None],
        drafts: Drafts | None = None,
        files: AnswerFiles | None = None,
        pauses: Pauses | None = None,
    ) -> None:
        self._mail = mail
        self._reply = reply
        self._aside = aside
        self._gate = gate
        self._on_next = on_next
        self._drafts = drafts
        self._files = files
        self._pauses = pauses or Pauses()
        self._last: dict[DeliveryTarget, asyncio.Task[None]] = {}
        self._expected: dict[RunId, Job] = {}
        self._joined: dict[RunId, list[Job]] = {}
        self._in_parts: dict[RunId, _InParts] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False

    def expect(self, run_id: RunId, job: Job) -> None:
        """A run for `job` begins; `ended` will hear of it."""
        self._expected[run_id] = job

    def join(self, job: Job, run_id: RunId) -> None:
        """`run_id` answers `job` as well."""
        self._joined.setdefault(run_id, []).append(job)

    def part(self, job: Job, run_id: RunId) -> bool:
        """Undo `join`; False when that run has answered it by now."""
        jobs = self._joined.get(run_id, [])
        if job not in jobs:
            return False
        jobs.remove(job)
        return True

    def ended(
        self, run_id: RunId, outcome: RunOutcome, words: Callable[[Job], Words | str]
    ) -> None:
        """A run of any conversation is over; those that nobody expects are passed over.

        What the end of the program stops is left in the inbox for the next start.

        Args:
            words: what is said of the outcome to whoever it answers.
        """
        if self._closing or run_id not in self._expected:
            return
        job = self._expected.pop(run_id)
        if outcome.kind is OutcomeKind.CANCELLED:
            self.hurry(job.envelope.reply_target)
        if outcome.kind is OutcomeKind.JOINED:
            self.join(job, RunId(outcome.reason))
        else:
            self.post(job, run_id, words(job))

    def post(self, job: Job, run_id: RunId, words: Words | str) -> None:
        """Put an answer into the outbox, "" for none, and what it answers out of the inbox.

        What is no more than text is the program's own words, which anybody may read.
        """
        jobs = [*self._joined.pop(run_id, ()), job]
        handled = [row for one in jobs for row in one.answered()]
        ended = self._pauses.told(job.envelope.reply_target)
        self._in_order(job, lambda: self._send(job, run_id, words, handled, ended))
        for one in jobs:
            route = one.next_route()
            if route is not None and not self._closing:
                self._on_next(one, route)

    def say(self, job: Job, run_id: RunId, text: str) -> None:
        """Say something of the program's own along the way; the message is not done with it."""
        parts = self._parts(text, job)
        self._in_order(job, lambda: self._finish(run_id, parts, ()))

    def along(self, job: Job, run_id: RunId, aside: Aside, words: Callable[[str], Words]) -> None:
        """Tell something while the run goes on; of what the owner would have to be asked about
        only what anybody may read. What an earlier try of the run told is not told again.

        Args:
            words: a text with the conversation that it comes from.
        """
        if self._closing:
            return
        whole = words(aside.text)
        text = plain(whole) if self._gate.free(whole) else aside.bare
        if text:
            parts = tuple(self._aside(text, job.envelope))
            name = RunId(f"{first_try(run_id)}:{aside.name}")
            self._in_order(job, lambda: self._finish(name, parts, ()))

    def stream(self, job: Job, run_id: RunId, words: Words, pause: PauseRules) -> bool:
        """Send an answer so far, but for what of it was sent; False when it may not go out unless
        the owner sees the whole.

        Args:
            pause: made before it where a part of the answer went before.
        """
        if self._closing or not self._gate.free(words):
            return False
        own = self._in_parts.setdefault(run_id, _InParts(pause))
        own.pause = pause
        ended = self._pauses.told(job.envelope.reply_target)
        first = first_try(run_id)
        self._in_order(job, lambda: self._send_part(job, first, words, own, ended))
        return True

    def hurry(self, target: DeliveryTarget) -> None:
        """What was said to `target` goes out without pauses: somebody wants it to end."""
        self._pauses.end(target)

    def draft(self, job: Job, run_id: RunId, words: Words) -> None:
        """Show an answer so far, where the owner would not have to be asked about it."""
        if self._closing or self._drafts is None or not self._gate.free(words):
            return

        def first() -> OutboundMessage | None:
            # A tag that is not whole yet is not shown.
            text, tag, rest = plain(words).rpartition("[[")
            whole = plain(words) if not tag or "]]" in rest else text
            return next(iter(self._parts(self._bare(whole), job)), None)

        self._drafts.show(run_id, job.envelope.reply_target, first)

    def start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """See `work` through in the background, for as long as the program runs."""
        task = asyncio.get_running_loop().create_task(work, name="answers")
        self._tasks.add(task)
        task.add_done_callback(self._over)
        return task

    def begin_closing(self) -> None:
        """Runs that end from now on were stopped by the end of the program."""
        self._closing = True
        self._pauses.begin_closing()

    async def close(self) -> None:
        """What was to be written is, if the disk takes it soon."""
        self.begin_closing()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=_CLOSE_SECONDS)
        for task in self._tasks:
            task.cancel()

    def _parts(self, text: str, job: Job, *, begun: bool = False) -> tuple[OutboundMessage, ...]:
        """`begun`: it goes on with an answer whose beginning is on its way."""
        make = self._aside if begun else self._reply
        return tuple(make(text, job.envelope)) if text.strip() else ()

    def _in_order(self, job: Job, work: _Work) -> None:
        """`work` once everything is done that was to go to the same place before."""
        target = job.envelope.reply_target
        task = self._last[target] = self.start(_behind(self._last.get(target), work))
        task.add_done_callback(lambda done: self._let_go(target, done))

    async def _send(
        self,
        job: Job,
        run_id: RunId,
        words: Words | str,
        handled: Sequence[RunId],
        ended: asyncio.Event,
    ) -> None:
        streamed = self._in_parts.pop(run_id, None)
        if isinstance(words, str):
            parts = await self._in_place(job, run_id, self._parts(words, job))
            await self._finish(run_id, parts, handled)
            return
        sent, whole = 0, words
        if streamed is not None or job.again:
            words, sent = _unsent(words, await self._told(first_try(run_id)))
        words = replace(words, text=self._bare(words.text))
        asks = self._gate.asks(words)
        text = await self._gate.asked(words) if asks else self._gate.unasked(words)
        if streamed is not None and streamed.names and text.strip():
            await self._pauses.pause(streamed.pause, ended)
        parts = await self._in_place(job, run_id, self._parts(text, job, begun=sent > 0))
        if self._files is None or not self._files.named_in(whole):
            await self._finish(run_id, parts, handled)
            return
        # The words wait for no yes to the files.
        await self._finish(RunId(f"{first_try(run_id)}:words"), parts, ())
        target = job.envelope.reply_target
        note, files = await self._files.of(whole, target)
        said = self._parts(note, job, begun=True)
        await self._finish(run_id, (*said, *behind(target, files)), handled)

    def _bare(self, text: str) -> str:
        """`text` without the lines that name files, where those are taken along."""
        return without_files(text)[0] if self._files is not None else text

    async def _in_place(
        self, job: Job, run_id: RunId, parts: tuple[OutboundMessage, ...]
    ) -> tuple[OutboundMessage, ...]:
        """`parts`, the first in the place of what was shown while it was written."""
        shown = ""
        if self._drafts is not None:
            shown = await self._drafts.ended(run_id, again=job.again)
        return (replace(parts[0], replaces=shown), *parts[1:]) if shown and parts else parts

    async def _send_part(
        self, job: Job, first: RunId, so_far: Words, own: _InParts, ended: asyncio.Event
    ) -> None:
        names = await self._told(first)
        if not caught_up(so_far.text, set(names) - own.names):
            return
        rest, sent = _unsent(so_far, names)
        if rest.text:
            if own.names:
                await self._pauses.pause(own.pause, ended)
            name = part_name(so_far.text)
            own.names.add(name)
            parts = self._parts(self._bare(plain(rest)), job, begun=sent > 0)
            await self._finish(RunId(f"{first}:{name}"), parts, ())

    async def _told(self, first: RunId) -> tuple[str, ...]:
        """What went out along with the tries of a run, by name."""
        return await self._lasting(lambda: self._mail.told(first), first)

    def _let_go(self, target: DeliveryTarget, task: asyncio.Task[None]) -> None:
        if self._last.get(target) is task:
            del self._last[target]
            self._pauses.forget(target)

    async def _finish(
        self, run_id: RunId, parts: Sequence[OutboundMessage], handled: Sequence[RunId]
    ) -> None:
        await self._lasting(lambda: self._mail.finish(run_id, parts, handled=handled), run_id)

    async def _lasting(self, work: Callable[[], Awaitable[T]], run_id: RunId) -> T:
        """What the disk does not do now it does later."""
        while True:
            try:
                return await work()
            except StorageError as error:
                _log.warning("the answer of %s waits for the disk: %s", run_id, error)
                await asyncio.sleep(_DISK_PAUSE)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("an answer broke", exc_info=error)


def _unsent(words: Words, names: Collection[str]) -> tuple[Words, int]:
    """What of `words` is not on its way yet, and how many characters are."""
    whole = words.text.lstrip()
    sent = sent_of(whole, names)
    return (replace(words, text=rest_from(whole, sent)) if sent else words), sent


async def _behind(before: asyncio.Task[None] | None, work: _Work) -> None:
    if before is not None:
        await asyncio.wait([before])
    await work()


def said(outcome: RunOutcome) -> str:
    """What a channel is told of an outcome: the answer, or why there is none; "" for nothing."""
    return "" if outcome.kind in _UNSAID else outcome.text or outcome.reason
