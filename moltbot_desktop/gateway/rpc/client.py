"""The other end of the local socket: how a command asks the assistant that is running.

    async with connected(path) as assistant:
        payload = await assistant.call("status")
        async for event in assistant.events():
            ...

Nobody listening is `NobodyListens`: the command then does it itself, or says so. One that listens
and does not greet (its process is stopped, or hangs) is `NoAnswer` after some seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from moltbot_desktop.core.errors import NoAnswer, NobodyListens
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.rpc.door import socket_supported
from moltbot_desktop.gateway.rpc.frames import (
    MAX_FRAME_BYTES,
    PROTOCOL,
    ErrorCode,
    Event,
    FrameInvalid,
    Request,
    Response,
    RpcFailure,
    decode,
    encode,
)
from moltbot_desktop.gateway.rpc.server import same_user

GREETING_SECONDS = 10.0
_MOST_EVENTS = 10_000
_PHRASES = Phrases(
    english={
        "nobody": "No Moltbot Desktop is running with this home folder.",
        "nobody_hint": "Start it with `moltbot-desktop`, or `moltbot-desktop serve` without a"
        " window.",
        "silent": "The Moltbot that is running does not answer.",
        "silent_hint": "It may be very busy: try again in a moment, or end it and start it anew.",
    },
    chinese={
        "nobody": "没有正在运行的 Moltbot Desktop 使用这个主目录。",
        "nobody_hint": "用 `moltbot-desktop` 启动，或用 `moltbot-desktop serve` 无窗口运行。",
        "silent": "正在运行的 Moltbot 没有回应。",
        "silent_hint": "它可能正忙：请稍后再试，或者结束它再重新启动。",
    },
)


class RunningAssistant:
    """A greeted connection. Made by `connected`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[JsonValue]] = {}
        self._events: asyncio.Queue[Event | None] = asyncio.Queue(_MOST_EVENTS)

    async def call(self, method: str, params: JsonObject | None = None) -> JsonValue:
        """Ask for `method`; its payload.

        Raises:
            RpcFailure: it was refused, or the assistant ended before it answered.
        """
        if self._reader.at_eof() or self._writer.is_closing():
            raise _gone()
        request = Request(str(next(self._numbers)), method, params or {})
        answer: asyncio.Future[JsonValue] = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = answer
        try:
            self._writer.write(encode(request))
            await self._writer.drain()
            return await answer
        except OSError as error:
            raise _gone() from error
        finally:
            self._waiting.pop(request.id, None)

    async def events(self) -> AsyncIterator[Event]:
        """What the assistant tells, until the connection ends."""
        while (event := await self._events.get()) is not None:
            yield event

    async def listen(self) -> None:
        """Take in what comes, until the connection ends; `connected` runs this."""
        try:
            while line := await self._reader.readline():
                self._take(line)
        except (OSError, ValueError):  # ValueError: a line beyond every limit
            pass
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(_gone())
            self._put(None)

    def _take(self, line: bytes) -> None:
        try:
            frame = decode(line)
        except FrameInvalid:
            return
        if isinstance(frame, Event):
            self._put(frame)
        elif isinstance(frame, Response) and (answer := self._waiting.get(frame.id)):
            if answer.done():
                return
            if frame.failure is not None:
                answer.set_exception(frame.failure)
            else:
                answer.set_result(frame.payload)

    def _put(self, event: Event | None) -> None:
        """Whoever does not read events loses the oldest, never the connection."""
        if self._events.full():
            self._events.get_nowait()
        self._events.put_nowait(event)


def _gone() -> RpcFailure:
    return RpcFailure(ErrorCode.UNAVAILABLE, "the assistant has ended", retryable=True)


@asynccontextmanager
async def connected(
    path: Path, language: Language = Language.ENGLISH
) -> AsyncIterator[RunningAssistant]:
    """A connection to the assistant that listens at `path`.

    Args:
        language: of what is said when there is none.

    Raises:
        NobodyListens: none does.
        NoAnswer: it does, but did not greet within ten seconds.
        RpcFailure: it does not want to talk to us, for example because it is another version.
    """
    reader, writer = await _opened(path, language)
    assistant = RunningAssistant(reader, writer)
    listening = asyncio.get_running_loop().create_task(assistant.listen(), name="local socket")
    try:
        await _greet(assistant, language)
        yield assistant
    finally:
        writer.close()
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await listening
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def _greet(assistant: RunningAssistant, language: Language) -> None:
    versions: JsonObject = {"minProtocol": PROTOCOL, "maxProtocol": PROTOCOL}
    try:
        async with asyncio.timeout(GREETING_SECONDS):
            await assistant.call("connect", versions)
    except TimeoutError as error:
        text = _PHRASES.say("silent", language)
        raise NoAnswer(text, hint=_PHRASES.say("silent_hint", language)) from error


async def _opened(
    path: Path, language: Language
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    problem: OSError | None = None
    if socket_supported():
        try:
            reader, writer = await asyncio.open_unix_connection(
                str(path), limit=2 * MAX_FRAME_BYTES
            )
        except OSError as error:
            problem = error
        else:
            # Where the path had to be one in the shared temporary folder, anybody may sit there.
            if same_user(writer.get_extra_info("socket")):
                return reader, writer
            writer.close()
    text = _PHRASES.say("nobody", language)
    raise NobodyListens(text, hint=_PHRASES.say("nobody_hint", language)) from problem
