"""Talking over the local socket: `rpc.agent_methods.Conversations` over the desks.

    desk = SocketDesk(front, results, listeners, new_id, monotonic)
    desk.say(RunId("r1"), SessionKey("agent:main:main"), "What is on today?")
    (await desk.wait(RunId("r1"), 30.0)).text

Who asks over the socket is the owner at a shell: commands work, nobody else's rights hold. In the
conversation that a window shows, the owner sits there and gets the cards; in every other one a
run is a script's, and what needs a card is denied and told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.core.events import RunEnded, RunEvent, RunStarted
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent, ConversationItem
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.gateway.conversation import conversation_items
from moltbot_desktop.gateway.decisions import AgentTurn, RunCommand
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.gateway.run_results import RunResult, RunResults
from moltbot_desktop.gateway.session_desk import SessionDesk
from moltbot_desktop.gateway.session_desks import DeskRuns, SessionDesks
from moltbot_desktop.security.policy import Presence

_KEPT_FREE_SECONDS = 30.0
"""A conversation that was begun for somebody waits so long for the first question."""


@dataclass
class SocketDesk:
    """Lives on the agent's event loop.

    Attributes:
        commands: hears of each command before it is carried out, as `CommandDesk.on_call`.
    """

    front: FrontDesk
    listeners: Listeners
    clock: Clock
    new_id: Callable[[], str]
    results: RunResults = field(init=False)
    commands: CommandDesk = field(init=False)
    _begun: dict[SessionKey, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.results = RunResults(self.clock)
        self.listeners.overhear(self.results.heard)
        self.commands = CommandDesk(replace(self.front.ports, runs=DeskRuns(self._desks)))

    def say(self, run_id: RunId, session: SessionKey, text: str) -> None:
        if self.results.known(run_id):
            return  # it was said before; its answer is, or will be, under that id
        self._begun.pop(session, None)
        if session == self.front.session.key:
            there = self.front.parts.presence is Presence.PRESENT
            self.front.accept(run_id, text, Presence.PRESENT if there else Presence.SCRIPT)
        else:
            self._say_aside(run_id, session, text)
        self.results.began(run_id)

    async def wait(self, run_id: RunId, seconds: float) -> RunResult:
        return await self.results.wait(run_id, seconds)

    def stop(self, session: SessionKey) -> bool:
        desk = self._desks.known(session)
        return desk is not None and desk.stop()

    def begin(self, session: SessionKey) -> SessionKey:
        free = self._free(session)
        key = free if free is not None else SessionKey(f"{session}:thread:{self.new_id()}")
        if key == self.front.session.key:
            self.front.new_session()
        elif self._desks.of(key).session.transcript.entries():
            self._desks.start_new(key)
        self._begun[key] = self.clock.monotonic()
        return key

    def history(self, session: SessionKey, limit: int) -> tuple[ConversationItem, ...]:
        desk = self._desks.known(session)
        if desk is None and self.front.parts.store.last_used(session) is None:
            return ()  # looking at a conversation does not begin it
        desk = desk or self._desks.of(session)
        return conversation_items(desk.session.transcript.entries())[-limit:]

    async def close(self) -> None:
        await self.commands.close()

    @property
    def _desks(self) -> SessionDesks:
        return self.front.parts.desks

    def _free(self, session: SessionKey) -> SessionKey | None:
        """`session`, unless it is somebody's just now."""
        now = self.clock.monotonic()
        self._begun = {key: at for key, at in self._begun.items() if now - at < _KEPT_FREE_SECONDS}
        try:
            taken = session in self._begun or self._desks.of(session).busy
        except StoreBusy:
            taken = True
        return None if taken else session

    # ------------------------------------------------- a conversation that no window shows

    def _tell(self, event: ClientEvent) -> None:
        """Windows show their own conversation; what is no part of one is for everybody."""
        if isinstance(event, RunEvent):
            self.listeners.aside(event)
        else:
            self.listeners.tell(event)

    def _say_aside(self, run_id: RunId, session: SessionKey, text: str) -> None:
        match self.front.decide(text):
            case RunCommand() as decision:
                self._command(run_id, session, text, (decision,), "")
            case AgentTurn() as turn if turn.simple:
                simple = [RunCommand(name) for name in turn.simple]
                self._command(run_id, session, text, simple, turn.text)
            case AgentTurn() as turn:
                self._ask(run_id, session, turn.text)
            case refused:
                raise AssertionError(f"the owner was refused: {refused}")

    def _command(
        self,
        run_id: RunId,
        session: SessionKey,
        text: str,
        decisions: Iterable[RunCommand],
        words: str,
    ) -> None:
        """Carry commands out one after the other, then ask what is left of the message."""
        first, *others = decisions
        language = self.front.parts.language
        self._tell(RunStarted(run_id, session, 1, text))
        call = CommandCall(first.name, first.rest, session, language, directives=first.directives)

        def done(reply: CommandReply) -> None:
            rest = words or reply.turn
            then = RunId(f"{run_id}-first" if rest or others else "")
            kind = OutcomeKind.ANSWERED if reply.ok else OutcomeKind.FAILED
            outcome = RunOutcome(kind, reply.text, "" if reply.ok else reply.text)
            self._tell(RunEnded(run_id, session, 2, outcome, then))
            if others:
                self._command(then, session, text, others, rest)
            elif then:
                self._ask(then, session, rest)

        self.commands.start(call, done)

    def _ask(self, run_id: RunId, session: SessionKey, text: str) -> None:
        desk: SessionDesk = self._desks.for_turn(session)
        accepted = AcceptedRun(
            run_id, desk.session, text, self.clock.now(), self._tell, Presence.SCRIPT
        )
        accepted.keep()
        desk.submit(accepted, self.front.queue_rules(session))
