"""A server that is a process: its messages, one to a line of its standard streams.

    async with process_streams(launch, ending, log) as (incoming, outgoing): ...

The `mcp` package has a transport of its own; this one is stricter where a server misbehaves. A line
may be long but not endless, what is no message is dropped without a trace back in the log for each,
standard error goes to the log line by line, and the end takes less than two seconds: the whole
process group is gone then, whatever it does with signals.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from moltbot_desktop.tools.mcp.launching import Launch
from moltbot_desktop.tools.mcp.words import line

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes of one message."""
_LOGGED = 200
_MOST_LOGGED_LINES = 2_000
_ASKED_SECONDS = 0.5
_TOLD_SECONDS = 0.7

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


@dataclass
class Ending:
    """How a server's process ends; written on the loop of the MCP thread.

    Attributes:
        over: it says nothing more.
        heard: the last line of its standard error is known.
        last_words: that line.
    """

    over: asyncio.Event = field(default_factory=asyncio.Event)
    heard: asyncio.Event = field(default_factory=asyncio.Event)
    last_words: str = ""


@contextlib.asynccontextmanager
async def process_streams(
    launch: Launch, ending: Ending, log: logging.Logger
) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Start it; leaving the context ends it. `ending` is kept up to date.

    Raises:
        OSError: it cannot be started.
    """
    process = await asyncio.create_subprocess_exec(
        launch.command,
        *launch.arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(launch.environment),
        cwd=launch.folder,
        limit=LONGEST_LINE,
        start_new_session=True,
    )
    send_in, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, take_out = anyio.create_memory_object_stream[SessionMessage](0)
    assert process.stdin and process.stdout and process.stderr
    tasks = [
        asyncio.create_task(_read(process.stdout, send_in, log), name="mcp-out"),
        asyncio.create_task(_write(process.stdin, take_out, send_in), name="mcp-in"),
        asyncio.create_task(_listen(process.stderr, ending, log), name="mcp-errors"),
    ]
    tasks[0].add_done_callback(lambda _: ending.over.set())
    tasks[2].add_done_callback(lambda _: ending.heard.set())
    try:
        yield incoming, outgoing
    finally:
        for stream in (incoming, outgoing):
            stream.close()
        stopping = asyncio.ensure_future(_end(process))
        try:
            await asyncio.shield(stopping)
        except asyncio.CancelledError:
            # Whoever cancels has no patience, but a process that stays is worse.
            await _finished(stopping)
            raise
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for end in (send_in, take_out):
                end.close()


async def _read(
    stdout: asyncio.StreamReader,
    send: MemoryObjectSendStream[SessionMessage | Exception],
    log: logging.Logger,
) -> None:
    noise = 0
    async with send:
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            while True:
                try:
                    data = await stdout.readline()
                except ValueError:
                    log.warning("a message is longer than %s bytes; the connection ends",
                                LONGEST_LINE)  # fmt: skip
                    return
                if not data:
                    return
                try:
                    message = mcp_types.jsonrpc_message_adapter.validate_json(data, by_name=False)
                except ValidationError:
                    noise += 1
                    if noise <= _MOST_LOGGED_LINES and data.strip():
                        log.info("no message: %s", line(data.decode(errors="replace"), _LOGGED))
                    continue
                await send.send(SessionMessage(message))


async def _write(
    stdin: asyncio.StreamWriter,
    take: MemoryObjectReceiveStream[SessionMessage],
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    try:
        async with take:
            async for one in take:
                text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
    except (OSError, anyio.ClosedResourceError):
        incoming.close()  # whoever waits for an answer hears that there will be none


async def _listen(stderr: asyncio.StreamReader, ending: Ending, log: logging.Logger) -> None:
    """What it says besides; a server that fills the pipe must not be held up by that."""
    logged = 0
    while data := await stderr.read(8_192):
        for text in data.decode(errors="replace").splitlines():
            if not text.strip():
                continue
            ending.last_words = line(text, _LOGGED)
            logged += 1
            if logged <= _MOST_LOGGED_LINES:
                log.info("%s", ending.last_words)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its input, ask, and kill what is left of the group."""
    assert process.stdin
    process.stdin.close()
    if not await _gone(process, _ASKED_SECONDS):
        _signal(process, hard=False)
        await _gone(process, _TOLD_SECONDS)
    # The group, not the process: what it started may have outlived it.
    _signal(process, hard=True)
    await _gone(process, _TOLD_SECONDS)
    transport = getattr(process, "_transport", None)
    if transport is not None:  # what a survivor holds open would keep it from being closed
        transport.close()


async def _gone(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether the process itself has ended; `wait` would also wait for all ends of its pipes."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    while process.returncode is None and loop.time() < until:  # noqa: ASYNC110 - as it says
        await asyncio.sleep(0.01)
    return process.returncode is not None


def _signal(process: asyncio.subprocess.Process, *, hard: bool) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)


async def _finished(task: asyncio.Future[None]) -> None:
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([task])
