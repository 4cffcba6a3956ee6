"""What an agent may see and say in conversations beside its own: `sdk.session_access`.

    access = OtherSessions(OtherParts(...), helpers)
    rows = await access.listed(by, frozenset(), limit=20, minutes=0, lines=1)
    answer = await access.send(by, run_id, "agent:main:cli", "Is it done?", 30.0)

The owner's own conversations reach those of their agent; a group or a contact reaches itself and
its helpers. Another agent is out of reach until `tools.agentToAgent` opens it for both. Words to
another conversation carry the labels of the one they come from, the answer brings back those of
the one that gave it. The run there is unattended and its answer goes nowhere but back: to tell
somebody on a channel something there is `message`, which asks. One run may send a conversation
so many messages as `session.agentToAgent.maxPingPongTurns` allows, and an unattended run none, so
that two agents cannot keep each other busy.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from moltbot_desktop.agent.bootstrap import Audience, audience_of
from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StoreBusy, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import BETWEEN_AGENTS, AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.helper_desk import HelperDesk
from moltbot_desktop.gateway.helper_texts import PHRASES
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.schedule.notices import NewNotice
from moltbot_desktop.sdk.session_access import (
    HelperStarted,
    HelperTask,
    SessionAnswer,
    SessionPart,
    SessionRow,
)
from moltbot_desktop.sdk.sessions import SessionInfo, SessionLine
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.tool_names import matches
from moltbot_desktop.sessions.gist import lines_of
from moltbot_desktop.sessions.keys import (
    agent_of,
    normalise_agent_id,
    parse_session_key,
    stored_session_key,
)

_MOST_TOLD = 4_000
_MOST_COUNTED = 256
_MOST_NAMED = 5
_ONE_BY_ONE = QueueRules(QueueMode.FOLLOWUP, debounce=0.0, cap=20)
_WELL = (OutcomeKind.ANSWERED, OutcomeKind.SILENT, OutcomeKind.JOINED)


@dataclass(frozen=True)
class AgentsTalk:
    """`tools.agentToAgent` and `session.agentToAgent`.

    Attributes:
        allow: the agents that may, also as patterns (``work-*``); none is all.
        turns: messages that may follow the first one, to one conversation from one run.
    """

    enabled: bool = False
    allow: tuple[str, ...] = ()
    turns: int = 5

    def may(self, one: AgentId, other: AgentId) -> bool:
        """Whether two agents may reach each other's conversations."""
        patterns = [pattern.strip().lower() for pattern in self.allow] or ["*"]
        return self.enabled and matches(one, patterns) and matches(other, patterns)


@dataclass(frozen=True)
class OtherParts:
    """What it is made of.

    Attributes:
        current: the conversations there are, latest first, those that go on.
        parents: whose helper each is, by key; those that are none are not in it.
        talk: what the settings say now.
        status: how a conversation stands, in words.
        tell: what a run in a conversation that no window shows tells.
        notify: leaves a notice for a conversation's next prompt.
        take_turn: lets the agent of a conversation tell its notices.
    """

    desks: SessionDesks
    clock: Clock
    new_id: Callable[[], str]
    current: Callable[[], Awaitable[Sequence[SessionInfo]]]
    talk: Callable[[], AgentsTalk]
    status: Callable[[SessionKey, Language], Awaitable[str]]
    tell: Callable[[ClientEvent], None]
    notify: Callable[[NewNotice], object]
    take_turn: Callable[[SessionKey], bool]
    language: Language


@dataclass
class _Waiting:
    by: SessionKey
    answer: asyncio.Future[tuple[RunOutcome, Labels]]
    late: bool = False


