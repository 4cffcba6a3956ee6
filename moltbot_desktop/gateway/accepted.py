"""A message that was taken in, until its run has ended.

Whatever becomes of it (answered, stopped while it waited or before its first step, its outcome
refused by a full disk), listeners hear exactly one `RunEnded`, numbered after all they heard:

    accepted = AcceptedRun(run_id, session, text, clock.now(), emit)
    accepted.keep()  # its words are in the transcript
    outcome = await runner.run(request, session, accepted.tell, cancel)
    accepted.end(outcome)  # nothing more, because the runner told it

One that another run answers along with its own (collected, or put into a running turn) ends
`JOINED`, and its outcome's reason is that run's id.

A flush of the disk takes milliseconds, in which a run can make its prompt: so words may be kept
with `promised=False`. They are written then, and until `safe` says that they are on the disk,
nothing is told of their run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.events import RunEnded, RunEvent, ToolEnded, ToolStarted
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.sdk.channels import DESKTOP
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sources import Source
from moltbot_desktop.sessions.store import Session

BETWEEN_AGENTS = "sessions"
"""The channel of what one conversation's agent says to another: nobody's own words."""
_MEMORY_TOOLS = "memory_"
_STORES = "memory_store"
_FORGETS = "memory_forget"


@dataclass
class Done:
    """What a run did with its request, as far as memory goes by it.

    Attributes:
        forgot: it was about forgetting; what it says must not be learned from it.
        handled: something else was done, or the assistant asks back before it stores anything.
    """

    handled: bool = False
    forgot: bool = False
    _storing: dict[str, str] = field(default_factory=dict)
    _stored: list[str] = field(default_factory=list)

    @property
    def stored(self) -> tuple[str, ...]:
        """The texts that the assistant remembered."""
        return tuple(self._stored)

    def happened(self, event: RunEvent) -> None:
        match event:
            case ToolStarted(tool=tool, arguments=arguments) if tool == _STORES:
                self._storing[event.call_id] = str(arguments.get("text", ""))
            case ToolEnded(tool=tool) if tool == _STORES:
                if event.ok:
                    self._stored.append(self._storing.pop(event.call_id, ""))
                else:
                    self.handled = True
            case ToolStarted(tool=tool) if tool == _FORGETS:
                self.forgot = True
            case ToolStarted(tool=tool) if not tool.startswith(_MEMORY_TOOLS):
                self.handled = True


@dataclass
class AcceptedRun:
    """One message of a person and what was told of it.

    Attributes:
        session: where the message stands; another one may be current by the time it ends.
        at: when it was said.
        presence: whether they can answer a card.
        route: where the answer goes, as text.
        message_id: the platform's own, "" for none.
        channel: where it came from.
        waits_elsewhere: it lies in a durable inbox until it has ended, so that its words need
            not stand in the transcript before its run, and it survives the end of the program.
        untrusted: others than the owner wrote it; its conversation is labelled before its words
            are in it.
        sender: who they are, as a card names them; None where nobody can be named.
        settings: what it sets for its own run.
        before: what `text` begins with that is not theirs (`UserEntry`).
        quoted: somebody else whose words stand there; the conversation is labelled with them too.
    """

    run_id: RunId
    session: Session
    text: str
    at: datetime
    emit: Callable[[ClientEvent], None]
    presence: Presence = Presence.PRESENT
    route: str = DESKTOP
    message_id: str = ""
    channel: str = DESKTOP
    waits_elsewhere: bool = False
    untrusted: bool = False
    sender: Source | None = None
    settings: RunSettings = field(default_factory=RunSettings)
    before: str = ""
    quoted: Source | None = None
    done: Done = field(default_factory=Done, init=False)
    _kept: bool = field(default=False, init=False)
    _held: list[RunEvent] | None = field(default=None, init=False)
    _last_seq: int = field(default=0, init=False)
    _ended: bool = field(default=False, init=False)

    def keep(self, *, promised: bool = True) -> None:
        """Put its words into the transcript, once.

        Args:
            promised: they are on the disk when this returns; else `safe` is to be called.

        Raises:
            StorageError: they are not there.
        """
        if not self._kept:
            if self.untrusted:
                taint(self.session, self.sender)
            if self.quoted is not None:
                taint(self.session, self.quoted)
            durable = promised and not self.waits_elsewhere
            self.session.transcript.append_user(
                self.text, self.run_id, before=self.before, durable=durable
            )
            self._kept = True
            self._held = None if durable or self.waits_elsewhere else []

    @property
    def unsafe(self) -> bool:
        """Its words are written, and not known to be on the disk."""
        return self._held is not None

    def safe(self) -> None:
        """Its words are on the disk, or that was tried: what there is to tell is told."""
        held, self._held = self._held or [], None
        for event in held:
            self.emit(event)

    def begin_in(self, session: Session) -> None:
        """Its run begins now; what is not kept yet is kept in the conversation that is current.

        Raises:
            StorageError: it could not be kept.
        """
        if not self._kept:
            self.session = session
        self.keep()

    def tell(self, event: RunEvent) -> None:
        """Pass on what its run tells."""
        self._last_seq = event.seq
        self.done.happened(event)
        self._ended = self._ended or isinstance(event, RunEnded)
        if self._held is not None:
            self._held.append(event)
        else:
            self.emit(event)

    def join(self, run_id: RunId) -> None:
        """That run answers it."""
        self.end(RunOutcome(OutcomeKind.JOINED, "", run_id))

    def end(self, outcome: RunOutcome) -> None:
        """Write `outcome` down and tell it, if the run has not told its end itself.

        A disk that refuses it keeps nobody waiting: that is told as a notice, then the end.
        """
        if self._ended:
            return
        try:
            self.keep()
            self.session.transcript.append_outcome(self.run_id, outcome)
        except StorageError as error:
            self.emit(Notice(error.message, error.hint, serious=True))
        finally:
            self.tell_end(outcome)

    def tell_end(self, outcome: RunOutcome) -> None:
        """Tell the end of a message that is not in the transcript."""
        self.tell(RunEnded(self.run_id, self.session.key, self._last_seq + 1, outcome))


def taint(session: Session, source: Source | None = None, *, private: bool = False) -> None:
    """Label a conversation: words of others come into it, so that what is in it is data.

    Args:
        source: where they come from, for the card.
        private: words of the owner come with them.

    Raises:
        StorageError: that could not be noted, so nothing of theirs may come into it.
    """
    before = Labels.from_mapping(session.transcript.labels())
    sources = () if source is None else (source,)
    after = before.joined(Labels(True, private, sources))
    if after != before:
        session.transcript.append_labels(after.as_mapping())
