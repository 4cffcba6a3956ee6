"""A program's request as an agent's turn.

    answers = AgentAnswers(front, listeners, new_id)
    async for piece in answers.pieces(AgentId("main"), key, asked): ...

Whoever has the token is heard as a paired contact is, not as the owner: commands are words, the
conversation is one of others from its first word (`security.labels`), its tools stand in the
policy's unattended column, and nothing said there is learned as a fact of the owner's; a note that
its agent takes bears the mark. No card is shown for it and none could be answered here: a program
that asks and says yes to itself would make the card worthless.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moltbot_desktop.agent.queueing import QueueMode, QueueRules
from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.core.events import (
    AssistantDelta,
    AssistantRetracted,
    RunEnded,
    RunEvent,
    ToolStarted,
)
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.accepted import AcceptedRun
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.decisions import checked_message
from moltbot_desktop.gateway.front_desk import FrontDesk
from moltbot_desktop.gateway.http.openai_errors import ApiRefusal
from moltbot_desktop.gateway.http.openai_messages import agent_words
from moltbot_desktop.gateway.http.openai_values import ChatAsked
from moltbot_desktop.gateway.http.pieces import Ended, Pieces, Said
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.sdk.models import FinishReason
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sources import Source, SourceKind

PLACE = "openai"
"""The channel of what programs say here, and where the answer goes."""
_SENDER = Source(SourceKind.SENDER, "a program · OpenAI API")
_ONE_BY_ONE = QueueRules(QueueMode.FOLLOWUP, debounce=0.0, cap=0)
_APART = "\n\n"
_WELL = (OutcomeKind.ANSWERED, OutcomeKind.SILENT, OutcomeKind.NEEDS_YOU)
_STATUS = {OutcomeKind.TIMED_OUT: 504, OutcomeKind.CANCELLED: 503, OutcomeKind.JOINED: 409}


def check_for_agent(asked: ChatAsked) -> None:
    """Raises ApiRefusal: what only a model by itself can be asked for."""
    for there, name in (
        (bool(asked.tools), "tools"),
        (asked.answer_schema is not None, "response_format"),
    ):
        if there:
            raise ApiRefusal(
                f"`{name}` is for a model by itself (“local/…”); an agent has tools of its own.",
                name,
                code="unsupported_parameter",
            )


@dataclass(frozen=True)
class AgentAnswers:
    """Lives on the agent's event loop."""

    front: FrontDesk
    listeners: Listeners
    new_id: Callable[[], str]

    async def pieces(self, session: SessionKey, asked: ChatAsked) -> Pieces:
        """See `Pieces`.

        Raises:
            MoltbotError, ApiRefusal: also when the turn does not go well.
        """
        desks, parts = self.front.parts.desks, self.front.parts
        await desks.ready(session)
        desk = desks.for_turn(session)
        goes_on = bool(desk.session.transcript.entries())
        words = agent_words(asked.messages, goes_on=goes_on, alone=parts.one_request())
        events: asyncio.Queue[RunEvent] = asyncio.Queue()

        def heard(event: ClientEvent) -> None:
            if isinstance(event, RunEvent):
                self.listeners.aside(event)
                events.put_nowait(event)
            else:
                self.listeners.tell(event)

        run_id = RunId(self.new_id())
        message = AcceptedRun(
            run_id,
            desk.session,
            checked_message(words),
            parts.clock.now(),
            heard,
            Presence.NOBODY,
            route=PLACE,
            channel=PLACE,
            untrusted=True,
            sender=_SENDER,
            settings=RunSettings(think=asked.thinking),
        )
        message.keep(promised=False)
        desk.submit(message, _ONE_BY_ONE)
        written, ended = _Written(asked.stream), False
        try:
            while not ended:
                event = await events.get()
                ended = isinstance(event, RunEnded)
                for text in written.heard(event):
                    yield Said(text)
                if isinstance(event, RunEnded):
                    yield _end(event.outcome)
        finally:
            if not ended:
                desk.stop_one(run_id)


class _Written:
    """What was sent of an answer, and what is still to send.

    A stream cannot take words back: where what was streamed turns out not to be the answer, the
    answer follows after an empty line.
    """

    def __init__(self, streams: bool) -> None:
        self._streams = streams
        self._current = ""
        self._sent = False

    def heard(self, event: RunEvent) -> Iterator[str]:
        match event:
            case AssistantDelta(text=text, thinking=False) if self._streams and text:
                yield from self._more(text)
            case ToolStarted() | AssistantRetracted():
                self._current = ""
            case RunEnded(outcome=outcome) if outcome.kind in _WELL:
                yield from self._rest(outcome.text)

    def _more(self, text: str) -> Iterator[str]:
        if self._sent and not self._current:
            yield _APART
        self._current += text
        self._sent = True
        yield text

    def _rest(self, answer: str) -> Iterator[str]:
        current = self._current.strip()
        if not answer or answer.strip() == current:
            return
        if current and answer.startswith(self._current):
            yield answer[len(self._current) :]
        else:
            self._current = ""
            yield from self._more(answer)


def _end(outcome: RunOutcome) -> Ended:
    """Raises ApiRefusal: it did not go well."""
    if outcome.kind in _WELL:
        return Ended(FinishReason.STOP, outcome.usage)
    said = outcome.reason or outcome.text or outcome.kind.value
    raise ApiRefusal(said, status=_STATUS.get(outcome.kind, 500), code=outcome.kind.value)
