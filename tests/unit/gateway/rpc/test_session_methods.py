"""Conversations over the socket: listed, read, found, set, begun anew, put away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from moltbot_desktop.core.ids import DEFAULT_AGENT, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.commands.ports import Compacted
from moltbot_desktop.gateway.rpc.frames import ErrorCode, RpcFailure
from moltbot_desktop.gateway.rpc.methods import Methods, Repeats
from moltbot_desktop.gateway.rpc.session_methods import SessionMethods
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.sdk.sessions import SessionHit, SessionInfo, SessionLine, Shelf
from moltbot_desktop.sessions.settings import SessionSettings
from tests.fakes.commands import NOW, FakeModels

MAIN = SessionKey("agent:main:main")
NAMES = SessionNames(DEFAULT_AGENT, lambda: ("work",))
GROUP = SessionKey("agent:work:telegram:group:7")
MILLISECONDS = int(NOW.timestamp() * 1000)


def info(key: SessionKey, number: int, minutes_ago: int = 0, label: str = "") -> SessionInfo:
    used = (NOW - timedelta(minutes=minutes_ago)).isoformat()
    title = label or f"talk {number}"
    return SessionInfo(
        SessionId(f"id{number}"), key, title, label, used, used, 3, 1, Shelf.KEPT, True
    )


@dataclass
class Kept:
    infos: list[SessionInfo] = field(
        default_factory=lambda: [info(MAIN, 1), info(GROUP, 2, 90, "Work")]
    )
    said: tuple[SessionLine, ...] = ()
    set: dict[SessionKey, SessionSettings] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)

    async def current(self) -> Sequence[SessionInfo]:
        return self.infos

    async def lines(self, session: SessionId) -> Sequence[SessionLine]:
        return self.said if session == "id1" else ()

    async def search(self, words: str, limit: int) -> Sequence[SessionHit]:
        return [SessionHit(self.infos[0], line, line.text) for line in self.said[:limit]]

    def settings(self, key: SessionKey) -> SessionSettings:
        return self.set.get(key, SessionSettings())

    def change_settings(
        self, key: SessionKey, change: Callable[[SessionSettings], SessionSettings]
    ) -> SessionSettings:
        self.set[key] = change(self.settings(key))
        return self.set[key]

    def start_new(self, key: SessionKey) -> None:
        self.done.append(f"new {key}")

    def delete(self, key: SessionKey) -> None:
        self.done.append(f"delete {key}")


class Summariser:
    async def compact(self, session: SessionKey, instructions: str) -> Compacted:
        return Compacted(900, 300)


def methods(kept: Kept, models: FakeModels | None = None) -> Methods:
    group = SessionMethods(kept, models or FakeModels(), Summariser(), NAMES, lambda: NOW)
    return Methods(group.methods(), Repeats(lambda: 0.0))


def ask(kept: Kept, name: str, params: JsonObject) -> JsonValue:
    return asyncio.run(methods(kept).call(name, params))


def keys(answer: JsonValue) -> list[JsonValue]:
    assert isinstance(answer, dict)
    return [row["key"] for row in answer["sessions"]]


def test_all_conversations_are_listed_with_what_is_set_for_them() -> None:
    kept = Kept(set={GROUP: SessionSettings(think="high", other={"secret": "not ours"})})
    assert ask(kept, "sessions.list", {}) == {
        "ts": MILLISECONDS,
        "count": 2,
        "sessions": [
            {
                "key": MAIN,
                "kind": "direct",
                "sessionId": "id1",
                "updatedAt": MILLISECONDS,
                "messages": 3,
                "derivedTitle": "talk 1",
            },
            {
                "key": GROUP,
                "kind": "group",
                "sessionId": "id2",
                "updatedAt": MILLISECONDS - 90 * 60_000,
                "messages": 3,
                "derivedTitle": "Work",
                "thinkingLevel": "high",
            },
        ],
    }


@pytest.mark.parametrize(
    ("params", "listed"),
    [
        ({"limit": 1}, [MAIN]),
        ({"activeMinutes": 60}, [MAIN]),
        ({"activeMinutes": 2**70}, [MAIN, GROUP]),
        ({"agentId": "Work"}, [GROUP]),
        ({"label": "Work"}, [GROUP]),
        ({"label": "other"}, []),
    ],
)
def test_a_list_can_be_narrowed(params: JsonObject, listed: list[str]) -> None:
    assert keys(ask(Kept(), "sessions.list", params)) == listed


def test_a_preview_shows_the_last_lines_and_says_what_is_not_there() -> None:
    said = (
        SessionLine("1", "user", "first", ""),
        SessionLine("2", "read", "three lines", ""),
        SessionLine("3", "assistant", "a long answer", ""),
    )
    asked: JsonObject = {"keys": ["main", GROUP, "agent:main:none"], "limit": 2, "maxChars": 7}
    answer = ask(Kept(said=said), "sessions.preview", asked)
    assert isinstance(answer, dict)
    assert answer["previews"] == [
        {
            "key": "main",
            "status": "ok",
            "items": [
                {"role": "tool", "text": "three …", "tool": "read"},
                {"role": "assistant", "text": "a long…"},
            ],
        },
        {"key": GROUP, "status": "empty", "items": []},
        {"key": "agent:main:none", "status": "missing", "items": []},
    ]


def test_words_are_found_in_all_conversations() -> None:
    said = (SessionLine("1", "user", "the dentist", "t1"),)
    assert ask(Kept(said=said), "sessions.search", {"query": "dentist"}) == {
        "hits": [
            {
                "key": MAIN,
                "sessionId": "id1",
                "title": "talk 1",
                "role": "user",
                "timestamp": "t1",
                "snippet": "the dentist",
            }
        ]
    }


def test_a_patch_sets_what_it_names_and_null_takes_it_back() -> None:
    kept = Kept(set={MAIN: SessionSettings(verbose="full", send_policy="deny")})
    patch: JsonObject = {
        "key": "main",
        "label": " Tax  year ",
        "thinkingLevel": "ultrathink",
        "verboseLevel": None,
        "model": "small",
    }
    answer = ask(kept, "sessions.patch", patch)
    assert kept.set[MAIN] == SessionSettings(
        think="high", label="Tax year", model="small", send_policy="deny"
    )
    assert answer == {
        "ok": True,
        "key": MAIN,
        "entry": {
            "thinkingLevel": "high",
            "label": "Tax year",
            "modelOverride": "small",
            "sendPolicy": "deny",
        },
    }


@pytest.mark.parametrize(
    "params",
    [
        {"thinkingLevel": "banana"},
        {"groupActivation": "never"},
        {"label": "Work"},
        {"label": "x" * 65},
        {"model": "unheard-of"},
        {"elevatedLevel": "full"},
        {"execSecurity": "full"},
        {"sendPolicy": "allow"},
        {"spawnedBy": "agent:main:main"},
    ],
)
def test_what_cannot_be_or_is_no_programs_to_set_is_refused(params: JsonObject) -> None:
    kept = Kept()
    with pytest.raises(RpcFailure) as told:
        ask(kept, "sessions.patch", {"key": "main", **params})
    assert told.value.code is ErrorCode.INVALID_REQUEST
    assert not kept.set


def test_a_conversation_is_begun_anew_put_away_and_summarised() -> None:
    kept = Kept(set={MAIN: SessionSettings(think="low")})
    entry = {"thinkingLevel": "low"}
    assert ask(kept, "sessions.reset", {"key": "main"}) == {
        "ok": True,
        "key": MAIN,
        "entry": entry,
    }
    gone: JsonObject = {"key": GROUP}
    assert ask(kept, "sessions.delete", gone) == {"ok": True, "key": GROUP, "deleted": True}
    never: JsonObject = {"key": "never"}
    answer = ask(kept, "sessions.delete", never)
    assert answer == {"ok": True, "key": "agent:main:never", "deleted": False}
    assert kept.done == [f"new {MAIN}", f"delete {GROUP}"]
    assert ask(kept, "sessions.compact", {"key": "main"}) == {
        "ok": True,
        "key": MAIN,
        "compacted": True,
        "tokensBefore": 900,
        "tokensAfter": 300,
    }


@pytest.mark.parametrize("name", ["sessions.reset", "sessions.delete", "sessions.compact"])
def test_what_is_no_key_touches_nothing(name: str) -> None:
    kept = Kept()
    with pytest.raises(RpcFailure):
        ask(kept, name, {"key": "agent:../x:main"})
    assert not kept.done


def test_what_outlived_its_agent_can_be_put_away_but_not_gone_on_with() -> None:
    old = SessionKey("agent:gone:main")
    kept = Kept(infos=[info(old, 1)])
    for name in ("sessions.reset", "sessions.patch", "sessions.compact"):
        with pytest.raises(RpcFailure, match="no agent"):
            ask(kept, name, {"key": old})
    assert ask(kept, "sessions.delete", {"key": old}) == {"ok": True, "key": old, "deleted": True}


def test_without_a_summariser_nobody_is_promised_one() -> None:
    group = replace(SessionMethods(Kept(), FakeModels(), None, NAMES, lambda: NOW))
    assert "sessions.compact" not in {one.name for one in group.methods()}
