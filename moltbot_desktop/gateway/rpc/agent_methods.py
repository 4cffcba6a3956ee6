"""Asking the assistant over the local socket, under the reference's names.

    agent         {message, sessionKey?, agentId?, thinking?, timeout?, idempotencyKey}
                                                                     → {runId, status: accepted}
    agent.wait    {runId, timeoutMs?}                                → {status: ok|error|timeout}
    chat.send     {sessionKey, message, thinking?, timeoutMs?, idempotencyKey}
                                                                     → {runId, status: started}
    chat.abort    {sessionKey, runId?}                               → {aborted, runIds}
    chat.history  {sessionKey, limit?}                               → {sessionId, messages: […]}
    chat.begin    {sessionKey}                                       → {sessionKey}

`chat.begin` is ours: an empty conversation for a script's own questions. Where another one's go on
in that conversation, it is one beside it, so the answer says which.

`thinking` (off to xhigh) and the limit of time (`timeout` in seconds, `timeoutMs`) hold for that
message alone. `chat.abort` without `runId` stops all that goes on and waits in the conversation.
`agent` takes `editor` ({name, folder, texts: [{place, text}]}) for a
conversation in one (agent:<id>:acp:<id>): what is open there, and texts of files, which are data.

`attachments` are files: [{fileName?, mimeType?, type?, content}], content as Base64, ten of 5 MB
together at most. What they are is told by their content. They lie in the workspace's media/inbound
and stand in the message as files of channels do, so that the agent reads them with its tools, and a
picture where its model sees. Whose words are in them nobody knows: the conversation is untrusted
from then on. `message` may be empty beside them.

Times are milliseconds since 1970, and the messages of `chat.history` have the reference's shape:
{role: user|assistant|toolResult|notice, content: [{type: text, text}], timestamp}.

A message is on the disk when `agent` answers, or its run has ended with the disk's reason; what
comes of it is told as `agent` events, and `agent.wait` has the end for ten minutes more.
`idempotencyKey` is the run's id, so a client that lost the answer asks again and nothing is said
twice. Cards are answered in the window alone: a program that could ask and say yes to itself would
make the card worthless.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from moltbot_desktop.agent.run_settings import NOTHING_SET, RunSettings
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.client import ConversationItem, ItemKind
from moltbot_desktop.gateway.commands.levels import choices, level
from moltbot_desktop.gateway.conversation import History
from moltbot_desktop.gateway.decisions import checked_message
from moltbot_desktop.gateway.editors import NO_EDITOR, EditorSide, side_of
from moltbot_desktop.gateway.handed_files import HandedFile, read_handed
from moltbot_desktop.gateway.rpc.methods import FILLED, TEXT, WHOLE, Given, Method
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.gateway.run_results import RunResult

WAIT_MS = 30_000
LONGEST_WAIT_MS = 600_000
_MOST_HISTORY = 1_000
_LONGEST_RUN_SECONDS = 86_400
_THINK = "think"
_FILES: JsonObject = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": dict.fromkeys(("content", "fileName", "mimeType", "type"), TEXT),
        "required": ["content"],
        "additionalProperties": False,
    },
}
_SECONDS: JsonObject = {"type": "integer", "minimum": 0, "maximum": _LONGEST_RUN_SECONDS}
_MILLISECONDS: JsonObject = {**_SECONDS, "maximum": _LONGEST_RUN_SECONDS * 1000}


class Conversations(Protocol):
    """The desk, for one who has no window."""

    def say(
        self,
        run_id: RunId,
        session: SessionKey,
        text: str,
        settings: RunSettings = NOTHING_SET,
        editor: EditorSide = NO_EDITOR,
    ) -> None:
        """Take a message in; it is on the disk when this returns, or its run has failed."""
        ...

    async def say_with(
        self,
        run_id: RunId,
        session: SessionKey,
        text: str,
        files: Sequence[HandedFile],
        settings: RunSettings = NOTHING_SET,
        editor: EditorSide = NO_EDITOR,
    ) -> None:
        """As `say`, with files, which lie in the workspace then; `text` may be empty.

        Raises:
            MoltbotError: they cannot be kept, and nothing is said.
        """
        ...

    async def ready(self, session: SessionKey) -> None:
        """Return when `say` and `history` take no time there."""
        ...

    async def wait(self, run_id: RunId, seconds: float) -> RunResult:
        """How a run ended, or how it stands after so many seconds."""
        ...

    def stop(self, session: SessionKey, run_id: RunId | None = None) -> bool:
        """Stop one run, or with None all of them; False when nothing was to be stopped."""
        ...

    def begin(self, session: SessionKey) -> SessionKey:
        """An empty conversation of that key, or of one beside it.

        Raises:
            MoltbotError: there can be none.
        """
        ...

    def history(self, session: SessionKey, limit: int) -> History: ...


@dataclass(frozen=True)
class AgentMethods:
    conversations: Conversations
    names: SessionNames
    now: Callable[[], datetime]

    def methods(self) -> tuple[Method, ...]:
        return (
            Method(
                "agent",
                self._agent,
                {
                    "message": TEXT,
                    "sessionKey": TEXT,
                    "agentId": TEXT,
                    "thinking": TEXT,
                    "timeout": _SECONDS,
                    "attachments": _FILES,
                    "editor": {"type": "object"},
                },
                ("message", "idempotencyKey"),
                once=True,
                large=True,
            ),
            Method(
                "agent.wait",
                self._wait,
                {"runId": FILLED, "timeoutMs": {"type": "integer", "minimum": 0}},
                ("runId",),
            ),
            Method(
                "chat.send",
                self._send,
                {
                    "sessionKey": TEXT,
                    "message": TEXT,
                    "thinking": TEXT,
                    "timeoutMs": _MILLISECONDS,
                    "attachments": _FILES,
                },
                ("message", "idempotencyKey"),
                once=True,
                large=True,
            ),
            Method("chat.abort", self._abort, {"sessionKey": TEXT, "runId": FILLED}),
            Method("chat.begin", self._begin, {"sessionKey": FILLED}, ("sessionKey",)),
            Method("chat.history", self._history, {"sessionKey": TEXT, "limit": WHOLE}),
        )

    async def _agent(self, given: Given) -> JsonValue:
        run_id = await self._say(given)
        accepted = _milliseconds(self.now())
        return {"runId": run_id, "status": "accepted", "acceptedAt": accepted}

    async def _send(self, given: Given) -> JsonValue:
        return {"runId": await self._say(given), "status": "started"}

    async def _say(self, given: Given) -> RunId:
        run_id = RunId(given.key)
        files, text = read_handed(given.params.get("attachments")), given.text("message")
        text = checked_message(text) if text.strip() or not files else ""
        session, settings = self._session(given), _settings(given)
        await self.conversations.ready(session)
        editor = side_of(given.group("editor"))
        if files:
            await self.conversations.say_with(run_id, session, text, files, settings, editor)
        else:
            self.conversations.say(run_id, session, text, settings, editor)
        return run_id

    async def _wait(self, given: Given) -> JsonValue:
        run_id = RunId(given.text("runId"))
        wait_ms = min(given.whole("timeoutMs", WAIT_MS), LONGEST_WAIT_MS)
        return _result_json(await self.conversations.wait(run_id, wait_ms / 1000))

    async def _abort(self, given: Given) -> JsonValue:
        named = given.text("runId")
        run_id = RunId(named) if named else None
        aborted = self.conversations.stop(self._session(given), run_id)
        ids: list[JsonValue] = [named] if named and aborted else []
        return {"ok": True, "aborted": aborted, "runIds": ids}

    async def _begin(self, given: Given) -> JsonValue:
        return {"sessionKey": self.conversations.begin(self._session(given))}

    async def _history(self, given: Given) -> JsonValue:
        session = self._session(given)
        limit = min(given.whole("limit", 200), _MOST_HISTORY)
        await self.conversations.ready(session)
        history = self.conversations.history(session, limit)
        told: dict[str, JsonValue] = {"sessionKey": session}
        if history.session_id:
            told["sessionId"] = history.session_id
        told["messages"] = [_item_json(item) for item in history.items]
        return told

    def _session(self, given: Given) -> SessionKey:
        return self.names.key(given.text("sessionKey"), given.text("agentId"))


def _settings(given: Given) -> RunSettings:
    """What the message sets for its own run.

    Raises:
        UserInputInvalid: there is no such level.
    """
    word = given.text("thinking")
    think = level(_THINK, word) if word else ""
    if word and not think:
        levels = ", ".join(choices(_THINK))
        raise UserInputInvalid(f"`thinking` is one of {levels}.")
    seconds = given.whole("timeout", 0) or given.whole("timeoutMs", 0) / 1000
    return RunSettings(think=think, seconds=seconds)


def _result_json(result: RunResult) -> JsonObject:
    told: dict[str, JsonValue] = {"runId": result.run_id, "status": result.status}
    if result.started is not None:
        told["startedAt"] = _milliseconds(result.started)
    if result.ended is not None:
        told["endedAt"] = _milliseconds(result.ended)
        told["text"] = result.text
    if result.error:
        told["error"] = result.error
    return told


def _item_json(item: ConversationItem) -> JsonObject:
    content: list[JsonValue] = [{"type": "text", "text": item.text}]
    told: dict[str, JsonValue] = {"role": item.kind.value, "content": content}
    if item.kind is ItemKind.TOOL:
        told |= {"role": "toolResult", "toolName": item.title, "isError": not item.ok}
    if (time := _read_time(item.time)) is not None:
        told["timestamp"] = time
    if item.unfinished:
        told["unfinished"] = True
    return told


def _read_time(text: str) -> int | None:
    """The time of a line; None where somebody wrote something else there."""
    try:
        return _milliseconds(datetime.fromisoformat(text))
    except (ValueError, OverflowError, OSError):
        return None


def _milliseconds(time: datetime) -> int:
    return int(time.timestamp() * 1000)
