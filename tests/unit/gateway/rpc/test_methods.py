"""What is asked is checked first, is done once under a key, and a failure is always told."""

from __future__ import annotations

import asyncio

import pytest

from moltbot_desktop.core.errors import DiskFull, UserInputInvalid
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.rpc.frames import ErrorCode, RpcFailure
from moltbot_desktop.gateway.rpc.methods import FILLED, WHOLE, Given, Method, Methods, Repeats


class Counter:
    """A method that counts its calls."""

    def __init__(self) -> None:
        self.calls: list[Given] = []
        self.raises: Exception | None = None
        self.gate: asyncio.Event | None = None

    async def answer(self, given: Given) -> JsonValue:
        self.calls.append(given)
        if self.gate is not None:
            await self.gate.wait()
        if self.raises is not None:
            raise self.raises
        return {"call": len(self.calls)}


class Now:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def made(counter: Counter, now: Now | None = None) -> Methods:
    method = Method(
        "send", counter.answer, {"message": FILLED, "limit": WHOLE}, ("message",), once=True
    )
    return Methods([method], Repeats(now or Now()))


def test_a_checked_request_is_answered() -> None:
    counter = Counter()
    asyncio.run(made(counter).call("send", {"message": "hi", "limit": 3}))
    given = counter.calls[0]
    assert (given.text("message"), given.whole("limit", 1), given.flag("x")) == ("hi", 3, False)


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({}, "message"),
        ({"message": "  "}, "message"),
        ({"message": "x", "limit": True}, "limit"),
        ({"message": "x", "mesage": "x"}, "mesage"),
    ],
)
def test_wrong_parameters_are_named(params: dict[str, JsonValue], names: str) -> None:
    counter = Counter()
    with pytest.raises(RpcFailure, match=names) as told:
        asyncio.run(made(counter).call("send", params))
    assert told.value.code is ErrorCode.INVALID_REQUEST
    assert not counter.calls


def test_an_unknown_method_is_told() -> None:
    with pytest.raises(RpcFailure, match="no method 'sned'"):
        asyncio.run(made(Counter()).call("sned", {}))


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (UserInputInvalid("That is no name."), ErrorCode.INVALID_REQUEST, False),
        (DiskFull("Full.", hint="Make room."), ErrorCode.UNAVAILABLE, True),
    ],
)
def test_a_known_error_is_told_in_its_words(
    error: Exception, code: ErrorCode, retryable: bool
) -> None:
    counter = Counter()
    counter.raises = error
    with pytest.raises(RpcFailure) as told:
        asyncio.run(made(counter).call("send", {"message": "x"}))
    assert (told.value.code, told.value.retryable, str(told.value)) == (code, retryable, str(error))


@pytest.mark.expect_log("method send failed")
def test_a_bug_costs_one_answer(caplog: pytest.LogCaptureFixture) -> None:
    counter = Counter()
    counter.raises = ZeroDivisionError("secret detail")
    with pytest.raises(RpcFailure) as told:
        asyncio.run(made(counter).call("send", {"message": "x"}))
    assert "secret detail" not in str(told.value)
    assert "secret detail" in caplog.text


def test_the_same_key_is_done_once_also_at_the_same_time() -> None:
    counter = Counter()

    async def run() -> list[JsonValue]:
        methods = made(counter)
        counter.gate = asyncio.Event()
        asked = {"message": "x", "idempotencyKey": "k"}
        both = [asyncio.create_task(methods.call("send", asked)) for _ in range(2)]
        await asyncio.sleep(0)
        counter.gate.set()
        return [*await asyncio.gather(*both), await methods.call("send", asked)]

    assert asyncio.run(run()) == [{"call": 1}] * 3


def test_who_gives_up_waiting_does_not_undo_it() -> None:
    counter = Counter()

    async def run() -> JsonValue:
        methods = made(counter)
        counter.gate = asyncio.Event()
        asked = {"message": "x", "idempotencyKey": "k"}
        first = asyncio.create_task(methods.call("send", asked))
        await asyncio.sleep(0)
        first.cancel()
        counter.gate.set()
        return await methods.call("send", asked)

    assert asyncio.run(run()) == {"call": 1}


def test_what_failed_may_be_tried_again_and_old_keys_are_forgotten() -> None:
    counter, now = Counter(), Now()

    async def run() -> JsonValue:
        methods = made(counter, now)
        asked = {"message": "x", "idempotencyKey": "k"}
        counter.raises = DiskFull("Full.")
        with pytest.raises(RpcFailure):
            await methods.call("send", asked)
        counter.raises = None
        assert await methods.call("send", asked) == {"call": 2}
        now.seconds = Repeats.SECONDS + 1
        return await methods.call("send", asked)

    assert asyncio.run(run()) == {"call": 3}


def test_two_methods_of_one_name_are_a_bug_at_start() -> None:
    counter = Counter()
    with pytest.raises(ValueError, match="twice"):
        Methods([Method("a", counter.answer), Method("a", counter.answer)], Repeats(Now()))


def test_a_failure_that_nobody_waited_for_is_not_kept() -> None:
    """The client has gone while it was done; its second try is one."""
    counter = Counter()
    counter.gate, counter.raises = asyncio.Event(), DiskFull("The disk is full.")

    async def work() -> None:
        assert counter.gate is not None
        methods = made(counter)
        params: dict[str, JsonValue] = {"message": "hi", "idempotencyKey": "k"}
        first = asyncio.create_task(methods.call("send", params))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        counter.gate.set()
        for _ in range(5):  # until it has failed, with nobody there
            await asyncio.sleep(0)
        counter.raises = None
        assert await methods.call("send", params) == {"call": 2}

    asyncio.run(work())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("config.set", "config set` does"),
        ("exec.approval.resolve", "at the window alone"),
        ("node.pair.request", "no other device"),
        ("node.list", "no other device"),
        ("chat.inject", "system-event"),
        ("tts.status", "there is no method 'tts.status'"),
        ("", "there is no method ''"),
        (".", "there is no method '.'"),
    ],
)
def test_what_is_left_out_on_purpose_says_why(name: str, says: str) -> None:
    with pytest.raises(RpcFailure) as told:
        asyncio.run(made(Counter()).call(name, {}))
    assert told.value.code is ErrorCode.INVALID_REQUEST
    assert says in told.value.message
