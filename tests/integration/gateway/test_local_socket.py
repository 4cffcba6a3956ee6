"""The local socket on a real disk: private, one owner, patient with nobody, gone when it stops."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import (
    NoAnswer,
    NobodyListens,
    ReadOnlyHome,
    StorageError,
    StoreBusy,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.rpc import client as client_module
from moltbot_desktop.gateway.rpc import server as server_module
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.connection import MOST_AT_ONCE, Server
from moltbot_desktop.gateway.rpc.door import Door, socket_path
from moltbot_desktop.gateway.rpc.frames import (
    MAX_FRAME_BYTES,
    ErrorCode,
    Request,
    Response,
    RpcFailure,
    decode,
    encode,
)
from moltbot_desktop.gateway.rpc.methods import TEXT, Given, Method, Methods, Repeats
from moltbot_desktop.gateway.rpc.server import SocketServer, same_user

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gateway.sock"


def methods(*more: Method) -> Methods:
    async def echo(given: Given) -> JsonValue:
        return {"said": given.text("text")}

    return Methods([Method("echo", echo, {"text": TEXT}), *more], Repeats(lambda: 0.0))


@asynccontextmanager
async def serving(path: Path, *more: Method) -> AsyncIterator[SocketServer]:
    server = SocketServer(Door(path), Server("1.2.3", methods(*more)))
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(20):
            await work()

    asyncio.run(limited())


async def raw(path: Path, *lines: bytes) -> list[Response]:
    """What the socket answers to bare lines, until it hangs up."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    writer.write(b"".join(lines))
    answers = []
    with suppress(ConnectionError):
        while line := await reader.readline():
            frame = decode(line)
            if isinstance(frame, Response):
                answers.append(frame)
    writer.close()
    return answers


def test_requests_are_answered_and_events_heard(path: Path) -> None:
    async def work() -> None:
        async with serving(path) as server, connected(path) as assistant:
            asked = [assistant.call("echo", {"text": text}) for text in ("a", "你好")]
            assert await asyncio.gather(*asked) == [{"said": "a"}, {"said": "你好"}]
            server.tell("agent", {"n": 1})
            server.tell("agent", {"n": 2})
            events = assistant.events()
            heard = [await anext(events) for _ in range(2)]
            assert [(one.event, one.payload, one.seq) for one in heard] == [
                ("agent", {"n": 1}, 1),
                ("agent", {"n": 2}, 2),
            ]

    run(work)


def test_an_answer_that_fits_no_frame_says_so(path: Path) -> None:
    async def much(_: Given) -> JsonValue:
        return "x" * MAX_FRAME_BYTES

    async def work() -> None:
        async with serving(path, Method("much", much)), connected(path) as assistant:
            with pytest.raises(RpcFailure, match="ask for less"):
                await assistant.call("much")
            assert await assistant.call("echo", {"text": "still here"}) == {"said": "still here"}

    run(work)


def test_the_socket_is_private_and_goes_away(path: Path) -> None:
    async def work() -> None:
        async with serving(path):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert not path.exists()

    run(work)


def test_another_user_is_turned_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with serving(path):
            answers = await raw(path)
            assert [one.failure.code for one in answers if one.failure] == [ErrorCode.NOT_PAIRED]

    somebody = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: somebody)
    run(work)


def test_the_kernel_tells_who_is_there() -> None:
    here, there = socket.socketpair(socket.AF_UNIX)
    with here, there:
        assert same_user(here)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"GET / HTTP/1.1\r\n", "no JSON"),
        (encode(Request("1", "echo", {})), "first request is `connect`"),
        (encode(Request("1", "connect", {})), "whole numbers"),
        (encode(Request("1", "connect", {"minProtocol": 9, "maxProtocol": 9})), "version 3"),
    ],
)
def test_a_stranger_to_the_protocol_is_told_and_hung_up_on(
    path: Path, line: bytes, words: str
) -> None:
    async def work() -> None:
        async with serving(path):
            answers = await raw(path, line)
            assert len(answers) == 1
            assert answers[0].failure is not None
            assert words in answers[0].failure.message

    run(work)


def test_who_says_nothing_is_not_waited_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with serving(path):
            assert await raw(path) == []

    monkeypatch.setattr(server_module, "GREETING_SECONDS", 0.01)
    run(work)


