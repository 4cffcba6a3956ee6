"""What we take Discord to do, each with the page that says so; the server of the tests does it."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

pytest.importorskip("discord", reason="the extra “discord” is not installed")

from tests.fakes.discord_server import BOB, ROOM, TOKEN, DiscordServer, room_of

Story = Callable[["Caller"], Awaitable[None]]


class Caller:
    """Speaks HTTP and the gateway's JSON, without any library for Discord."""

    def __init__(self, server: DiscordServer, session: aiohttp.ClientSession) -> None:
        self.server = server
        self._session = session

    async def call(self, method: str, path: str, body: object = None, token: str = TOKEN) -> Any:
        async with self._session.request(
            method,
            f"{self.server.address}/api/v10{path}",
            json=body,
            headers={"Authorization": f"Bot {token}"},
        ) as response:
            return response.status, json.loads(await response.read() or b"null")

    async def line(self) -> Gateway:
        socket = await self._session.ws_connect(self.server.gateway)
        return Gateway(socket)


class Gateway:
    """One zlib stream: https://discord.com/developers/docs/events/gateway#transport-compression"""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self._stream = zlib.decompressobj()

    async def hear(self) -> Any:
        return json.loads(self._stream.decompress(await self.socket.receive_bytes()))

    async def event(self, name: str) -> Any:
        while (told := await self.hear())["t"] != name:
            pass
        return told

    async def say(self, op: int, data: object) -> None:
        await self.socket.send_json({"op": op, "d": data})

    async def begin(self) -> Any:
        assert (await self.hear())["op"] == 10
        await self.say(2, {"token": TOKEN, "intents": 1 << 15})
        return (await self.event("READY"))["d"]


def play(story: Story) -> None:
    async def scene() -> None:
        server = DiscordServer()
        await server.start()
        try:
            lines = aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())
            async with asyncio.timeout(30), aiohttp.ClientSession(connector=lines) as session:
                await story(Caller(server, session))
        finally:
            await server.stop()

    asyncio.run(scene())


def test_the_same_nonce_makes_no_second_message() -> None:
    """https://discord.com/developers/docs/resources/message#create-message: enforce_nonce."""

    async def story(caller: Caller) -> None:
        body = {"content": "once", "nonce": "n1", "enforce_nonce": True}
        path = f"/channels/{room_of(BOB)}/messages"
        first = await caller.call("POST", path, body)
        assert await caller.call("POST", path, body) == first
        assert len(caller.server.posts(BOB)) == 1
        status, _ = await caller.call("POST", path, {**body, "nonce": "n" * 26})
        assert status == 400

    play(story)


def test_a_message_has_at_most_two_thousand_characters() -> None:
    """https://discord.com/developers/docs/resources/message#create-message: content; code 50035."""

    async def story(caller: Caller) -> None:
        path = f"/channels/{ROOM}/messages"
        status, told = await caller.call("POST", path, {"content": "x" * 2001})
        assert (status, told["code"]) == (400, 50_035)
        status, told = await caller.call("POST", path, {"content": ""})
        assert (status, told["code"]) == (400, 50_006)

    play(story)


def test_a_wrong_token_is_401_and_4004() -> None:
    """https://discord.com/developers/docs/topics/opcodes-and-status-codes."""

    async def story(caller: Caller) -> None:
        assert (await caller.call("GET", "/users/@me", token="no"))[0] == 401
        line = await caller.line()
        await line.hear()
        await line.say(2, {"token": "no", "intents": 0})
        assert (await line.socket.receive()).data == 4004

    play(story)


def test_intents_that_are_not_switched_on_are_4014() -> None:
    """https://discord.com/developers/docs/events/gateway#privileged-intents."""

    async def story(caller: Caller) -> None:
        caller.server.intents = 0
        line = await caller.line()
        await line.hear()
        await line.say(2, {"token": TOKEN, "intents": 1 << 15})
        assert (await line.socket.receive()).data == 4014

    play(story)


def test_a_heartbeat_is_answered() -> None:
    """https://discord.com/developers/docs/events/gateway#sending-heartbeats: op 1, op 11."""

    async def story(caller: Caller) -> None:
        line = await caller.line()
        assert (await line.hear())["d"]["heartbeat_interval"] > 0
        await line.say(1, None)
        assert (await line.hear())["op"] == 11

    play(story)


def test_who_resumes_is_told_what_was_missed_and_then_that_it_is_all() -> None:
    """https://discord.com/developers/docs/events/gateway#resuming."""

    async def story(caller: Caller) -> None:
        line = await caller.line()
        session = (await line.begin())["session_id"]
        seen = (await line.event("GUILD_CREATE"))["s"]
        caller.server.cut()
        caller.server.say("missed")
        again = await caller.line()
        await again.hear()
        await again.say(6, {"token": TOKEN, "session_id": session, "seq": seen})
        assert (await again.hear())["d"]["content"] == "missed"
        assert (await again.hear())["t"] == "RESUMED"

    play(story)


def test_a_session_that_is_not_known_is_op_9() -> None:
    """https://discord.com/developers/docs/events/gateway#resuming: Invalid Session."""

    async def story(caller: Caller) -> None:
        line = await caller.line()
        await line.hear()
        await line.say(6, {"token": TOKEN, "session_id": "none", "seq": 1})
        told = await line.hear()
        assert (told["op"], told["d"]) == (9, False)

    play(story)


def test_a_private_message_comes_without_a_server_and_one_there_with_it() -> None:
    """https://discord.com/developers/docs/events/gateway-events#message-create."""

    async def story(caller: Caller) -> None:
        line = await caller.line()
        await line.begin()
        caller.server.say("here")
        assert "guild_id" not in (await line.event("MESSAGE_CREATE"))["d"]
        caller.server.say("there", room=ROOM)
        told = (await line.event("MESSAGE_CREATE"))["d"]
        assert told["guild_id"] and told["member"]["roles"] == []

    play(story)


def test_a_room_is_read_from_behind_an_id_the_youngest_first() -> None:
    """https://discord.com/developers/docs/resources/message#get-channel-messages."""

    async def story(caller: Caller) -> None:
        ids = [caller.server.say(f"m{n}")["id"] for n in range(4)]
        path = f"/channels/{room_of(BOB)}/messages?after={ids[0]}&limit=2"
        _, page = await caller.call("GET", path)
        assert [one["id"] for one in page] == [ids[2], ids[1]]

    play(story)


def test_what_is_gone_is_404_and_what_others_wrote_is_not_ours_to_change() -> None:
    """https://discord.com/developers/docs/topics/opcodes-and-status-codes#json."""

    async def story(caller: Caller) -> None:
        theirs = caller.server.say("mine")["id"]
        base = f"/channels/{room_of(BOB)}/messages"
        status, told = await caller.call("PATCH", f"{base}/{theirs}", {"content": "yours"})
        assert (status, told["code"]) == (403, 50_005)
        status, told = await caller.call("DELETE", f"{base}/1")
        assert (status, told["code"]) == (404, 10_008)
        status, told = await caller.call("PUT", f"{base}/{theirs}/reactions/nope/@me")
        assert (status, told["code"]) == (400, 10_014)

    play(story)
