"""The local web server over a real socket: who is heard, what a broken route costs, how it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

import pytest

from moltbot_desktop.core.errors import GatewayError, NetworkError
from moltbot_desktop.gateway.http.guesses import MOST_WRONG
from moltbot_desktop.gateway.http.server import MOST_BYTES, HttpServer
from moltbot_desktop.sdk.plugin_values import HttpRequest, HttpResponse, HttpRoute

TOKEN = "a-token"


@dataclass
class Scene:
    routes: dict[str, HttpRoute] = field(default_factory=dict)
    heard: list[HttpRequest] = field(default_factory=list)
    port: int = 0

    async def asked(
        self,
        path: str,
        *,
        method: str = "GET",
        body: bytes = b"",
        token: str = TOKEN,
        **more: str,
    ) -> tuple[int, Mapping[str, str], bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        headers = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {token}",
            "Content-Length": str(len(body)),
            "Connection": "close",
            **more,
        }
        lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items()), "", ""]
        try:
            writer.write("\r\n".join(lines).encode() + body)
            answer = await reader.read()
        finally:
            writer.close()
        await writer.wait_closed()
        head, _, rest = answer.partition(b"\r\n\r\n")
        first, *others = head.decode().split("\r\n")
        named = dict(one.split(": ", 1) for one in others)
        return int(first.split()[1]), named, rest


def play(story: Callable[[Scene, HttpServer], Awaitable[None]], seconds: float = 20.0) -> Scene:
    async def run() -> Scene:
        scene = Scene()
        server = HttpServer(0, lambda: TOKEN, lambda: scene.routes, seconds)
        await server.start()
        scene.port = int(server.address.rpartition(":")[2])

        async def echo(asked: HttpRequest) -> HttpResponse:
            scene.heard.append(asked)
            return HttpResponse(201, asked.body[::-1], "text/x-echo")

        scene.routes["/plugins/sun/echo"] = HttpRoute("/echo", echo)
        try:
            async with asyncio.timeout(30):
                await story(scene, server)
        finally:
            await server.stop()
        assert server.address == ""
        return scene

    return asyncio.run(run())


def test_a_route_gets_the_request_and_its_answer_goes_back() -> None:
    async def story(scene: Scene, _: HttpServer) -> None:
        status, headers, body = await scene.asked(
            "/plugins/sun/echo?a=1&a=2&b=%E5%A4%AA", method="POST", body=b"abc", Cookie="secret"
        )
        assert (status, headers["Content-Type"], body) == (201, "text/x-echo", b"cba")
        assert headers["X-Content-Type-Options"] == "nosniff"

    [asked] = play(story).heard
    assert (asked.method, asked.path, asked.body) == ("POST", "/plugins/sun/echo", b"abc")
    assert dict(asked.query)["b"] == "太"
    assert "host" in asked.headers
    assert not {"authorization", "cookie"} & asked.headers.keys()


def test_who_has_no_token_or_another_name_for_us_reaches_no_route() -> None:
    async def story(scene: Scene, _: HttpServer) -> None:
        assert (await scene.asked("/plugins/sun/echo", token="wrong"))[0] == 401
        assert (await scene.asked("/plugins/sun/echo", Host="evil.example"))[0] == 403
        assert (await scene.asked("/plugins/sun/echo", Origin="http://evil.example"))[0] == 403
        assert (await scene.asked("/nothing", token="wrong"))[0] == 401  # nor learns what there is

    assert play(story).heard == []


def test_who_guesses_is_told_when_to_come_back() -> None:
    async def story(scene: Scene, _: HttpServer) -> None:
        wrong = [await scene.asked("/plugins/sun/echo", token=str(n)) for n in range(MOST_WRONG)]
        assert {one[0] for one in wrong} == {401}
        status, headers, _body = await scene.asked("/plugins/sun/echo")
        assert status == 429
        assert 0 < int(headers["Retry-After"]) <= 60

    assert play(story).heard == []


def test_what_is_too_long_is_not_read() -> None:
    async def story(scene: Scene, _: HttpServer) -> None:
        long = b"x" * (MOST_BYTES + 1)
        assert (await scene.asked("/plugins/sun/echo", method="POST", body=long))[0] == 413

    assert play(story).heard == []


@pytest.mark.expect_log
def test_a_route_that_breaks_costs_its_own_answer_alone() -> None:
    async def breaks(_: HttpRequest) -> HttpResponse:
        raise KeyError("sun")

    async def offline(_: HttpRequest) -> HttpResponse:
        raise NetworkError("The sun is down.", hint="Wait.")

    async def hangs(_: HttpRequest) -> HttpResponse:
        await asyncio.sleep(60)
        raise AssertionError

    async def nonsense(_: HttpRequest) -> HttpResponse:
        return HttpResponse(200, b"", "text/plain\r\nX-Evil: 1")

    async def story(scene: Scene, _: HttpServer) -> None:
        for number, handler in enumerate((breaks, offline, hangs, nonsense)):
            scene.routes[f"/{number}"] = HttpRoute("/", handler)
        answers = await asyncio.gather(*(scene.asked(f"/{number}") for number in range(4)))
        assert [one[0] for one in answers] == [500, 502, 504, 500]
        assert answers[1][2] == b"The sun is down. Wait.\n"
        assert not any("X-Evil" in one[1] for one in answers)
        assert (await scene.asked("/plugins/sun/echo"))[0] == 201
        scene.routes.clear()
        assert (await scene.asked("/plugins/sun/echo"))[0] == 404

    play(story, seconds=0.3)


def test_a_port_that_is_taken_is_said() -> None:
    async def story(scene: Scene, _: HttpServer) -> None:
        second = HttpServer(scene.port, lambda: TOKEN, dict)
        with pytest.raises(GatewayError, match=str(scene.port)):
            await second.start()

    play(story)


def test_it_ends_while_a_route_still_works() -> None:
    async def hangs(_: HttpRequest) -> HttpResponse:
        await asyncio.sleep(60)
        return HttpResponse(200, json.dumps({}).encode())

    async def story(scene: Scene, server: HttpServer) -> None:
        scene.routes["/slow"] = HttpRoute("/", hangs)
        asking = asyncio.ensure_future(scene.asked("/slow"))
        await asyncio.sleep(0.05)
        async with asyncio.timeout(30):
            await server.stop()
        await asyncio.wait({asking})
        assert asking.exception() is not None  # cut off, without an answer

    play(story)
