"""What a client gets of a server that behaves badly: little, in time, and in our words."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web

from moltbot_desktop.core.errors import ChannelError, ChannelRefused
from moltbot_desktop.sdk.platform_http import PlatformHttp, opened, whole_seconds

SECRET = "ticket-c4n4ry"


def phrase(name: str, **slots: object) -> str:
    return " ".join([name, *map(str, slots.values())])


def broken(status: int) -> ChannelError:
    return ChannelError(f"broken {status}")


@contextlib.asynccontextmanager
async def server() -> AsyncIterator[str]:
    async def large(_: web.Request) -> web.Response:
        return web.Response(body=b"x" * 2_000)

    async def moved(_: web.Request) -> web.Response:
        raise web.HTTPFound("/large")

    async def hangs(_: web.Request) -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    async def told(request: web.Request) -> web.Response:
        given = {"head": request.headers["X-Key"], "asked": request.query["q"]}
        return web.json_response({**given, "said": await request.json()})

    async def no_line(_: web.Request) -> web.Response:
        return web.Response(status=401, headers={"X-Why": "no"})

    app = web.Application()
    for path, handler in (("/large", large), ("/moved", moved), ("/hangs", hangs)):
        app.router.add_get(path, handler)
    app.router.add_post("/told", told)
    app.router.add_get("/line", no_line)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def play(story: Callable[[PlatformHttp, str], Awaitable[None]], largest: int = 1_000) -> None:
    async def scene() -> None:
        async with server() as root, opened("a.example", "", phrase, broken, largest) as http:
            await story(http, root)

    asyncio.run(scene())


async def refusal(asked: Awaitable[object]) -> ChannelError:
    """The error, which names no address and has no cause that could."""
    with pytest.raises(ChannelError) as found:
        await asked
    error = found.value
    assert error.__cause__ is None and (error.__context__ is None or error.__suppress_context__)
    assert SECRET not in f"{found.value} {found.value.hint}"
    return found.value


async def got(http: PlatformHttp, address: str, seconds: float = 30.0) -> bytes:
    async with http.answered("GET", f"{address}?{SECRET}", seconds=seconds) as response:
        return await http.whole(response)


def test_what_is_said_goes_as_it_was_given() -> None:
    async def story(http: PlatformHttp, root: str) -> None:
        asked = http.answered(
            "POST", f"{root}/told", head={"X-Key": "k"}, params={"q": "茶"}, body={"text": "tea"}
        )
        async with asked as response:
            raw = await http.whole(response)
        assert raw == b'{"head": "k", "asked": "\\u8336", "said": {"text": "tea"}}'

    play(story)


def test_an_answer_without_an_end_is_not_read() -> None:
    async def story(http: PlatformHttp, root: str) -> None:
        with pytest.raises(ChannelError, match="broken 200"):
            await got(http, f"{root}/large")

    play(story)


def test_a_file_is_read_as_far_as_was_allowed() -> None:
    async def story(http: PlatformHttp, root: str) -> None:
        async with http.answered("GET", f"{root}/large") as response:
            pieces = [piece async for piece in http.file(response, 2_000)]
        assert b"".join(pieces) == b"x" * 2_000
        async with http.answered("GET", f"{root}/large") as response:
            pieces = http.file(response, 1_999)
            with pytest.raises(ChannelRefused, match="large"):
                [piece async for piece in pieces]

    play(story)


def test_no_redirect_is_followed() -> None:
    async def story(http: PlatformHttp, root: str) -> None:
        async with http.answered("GET", f"{root}/moved") as response:
            assert response.status == 302

    play(story)


def test_a_server_that_says_nothing_is_left() -> None:
    async def story(http: PlatformHttp, root: str) -> None:
        assert (await refusal(got(http, f"{root}/hangs", seconds=0.05))).message == "slow"

    play(story)


def test_a_server_that_is_not_there_is_named_and_nothing_more() -> None:
    async def story(http: PlatformHttp, root: str) -> None:
        del root
        error = await refusal(got(http, "http://127.0.0.1:1/x"))
        assert (error.message, error.hint) == ("away a.example", "away_hint")
        line = http.line(f"ws://127.0.0.1:1/{SECRET}")
        assert (await refusal(line.__aenter__())).message == "away a.example"

    play(story)


def test_a_line_that_is_refused_says_why_where_somebody_reads_it() -> None:
    async def story(http: PlatformHttp, root: str) -> None:
        line = http.line(f"{root}/line?{SECRET}")
        assert (await refusal(line.__aenter__())).message == "away a.example"
        line = http.line(
            f"{root}/line?{SECRET}",
            refused=lambda status, head: ChannelError(f"{status} {head['X-Why']}"),
        )
        assert (await refusal(line.__aenter__())).message == "401 no"

    play(story)


def test_after_the_end_nothing_is_asked() -> None:
    async def scene() -> None:
        async with opened("a.example", "", phrase, broken) as http:
            pass
        assert (await refusal(got(http, "http://127.0.0.1:1/x"))).message == "ended"

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("3", 3.0),
        ("0", 0.0),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 99, None),
    ],
)
def test_only_whole_seconds_are_a_pause(written: str, seconds: float | None) -> None:
    assert whole_seconds(written) == seconds
