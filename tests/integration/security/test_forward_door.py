"""The browser's way out: only who knows the password, only public computers and named ones, only
while the seal is open; and what passes is counted."""

from __future__ import annotations

import asyncio
import base64
import functools
from collections.abc import Awaitable, Callable, Sequence

import pytest

from moltbot_desktop.core.errors import EgressRefused, EgressSealed, NetworkError
from moltbot_desktop.security.forward_door import ForwardDoor, LocalHosts
from tests.fakes.pages import Site, served
from tests.fakes.way import FakeWay

PUBLIC = "shop.example"


def in_a_loop(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*arguments: object, **named: object) -> None:
        async def carried_out() -> None:
            await test(*arguments, **named)

        asyncio.run(carried_out())

    return run


def door_to(
    site: Site, way: FakeWay, *hosts: str, found: Sequence[str] = ("93.184.216.34",)
) -> ForwardDoor:
    async def resolve(host: str, _port: int) -> Sequence[str]:
        if host == "nowhere.example":
            raise OSError("no such name")
        return ("127.0.0.1",) if host in ("127.0.0.1", "localhost") else found

    return ForwardDoor(LocalHosts.of(hosts), way, lambda: way.closed, resolve)


async def told(door: ForwardDoor, request: str, *, password: str | None = None) -> bytes:
    """All that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
    try:
        pair = f"{door.name}:{door.password if password is None else password}"
        words = base64.b64encode(pair.encode()).decode()
        first, _, rest = request.partition("\r\n")
        lines = f"{first}\r\nProxy-Authorization: Basic {words}\r\n{rest}\r\n"
        writer.write(lines.encode())
        await writer.drain()
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()
        await writer.wait_closed()


def get(url: str) -> str:
    return f"GET {url} HTTP/1.1\r\nHost: ignored\r\n"


@pytest.mark.parametrize("password", ["", "wrong"])
@in_a_loop
async def test_nobody_else_goes_out_in_its_name(password: str) -> None:
    way = FakeWay()
    with served() as site:
        async with door_to(site, way, f"127.0.0.1:{site.port}") as door:
            answer = await told(door, get(site.at()), password=password)
    assert answer.startswith(b"HTTP/1.1 407 ")
    assert site.asked == []


@in_a_loop
async def test_a_computer_that_the_owner_wrote_down_is_reached_on_that_port_alone() -> None:
    way = FakeWay()
    with served() as site, served() as other:
        async with door_to(site, way, f"127.0.0.1:{site.port}") as door:
            assert b"Next page" in await told(door, get(site.at("/next")))
            assert (await told(door, get(other.at("/next")))).startswith(b"HTTP/1.1 403 ")
            assert "not a public computer" in door.why(other.at())
            assert door.why(site.at()) == ""
    assert (site.asked, other.asked) == (["/next"], [])
    assert not way.sent  # this computer is not outside


@pytest.mark.parametrize(
    "found", ["127.0.0.1", "10.0.0.7", "192.168.1.1", "169.254.169.254", "::1", "64:ff9b::a00:1"]
)
@in_a_loop
async def test_a_public_name_with_a_private_address_is_refused(found: str) -> None:
    way = FakeWay()
    with served() as site:
        async with door_to(site, way, found=(found,)) as door:
            with pytest.raises(EgressRefused):
                await door.judge(PUBLIC, site.port)
            connect = f"CONNECT {PUBLIC}:{site.port} HTTP/1.1\r\n"
            assert (await told(door, connect)).startswith(b"HTTP/1.1 403 ")
    assert site.asked == []


@in_a_loop
async def test_a_public_name_is_looked_up_once_and_that_address_is_the_one() -> None:
    async with door_to(Site(), FakeWay(), found=("10.0.0.7", "93.184.216.34")) as door:
        assert await door.judge(PUBLIC, 443) == ["93.184.216.34"]


@in_a_loop
async def test_a_name_that_is_none() -> None:
    async with door_to(Site(), FakeWay()) as door:
        with pytest.raises(NetworkError):
            await door.judge("nowhere.example", 443)


@in_a_loop
async def test_what_the_browser_wants_for_itself_it_does_not_get() -> None:
    way = FakeWay()
    async with door_to(Site(), way) as door:
        answer = await told(door, "CONNECT update.googleapis.com:443 HTTP/1.1\r\n")
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert way.opened == []


@in_a_loop
async def test_a_closed_seal_lets_nothing_out() -> None:
    way = FakeWay(closed=True)
    async with door_to(Site(), way) as door:
        with pytest.raises(EgressSealed):
            await door.judge(PUBLIC, 443)


@in_a_loop
async def test_closing_the_seal_ends_what_is_open() -> None:
    way = FakeWay()
    server = await asyncio.start_server(_echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, door_to(Site(), way, f"127.0.0.1:{port}") as door:
        reader, writer = await asyncio.open_connection("127.0.0.1", door.port)
        words = base64.b64encode(f"{door.name}:{door.password}".encode()).decode()
        lines = (f"CONNECT 127.0.0.1:{port} HTTP/1.1", f"Proxy-Authorization: Basic {words}")
        writer.write("\r\n".join([*lines, "", ""]).encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
        writer.write(b"one")
        assert await reader.readexactly(3) == b"one"
        way.closed = True
        writer.write(b"two")
        assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while block := await reader.read(100):
        writer.write(block)
        await writer.drain()
    writer.close()


@in_a_loop
async def test_what_goes_to_others_is_counted() -> None:
    way = FakeWay()
    with served() as site:
        # A name that this test says is public, and that is here.
        hosts = f"{PUBLIC}:{site.port}"
        async with door_to(site, way, hosts, found=("127.0.0.1",)) as door:
            url = f"http://{PUBLIC}:{site.port}/next"
            assert b"Next page" in await told(door, get(url))
    assert way.opened == [PUBLIC]
    assert way.requests[PUBLIC] == 1
    assert way.sent[PUBLIC] > 60
    assert way.received[PUBLIC] > 100
