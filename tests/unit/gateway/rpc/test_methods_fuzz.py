"""Whatever a program asks for, it gets an answer or a reason; never a bug of ours."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.agent_methods import AgentMethods
from moltbot_desktop.gateway.rpc.cron_methods import CronMethods
from moltbot_desktop.gateway.rpc.frames import Request, Response, RpcFailure, decode, encode
from moltbot_desktop.gateway.rpc.logs_methods import LogsMethods
from moltbot_desktop.gateway.rpc.memory_methods import MemoryMethods
from moltbot_desktop.gateway.rpc.methods import Method, Methods, Repeats
from moltbot_desktop.gateway.rpc.send_methods import SendMethods
from moltbot_desktop.gateway.rpc.session_methods import SessionMethods
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.sdk.memory import MemoryStatus, SearchAnswer
from tests.fakes.commands import NOW, FakeModels
from tests.fakes.jobs import job_book
from tests.unit.gateway.rpc.test_agent_methods import NAMES, Desk
from tests.unit.gateway.rpc.test_cron_methods import Owner, at_once
from tests.unit.gateway.rpc.test_looking_methods import LOOKING
from tests.unit.gateway.rpc.test_send_methods import House
from tests.unit.gateway.rpc.test_session_methods import Kept, Summariser

WHOLE = st.sampled_from([1, 2, 500, 0, -1, 2**53, 2**70, 10**30]) | st.integers(1)
TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        "main",
        "agent:main:main",
        "agent:../x:main",
        "\ud800",
        "now",
        "isolated",
        "high",
        "A7",
        "x" * 600,
    ]
)
GROUPS: st.SearchStrategy[JsonValue] = st.sampled_from(
    [
        *({"kind": "every", "everyMs": 60_000}, {"kind": "every", "everyMs": 2**70}),
        *({"kind": "at", "atMs": 2**60}, {"kind": "at", "at": "9999-12-31T23:59:59-14:00"}),
        *({"kind": "cron", "expr": "* * * * *", "tz": "Nowhere"}, {"kind": "event"}),
        *({"kind": "systemEvent", "text": "hi"}, {"kind": "agentTurn", "message": "\ud800"}),
        {"schedule": {"kind": "at", "atMs": -(2**70)}},
    ]
)
ANYTHING: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.floats() | WHOLE | TEXTS | GROUPS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def fitting(schema: JsonObject) -> st.SearchStrategy[JsonValue]:
    """Values that mostly get past `schema`."""
    match schema.get("type"):
        case "integer":
            return WHOLE
        case "object":
            return GROUPS | ANYTHING
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(ANYTHING, min_size=1, max_size=3)
        case _:
            return TEXTS


def _mostly(values: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    return st.one_of(values, values, values, values, ANYTHING)


def requests(methods: list[Method]) -> st.SearchStrategy[tuple[str, dict[str, JsonValue]]]:
    def of(method: Method) -> st.SearchStrategy[tuple[str, dict[str, JsonValue]]]:
        properties = method.schema["properties"]
        assert isinstance(properties, dict)
        known = {name: _mostly(fitting(schema)) for name, schema in properties.items()}
        needed = {name: known.pop(name) for name in method.required}
        made = st.fixed_dictionaries(needed, optional=known)
        return st.tuples(st.just(method.name), made)

    return st.sampled_from(methods).flatmap(of)


async def search(key: SessionKey, words: str, most: int) -> SearchAnswer:
    return SearchAnswer(())


def groups(folder: Path, database: ScheduleDatabase) -> Iterator[Method]:
    house = House()
    yield from AgentMethods(Desk(), NAMES, lambda: NOW).methods()
    yield from SessionMethods(Kept(), FakeModels(), Summariser(), NAMES, lambda: NOW).methods()
    yield from CronMethods(
        job_book(database), at_once, Owner(), lambda: None, lambda: NOW
    ).methods()
    yield from MemoryMethods(NAMES, lambda _: MemoryStatus(0, 0, False, "", ""), search).methods()
    yield from SendMethods(house.post, house, house.conversations, house.keep).methods()
    yield from LogsMethods(folder / "moltbot.log", at_once).methods()
    yield from LOOKING.methods()


@settings(max_examples=100)
@given(st.data())
def test_every_request_has_an_answer_or_a_reason(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
        database = ScheduleDatabase(Path(folder) / "jobs.sqlite", clock)
        (Path(folder) / "moltbot.log").write_text("one\ntwo\n", encoding="utf-8")
        group = list(groups(Path(folder), database))
        methods, asked = Methods(group, Repeats(lambda: 0.0)), requests(group)
        try:
            for _ in range(10):
                _ask(methods, *data.draw(asked))
        finally:
            database.close()


def _ask(methods: Methods, name: str, params: dict[str, JsonValue]) -> None:
    request = decode(encode(Request("1", name, params)))
    assert isinstance(request, Request)
    try:
        payload = asyncio.run(methods.call(request.method, request.params))
    except RpcFailure as failure:
        assert "failed inside" not in failure.message, (name, params)
        answer = Response("1", failure=failure)
    else:
        answer = Response("1", payload)
    told = json.loads(encode(answer))
    assert told["ok"] is (answer.failure is None)