@dataclass
class OtherSessions:
    """Lives on the agent's event loop."""

    parts: OtherParts
    helpers: HelperDesk
    _waiting: dict[RunId, _Waiting] = field(default_factory=dict, init=False)
    _sent: OrderedDict[tuple[RunId, SessionKey], int] = field(
        default_factory=OrderedDict, init=False
    )

    def __post_init__(self) -> None:
        self.parts.desks.on_end(self._ended)

    async def spawn(self, by: SessionKey, task: HelperTask) -> HelperStarted:
        return self.helpers.spawn(by, task)

    async def listed(
        self, by: SessionKey, kinds: frozenset[str], limit: int, minutes: int, lines: int
    ) -> Sequence[SessionRow]:
        since = self.parts.clock.now() - timedelta(minutes=minutes) if minutes else None
        rows = []
        for one in await self._reachable(by):
            if lines:
                await self.parts.desks.ready(one.key)
            row = self._row(one, lines)
            old = since is not None and _moment(row.updated) < since
            if old or (kinds and row.kind not in kinds):
                continue
            rows.append(row)
            if len(rows) == limit:
                break
        return rows

    async def history(
        self, by: SessionKey, session: str, limit: int, *, tools: bool
    ) -> SessionPart:
        key = await self._named(by, session)
        transcript = self.parts.desks.of(key).session.transcript
        labels = Labels.from_mapping(transcript.labels())
        lines = tuple(lines_of(transcript.entries(), tools=tools))[-limit:]
        return SessionPart(key, lines, labels.untrusted, labels.private)

    async def send(
        self,
        by: SessionKey,
        run_id: RunId,
        session: str,
        message: str,
        seconds: float,
        agent: str = "",
    ) -> SessionAnswer:
        key = await self._named(by, session, agent)
        if key == by:
            raise UserInputInvalid("That is this conversation.", hint="Name another one.")
        self._count(run_id, key)
        desk = self.parts.desks.of(key)
        theirs = Labels.from_mapping(desk.session.transcript.labels())
        joined = theirs.joined(self._labels_of(by))
        if joined != theirs:
            desk.session.transcript.append_labels(joined.as_mapping())
        sent = RunId(self.parts.new_id())
        accepted = AcceptedRun(
            sent,
            desk.session,
            f"[from the conversation {by}, not from a person]\n{message}",
            self.parts.clock.now(),
            self.parts.tell,
            Presence.NOBODY,
            route=f"{BETWEEN_AGENTS} {by}",
            channel=BETWEEN_AGENTS,
        )
        accepted.keep()
        waiting = _Waiting(by, asyncio.get_running_loop().create_future())
        self._waiting[sent] = waiting
        desk.submit(accepted, _ONE_BY_ONE)
        if seconds <= 0:
            waiting.late = True
            return SessionAnswer("accepted", sent, key)
        try:
            async with asyncio.timeout(seconds):
                outcome, labels = await asyncio.shield(waiting.answer)
        except TimeoutError:
            waiting.late = True
            return SessionAnswer("timeout", sent, key)
        well = outcome.kind in _WELL
        text = outcome.text if well else outcome.reason or outcome.kind.value
        return SessionAnswer(
            "ok" if well else "error", sent, key, text, labels.untrusted, labels.private
        )

    async def status(self, by: SessionKey, session: str, language: Language) -> str:
        key = await self._named(by, session) if session else by
        return await self.parts.status(key, language)

    # ------------------------------------------------------------------ who reaches what

    async def _reachable(self, by: SessionKey) -> list[SessionInfo]:
        own = {one.session for one in self.helpers.of(by)}
        return [one for one in await self.parts.current() if self._reaches(by, one.key, own)]

    def _reaches(self, by: SessionKey, key: SessionKey, helpers: set[SessionKey]) -> bool:
        if key == by or key in helpers:
            return True
        if audience_of(by) is not Audience.OWNER:
            return False
        mine, theirs = agent_of(by), agent_of(key)
        return mine == theirs or self.parts.talk().may(mine, theirs)

    async def _named(self, by: SessionKey, name: str, agent: str = "") -> SessionKey:
        """The conversation with that key or label, of `agent` when that is told.

        Raises:
            UserInputInvalid: there is none that may be reached; whether there is one that may not
                is not told.
        """
        wanted = name.strip()
        whose = normalise_agent_id(agent) if agent.strip() else None
        key = stored_session_key(wanted, whose or agent_of(by))
        there = [one for one in await self._reachable(by) if whose in (None, agent_of(one.key))]
        for one in there:
            if one.key == key:
                return one.key
        labelled = [one.key for one in there if one.label.casefold() == wanted.casefold()]
        if len(labelled) == 1 and wanted:
            return labelled[0]
        if labelled and wanted:
            raise UserInputInvalid(
                f"{len(labelled)} conversations are called “{wanted[:80]}”.",
                hint=f"Say which by its key: {', '.join(labelled[:_MOST_NAMED])}.",
            )
        raise UserInputInvalid(
            f"There is no conversation “{wanted[:80]}” here.", hint="sessions_list shows them."
        )

    # ------------------------------------------------------------------ what is said

    def _count(self, run_id: RunId, key: SessionKey) -> None:
        most = 1 + self.parts.talk().turns
        sent = self._sent.pop((run_id, key), 0) + 1
        self._sent[run_id, key] = sent
        while len(self._sent) > _MOST_COUNTED:
            self._sent.popitem(last=False)
        if sent > most:
            raise UserInputInvalid(
                f"{most} messages went to that conversation already.",
                hint="Tell the person what came of them.",
            )

    def _ended(self, message: AcceptedRun, outcome: RunOutcome) -> None:
        waiting = self._waiting.pop(message.run_id, None)
        if waiting is None:
            return
        labels = Labels.from_mapping(message.session.transcript.labels())
        if not waiting.late:
            waiting.answer.set_result((outcome, labels))
            return
        language = self.parts.language
        said = (outcome.text or outcome.reason)[:_MOST_TOLD] or PHRASES.say("nothing", language)
        text = PHRASES.say("answered", language, name=message.session.key, result=said)
        text = f"{text} {PHRASES.say('tell_now', language)}"
        self.parts.notify(NewNotice(waiting.by, text, labels=labels))
        self.parts.take_turn(waiting.by)

    def _row(self, info: SessionInfo, lines: int) -> SessionRow:
        parsed = parse_session_key(info.key)
        desk = self.parts.desks.known(info.key)
        untrusted = audience_of(info.key) is not Audience.OWNER
        last: tuple[SessionLine, ...] = ()
        if lines:
            with contextlib.suppress(StoreBusy):  # another process has it open
                transcript = self.parts.desks.of(info.key).session.transcript
                last = tuple(lines_of(transcript.entries(), tools=False))[-lines:]
                untrusted |= Labels.from_mapping(transcript.labels()).untrusted
        kind = parsed.kind.value if parsed is not None else "other"
        running = desk is not None and desk.runs
        title = info.label or info.title
        return SessionRow(info.key, kind, title, info.updated, running, untrusted, last)

    def _labels_of(self, by: SessionKey) -> Labels:
        """What is not known counts as everything."""
        session = self.parts.desks.session_of(by)
        if session is None:
            return Labels(True, True)
        return Labels.from_mapping(session.transcript.labels())


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        return datetime.fromtimestamp(0).astimezone()
