"""Saying something over the socket, waiting for the answer, and reading what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from moltbot_desktop.agent.run_settings import NOTHING_SET, RunSettings
from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.client import ConversationItem, ItemKind
from moltbot_desktop.gateway.conversation import History
from moltbot_desktop.gateway.editors import NO_EDITOR, EditorSide, GivenText, side_json
from moltbot_desktop.gateway.handed_files import HandedFile
from moltbot_desktop.gateway.rpc.agent_methods import AgentMethods
from moltbot_desktop.gateway.rpc.frames import ErrorCode, RpcFailure
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.gateway.run_results import RunResult

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
MAIN = SessionKey("agent:main:main")
NAMES = SessionNames(DEFAULT_AGENT, lambda: ("Work",))


@dataclass
class Desk:
    """Conversations that remember what they were asked."""

    said: list[tuple[RunId, SessionKey, str]] = field(default_factory=list)
    results: dict[RunId, RunResult] = field(default_factory=dict)
    waited: list[float] = field(default_factory=list)
    items: tuple[ConversationItem, ...] = ()
    stopped: list[tuple[SessionKey, RunId | None]] = field(default_factory=list)
    settings: list[RunSettings] = field(default_factory=list)
    editors: list[EditorSide] = field(default_factory=list)
    files: list[HandedFile] = field(default_factory=list)

    def say(
        self,
        run_id: RunId,
        session: SessionKey,
        text: str,
        settings: RunSettings = NOTHING_SET,
        editor: EditorSide = NO_EDITOR,
    ) -> None:
        self.said.append((run_id, session, text))
        self.settings.append(settings)
        self.editors.append(editor)

    async def say_with(
        self,
        run_id: RunId,
        session: SessionKey,
        text: str,
        files: Sequence[HandedFile],
        settings: RunSettings = NOTHING_SET,
        editor: EditorSide = NO_EDITOR,
    ) -> None:
        self.files.extend(files)
        self.say(run_id, session, text, settings, editor)

    async def ready(self, session: SessionKey) -> None:
        pass

    async def wait(self, run_id: RunId, seconds: float) -> RunResult:
        self.waited.append(seconds)
        return self.results.get(run_id, RunResult(run_id, "timeout"))

    def stop(self, session: SessionKey, run_id: RunId | None = None) -> bool:
        self.stopped.append((session, run_id))
        return run_id != "gone"

    def begin(self, session: SessionKey) -> SessionKey:
        return SessionKey(f"{session}:thread:1")

    def history(self, session: SessionKey, limit: int) -> History:
        return History("s1" if self.items else "", self.items[-limit:])


def ask(desk: Desk, name: str, params: JsonObject) -> JsonValue:
    methods = AgentMethods(desk, NAMES, lambda: NOON).methods()
    return asyncio.run(Methods(methods, Repeats(lambda: 0.0)).call(name, params))


def test_a_message_is_taken_in_under_its_key() -> None:
    desk = Desk()
    answer = ask(desk, "agent", {"message": " hi ", "idempotencyKey": "r1"})
    assert answer == {
        "runId": "r1",
        "status": "accepted",
        "acceptedAt": 1_767_614_400_000,
    }
    assert desk.said == [("r1", MAIN, "hi")]


@pytest.mark.parametrize(
    ("params", "session"),
    [
        ({"sessionKey": "main"}, MAIN),
        ({"agentId": "work"}, "agent:work:main"),
        ({"sessionKey": "agent:work:telegram:dm:42"}, "agent:work:telegram:dm:42"),
        ({"sessionKey": "notes", "agentId": "work"}, "agent:work:notes"),
    ],
)
def test_a_session_may_be_named_shortly(params: JsonObject, session: str) -> None:
    desk = Desk()
    asked: JsonObject = {"message": "hi", "idempotencyKey": "r1", **params}
    ask(desk, "agent", asked)
    assert desk.said == [("r1", session, "hi")]


@pytest.mark.parametrize(
    "params",
    [
        {"message": "hi"},
        {"message": "hi", "idempotencyKey": ""},
        {"message": "  ", "idempotencyKey": "r1"},
        {"message": "a\0b", "idempotencyKey": "r1"},
        {"message": "hi", "idempotencyKey": "r1", "sessionKey": "agent:../x:main"},
        {"message": "hi", "idempotencyKey": "r1", "sessionKey": "agent:stranger:main"},
        {"message": "hi", "idempotencyKey": "r1", "agentId": "stranger"},
    ],
)
def test_what_cannot_be_said_is_told_and_not_taken(params: JsonObject) -> None:
    desk = Desk()
    with pytest.raises(RpcFailure) as told:
        ask(desk, "agent", params)
    assert told.value.code is ErrorCode.INVALID_REQUEST
    assert not desk.said


@pytest.mark.parametrize(
    ("name", "params", "settings"),
    [
        ("chat.send", {}, NOTHING_SET),
        ("chat.send", {"thinking": "ultrathink"}, RunSettings(think="high")),
        ("chat.send", {"timeoutMs": 1500, "attachments": []}, RunSettings(seconds=1.5)),
        ("agent", {"thinking": "off", "timeout": 9}, RunSettings(think="off", seconds=9)),
    ],
)
def test_a_message_sets_things_for_its_own_run(
    name: str, params: JsonObject, settings: RunSettings
) -> None:
    desk = Desk()
    ask(desk, name, {"message": "hi", "idempotencyKey": "r1", **params})
    assert desk.settings == [settings]


@pytest.mark.parametrize("name", ["agent", "chat.send"])
def test_files_are_handed_over_and_need_no_words(name: str) -> None:
    desk = Desk()
    picture = {"type": "image", "mimeType": "image/png", "fileName": "a.png", "content": "iVBO"}
    given = [picture, {"content": "data:text/plain;base64,aGk="}]
    ask(desk, name, {"message": " ", "idempotencyKey": "r1", "attachments": given})
    assert desk.files == [HandedFile("a.png", "iVBO"), HandedFile("file", "aGk=")]
    assert desk.said == [("r1", MAIN, "")]


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({"thinking": "banana"}, "off, minimal, low"),
        ({"attachments": [{"type": "image", "content": "A" * 6_700_000}]}, "5 MB together"),
        ({"attachments": [{"content": "AAAA"}] * 11}, "at most 10 files"),
        ({"attachments": [{"fileName": "a.png"}]}, "content"),
        ({"attachments": [{"content": "data:image/png,AAAA"}]}, "without Base64"),
        ({"attachments": [{"content": "AAAA", "path": "/etc/passwd"}]}, "path"),
        ({"attachments": ["AAAA"]}, "attachments.0"),
        ({"timeoutMs": -1}, "timeoutMs"),
    ],
)
def test_what_cannot_be_set_is_refused_with_what_can(params: JsonObject, problem: str) -> None:
    desk = Desk()
    with pytest.raises(RpcFailure) as told:
        ask(desk, "chat.send", {"message": "hi", "idempotencyKey": "r1", **params})
    assert told.value.code is ErrorCode.INVALID_REQUEST
    assert problem in told.value.message
    assert not desk.said


def test_the_end_of_a_run_is_told() -> None:
    desk = Desk(results={RunId("r1"): RunResult(RunId("r1"), "ok", NOON, NOON, text="42")})
    assert ask(desk, "agent.wait", {"runId": "r1"}) == {
        "runId": "r1",
        "status": "ok",
        "startedAt": 1_767_614_400_000,
        "endedAt": 1_767_614_400_000,
        "text": "42",
    }
    assert desk.waited == [30.0]


def test_a_run_that_failed_says_why() -> None:
    result = RunResult(RunId("r1"), "error", NOON, NOON, error="too slow")
    answer = ask(Desk(results={RunId("r1"): result}), "agent.wait", {"runId": "r1"})
    assert isinstance(answer, dict)
    assert (answer["status"], answer["error"]) == ("error", "too slow")


def test_a_run_that_goes_on_is_no_error_and_the_wait_has_a_limit() -> None:
    desk = Desk()
    asked: JsonObject = {"runId": "r1", "timeoutMs": 9_999_999}
    assert ask(desk, "agent.wait", asked) == {"runId": "r1", "status": "timeout"}
    assert desk.waited == [600.0]


def test_a_conversation_of_its_own_is_named() -> None:
    answer = ask(Desk(), "chat.begin", {"sessionKey": "cli"})
    assert answer == {"sessionKey": "agent:main:cli:thread:1"}


def test_a_conversation_is_stopped_and_read() -> None:
    items = (
        ConversationItem(ItemKind.USER, "hi", "2026-01-05T12:00:00.000+00:00"),
        ConversationItem(ItemKind.TOOL, "3 lines", NOON.isoformat(), "read", ok=False),
        ConversationItem(ItemKind.ASSISTANT, "hel", "at some time", unfinished=True),
    )
    desk = Desk(items=items)
    assert ask(desk, "chat.abort", {}) == {"ok": True, "aborted": True, "runIds": []}
    one = ask(desk, "chat.abort", {"runId": "r1"})
    assert one == {"ok": True, "aborted": True, "runIds": ["r1"]}
    none = ask(desk, "chat.abort", {"runId": "gone"})
    assert none == {"ok": True, "aborted": False, "runIds": []}
    assert desk.stopped == [(MAIN, None), (MAIN, "r1"), (MAIN, "gone")]
    assert ask(Desk(), "chat.history", {}) == {"sessionKey": MAIN, "messages": []}
    assert ask(desk, "chat.history", {"limit": 2}) == {
        "sessionKey": MAIN,
        "sessionId": "s1",
        "messages": [
            {
                "role": "toolResult",
                "content": [{"type": "text", "text": "3 lines"}],
                "toolName": "read",
                "isError": True,
                "timestamp": 1_767_614_400_000,
            },
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "hel"}],
                "unfinished": True,
            },
        ],
    }


def test_an_editor_says_what_is_open_there() -> None:
    desk = Desk()
    side = EditorSide("Zed", "/home/ada", (GivenText("file:///a.py", "x = 1"),))
    key = "agent:main:acp:1"
    asked: JsonObject = {"message": "hi", "sessionKey": key, "editor": side_json(side)}
    ask(desk, "agent", {**asked, "idempotencyKey": "r1"})
    ask(desk, "agent", {"message": "hi", "idempotencyKey": "r2"})
    assert desk.editors == [side, NO_EDITOR]
