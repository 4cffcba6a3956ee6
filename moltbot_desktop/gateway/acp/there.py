"""The assistant that runs already, for an editor: `EditorAssistant` over its local socket.

So no second model is loaded beside a window, and its window shows the cards: what a program asks,
no program answers (`rpc`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from moltbot_desktop.core.errors import RequestRefused, UserInputInvalid
from moltbot_desktop.core.events import RunEnded, RunEvent
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.acp.port import KeptConversation
from moltbot_desktop.gateway.client import (
    ClientEvent,
    CommandHelp,
    ConversationItem,
    ItemKind,
    Listener,
)
from moltbot_desktop.gateway.editors import EditorSide, is_editors, side_json
from moltbot_desktop.gateway.handed_files import HandedFile
from moltbot_desktop.gateway.rpc.client import RunningAssistant
from moltbot_desktop.gateway.rpc.event_json import UnknownEvent, decode_event
from moltbot_desktop.gateway.rpc.frames import (
    MAX_FRAME_BYTES,
    MAX_REQUEST_BYTES,
    Request,
    RpcFailure,
    encode,
)

_MOST_HISTORY = 500
_KINDS: Mapping[str, ItemKind] = {
    "user": ItemKind.USER,
    "assistant": ItemKind.ASSISTANT,
    "toolResult": ItemKind.TOOL,
}
_PHRASES = Phrases(
    english={
        "ended": "The Moltbot that was answering has ended.",
        "large": "That is too much for one message.",
        "large_hint": "Send fewer files along.",
    },
    chinese={
        "ended": "正在回答的 Moltbot 已经结束。",
        "large": "一条消息放不下这么多。",
        "large_hint": "请少附带一些文件。",
    },
)


@dataclass
class ThereAssistant:
    """Lives on one event loop; `listen` runs as long as it is used.

    Attributes:
        gone: it has ended, or the connection to it.
    """

    assistant: RunningAssistant
    language: Language
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    answers_cards: bool = False
    bare: bool = False
    _listeners: list[Listener] = field(default_factory=list)
    _waiting: dict[RunId, SessionKey] = field(default_factory=dict)

    async def listen(self) -> None:
        """Pass on what is told, until the connection ends."""
        async for event in self.assistant.events():
            try:
                self._heard(decode_event(event.event, event.payload))
            except UnknownEvent:
                continue  # a newer assistant says more than this program understands
        self.gone.set()
        reason = _PHRASES.say("ended", self.language)
        for run_id, key in tuple(self._waiting.items()):
            self._heard(RunEnded(run_id, key, 1, RunOutcome(OutcomeKind.FAILED, reason, reason)))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def ready(self, key: SessionKey) -> None:
        await self._call("chat.history", {"sessionKey": key, "limit": 1})

    async def known(self, key: SessionKey) -> bool:
        told = await self._call("chat.history", {"sessionKey": key, "limit": 1})
        return isinstance(told, Mapping) and bool(told.get("messages"))

    async def say(
        self,
        run_id: RunId,
        key: SessionKey,
        text: str,
        side: EditorSide,
        pictures: Sequence[HandedFile] = (),
    ) -> None:
        files: list[JsonValue] = [
            {"fileName": one.name, "content": one.content} for one in pictures
        ]
        asked: JsonObject = {
            "message": text,
            "sessionKey": key,
            "idempotencyKey": run_id,
            "editor": side_json(side),
            **({"attachments": files} if files else {}),
        }
        most = MAX_REQUEST_BYTES if files else MAX_FRAME_BYTES
        if len(encode(Request("0" * 20, "agent", asked))) > most:
            said = _PHRASES.say("large", self.language)
            raise UserInputInvalid(said, hint=_PHRASES.say("large_hint", self.language))
        self._waiting[run_id] = key
        try:
            await self._call("agent", asked)
        except RequestRefused:
            self._waiting.pop(run_id, None)
            raise

    async def stop(self, key: SessionKey) -> None:
        await self._call("chat.abort", {"sessionKey": key})

    async def history(self, key: SessionKey) -> Sequence[ConversationItem]:
        told = await self._call("chat.history", {"sessionKey": key, "limit": _MOST_HISTORY})
        return [_item(row) for row in _rows(told, "messages")]

    async def kept(self) -> Sequence[KeptConversation]:
        told = await self._call("sessions.list", {})
        found = []
        for row in _rows(told, "sessions"):
            key = SessionKey(_text(row, "key"))
            if is_editors(key):
                title = _text(row, "label") or _text(row, "derivedTitle")
                updated = _when(row.get("updatedAt"))
                found.append(KeptConversation(key, title, _text(row, "editorFolder"), updated))
        return found

    async def commands(self) -> Sequence[CommandHelp]:
        """It does not say which it has; they are understood all the same."""
        return ()

    def answer(self, approval_id: ApprovalId, *, allow: bool, term: Term) -> None:
        """Its window does that."""

    def _heard(self, event: ClientEvent) -> None:
        if isinstance(event, RunEvent):
            if isinstance(event, RunEnded) and self._waiting.pop(event.run_id, None) is not None:
                if event.then:
                    self._waiting[event.then] = event.session
            for listener in tuple(self._listeners):
                listener(event)

    async def _call(self, method: str, params: JsonObject) -> JsonValue:
        try:
            return await self.assistant.call(method, params)
        except RpcFailure as failure:
            raise RequestRefused(failure.message) from failure


def _rows(told: JsonValue, name: str) -> Sequence[JsonObject]:
    found = told.get(name) if isinstance(told, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _item(row: JsonObject) -> ConversationItem:
    kind = _KINDS.get(_text(row, "role"), ItemKind.NOTICE)
    text = "".join(_text(one, "text") for one in _rows(row, "content"))
    unfinished = row.get("unfinished") is True
    ok = row.get("isError") is not True
    return ConversationItem(kind, text, "", _text(row, "toolName"), ok, unfinished)


def _text(row: JsonObject, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _when(value: JsonValue) -> str:
    if not isinstance(value, int) or isinstance(value, bool):
        return ""
    try:
        return datetime.fromtimestamp(value / 1000, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return ""
