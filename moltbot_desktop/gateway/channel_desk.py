"""Messages of channels: kept, routed, decided, answered, and never lost in between.

    desk = ChannelDesk(parts)
    await desk.recover()                  # what was accepted before the program ended
    await desk.receive([envelope])        # on the disk when this returns: acknowledge it

`receive` returns as soon as the messages are kept. Runs of one conversation follow each other,
answers to one place go out in the order in which their runs ended (`answers`), and after a crash
the transcript says what is still to do for each message (`recovery`). A message that breaks the
program's own code costs no other one, and is put aside when it does so start after start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from moltbot_desktop.agent.queueing import QueueRules
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, StorageError
from moltbot_desktop.core.events import RunEvent
from moltbot_desktop.core.i18n import language_of
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.along import AlongRules, Aside, Teller
from moltbot_desktop.gateway.answer_files import AnswerFiles
from moltbot_desktop.gateway.answers import Answers, Job, Reply, said
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.commands.directives import Directives
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.gateway.commands.registry import Who
from moltbot_desktop.gateway.decisions import (
    AgentTurn,
    Deny,
    Ignore,
    InboundDecision,
    Reason,
    RunCommand,
)
from moltbot_desktop.gateway.drafts import Drafts
from moltbot_desktop.gateway.gathering import Gathering
from moltbot_desktop.gateway.incoming_files import IncomingFiles
from moltbot_desktop.gateway.mail import MOST_STARTS
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_items import Accepted, target_text
from moltbot_desktop.gateway.mentions import (
    LINES_PER_GROUP,
    GroupHistory,
    Line,
    before_it,
    said_by,
    shown_file,
    shown_name,
)
from moltbot_desktop.gateway.message_header import harmless, quote
from moltbot_desktop.gateway.pauses import PauseRules, Pauses
from moltbot_desktop.gateway.recovery import (
    Recovery,
    RunIt,
    SendIt,
    TellWhatWasDone,
    WasJoined,
    after_restart,
)
from moltbot_desktop.gateway.reply_gate import ReplyGate, Words, heard_in
from moltbot_desktop.gateway.reply_text import ReplyRules, messages
from moltbot_desktop.gateway.routing import ResolvedRoute, Routes, group_history_key, route_input
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.signs import Signs
from moltbot_desktop.gateway.texts import PHRASES, interrupted
from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    PeerKind,
    Quoted,
    Sender,
)
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sources import Source, SourceKind
from moltbot_desktop.sessions.entries import UserEntry
from moltbot_desktop.sessions.gist import shortened
from moltbot_desktop.sessions.store import Session

T = TypeVar("T")
_SHOWN_CHARACTERS = 500
"""Of a message that is put aside; the inbox has all of it."""
_QUOTED_CHARACTERS = 200
"""Of a message that is not answered any more."""
_STOP = "stop"
_log = logging.getLogger(__name__)


def _nothing_along(_route: ResolvedRoute, _own: Directives, _group: bool) -> AlongRules:
    return AlongRules()


def _nothing_before(_envelope: Envelope, _route: ResolvedRoute) -> tuple[str, str]:
    return "", ""


async def _silently(_envelope: Envelope) -> None:
    """Whoever is not read hears nothing."""


def _plain_aside(text: str, envelope: Envelope) -> Sequence[OutboundMessage]:
    return messages(text, envelope, ReplyRules())


@dataclass(frozen=True)
class ChannelParts:
    """What the desk is made of; what follows the settings is asked for at each use.

    Attributes:
        admit: a message as it may be kept, or None for one that is not read (`inbound_limits`).
        turned_away: hears of each that is not read; it is acknowledged when that returns.
        routes: who answers a message.
        decide: what becomes of a message for one of its routes.
        command: carries a command out, at once where nothing is waited for: what was said behind
            /stop is not stopped, and what was said behind /new belongs to the new conversation.
        queue_rules: how a message queues in a conversation, given what it sets for itself.
        reply: an answer as messages that its channel can take.
        changes_something: whether a tool of that name may have changed something in the world.
        tell: the windows, which show what belongs to them.
        gate: judges what goes out.
        history_lines: how much of what a group said unanswered is told with the next message.
        remember: hears where the words for a conversation come from.
        along: what is told while an answer is made, given what the message sets for itself and
            whether a group hears it.
        aside: what is told so, as messages.
        pause: made between the parts of an answer for a route, by `pauses`.
        quiet: seconds without a further message of the same person that one waits for.
        put_aside: hears how many messages are put aside, by channel and account.
        later: whether messages are kept and answered at `ChannelDesk.go_on`.
        drafts: shows answers while they are written.
        files: fetches what came with a message that an agent answers.
        answer_files: takes along what an answer names.
        signs: what is shown under a message that goes to an agent.
        before: what is put before the words of a message, and the header over it, "" for none;
            asked before the conversation is used.
        quotes: whether the model reads what a message answers.
    """

    mail: MailDesk
    desks: SessionDesks
    clock: Clock
    admit: Callable[[Envelope], Envelope | None]
    routes: Callable[[Envelope], Routes]
    decide: Callable[[Envelope, ResolvedRoute], InboundDecision]
    command: Callable[[CommandCall, Callable[[CommandReply], None]], None]
    queue_rules: Callable[[ResolvedRoute, Directives], QueueRules]
    reply: Reply
    changes_something: Callable[[str], bool]
    tell: Callable[[ClientEvent], None]
    gate: ReplyGate
    history_lines: int = LINES_PER_GROUP
    turned_away: Callable[[Envelope], Awaitable[None]] = _silently
    remember: Callable[[SessionKey, DeliveryTarget], None] = lambda _key, _place: None
    along: Callable[[ResolvedRoute, Directives, bool], AlongRules] = _nothing_along
    aside: Reply = _plain_aside
    pause: Callable[[ResolvedRoute], PauseRules] = lambda _route: PauseRules()
    pauses: Pauses = field(default_factory=Pauses)
    quiet: Callable[[Envelope], float] = lambda _envelope: 0.0
    before: Callable[[Envelope, ResolvedRoute], tuple[str, str]] = _nothing_before
    quotes: Callable[[], bool] = lambda: True
    put_aside: Callable[[Mapping[tuple[str, str], int]], None] = lambda _counts: None
    later: Callable[[], bool] = lambda: False
    drafts: Drafts | None = None
    files: IncomingFiles | None = None
    answer_files: AnswerFiles | None = None
    signs: Callable[[Envelope, ResolvedRoute], Signs | None] = lambda _envelope, _route: None


@dataclass(frozen=True)
class _Turn:
    """Words for an agent."""

    job: Job
    route: ResolvedRoute
    run_id: RunId
    text: str
    directives: Directives
    trusted: bool


_Step = tuple[_Turn, Recovery, Session]


@dataclass(frozen=True)
class _Out:
    """What is told along the way of a turn: `along.Out`."""

    answers: Answers
    turn: _Turn
    session: Session
    pause: Callable[[ResolvedRoute], PauseRules]

    def aside(self, aside: Aside) -> None:
        self.answers.along(self.turn.job, self.turn.run_id, aside, self._words)

    def draft(self, so_far: str) -> None:
        self.answers.draft(self.turn.job, self.turn.run_id, self._words(so_far))

    def part(self, so_far: str) -> bool:
        words, pause = self._words(so_far), self.pause(self.turn.route)
        return self.answers.stream(self.turn.job, self.turn.run_id, words, pause)

    def _words(self, text: str) -> Words:
        return _words_of(text, self.turn.job, self.session)


@dataclass
class Waiting:
    """What is handled when the owner lets things go on. All of it stands in the inbox too."""

    steps: list[_Step] = field(default_factory=list)
    messages: list[Accepted] = field(default_factory=list)


class ChannelDesk:
    """Lives on the agent's event loop."""

    def __init__(self, parts: ChannelParts) -> None:
        self._parts = parts
        self._answers = Answers(
            parts.mail,
            parts.reply,
            parts.aside,
            parts.gate,
            self._answer,
            parts.drafts,
            parts.answer_files,
            parts.pauses,
        )
        self._gathering = Gathering(parts.quiet, self._merged, self._handle)
        self._history = GroupHistory(parts.history_lines)
        self._listeners: list[Callable[[Envelope], None]] = []
        self._broken: set[RunId] = set()
        self._loading: dict[DeliveryTarget, asyncio.Task[None]] = {}
        self._recovered = asyncio.Event()
        self._waiting = Waiting()
        self._closing = False

    def on_received(self, listener: Callable[[Envelope], None]) -> None:
        """Call `listener` with every new message, before it is decided about."""
        self._listeners.append(listener)

    async def receive(self, envelopes: Sequence[Envelope]) -> None:
        """Keep messages, in their order, and see to their answers; one that was kept before is
        left alone, and what is not to be read at all leaves no trace.

        Raises:
            StorageError: none of them is kept.
        """
        await self._recovered.wait()  # what came before is handled before
        read = []
        for envelope in envelopes:
            if (admitted := self._parts.admit(envelope)) is not None:
                read.append(admitted)
            else:
                await self._parts.turned_away(envelope)
        if not read:
            return
        for received in await self._parts.mail.receive(read):
            if isinstance(received, Accepted) and not self._closing:
                for listener in self._listeners:
                    self._guarded(received, partial(listener, received.envelope))
                await self._ready(received)
                if self._parts.later():
                    self._waiting.messages.append(received)
                else:
                    await self._gathering.take(received)

    async def recover(self) -> None:
        """Go on with what was accepted and never finished, the oldest first.

        Raises:
            StorageError: the inbox cannot be read.
        """
        try:
            steps: list[_Step] = []
            for accepted in await self._parts.mail.unfinished():
                await self._ready(accepted)
                steps += self._guarded(accepted, partial(self._still_to_do, accepted)) or ()
            if self._parts.later():
                self._waiting.steps += steps
            else:
                self._go_on(steps)
            self._parts.put_aside(await self._parts.mail.put_aside())
        finally:
            self._recovered.set()

    def go_on(self) -> None:
        """What waited while `later` was so is handled now, in the order in which it came."""
        waiting, self._waiting = self._waiting, Waiting()
        if not self._closing:
            self._go_on(waiting.steps)
            for accepted in waiting.messages:
                self._handle(accepted)

    def ended(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        """A message of any conversation has ended; those of channels are answered."""
        if message.waits_elsewhere:  # others may be called anything, also as one of ours
            self._answers.ended(
                message.run_id, outcome, lambda job: self._said(job, outcome, message.session)
            )

    def begin_closing(self) -> None:
        """Nothing is handled any more; call it before conversations are stopped."""
        self._closing = True
        self._gathering.begin_closing()
        self._answers.begin_closing()

    async def close(self) -> None:
        self.begin_closing()
        await self._gathering.close()
        await self._answers.close()

    # ---------------------------------------------------------------- one message

    async def _ready(self, accepted: Accepted) -> None:
        """A long conversation that it belongs to holds up nobody when it is opened."""
        found = self._guarded(accepted, partial(self._parts.routes, accepted.envelope))
        for route in found.routes if found is not None else ():
            await self._parts.desks.ready(route.session_key)

    async def _merged(self, messages: Sequence[Accepted], envelope: Envelope) -> Accepted | None:
        into = replace(messages[-1], envelope=envelope)
        try:
            await self._parts.mail.merge([one.run_id for one in messages[:-1]], into)
        except StorageError as error:  # each is answered by itself
            _log.warning("messages cannot be put together: %s", error)
            return None
        return into

    def _handle(self, accepted: Accepted) -> None:
        self._guarded(accepted, partial(self._begin, accepted))

    def _begin(self, accepted: Accepted) -> None:
        job = Job(accepted, self._parts.routes(accepted.envelope))
        for route in job.now:
            self._answer(job, route)

    def _guarded(self, accepted: Accepted, work: Callable[[], T]) -> T | None:
        """`work` for one message. A bug in it costs no other one: the owner is told, and it stays
        in the inbox for the next start, or is put aside (`_broke`)."""
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - border: a bug costs its message alone
            _log.exception("message %s", accepted.run_id)
            problem = error.message if isinstance(error, MoltbotError) else repr(error)
            self._tell_of_failure(accepted.envelope, problem)
            # What has a class of its own (a full disk) is no bug, and may go well the next time.
            if not isinstance(error, MoltbotError) and accepted.run_id not in self._broken:
                self._broken.add(accepted.run_id)  # once a start
                self._answers.start(self._broke(accepted))
            return None

    async def _broke(self, accepted: Accepted) -> None:
        """Count it; the owner is told the words of one that is not tried again."""
        mail, envelope = self._parts.mail, accepted.envelope
        try:
            if not await mail.broke(accepted.run_id):
                return
            counts = await mail.put_aside()
        except StorageError as error:
            _log.warning("a message that breaks the program is not counted: %s", error)
            return
        told = PHRASES.say(
            "put_aside",
            self._parts.gate.language,
            name=shown_name(envelope.sender),
            channel=envelope.channel,
            starts=MOST_STARTS,
            text=shortened(envelope.text, _SHOWN_CHARACTERS),
        )
        hint = PHRASES.say("put_aside_hint", self._parts.gate.language)
        self._parts.tell(Notice(told, hint, serious=True))
        self._parts.put_aside(counts)

    def _answer(self, job: Job, route: ResolvedRoute) -> None:
        turn = self._decided(job, route)
        if turn is None:
            return
        if not job.again:
            self._submit(turn)
        elif (step := self._looked_up(turn)) is not None:
            self._go_on((step,))

    def _decided(self, job: Job, route: ResolvedRoute) -> _Turn | None:
        """The agent's turn that a message is; what is none is seen to at once."""
        run_id, envelope = job.run_id(route), job.envelope
        match self._parts.decide(envelope, route):
            case Ignore(remember=remember):
                if remember:
                    line = Line(shown_name(envelope.sender), envelope.text)
                    self._history.add(_unread_by(route, envelope), line)
                self._answers.post(job, run_id, "")
            case Deny() as denied:
                self._answers.post(job, run_id, _told(denied, envelope))
            case RunCommand() if job.again and (text := self._begun(route, run_id)):
                return _Turn(job, route, run_id, text, Directives(), trusted=False)
            case RunCommand() as command:
                self._command(job, route, run_id, command)
            case AgentTurn() as turn:
                for name in turn.simple:
                    self._aside(job, route, run_id, name)
                return _Turn(job, route, run_id, turn.text, turn.directives, turn.trusted)
        return None

    def _submit(self, turn: _Turn) -> None:
        """Hand a turn to its conversation, behind those of the same place whose files come yet."""
        envelope = turn.job.envelope
        target = envelope.reply_target
        before = self._loading.get(target)
        if before is None and not envelope.files:
            self._submit_with(turn, ())
            return
        task = self._answers.start(self._load(turn, before))
        self._loading[target] = task
        task.add_done_callback(lambda done: self._loaded(target, done))

    async def _load(self, turn: _Turn, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait([before])
        envelope = turn.job.envelope
        lines: Sequence[str] = ()
        if self._parts.files is not None and envelope.files:
            language = language_of(envelope.text)
            lines = await self._parts.files.lines(envelope, turn.route.session_key, language)
        if not self._closing:
            self._guarded(turn.job.accepted, partial(self._submit_with, turn, lines))

    def _loaded(self, target: DeliveryTarget, task: asyncio.Task[None]) -> None:
        if self._loading.get(target) is task:
            del self._loading[target]

    def _submit_with(self, turn: _Turn, files: Sequence[str]) -> None:
        """`files`: a line for each that was fetched."""
        envelope = turn.job.envelope
        before = self._parts.before(envelope, turn.route)  # opening it counts as using it
        try:
            desk = self._parts.desks.for_turn(turn.route.session_key)
        except MoltbotError as error:
            self._not_now(turn.job, error)
            return
        text = "\n".join(filter(None, (turn.text, *files)))
        answered = envelope.quoted if self._parts.quotes() else None
        above, words = self._words(envelope, turn.route, text, before, answered)
        message = AcceptedRun(
            turn.run_id,
            desk.session,
            above + words,
            self._parts.clock.now(),
            lambda event: self._happened(event, teller, signs),
            Presence.NOBODY,
            route=target_text(envelope.reply_target),
            message_id=envelope.message_id,
            channel=envelope.channel,
            waits_elsewhere=True,
            untrusted=not turn.trusted,
            sender=_source(envelope.sender, envelope.channel),
            settings=turn.directives.for_run,
            before=above,
            quoted=_quoted_source(answered, envelope),
        )
        teller = self._teller(turn, message)
        signs = self._parts.signs(envelope, turn.route)
        if signs is not None:
            signs.begin()
        self._answers.expect(turn.run_id, turn.job)
        self._parts.remember(turn.route.session_key, envelope.reply_target)
        desk.submit(message, self._parts.queue_rules(turn.route, turn.directives))

    def _teller(self, turn: _Turn, message: AcceptedRun) -> Teller:
        peer = turn.job.envelope.peer
        group = peer is not None and peer.kind is not PeerKind.DM
        return Teller(
            lambda: self._parts.along(turn.route, turn.directives, group),
            _Out(self._answers, turn, message.session, self._parts.pause),
            language_of(turn.job.envelope.text),
        )

    def _happened(self, event: ClientEvent, teller: Teller, signs: Signs | None) -> None:
        self._parts.tell(event)
        if isinstance(event, RunEvent):
            if signs is not None:
                signs.happened(event)
            teller.happened(event)

    def _words(
        self,
        envelope: Envelope,
        route: ResolvedRoute,
        text: str,
        before: tuple[str, str],
        answered: Quoted | None,
    ) -> tuple[str, str]:
        """The words with what is attached, in a group also with who speaks; and what stands above
        them: the header, what is answered, and what was said in the group before."""
        attached = (
            f"[media attached: {shown_file(one.name)} ({shown_file(one.media_type)})]"
            for one in envelope.attachments
        )
        text = "\n".join(filter(None, (text, *attached)))
        prefix, header = before
        text = f"{prefix} {text}" if prefix else text
        above = quote(envelope) if answered is not None else ""
        if envelope.peer is None or envelope.peer.kind is PeerKind.DM:
            said = harmless(envelope, text) if header or above else text
            return before_it((), header, above), said
        lines = self._history.take(_unread_by(route, envelope))
        words = said_by(shown_name(envelope.sender), text)
        return before_it(lines, header, above), words

    def _command(self, job: Job, route: ResolvedRoute, run_id: RunId, command: RunCommand) -> None:
        envelope = job.envelope
        if command.name == _STOP:
            self._answers.hurry(envelope.reply_target)
        call = CommandCall(
            command.name,
            command.rest,
            route.session_key,
            language_of(envelope.text),
            command.who,
            command.directives,
            envelope,
        )

        def done(reply: CommandReply) -> None:
            if not reply.turn:
                self._answers.post(job, run_id, reply.text)
                return
            self._answers.say(job, RunId(f"{run_id}:said"), reply.text)
            self._submit(_Turn(job, route, run_id, reply.turn, Directives(), trusted=False))

        self._parts.command(call, done)

    def _aside(self, job: Job, route: ResolvedRoute, run_id: RunId, name: str) -> None:
        """Answer a command that stood inside a message which says more."""
        envelope = job.envelope
        call = CommandCall(
            name, "", route.session_key, language_of(envelope.text), Who.CONTACT, envelope=envelope
        )
        said_as = RunId(f"{run_id}:{name}")
        self._parts.command(call, lambda reply: self._answers.say(job, said_as, reply.text))

    def _not_now(self, job: Job, error: MoltbotError) -> None:
        """It stays in the inbox, and the next start tries again."""
        self._tell_of_failure(job.envelope, error.message, error.hint)

    def _tell_of_failure(self, envelope: Envelope, problem: str, hint: str = "") -> None:
        language = language_of(envelope.text)
        told = PHRASES.say("not_answered", language, channel=envelope.channel, problem=problem)
        self._parts.tell(Notice(told, hint, serious=True))

    def _said(self, job: Job, outcome: RunOutcome, session: Session) -> Words | str:
        """What a sender hears of an outcome. Why something failed is told to the owner alone: it
        may name files, settings, models."""
        if outcome.kind is OutcomeKind.CANCELLED and self._left(session):
            envelope = job.envelope
            text = shortened(envelope.text, _QUOTED_CHARACTERS)
            return PHRASES.say("left", language_of(envelope.text), text=text)
        if outcome.kind is not OutcomeKind.FAILED:
            return _words_of(said(outcome), job, session)
        self._tell_of_failure(job.envelope, outcome.reason or outcome.text)
        return PHRASES.say("failed_here", language_of(job.envelope.text))

    def _left(self, session: Session) -> bool:
        """Whether another conversation has taken its place: /new stops what waits there, which may
        be others' or may have come in the same moment, so that each hears of its own. Whoever says
        /stop hears that it was done, and means all of it."""
        now = self._parts.desks.session_of(session.key)
        return now is not None and now.session_id != session.session_id

    # ---------------------------------------------------------------- after a restart

    def _still_to_do(self, accepted: Accepted) -> list[_Step]:
        job = Job(accepted, self._parts.routes(accepted.envelope), again=True)
        turns = [turn for route in job.now if (turn := self._decided(job, route)) is not None]
        return [step for turn in turns if (step := self._looked_up(turn)) is not None]

    def _begun(self, route: ResolvedRoute, run_id: RunId) -> str:
        """The words with which a run began for a command such as /new, which is not carried out
        twice then; "" when none did."""
        try:
            desk = self._parts.desks.of(route.session_key)
        except MoltbotError:  # told when it is carried out
            return ""
        entries = desk.session.transcript.entries()
        said = (one for one in entries if isinstance(one, UserEntry) and one.run_id == run_id)
        return next((one.text for one in said), "")

    def _looked_up(self, turn: _Turn) -> _Step | None:
        """How far a message came; None when its conversation cannot be opened."""
        try:
            desk = self._parts.desks.of(turn.route.session_key)
        except MoltbotError as error:
            self._not_now(turn.job, error)
            return None
        entries = desk.session.transcript.entries()
        step = after_restart(turn.run_id, entries, self._parts.changes_something)
        if isinstance(step, WasJoined):
            self._answers.join(turn.job, step.run_id)
        return turn, step, desk.session

    def _go_on(self, steps: Sequence[_Step]) -> None:
        """Two passes: a message that went with another one's run goes by what became of that."""
        for turn, step, session in steps:
            self._guarded(turn.job.accepted, partial(self._end_again, turn, step, session))
        for turn, step, _ in steps:
            self._guarded(turn.job.accepted, partial(self._run_again, turn, step))

    def _end_again(self, turn: _Turn, step: Recovery, session: Session) -> None:
        match step:
            case SendIt():
                words = self._said(turn.job, step.outcome, session)
                self._answers.post(turn.job, step.run_id, words)
            case TellWhatWasDone():
                told = interrupted(step.done, language_of(turn.job.envelope.text))
                words = _words_of(told, turn.job, session)
                self._answers.post(turn.job, step.run_id, words)
            case RunIt() | WasJoined():
                pass

    def _run_again(self, turn: _Turn, step: Recovery) -> None:
        if isinstance(step, RunIt):
            self._submit(replace(turn, run_id=step.run_id))
        elif isinstance(step, WasJoined) and self._answers.part(turn.job, step.run_id):
            self._submit(replace(turn, run_id=step.otherwise))


def _unread_by(route: ResolvedRoute, envelope: Envelope) -> str:
    """Each agent of a broadcast has its own last answer, and hears what was said since then."""
    return f"{route.agent}:{group_history_key(route_input(envelope))}"


def _told(denied: Deny, envelope: Envelope) -> str:
    """Somebody whom the owner has shut out since they wrote hears nothing."""
    if denied.reason is Reason.STRANGER:
        return ""
    return PHRASES.say("not_allowed", language_of(envelope.text))


def _source(sender: Sender, channel: str) -> Source:
    name = sender.name or sender.username
    known = f"{name} ({sender.id})" if name and sender.id not in (name, "") else sender.id or name
    return Source(SourceKind.SENDER, f"{known} · {channel}")


def _quoted_source(answered: Quoted | None, envelope: Envelope) -> Source | None:
    """Who is quoted, where that is neither the assistant nor whoever quotes. Of somebody of whom
    nobody vouches who they are it is others' words all the same."""
    if answered is None or answered.ours or answered.sender.id == envelope.sender.id:
        return None
    return _source(answered.sender, envelope.channel)


def _words_of(text: str, job: Job, session: Session) -> Words:
    """An answer with what the gate has to know of the conversation it was made in."""
    envelope = job.envelope
    transcript = session.transcript

    group = envelope.peer is not None and envelope.peer.kind is not PeerKind.DM
    to = envelope.peer.id if group and envelope.peer else shown_name(envelope.sender)
    return Words(
        text,
        Labels.from_mapping(transcript.labels()),
        lambda: heard_in(transcript.entries()),
        to,
        envelope.channel,
        language_of(envelope.text),
        session.key,
    )
