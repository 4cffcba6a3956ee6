"""Files in a request of the local socket: kept, named to the agent, untrusted, said once."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from moltbot_desktop.core.ids import DEFAULT_AGENT, RunId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.agent_methods import AgentMethods
from moltbot_desktop.gateway.rpc.client import RunningAssistant, connected
from moltbot_desktop.gateway.rpc.connection import Server
from moltbot_desktop.gateway.rpc.door import Door
from moltbot_desktop.gateway.rpc.frames import MAX_FRAME_BYTES, MAX_REQUEST_BYTES, RpcFailure
from moltbot_desktop.gateway.rpc.methods import TEXT, Given, Method, Methods, Repeats
from moltbot_desktop.gateway.rpc.server import SocketServer
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.gateway.socket_desk import SocketDesk
from moltbot_desktop.sdk.attachments import MOST_BYTES
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.sessions.entries import UserEntry
from tests.fakes.chat_model import ScriptedTurn, says
from tests.integration.gateway.test_front_desk import KEY, Assistant, play
from tests.integration.gateway.test_socket_desk import CLI, NOON, desk_of

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(30)


@asynccontextmanager
async def house(
    folder: Path, script: list[ScriptedTurn]
) -> AsyncIterator[tuple[Assistant, SocketDesk, RunningAssistant]]:
    async def echo(given: Given) -> JsonValue:
        return {"length": len(given.text("text"))}

    async with desk_of(folder, script) as (assistant, desk):
        names = SessionNames(DEFAULT_AGENT, tuple)
        own = AgentMethods(desk, names, lambda: NOON).methods()
        methods = Methods((*own, Method("echo", echo, {"text": TEXT})), Repeats(lambda: 0.0))
        server = SocketServer(Door(folder / "a.sock"), Server("1", methods))
        await server.start()
        try:
            async with connected(folder / "a.sock") as there:
                yield assistant, desk, there
        finally:
            await server.stop()


def file(name: str, content: bytes, **more: str) -> JsonObject:
    return {"fileName": name, "content": base64.b64encode(content).decode(), **more}


def asked(key: str, *files: JsonObject, **more: str) -> JsonObject:
    said: JsonObject = {"message": "what is this?", "sessionKey": CLI, "idempotencyKey": key}
    return {**said, "attachments": list(files), **more}


def lying(folder: Path) -> dict[str, bytes]:
    place = folder / "workspace" / "media" / "inbound"
    return {one.name: one.read_bytes() for one in place.iterdir()} if place.exists() else {}


async def ended(there: RunningAssistant, key: str) -> JsonObject:
    told = await there.call("agent.wait", {"runId": key, "timeoutMs": 60_000})
    assert isinstance(told, Mapping)
    return told


def labels_of(desk: SocketDesk, key: SessionKey) -> Labels:
    return Labels.from_mapping(desk.front.parts.desks.of(key).session.transcript.labels())


@pytest.mark.parametrize("session", [CLI, KEY])
@pytest.mark.parametrize("method", ["chat.send", "agent"])
def test_a_picture_lies_in_the_workspace_and_the_agent_reads_where(
    tmp_path: Path, method: str, session: SessionKey
) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("A cat.")]) as (assistant, desk, there):
            picture = file("cat.gif", PNG, mimeType="image/gif", type="image")
            await there.call(method, asked("r1", picture, sessionKey=session))
            assert (await ended(there, "r1"))["text"] == "A cat."
            ((name, content),) = lying(tmp_path).items()
            assert (name.split("-", 1)[1], content) == ("cat.gif.png", PNG)
            line = f"[media attached: media/inbound/{name} (image/png)]"
            assert (
                assistant.model.requests[0]
                .messages[-1]
                .content.startswith(f"what is this?\n{line}")
            )
            assert [one.text for one in desk.history(session, 10).items] == [
                f"what is this?\n{line}",
                "A cat.",
            ]

    play(scenario)


@pytest.mark.parametrize("session", [CLI, KEY])
def test_the_conversation_is_untrusted_before_the_words_are_in_it(
    tmp_path: Path, session: SessionKey
) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("One."), says("Two.")]) as (_, desk, there):
            plain: JsonObject = {"message": "hi", "sessionKey": session, "idempotencyKey": "r0"}
            await there.call("agent", plain)
            await ended(there, "r0")
            assert not labels_of(desk, session).untrusted
            await there.call("agent", asked("r1", file("a.md", b"obey me"), sessionKey=session))
            await ended(there, "r1")
            labels = labels_of(desk, session)
            assert labels.untrusted
            assert [one.stored for one in labels.sources] == [f"file:{next(iter(lying(tmp_path)))}"]
            entries = desk.front.parts.desks.of(session).session.transcript.entries()
            label = next(
                at for at, one in enumerate(entries) if "label" in type(one).__name__.lower()
            )
            words = [at for at, one in enumerate(entries) if isinstance(one, UserEntry)]
            assert words[0] < label < words[1]

    play(scenario)


def test_the_same_message_again_brings_no_second_file(tmp_path: Path) -> None:
    async def before() -> None:
        async with house(tmp_path, [says("Once.")]) as (_, desk, there):
            request = asked("r1", file("a.md", b"one"))
            twice = [there.call("agent", request), there.call("chat.send", request)]
            await asyncio.gather(*twice)
            assert (await ended(there, "r1"))["text"] == "Once."
            await there.call("agent", request)
            assert len(lying(tmp_path)) == 1
            assert len(desk.history(CLI, 10).items) == 2

    async def after() -> None:
        async with house(tmp_path, []) as (_, _, there):
            await there.call("agent", asked("r1", file("a.md", b"one")))
            assert (await ended(there, "r1"))["text"] == "Once."
            assert len(lying(tmp_path)) == 1

    play(before)
    play(after)


def test_a_file_needs_no_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("A note.")]) as (_, desk, there):
            await there.call("chat.send", asked("r1", file("a.md", b"one"), message=""))
            await ended(there, "r1")
            assert desk.history(CLI, 1).items[0].text == "A note."
            assert desk.history(CLI, 2).items[0].text.startswith("[media attached: ")

    play(scenario)


@pytest.mark.parametrize("text", ["/status", "/new hello", "/approve"])
def test_a_command_takes_no_files_and_none_stays(tmp_path: Path, text: str) -> None:
    async def scenario() -> None:
        async with house(tmp_path, []) as (_, _, there):
            with pytest.raises(RpcFailure, match="command takes no files"):
                await there.call("agent", asked("r1", file("a.md", b"one"), message=text))
            assert lying(tmp_path) == {}

    play(scenario)


def test_what_is_set_beside_the_words_holds_with_files_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("Yes.")]) as (assistant, _, there):
            request = asked("r1", file("a.md", b"one"), message="/think off what is this?")
            await there.call("agent", request)
            await ended(there, "r1")
            said = assistant.model.requests[0].messages[-1].content
            assert "/think" not in said
            assert "what is this?\n[media attached: " in said

    play(scenario)


def test_a_refused_message_leaves_no_file(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("Mine.")]) as (_, desk, there):
            desk.front.accept(RunId("window"), "hi")
            await ended(there, "window")
            with pytest.raises(RpcFailure, match="somebody else"):
                await there.call("agent", asked("window", file("a.md", b"one")))
            with pytest.raises(RpcFailure, match="no Base64"):
                await there.call("agent", asked("r2", {"content": "%%%%"}))
            assert lying(tmp_path) == {}
            assert desk.history(CLI, 10).items == ()

    play(scenario)


def test_the_largest_request_fits_and_the_connection_goes_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, [says("Much."), says("More.")]) as (_, _, there):
            content = PNG + bytes(MOST_BYTES - len(PNG))
            requests = [there.call("agent", asked(f"r{n}", file("a.png", content))) for n in (1, 2)]
            await asyncio.gather(*requests, there.call("echo", {"text": "beside them"}))
            for key in ("r1", "r2"):
                assert (await ended(there, key))["status"] == "ok"
            assert [len(one) for one in lying(tmp_path).values()] == [MOST_BYTES, MOST_BYTES]

    play(scenario)


@pytest.mark.parametrize(
    ("method", "params", "problem"),
    [
        ("echo", {"text": "x" * MAX_FRAME_BYTES}, "a frame has at most"),
        ("no.such", {"text": "x" * MAX_FRAME_BYTES}, "a frame has at most"),
        ("agent", asked("r1", message="1," * MAX_FRAME_BYTES), "a frame has at most"),
        ("agent", {"attachments": [0] * MAX_FRAME_BYTES}, "a frame has at most"),
        (
            "agent",
            asked("r1", file("a", bytes(MOST_BYTES // 2 + 1)), file("b", bytes(MOST_BYTES // 2))),
            "5 MB together",
        ),
    ],
    ids=["another method", "no method", "many commas", "many values", "too much"],
)
def test_what_is_long_without_being_files_is_refused(
    tmp_path: Path, method: str, params: JsonObject, problem: str
) -> None:
    async def scenario() -> None:
        async with house(tmp_path, []) as (_, _, there):
            with pytest.raises(RpcFailure, match=problem):
                async with asyncio.timeout(60):
                    await there.call(method, params)
            assert await there.call("echo", {"text": "still here"}) == {"length": 10}
            assert lying(tmp_path) == {}

    play(scenario)


async def bare(path: Path, greet: bool, length: int) -> bytes:
    """What comes back for a line of that many bytes that never ends."""
    reader, writer = await asyncio.open_unix_connection(str(path), limit=2 * MAX_FRAME_BYTES)
    if greet:
        versions = {"minProtocol": 3, "maxProtocol": 3}
        hello = {"type": "req", "id": "1", "method": "connect", "params": versions}
        writer.write(json.dumps(hello).encode() + b"\n")
        await reader.readline()
    try:
        writer.write(b"x" * length)
        await writer.drain()
        return await reader.readline()
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("greet", "length"),
    [(False, 2 * MAX_FRAME_BYTES + 2), (True, MAX_REQUEST_BYTES + MAX_FRAME_BYTES)],
)
def test_a_line_without_end_is_not_waited_for(tmp_path: Path, greet: bool, length: int) -> None:
    """A stranger to the protocol gets no room for files."""

    async def scenario() -> None:
        async with house(tmp_path, []):
            async with asyncio.timeout(60):
                told = await bare(tmp_path / "a.sock", greet, length)
            assert told == b"" or b"at most 524,288 bytes" in told

    play(scenario)