def test_a_line_without_end_ends_its_connection_only(path: Path) -> None:
    async def work() -> None:
        async with serving(path), connected(path) as assistant:
            (told,) = await raw(path, b"x" * (2 * MAX_FRAME_BYTES))
            assert told.failure is not None
            assert "at most" in told.failure.message
            assert await assistant.call("echo") == {"said": ""}

    run(work)


def test_too_many_requests_at_a_time_are_refused_and_the_rest_goes_on(path: Path) -> None:
    async def work() -> None:
        gate = asyncio.Event()

        async def wait(_: Given) -> JsonValue:
            await gate.wait()
            return True

        async with serving(path, Method("wait", wait)), connected(path) as assistant:
            asked = [asyncio.create_task(assistant.call("wait")) for _ in range(MOST_AT_ONCE + 1)]
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            (refused,) = done
            with pytest.raises(RpcFailure, match="at a time") as told:
                refused.result()
            assert told.value.retryable
            gate.set()
            others = [task for task in asked if task is not refused]
            assert await asyncio.gather(*others) == [True] * MOST_AT_ONCE

    run(work)


@pytest.mark.expect_log("does not read")
def test_who_does_not_read_is_hung_up_on_and_nobody_waits(path: Path) -> None:
    async def work() -> None:
        async with serving(path) as server:
            reader, writer = await asyncio.open_unix_connection(str(path), limit=1024)
            hello = {"minProtocol": 3, "maxProtocol": 3}
            writer.write(encode(Request("1", "connect", hello)))
            await reader.read(1)
            async with connected(path) as good:
                text = "x" * 200_000
                for _ in range(40):
                    server.tell("agent", {"text": text})
                    await asyncio.sleep(0)
                    event = await anext(good.events())
                    assert event.payload["text"] == text
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readexactly(40 * len(text))
            writer.close()

    run(work)


