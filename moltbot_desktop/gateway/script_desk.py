"""The owner's conversations for programs: what the local socket asks (`rpc.agent_methods`).

    scripts = ScriptDesk(desks, results, clock, accept, shown, tell)
    scripts.say(run_id, session, "hello")        # on the disk when this returns
    await scripts.wait(run_id, 30.0)             # RunResult(status="ok", ...)

What is said in the conversation that the window shows goes through the window's own desk, with
its commands and cards; elsewhere nobody is there to answer a card.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent, ConversationItem
from moltbot_desktop.gateway.conversation import conversation_items
from moltbot_desktop.gateway.run_results import RunResult, RunResults
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.security.policy import Presence

_ONE_BY_ONE = QueueRules(QueueMode.FOLLOWUP, debounce=0.0, cap=0)


@dataclass(frozen=True)
class ScriptDesk:
    """Lives on the agent's event loop.

    Attributes:
        accept: takes a message in for the conversation that is shown.
        shown: the key of that conversation.
        tell: the windows, which show what belongs to them.
    """

    desks: SessionDesks
    results: RunResults
    clock: Clock
    accept: Callable[[RunId, str], None]
    shown: Callable[[], SessionKey]
    tell: Callable[[ClientEvent], None]

    def say(self, run_id: RunId, session: SessionKey, text: str) -> None:
        """Take a message of the owner in; it is on the disk when this returns.

        Raises:
            MoltbotError: it was not taken.
        """
        if session == self.shown():
            self.results.began(run_id)
            self.accept(run_id, text)
            return
        desk = self.desks.for_turn(session)
        message = AcceptedRun(
            run_id, desk.session, text, self.clock.now(), self.tell, Presence.NOBODY
        )
        message.keep()
        self.results.began(run_id)
        desk.submit(message, _ONE_BY_ONE)

    async def wait(self, run_id: RunId, seconds: float) -> RunResult:
        """How a run ended, or how it stands after so many seconds."""
        return await self.results.wait(run_id, seconds)

    def stop(self, session: SessionKey) -> bool:
        """Cancel everything of a conversation; False when nothing was going on."""
        desk = self.desks.known(session)
        return desk is not None and desk.stop()

    def history(self, session: SessionKey, limit: int) -> tuple[ConversationItem, ...]:
        """The last `limit` items of a conversation.

        Raises:
            MoltbotError: it cannot be opened.
        """
        entries = self.desks.of(session).session.transcript.entries()
        return conversation_items(entries)[-limit:]
