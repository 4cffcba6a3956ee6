"""Helpers: runs that a conversation starts for a task, and whose results come back to it.

    desk = HelperDesk(HelperParts(...))
    started = desk.spawn(SessionKey("agent:main:main"), HelperTask("Compare the two offers."))
    desk.of(parent)                     # `/subagents`: `commands.ports.Helpers`
    desk.recover()                      # once at the start: those that a crash has stopped

A helper has a conversation of its own, with the labels of the one it works for, and the fewest
rights there are: nobody sits in front of it, it has none of the tools of `NOT_FOR_HELPERS`, and it
starts no helpers. What it says comes back as a notice of the program, never in the user's role
(rule R9), with the labels it was made under; then its parent takes a turn to tell it. It is
written down before it begins, so whatever happens its parent hears of its end once.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, StorageError, StoreBusy, UserInputInvalid
from moltbot_desktop.core.events import RunStarted
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.commands.ports import SubAgent
from moltbot_desktop.gateway.helper_book import RUNNING, HelperBook, HelperRecord
from moltbot_desktop.gateway.helper_texts import PHRASES
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.schedule.notices import NewNotice
from moltbot_desktop.sdk.session_access import HelperStarted, HelperTask
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.entries import OutcomeEntry
from moltbot_desktop.sessions.gist import shortened
from moltbot_desktop.sessions.keys import (
    KeyKind,
    agent_of,
    job_key,
    normalise_agent_id,
    parse_session_key,
)
from moltbot_desktop.sessions.store import SessionStore

CHANNEL = "helper"
MOST_BY_ITSELF = 3
"""Helpers that an agent starts one after the other without a person saying anything."""
_MOST_TOLD = 4_000
_LABEL = 40
_LEVELS = frozenset({"off", "minimal", "low", "medium", "high", "xhigh"})
_ONE_BY_ONE = QueueRules(QueueMode.FOLLOWUP, debounce=0.0, cap=0)
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HelperRules:
    """What the settings say, for the helpers of one agent.

    Attributes:
        at_once: how many of one conversation may work at the same time.
        archive_minutes: after its end a helper's conversation is put away; 0 for never.
        agents: whose helpers it may start beside its own; ``*`` is all.
        known: the agents there are.
        model: for helpers, "" for the agent's.
    """

    at_once: int = 8
    archive_minutes: int = 60
    agents: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    model: str = ""


@dataclass(frozen=True)
class HelperParts:
    """What the desk is made of.

    Attributes:
        model_known: whether a conversation can have the model of that name.
        tell: what helpers do, for whoever listens to conversations that no window shows.
        warn: the person, when no turn will tell them.
        notify: leaves a notice for a conversation's next prompt.
        take_turn: lets the agent of a conversation tell its notices; False when it cannot.
        put_away: archives a conversation, or with True puts it into the trash.
    """

    desks: SessionDesks
    store: SessionStore
    book: HelperBook
    clock: Clock
    new_id: Callable[[], str]
    rules: Callable[[AgentId], HelperRules]
    model_known: Callable[[str], bool]
    tell: Callable[[ClientEvent], None]
    warn: Callable[[Notice], None]
    notify: Callable[[NewNotice], object]
    take_turn: Callable[[SessionKey], bool]
    put_away: Callable[[SessionKey, bool], Awaitable[None]]
    language: Language


@dataclass
class HelperDesk:
    """Lives on the agent's event loop."""

    parts: HelperParts
    _works: dict[RunId, HelperRecord] = field(default_factory=dict, init=False)
    _stopped: set[RunId] = field(default_factory=set, init=False)
    _late: set[RunId] = field(default_factory=set, init=False)
    _chains: dict[SessionKey, int] = field(default_factory=dict, init=False)
    _timers: dict[object, asyncio.TimerHandle] = field(default_factory=dict, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _closing: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.parts.desks.on_end(self._ended)
        self.parts.desks.on_stop(self.stop_all)

    # ------------------------------------------------------------------ what a tool asks

    def spawn(self, parent: SessionKey, task: HelperTask) -> HelperStarted:
        """Start a helper of `parent`.

        Raises:
            UserInputInvalid: it may not be started; the hint says what may be.
            StorageError: its conversation cannot be written.
        """
        parts, now = self.parts, self.parts.clock.now()
        agent = self._checked(parent, task)
        key = job_key(agent, KeyKind.SUBAGENT, parts.new_id())
        run_id = RunId(parts.new_id())
        desk = parts.desks.of(key)
        labels = self._labels_of(parent)
        if labels != Labels():
            desk.session.transcript.append_labels(labels.as_mapping())
        label = task.label or shortened(task.task, _LABEL)
        model = task.model or parts.rules(agent_of(parent)).model
        model = model if model and parts.model_known(model) else ""
        note = "model" if task.model and not model else ""
        if task.thinking and task.thinking not in _LEVELS:
            note = note or "thinking"
        think = task.thinking if task.thinking in _LEVELS else ""
        parts.store.change_settings(
            key,
            lambda old: replace(
                old,
                label=label,
                spawned_by=parent,
                think=think or old.think,
                model=model or old.model,
            ),
        )
        record = HelperRecord(run_id, key, parent, task.task, label, _ms(now), delete=task.delete)
        self._begin(record, task.task, task.seconds)
        return HelperStarted(key, run_id, note)

    def _checked(self, parent: SessionKey, task: HelperTask) -> AgentId:
        """Whose helper it will be."""
        parsed, own = parse_session_key(parent), agent_of(parent)
        rules = self.parts.rules(own)
        if parsed is None or parsed.kind is KeyKind.SUBAGENT:
            raise UserInputInvalid(
                "A helper starts no helpers.", hint="Do the task, and say the result."
            )
        working = sum(one.parent == parent for one in self._works.values())
        if working >= rules.at_once:
            raise UserInputInvalid(
                f"{working} helpers work for this conversation already.",
                hint="Wait until one has ended; its result comes by itself.",
            )
        agent = normalise_agent_id(task.agent) if task.agent.strip() else own
        allowed = {normalise_agent_id(one) for one in rules.agents if one != "*"}
        if agent != own and (
            agent not in rules.known or not (agent in allowed or "*" in rules.agents)
        ):
            there = ", ".join(sorted({own, *(allowed & rules.known)}))
            raise UserInputInvalid(
                f"“{agent}” may not be a helper here.", hint=f"There are: {there}."
            )
        chain = self._chains.get(parent, 0) + 1 if task.by_itself else 0
        if chain > MOST_BY_ITSELF:
            raise UserInputInvalid(
                "Enough helpers were started without anybody asking for them.",
                hint="Tell the person what is known so far.",
            )
        self._chains[parent] = chain
        return agent

    # ------------------------------------------------------------------ what a command asks

    def of(self, session: SessionKey) -> Sequence[SubAgent]:
        """Oldest first; those that are put away are not there any more."""
        here = self.parts.clock.now().tzinfo
        return tuple(
            SubAgent(
                number,
                one.session,
                one.label,
                one.task,
                one.state,
                datetime.fromtimestamp(one.started_ms / 1000, here),
                one.result,
            )
            for number, one in enumerate(self._helpers_of(session), start=1)
        )

    def stop(self, helper: SubAgent) -> bool:
        """Its parent is told, but takes no turn for it."""
        desk = self.parts.desks.known(helper.session)
        self._stopped.update(
            run_id for run_id, one in self._works.items() if one.session == helper.session
        )
        return desk is not None and desk.stop()

    def send(self, helper: SubAgent, text: str) -> None:
        """Words of the owner's to a helper; what it answers comes back as its result does."""
        run_id = RunId(self.parts.new_id())
        old = next(one for one in self.parts.book.all() if one.session == helper.session)
        self._begin(replace(old, run_id=run_id, state=RUNNING, ended_ms=0, told=False), text, 0)

    def stop_all(self, parent: SessionKey) -> bool:
        """The person has stopped `parent`: so are those that work for it."""
        mine = [one for one in self._works.values() if one.parent == parent]
        for one in mine:
            self._stopped.add(one.run_id)
            desk = self.parts.desks.known(one.session)
            if desk is not None:
                desk.stop()
        return bool(mine)

    # ------------------------------------------------------------------ beginning and end

    def recover(self) -> None:
        """Tell what became of helpers of an earlier process, and put old ones away."""
        try:
            records = self.parts.book.all()
        except StorageError as error:
            self.parts.warn(Notice(error.message, error.hint))
            return
        for record in records:
            if record.told:
                self._put_away_later(record)
                continue
            try:
                desk = self.parts.desks.of(record.session)
            except StoreBusy:
                continue  # it works in another process
            except MoltbotError as error:
                self._tell(
                    record, RunOutcome(OutcomeKind.FAILED, "", str(error)), Labels(True, True)
                )
                continue
            outcome = next(
                (
                    entry.outcome
                    for entry in desk.session.transcript.entries()
                    if isinstance(entry, OutcomeEntry) and entry.run_id == record.run_id
                ),
                None,
            )
            if outcome is None or outcome.kind is OutcomeKind.CANCELLED:
                reason = PHRASES.say("interrupted", self.parts.language)
                outcome = RunOutcome(OutcomeKind.CANCELLED, "", reason)
            self._tell(record, outcome, Labels.from_mapping(desk.session.transcript.labels()))

    async def close(self) -> None:
        """Nothing is put away any more; helpers that work are stopped by the desks, and told as
        interrupted at the next start."""
        self._closing = True
        for timer in self._timers.values():
            timer.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, record: HelperRecord, text: str, seconds: int) -> None:
        parts = self.parts

        def tell(event: ClientEvent) -> None:
            if isinstance(event, RunStarted) and seconds:
                self._after(record.run_id, seconds, lambda: self._too_long(record))
            parts.tell(event)

        desk = parts.desks.of(record.session)
        accepted = AcceptedRun(
            record.run_id,
            desk.session,
            text,
            parts.clock.now(),
            tell,
            Presence.NOBODY,
            route=CHANNEL,
            channel=CHANNEL,
        )
        parts.book.put(record)  # first: what is not written down would be lost by a crash
        try:
            accepted.keep()
        except StorageError:
            with contextlib.suppress(StorageError):
                parts.book.drop(record.session)
            raise
        self._works[record.run_id] = record
        desk.submit(accepted, _ONE_BY_ONE)

    def _ended(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        record = self._works.pop(message.run_id, None)
        if record is None or self._closing:
            return
        if message.run_id in self._late:
            outcome = RunOutcome(OutcomeKind.TIMED_OUT, outcome.text, outcome.reason)
        quiet = message.run_id in self._stopped
        self._late.discard(message.run_id)
        self._stopped.discard(message.run_id)
        timer = self._timers.pop(message.run_id, None)
        if timer is not None:
            timer.cancel()
        labels = Labels.from_mapping(message.session.transcript.labels())
        told = self._tell(record, outcome, labels)
        if told and not quiet and not self.parts.take_turn(record.parent):
            result = shortened(outcome.text or outcome.reason, 300)
            text = PHRASES.say("window", self.parts.language, label=record.label, result=result)
            self.parts.warn(Notice(text))

    def _tell(self, record: HelperRecord, outcome: RunOutcome, labels: Labels) -> bool:
        """Leave the result for the parent, and note that it has it. A crash between the two is
        told again, as the same notice, which is kept once."""
        language, parts = self.parts.language, self.parts
        whole = outcome.text or outcome.reason or PHRASES.say("nothing", language)
        result = whole
        if len(whole) > _MOST_TOLD:
            result = whole[:_MOST_TOLD] + PHRASES.say("cut", language)
        # The key makes it this helper's: two that say the same are two.
        slots = {"label": record.label, "name": record.session, "state": outcome.kind.value}
        slots["result"] = result
        text = f"{PHRASES.say('ended', language, **slots)} {PHRASES.say('tell_now', language)}"
        ended = replace(
            record,
            state=outcome.kind.value,
            result=whole,
            ended_ms=_ms(parts.clock.now()),
            told=True,
        )
        try:
            parts.notify(NewNotice(record.parent, text, labels=labels, once=True))
            parts.book.put(ended)
        except StorageError as error:  # told at the next start
            _log.warning("the result of a helper was not kept: %s", error)
            return False
        self._put_away_later(ended)
        return True

    # ------------------------------------------------------------------ later

    def _too_long(self, record: HelperRecord) -> None:
        desk = self.parts.desks.known(record.session)
        if desk is not None and record.run_id in self._works:
            self._late.add(record.run_id)
            desk.stop()

    def _put_away_later(self, record: HelperRecord) -> None:
        minutes = self.parts.rules(agent_of(record.parent)).archive_minutes
        if not record.delete and not minutes:
            return
        since = (_ms(self.parts.clock.now()) - record.ended_ms) / 1000
        seconds = 0.0 if record.delete else max(0.0, minutes * 60 - since)
        self._after(record.session, seconds, lambda: self._start_putting_away(record))

    def _start_putting_away(self, record: HelperRecord) -> None:
        task = asyncio.get_running_loop().create_task(self._put_away(record), name="put away")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _put_away(self, record: HelperRecord) -> None:
        if any(one.session == record.session for one in self._works.values()):
            return  # somebody has said something to it; its next end sees to it
        try:
            await self.parts.put_away(record.session, record.delete)
            self.parts.book.drop(record.session)
        except MoltbotError as error:  # the next start tries again, or another process has done it
            _log.info("%s could not be put away: %s", record.session, error)

    def _after(self, name: object, seconds: float, work: Callable[[], None]) -> None:
        if self._closing:
            return
        old = self._timers.pop(name, None)
        if old is not None:
            old.cancel()
        self._timers[name] = asyncio.get_running_loop().call_later(seconds, work)

    def _helpers_of(self, parent: SessionKey) -> tuple[HelperRecord, ...]:
        return tuple(one for one in self.parts.book.all() if one.parent == parent)

    def _labels_of(self, parent: SessionKey) -> Labels:
        """What is not known counts as everything."""
        session = self.parts.desks.session_of(parent)
        return (
            Labels(True, True)
            if session is None
            else Labels.from_mapping(session.transcript.labels())
        )


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