def test_what_a_crash_left_behind_is_replaced(path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()

    async def work() -> None:
        async with serving(path), connected(path) as assistant:
            assert await assistant.call("echo") == {"said": ""}

    run(work)


def test_a_second_assistant_is_told(path: Path) -> None:
    async def work() -> None:
        async with serving(path):
            with pytest.raises(StoreBusy, match="Another Moltbot Desktop"):
                await SocketServer(Door(path), Server("1", methods())).start()
            async with connected(path) as assistant:
                assert await assistant.call("echo") == {"said": ""}

    run(work)


def test_a_file_of_that_name_is_not_touched(path: Path) -> None:
    path.write_text("mine", encoding="utf-8")

    async def work() -> None:
        with pytest.raises(StorageError):
            await SocketServer(Door(path), Server("1", methods())).start()

    run(work)
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_takes_no_socket_is_told(tmp_path: Path) -> None:
    async def work() -> None:
        with pytest.raises((ReadOnlyHome, StorageError)):
            await SocketServer(Door(tmp_path / "no" / "a.sock"), Server("1", methods())).start()

    run(work)


def test_nobody_listening_is_told_with_what_to_do(path: Path) -> None:
    async def work() -> None:
        with pytest.raises(NobodyListens) as told:
            async with connected(path):
                raise AssertionError("nobody is there")
        assert "serve" in told.value.hint

    run(work)


def test_an_assistant_of_another_user_is_nobody(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the shared temporary folder anybody may have taken the name."""

    async def work() -> None:
        async with serving(path):
            monkeypatch.setattr(client_module, "same_user", lambda _: False)
            with pytest.raises(NobodyListens):
                async with connected(path):
                    raise AssertionError("it was trusted")

    run(work)


def test_a_home_too_deep_for_a_socket_gets_a_short_name(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 90)
    assert socket_path(Path("/home/me/.moltbot")) == Path("/home/me/.moltbot/gateway.sock")
    assert len(os.fsencode(socket_path(deep))) <= 100
    assert socket_path(deep) != socket_path(deep / "y")


def test_the_end_of_the_assistant_answers_who_waits(path: Path) -> None:
    async def work() -> None:
        async def never(_: Given) -> JsonValue:
            await asyncio.Event().wait()
            return None

        async with serving(path, Method("never", never)) as server, connected(path) as assistant:
            waiting = asyncio.create_task(assistant.call("never"))
            await assistant.call("echo")
            await server.stop()
            with pytest.raises(RpcFailure, match="has ended"):
                await waiting
            heard = [event.event async for event in assistant.events()]
            assert heard == ["shutdown"]
            with pytest.raises(RpcFailure, match="has ended"):
                await assistant.call("echo")

    run(work)


def test_one_that_listens_and_does_not_greet_is_not_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is stopped: the system takes the connection, and nobody reads."""
    monkeypatch.setattr(client_module, "GREETING_SECONDS", 0.05)

    async def work() -> None:
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(str(path))
            silent.listen()
            with pytest.raises(NoAnswer, match="does not answer"):
                async with connected(path):
                    pass
            with pytest.raises(NoAnswer, match="没有回应"):
                async with connected(path, Language.CHINESE):
                    pass

    run(work)


def test_two_that_begin_in_the_same_moment_over_a_crash_leave_one(path: Path) -> None:
    """Neither may take the other's new socket for the one that the crash left behind."""
    with socket.socket(socket.AF_UNIX) as crashed:
        crashed.bind(str(path))

    async def work() -> None:
        servers = [SocketServer(Door(path), Server("1.2.3", methods())) for _ in range(8)]
        began = await asyncio.gather(*(one.start() for one in servers), return_exceptions=True)
        assert [type(one) for one in began if one is not None] == [StoreBusy] * 7
        async with connected(path) as assistant:
            assert await assistant.call("echo", {"text": "one"}) == {"said": "one"}
        for one in servers:
            await one.stop()
        assert not path.exists()
        async with serving(path), connected(path):
            pass

    run(work)


def test_a_hundred_megabytes_are_not_taken_in(path: Path) -> None:
    async def work() -> None:
        async with serving(path), connected(path) as assistant:
            _, writer = await asyncio.open_unix_connection(str(path))
            taken = 0
            with suppress(ConnectionError):
                for _ in range(100):
                    writer.write(b"x" * 1_000_000)
                    await writer.drain()
                    taken += 1
            assert taken < 100
            writer.close()
            assert await assistant.call("echo", {"text": "on"}) == {"said": "on"}

    run(work)


def test_two_hundred_at_once_are_all_answered(path: Path) -> None:
    async def one(number: int) -> JsonValue:
        async with connected(path) as assistant:
            return await assistant.call("echo", {"text": str(number)})

    async def work() -> None:
        async with serving(path):
            answers = await asyncio.gather(*map(one, range(200)))
            assert answers == [{"said": str(number)} for number in range(200)]

    run(work)


def test_who_knocks_before_anybody_answers_is_answered_later(path: Path) -> None:
    async def work() -> None:
        door = Door(path)
        first = door.open()
        assert path.stat().st_mode & 0o777 == 0o600
        async with asyncio.TaskGroup() as group:

            async def knock() -> None:
                async with connected(path) as assistant:
                    assert await assistant.call("echo", {"text": "hi"}) == {"said": "hi"}

            waits = [group.create_task(knock()) for _ in range(3)]
            await asyncio.sleep(0.05)
            assert not any(one.done() for one in waits)
            server = SocketServer(door, Server("1", methods()))
            await server.start()
            assert door.open() is first
        await server.stop()
        assert not path.exists()

    run(work)


def test_a_door_that_closes_sends_away_who_waits_at_it(path: Path) -> None:
    async def work() -> None:
        door = Door(path)
        door.open()
        reader, writer = await asyncio.open_unix_connection(str(path))
        door.close()
        door.close()
        with suppress(ConnectionError):
            assert await reader.read() == b""
        writer.close()
        with pytest.raises(NobodyListens):
            async with connected(path):
                pass
        other = Door(path)
        other.open()
        other.close()

    run(work)


def test_a_door_is_one_persons_also_without_anybody_behind_it(path: Path) -> None:
    door = Door(path)
    door.open()
    with pytest.raises(StoreBusy, match="Another Moltbot Desktop"):
        Door(path).open()
    door.close()
    Door(path).close()


def test_a_crowd_before_a_door_is_somebody_who_lives(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as waits:
        busy.bind(str(path))
        busy.listen(0)
        waits.connect(str(path))
        with pytest.raises(StoreBusy, match="Another Moltbot Desktop"):
            Door(path).open()


def test_a_door_that_was_left_behind_is_taken_away(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as crashed:
        crashed.bind(str(path))
    door = Door(path)
    assert door.open().fileno() > 0
    door.close()
