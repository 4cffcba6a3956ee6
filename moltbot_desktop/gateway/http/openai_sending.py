"""Sending an answer while it is written, in time, and only while somebody is there.

return await while_there(request, answer)
await streamed(request, timely(pieces, 900.0), chunks)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine

from aiohttp import web

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.gateway.http.openai_errors import ApiRefusal, of_error
from moltbot_desktop.gateway.http.openai_render import DONE, Chunks, data_line
from moltbot_desktop.gateway.http.pieces import Piece, Pieces
from moltbot_desktop.gateway.http.server import SAFE

WRITE_SECONDS = 30.0
"""For the client to take what it is sent."""
_LOOK_SECONDS = 0.1
_EVENTS = {"Content-Type": "text/event-stream; charset=utf-8"}
_log = logging.getLogger(__name__)


async def timely(pieces: AsyncIterator[Piece], seconds: float) -> Pieces:
    """Raises ApiRefusal: they have not all come in time."""
    end = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            async with asyncio.timeout_at(end):
                piece = await anext(pieces, None)
        except TimeoutError:
            raise ApiRefusal("The answer took too long.", status=504, code="timed_out") from None
        if piece is None:
            return
        yield piece


async def streamed(request: web.Request, pieces: Pieces, chunks: Chunks) -> web.StreamResponse:
    """Nothing is sent before the first piece, so that what fails at once has a status of its own.

    Raises:
        ApiRefusal, MoltbotError: nothing was sent; later failures go into the stream.
    """
    response: web.StreamResponse | None = None
    try:
        try:
            async for piece in pieces:
                if response is None:
                    response = web.StreamResponse(headers={**SAFE, **_EVENTS})
                    await response.prepare(request)
                await _write(response, b"".join(map(data_line, chunks.of(piece))))
        except (ApiRefusal, MoltbotError) as error:
            if response is None:
                raise
            refusal = error if isinstance(error, ApiRefusal) else of_error(error)
            await _write(response, data_line(refusal.body))
        else:
            assert response is not None  # every answer has an end
            await _write(response, DONE)
        await response.write_eof()
    except ConnectionError:  # nobody is there any more
        if response is None:
            raise
    return response


async def _write(response: web.StreamResponse, data: bytes) -> None:
    """Raises ConnectionError: the client has gone, or takes nothing."""
    try:
        async with asyncio.timeout(WRITE_SECONDS):
            await response.write(data)
    except TimeoutError:
        raise ConnectionResetError("the client takes nothing") from None


async def while_there(
    request: web.Request, answer: Coroutine[object, object, web.StreamResponse]
) -> web.StreamResponse:
    """`answer`, unless its client goes away: then it is cancelled, and has ended."""
    work = asyncio.ensure_future(answer)
    try:
        while not work.done():
            await asyncio.wait({work}, timeout=_LOOK_SECONDS)
            if request.transport is None:
                break
        if work.done():
            return work.result()
        return web.Response(status=499)  # read by nobody
    finally:
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
            if not work.cancelled() and (error := work.exception()) is not None:
                _log.info("%s, and nobody is there to hear: %s", request.path, error)
