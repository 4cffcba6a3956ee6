"""Methods of plugins on the local socket: checked like the program's, and never in their place."""

from __future__ import annotations

import asyncio

import pytest

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.gateway.rpc.methods import WHOLE, Given, Method, Methods, Repeats


def answers(name: str, text: str) -> Method:
    async def answer(given: Given) -> JsonValue:
        return f"{text} {given.whole('n', 0)}"

    return Method(name, answer, {"n": WHOLE})


def called(methods: Methods, name: str, params: JsonObject) -> JsonValue:
    return asyncio.run(methods.call(name, params))


def test_lent_methods_come_and_go() -> None:
    lent: dict[str, Method] = {}
    methods = Methods([answers("status", "own")], Repeats(lambda: 0.0), lambda: lent)
    assert methods.names == ("status",)
    lent.update({"dice.throw": answers("dice.throw", "lent"), "status": answers("status", "lent")})
    assert methods.names == ("dice.throw", "status")
    assert called(methods, "dice.throw", {"n": 2}) == "lent 2"
    assert called(methods, "status", {"n": 1}) == "own 1"
    with pytest.raises(RpcFailure, match="`n`"):
        called(methods, "dice.throw", {"n": "two"})
    lent.clear()
    with pytest.raises(RpcFailure, match="no method"):
        called(methods, "dice.throw", {"n": 2})
