"""One prompt of an editor, from its words to its end.

    prompting = Prompting(assistant, client, names)
    response = await prompting.answered()        # PromptResponse
    prompting.cancel()                           # session/cancel

What the run tells is sent in its order, one message after the other; text that comes while the
editor is slow is sent as one. Cards are asked beside that, because more may be told meanwhile; one
that is answered elsewhere, or whose run has ended, is taken back, and an editor that goes away has
said no.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from acp import RequestError
from acp.schema import PromptResponse, RequestPermissionResponse

from moltbot_desktop.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    AssistantDelta,
    RunEnded,
    RunEvent,
)
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.acp.cards import Asked, answered, asked
from moltbot_desktop.gateway.acp.port import EditorAssistant
from moltbot_desktop.gateway.acp.telling import RunTelling, Update, stop_reason, usage_of
from moltbot_desktop.gateway.client import ClientEvent

FAILED = -32603
_PHRASES = Phrases(
    english={"at_the_window": "*Moltbot waits for your answer in its window.*\n\n"},
    chinese={"at_the_window": "*Moltbot 在它的窗口里等你确认。*\n\n"},
)


class Client(Protocol):
    """The editor, for one session."""

    async def update(self, update: Update) -> None: ...

    async def ask(self, asked: Asked) -> RequestPermissionResponse: ...


@dataclass
class Prompting:
    """Lives on the event loop; `begin` before anything is said to the assistant.

    Attributes:
        run_id: of the run; a command's end may name another one, which says the rest.
    """

    assistant: EditorAssistant
    client: Client
    key: SessionKey
    run_id: RunId
    telling: RunTelling
    language: Language
    cancelled: bool = False
    _events: deque[RunEvent] = field(default_factory=deque)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _asking: dict[ApprovalId, asyncio.Task[None]] = field(default_factory=dict)

    def begin(self) -> Callable[[], None]:
        """Hear what the run tells; the returned function ends that."""
        return self.assistant.subscribe(self.heard)

    def heard(self, event: ClientEvent) -> None:
        if not isinstance(event, RunEvent) or event.session != self.key:
            return
        if isinstance(event, AssistantDelta) and self._events:
            last = self._events[-1]
            same = isinstance(last, AssistantDelta) and last.thinking == event.thinking
            if same and isinstance(last, AssistantDelta) and last.run_id == event.run_id:
                self._events[-1] = replace(last, text=last.text + event.text)
                return
        self._events.append(event)
        self._news.set()

    async def cancel(self) -> None:
        """Stop it; its end comes all the same."""
        self.cancelled = True
        await self.assistant.stop(self.key)

    async def answered(self) -> PromptResponse:
        """Tell all until the end.

        Raises:
            RequestError: the run has failed.
        """
        try:
            outcome = await self._until_the_end()
        finally:
            tasks = tuple(self._asking.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if self.cancelled:
            return PromptResponse(stop_reason="cancelled", usage=usage_of(outcome))
        if outcome.kind is OutcomeKind.FAILED:
            raise RequestError(FAILED, outcome.text or outcome.reason)
        return PromptResponse(stop_reason=stop_reason(outcome), usage=usage_of(outcome))

    async def _until_the_end(self) -> RunOutcome:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._events:
                event = self._events.popleft()
                if event.run_id == self.run_id and (ended := await self._tell(event)):
                    return ended

    async def _tell(self, event: RunEvent) -> RunOutcome | None:
        match event:
            case ApprovalRequested():
                await self._card(event)
            case ApprovalResolved():
                if (task := self._asking.pop(event.approval_id, None)) is not None:
                    task.cancel()
            case RunEnded() if event.outcome.kind is OutcomeKind.FAILED and not event.then:
                # The error says why; only what was begun is closed here.
                closed = replace(event, outcome=replace(event.outcome, text="", reason=""))
                await self._send(closed)
                return event.outcome
            case _:
                await self._send(event)
        if not isinstance(event, RunEnded):
            return None
        if event.then:
            self.run_id = event.then
            return None
        return event.outcome

    async def _send(self, event: RunEvent) -> None:
        for update in self.telling.updates(event):
            await self.client.update(update)

    async def _card(self, card: ApprovalRequested) -> None:
        number, start = self.telling.card_call(card)
        if start is not None:
            await self.client.update(start)
        if not self.assistant.answers_cards:
            for update in self.telling.aside(_PHRASES.say("at_the_window", self.language)):
                await self.client.update(update)
            return
        task = asyncio.get_running_loop().create_task(self._ask(card, number), name="card")
        self._asking[card.approval_id] = task

    async def _ask(self, card: ApprovalRequested, number: str) -> None:
        try:
            response = await self.client.ask(asked(card, number, self.language))
            allow, term = answered(response, card.offer)
        except (RequestError, ConnectionError, ValueError):  # pydantic's error is a ValueError
            allow, term = False, card.offer.terms[0]
        self.assistant.answer(card.approval_id, allow=allow and not self.cancelled, term=term)
