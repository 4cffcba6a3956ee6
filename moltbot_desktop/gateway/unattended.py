"""Runs that nobody sits in front of: jobs of the schedule, and the heartbeat.

    runs = UnattendedRuns(UnattendedParts(store, session_parts, clock, changes_something))
    outcome = await runs.run_turn(turn)         # `schedule.executor.RunJob`

A job has a conversation of its own, opened for the run and closed after it, in the cron lane: an
hour of work holds no place of the people who write, and leaves no trace in what they said. Such a
run is unattended, so whatever would need a card is refused (policy's last column).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.agent.lanes import Lane
from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelRefused, PolicyDenied, StorageError
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.i18n import language_of
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun, taint
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.recovery import (
    RunIt,
    SendIt,
    TellWhatWasDone,
    WasJoined,
    after_restart,
)
from moltbot_desktop.gateway.reply_gate import Words, heard_in, plain, verdict
from moltbot_desktop.gateway.session_desk import SessionDesk, SessionParts
from moltbot_desktop.schedule.turns import Delivery, JobTurn, TurnEnded
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, Peer, PeerKind
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Decision, Presence
from moltbot_desktop.security.sources import Source, SourceKind
from moltbot_desktop.sessions.entries import AssistantEntry
from moltbot_desktop.sessions.store import Session, SessionStore

CHANNEL = "cron"
_ONE_BY_ONE = QueueRules(QueueMode.FOLLOWUP, debounce=0.0, cap=0)


class Post(Protocol):
    """Hands words over to a channel, and behind them copies of files, once for each run."""

    async def __call__(
        self, run_id: RunId, target: DeliveryTarget, text: str, files: tuple[Attachment, ...] = ()
    ) -> None:
        """Raises ChannelRefused: no such channel is set up. StorageError: nothing was kept."""
        ...


@dataclass(frozen=True)
class UnattendedParts:
    """What the runs are made of.

    Attributes:
        shared: as the desks of people's conversations have it.
        changes_something: whether a tool of that name may change something in the world.
        leave_notice: for a conversation's next prompt.
        post: hands a text over to a channel, once for each run; None where channels are not run.
    """

    store: SessionStore
    shared: SessionParts
    clock: Clock
    changes_something: Callable[[str], bool]
    leave_notice: Callable[[SessionKey, str], None]
    post: Post | None


@dataclass(frozen=True)
class UnattendedRuns:
    """See the module. Lives on the agent's event loop."""

    parts: UnattendedParts

    async def run_turn(self, turn: JobTurn) -> TurnEnded:
        """See `RunJob.run_turn`.

        Raises:
            StoreBusy: somebody has the conversation open.
            StorageError: it cannot be read or written.
        """
        store = self.parts.store
        again = turn.attempt > 1
        session = store.new(turn.session_key) if turn.fresh and not again else None
        session = session or store.open(turn.session_key)
        try:
            run_id, known = self._before(turn, session) if again else (turn.run_id, None)
            if known is not None:
                return _ended(turn, known, session)
            if turn.provenance:
                taint(session, Source(SourceKind.NOTICE, turn.text))
            for line in turn.about.splitlines():
                self.parts.leave_notice(turn.session_key, line)
            return _ended(turn, await self._run(turn, run_id, session), session)
        finally:
            store.close(session)

    async def deliver(self, run_id: RunId, delivery: Delivery, text: str, ended: TurnEnded) -> None:
        """See `RunJob.deliver`. The job names where it goes; what it is made of decides whether."""
        if verdict(ended.labels, Presence.NOBODY) is not Decision.AUTO:
            raise PolicyDenied(
                "The answer was not sent: it may hold private things, and the job read what others"
                " wrote.",
                hint="It is shown here instead.",
            )
        if self.parts.post is None:
            raise ChannelRefused(
                f"The channel “{delivery.channel[:40]}” is not set up here.",
                hint="Add it under channels in moltbot.json, or let the job tell the window.",
            )
        words = Words(
            text,
            ended.labels,
            lambda: ended.heard,
            delivery.to,
            delivery.channel,
            language_of(text),
        )
        await self.parts.post(run_id, _target(delivery), plain(words))

    def _before(self, turn: JobTurn, session: Session) -> tuple[RunId, RunOutcome | None]:
        """How far an earlier attempt came: the id to run it as now, or how it ended."""
        entries = session.transcript.entries()
        match after_restart(turn.run_id, entries, self.parts.changes_something):
            case RunIt(run_id):
                return run_id, None
            case WasJoined(_, run_id):
                return run_id, None
            case SendIt(run_id, outcome):
                return run_id, outcome
            case TellWhatWasDone(run_id, done):
                reason = f"It was broken off after this was done: {'; '.join(done)}."
                return run_id, RunOutcome(OutcomeKind.FAILED, "", reason)

    async def _run(self, turn: JobTurn, run_id: RunId, session: Session) -> RunOutcome:
        ended: asyncio.Future[RunOutcome] = asyncio.get_running_loop().create_future()

        def hear(event: ClientEvent) -> None:
            if isinstance(event, RunEnded) and not ended.done():
                ended.set_result(event.outcome)
            elif isinstance(event, Notice) and event.serious and not ended.done():
                ended.set_exception(StorageError(event.text, hint=event.hint))

        desk = SessionDesk(session, self.parts.shared, Lane.CRON)
        accepted = AcceptedRun(
            run_id,
            session,
            turn.text,
            self.parts.clock.now(),
            hear,
            Presence.NOBODY,
            route=CHANNEL,
            channel=CHANNEL,
            waits_elsewhere=True,
            settings=RunSettings(think=turn.thinking, model=turn.model),
        )
        desk.submit(accepted, _ONE_BY_ONE)
        try:
            async with asyncio.timeout(turn.timeout_seconds or None):
                return await ended
        except TimeoutError:
            reason = f"This took longer than {turn.timeout_seconds} seconds."
            return RunOutcome(OutcomeKind.TIMED_OUT, "", reason)
        finally:
            await desk.close()


def _ended(turn: JobTurn, outcome: RunOutcome, session: Session) -> TurnEnded:
    transcript = session.transcript
    entries = transcript.entries()
    heard = tuple(heard_in(entries)) if turn.delivery is not None else ()
    said = [one.message.thinking for one in entries if isinstance(one, AssistantEntry)]
    thinking = said[-1].strip() if said else ""
    return TurnEnded(outcome, Labels.from_mapping(transcript.labels()), heard, thinking)


def _target(delivery: Delivery) -> DeliveryTarget:
    kind, colon, rest = delivery.to.partition(":")
    peer = Peer(PeerKind.DM, delivery.to) if delivery.to else None
    if colon and kind in set(PeerKind):
        peer = Peer(PeerKind(kind), rest)
    return DeliveryTarget(delivery.channel, delivery.account, peer)
