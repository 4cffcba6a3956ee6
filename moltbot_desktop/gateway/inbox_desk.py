"""The memory inbox at the front desk: hears what the owner said, carries decisions out, tells.

    desk.ended(accepted, outcome)      # a run is over: what did the owner mention?
    desk.decide("3", keep=True)        # from the window
    await desk.answer("keep", "3", language)      # "/keep 3" in a chat

Only the owner's own conversations are listened to, only their words in them, and only while no
stranger's text is in the conversation: what a web page says about somebody is no fact about them.
All of it happens after the answer, on a worker thread, one thing after the other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import BETWEEN_AGENTS, AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent, InboxChanged, Notice
from moltbot_desktop.gateway.texts import PHRASES
from moltbot_desktop.sdk.inbox import Heard, Judged, MemoryInbox
from moltbot_desktop.sdk.inbox_words import in_words
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.keys import parse_session_key

T = TypeVar("T")

_OWN_CONVERSATIONS = ("main", "cli")
_WELL = (
    *(OutcomeKind.ANSWERED, OutcomeKind.SILENT, OutcomeKind.NEEDS_YOU),
    OutcomeKind.JOINED,  # answered by another message's run
)
_CLOSE_SECONDS = 5.0
_MOST_TOLD = 10
_log = logging.getLogger(__name__)


class InThread(Protocol):
    """Carries a call out on a worker thread."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


@dataclass
class InboxDesk:
    """Lives on the agent's event loop.

    Attributes:
        language: of what is told that follows from no message.
        agent: whose conversations it listens to.
    """

    inbox: MemoryInbox
    in_thread: InThread
    emit: Callable[[ClientEvent], None]
    language: Language
    agent: AgentId = DEFAULT_AGENT
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def ended(self, accepted: AcceptedRun, outcome: RunOutcome) -> None:
        """A run of the owner is over; what it gives to remember is told when it is known."""
        if accepted.done.forgot:
            self.request()  # it may have waited there too
        heard = _heard(accepted, outcome, self.agent)
        if heard is not None:
            self._start(self._hear(heard))

    def request(self) -> None:
        """Tell `InboxChanged` with what waits now."""
        self._start(self._tell())

    def decide(self, proposal_id: str, *, keep: bool, text: str = "") -> None:
        inbox = self.inbox

        def decided() -> str:
            change = inbox.accept(proposal_id, text) if keep else inbox.reject(proposal_id)
            return in_words(change, self.language)

        self._start(self._change(decided))

    def undo(self, change_id: str) -> None:
        self._start(self._change(lambda: in_words(self.inbox.undo(change_id), self.language)))

    async def answer(self, name: str, rest: str, language: Language) -> str:
        """Carry out ``inbox``, ``keep`` or ``no`` and say what became of it.

        Raises:
            MoltbotError: nothing waits under that number, or it could not be written.
        """
        async with self._turn:
            told = await self.in_thread(lambda: _carried_out(self.inbox, name, rest, language))
        self.request()
        return told

    async def close(self) -> None:
        """Let what was heard be written down, so that the next start knows it."""
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=_CLOSE_SECONDS)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, name="memory inbox")
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("the memory inbox failed", exc_info=error)

    async def _hear(self, heard: Heard) -> None:
        async with self._turn:
            try:
                judged = await self.in_thread(lambda: self.inbox.hear(heard))
            except MoltbotError as error:  # the answer is there; what was missed can be said again
                _log.warning("nothing was proposed: %s", error)
                return
        if judged.proposed or judged.stored:
            await self._tell(_told(judged, heard, self.language), judged)

    async def _change(self, call: Callable[[], str]) -> None:
        try:
            async with self._turn:
                told = await self.in_thread(call)
        except UserInputInvalid as error:
            told = str(error)  # decided elsewhere: what waits now follows, with the reason
        except MoltbotError as error:
            self.emit(Notice(error.message, error.hint, serious=True))
            return
        await self._tell(told)

    async def _tell(self, told: str = "", judged: Judged | None = None) -> None:
        try:
            waiting = await self.in_thread(self.inbox.proposals)
            recent = await self.in_thread(self.inbox.recent)
        except MoltbotError as error:
            self.emit(Notice(error.message, error.hint, serious=True))
            return
        fresh = tuple(one.id for one in judged.proposed) if judged else ()
        self.emit(InboxChanged(waiting, recent, fresh, told))


def _heard(accepted: AcceptedRun, outcome: RunOutcome, agent: AgentId) -> Heard | None:
    """What may be learned from a run that ended, None for nothing."""
    key = parse_session_key(accepted.session.key)
    own = key is not None and key.agent == agent and key.rest.split(":")[0] in _OWN_CONVERSATIONS
    if not own or outcome.kind not in _WELL or accepted.done.forgot:
        return None
    if not accepted.text or accepted.channel == BETWEEN_AGENTS:
        return None
    if Labels.from_mapping(accepted.session.transcript.labels()).untrusted:
        return None
    done = accepted.done
    # A question back to the owner may be about the very thing to remember.
    handled = done.handled or outcome.kind is OutcomeKind.NEEDS_YOU
    return Heard(accepted.text, accepted.session.key, accepted.at, done.stored, handled)


def _told(judged: Judged, heard: Heard, language: Language) -> str:
    """What was stored or struck through without the assistant saying so."""
    news = (change for change in judged.stored if change.replaced or not heard.stored)
    return " ".join(in_words(change, language) for change in news)


def _carried_out(inbox: MemoryInbox, name: str, said: str, language: Language) -> str:
    """`/inbox`, `/inbox undo [N]`, `/keep [N] [other words]`, `/no [N]`.

    Raises:
        MoltbotError: nothing waits under that number, or it could not be written.
    """
    first, _, rest = said.partition(" ")
    if name == "inbox":
        if first.casefold() in ("undo", "撤销"):
            if not inbox.recent():
                raise UserInputInvalid(PHRASES.say("nothing_to_undo", language))
            return in_words(inbox.undo(rest.strip()), language)
        return _listed(inbox, language)
    waiting = inbox.proposals()
    if not first.isdecimal():
        first, rest = (waiting[-1].id if waiting else ""), said
    if not first:
        raise UserInputInvalid(PHRASES.say("inbox_empty", language))
    if first not in {one.id for one in waiting}:
        raise UserInputInvalid(PHRASES.say("not_waiting", language, id=first))
    if name == "keep":
        return in_words(inbox.accept(first, rest.strip()), language)
    return in_words(inbox.reject(first), language)


def _listed(inbox: MemoryInbox, language: Language) -> str:
    waiting = inbox.proposals()
    if not waiting:
        return PHRASES.say("inbox_empty", language)
    lines = [
        PHRASES.say("inbox_line", language, id=one.id, text=one.text, quote=one.quote)
        for one in waiting[-_MOST_TOLD:]
    ]
    return "\n".join([*lines, "", PHRASES.say("inbox_how", language)])
