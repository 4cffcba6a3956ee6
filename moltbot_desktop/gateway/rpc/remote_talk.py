"""Talking to the assistant that runs in another process, as if it were in this one.

    async with talking(assistant, SessionKey("agent:main:main"), new_id, language) as client:
        client.subscribe(events.put_nowait)
        client.send("What is on today?")

So `ask` and `chat` load no second model beside a window. What that assistant tells of this
conversation arrives as the same events. Cards are answered at its window and nowhere else: what
is shown here is that one waits there.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from moltbot_desktop.core.events import ApprovalRequested, RunEnded, RunEvent
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import ClientEvent, GivenFile, Listener, Notice
from moltbot_desktop.gateway.decisions import checked_message
from moltbot_desktop.gateway.handed_files import check_given
from moltbot_desktop.gateway.rpc.client import RunningAssistant
from moltbot_desktop.gateway.rpc.event_json import UnknownEvent, decode_event
from moltbot_desktop.gateway.rpc.frames import ErrorCode, RpcFailure
from moltbot_desktop.gateway.rpc.inbox_json import INBOX, decoded_inbox

_PHRASES = Phrases(
    english={
        "ended": "The Moltbot that was answering has ended.",
        "card": "Moltbot waits for your answer in its window: {title}",
    },
    chinese={
        "ended": "正在回答的 Moltbot 已经结束。",
        "card": "Moltbot 在它的窗口里等你确认：{title}",
    },
)


@asynccontextmanager
async def talking(
    assistant: RunningAssistant,
    session: SessionKey,
    new_id: Callable[[], str],
    language: Language,
    *,
    news: bool,
) -> AsyncIterator[RemoteTalk]:
    """A conversation with the assistant at the other end.

    Args:
        assistant: greeted, from `rpc.client.connected`.
        session: as it stands there.
        news: tell also what belongs to no run: notices and reminders.
    """
    talk = RemoteTalk(assistant, session, new_id, language, news)
    listening = asyncio.get_running_loop().create_task(talk.listen(), name="remote talk")
    try:
        yield talk
    finally:
        listening.cancel()
        for task in talk.asking:
            task.cancel()
        await asyncio.gather(listening, *talk.asking, return_exceptions=True)


async def begun(assistant: RunningAssistant, session: SessionKey) -> SessionKey:
    """An empty conversation there, for questions of a script.

    Raises:
        RpcFailure: there can be none.
    """
    return _session_in(await assistant.call("chat.begin", {"sessionKey": session}), "sessionKey")


async def shown(assistant: RunningAssistant) -> SessionKey:
    """The owner's own conversation, as it stands there.

    Raises:
        RpcFailure: it cannot say.
    """
    return _session_in(await assistant.call("status"), "session")


def _as_json(file: GivenFile) -> JsonObject:
    return {"fileName": file.name, "content": base64.b64encode(file.content).decode()}


def _session_in(told: JsonValue, name: str) -> SessionKey:
    key = told.get(name) if isinstance(told, Mapping) else None
    if not isinstance(key, str):
        raise RpcFailure(ErrorCode.UNAVAILABLE, "the assistant named no conversation")
    return SessionKey(key)


@dataclass
class RemoteTalk:
    """Implements `gateway.client.Talking`. Used on one event loop.

    Attributes:
        asking: requests that have no answer yet.
    """

    assistant: RunningAssistant
    session: SessionKey
    new_id: Callable[[], str]
    language: Language
    news: bool
    asking: set[asyncio.Task[None]] = field(default_factory=set)
    _listeners: list[Listener] = field(default_factory=list)
    _waiting: set[RunId] = field(default_factory=set)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def send(self, text: str, files: Sequence[GivenFile] = ()) -> RunId:
        checked = checked_message(text, alone=not files)
        check_given(files)
        run_id = RunId(self.new_id())
        self._waiting.add(run_id)
        asked: dict[str, JsonValue] = {
            "message": checked,
            "sessionKey": self.session,
            "idempotencyKey": run_id,
        }
        if files:
            asked["attachments"] = [_as_json(one) for one in files]
        self._start(self._ask(run_id, asked))
        return run_id

    def stop(self) -> None:
        self._start(self._abort())

    async def listen(self) -> None:
        """Pass on what the assistant tells, until the connection ends."""
        async for event in self.assistant.events():
            if event.event == INBOX:
                self._heard(decoded_inbox(event.payload))
                continue
            try:
                self._heard(decode_event(event.event, event.payload))
            except UnknownEvent:
                continue  # a newer assistant says more than this program understands
        for run_id in tuple(self._waiting):
            self._failed(run_id, _PHRASES.say("ended", self.language))

    def _heard(self, event: ClientEvent) -> None:
        if not isinstance(event, RunEvent):
            if self.news:
                self._tell(event)
            return
        if event.run_id not in self._waiting:
            return  # somebody else asked for it
        match event:
            case ApprovalRequested():
                self._tell(Notice(_PHRASES.say("card", self.language, title=event.title)))
                return
            case RunEnded():
                self._waiting.discard(event.run_id)
                if event.then:
                    self._waiting.add(event.then)
        self._tell(event)

    def _tell(self, event: ClientEvent) -> None:
        for listener in tuple(self._listeners):
            listener(event)

    async def _ask(self, run_id: RunId, asked: JsonObject) -> None:
        try:
            await self.assistant.call("agent", asked)
        except RpcFailure as failure:
            self._failed(run_id, failure.message)

    async def _abort(self) -> None:
        try:
            await self.assistant.call("chat.abort", {"sessionKey": self.session})
        except RpcFailure as failure:
            self._tell(Notice(failure.message))

    def _failed(self, run_id: RunId, reason: str) -> None:
        if run_id in self._waiting:
            self._waiting.discard(run_id)
            outcome = RunOutcome(OutcomeKind.FAILED, reason, reason)
            self._tell(RunEnded(run_id, self.session, 1, outcome))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self.asking.add(task)
        task.add_done_callback(self.asking.discard)
