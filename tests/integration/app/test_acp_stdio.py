"""Standard input and output belong to the protocol; real pipes, a real process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from io import FileIO
from pathlib import Path

from moltbot_desktop.app.acp_stdio import StdioTransport

CHECKOUT = Path(__file__).resolve().parents[3]
PRINTS = """
import os, subprocess, sys
from moltbot_desktop.app.acp_stdio import own_output
print("before")
with own_output() as protocol:
    print("a library's words")
    subprocess.run([sys.executable, "-c", "print('a child')"], check=True)
    os.write(protocol, b"protocol\\n")
print("after")
"""


def test_what_is_printed_goes_to_standard_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTS],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
    )
    assert done.stdout.splitlines() == ["before", "protocol", "after"]
    assert "a library's words" in done.stderr and "a child" in done.stderr


Work = Callable[[StdioTransport, FileIO, FileIO], Awaitable[None]]


def over_pipes(work: Work) -> None:
    """`work` gets the transport, what writes to its input, and what reads its output."""
    with contextlib.ExitStack() as stack:
        (source, to_us), (from_us, target) = (
            (stack.enter_context(FileIO(one, "r")), stack.enter_context(FileIO(other, "w")))
            for one, other in (os.pipe(), os.pipe())
        )

        async def scenario() -> None:
            transport = StdioTransport(source.fileno(), target.fileno())
            try:
                await work(transport, to_us, from_us)
            finally:
                await transport.close()
                to_us.close()  # the reading thread ends with it
                own = [one for one in threading.enumerate() if one.name in ("acp-in", "acp-out")]
                while any(one.is_alive() for one in own):
                    with contextlib.suppress(asyncio.QueueEmpty):
                        transport._lines.get_nowait()  # room for what it has still to say
                    await asyncio.sleep(0.001)

        asyncio.run(scenario())


def test_messages_come_in_their_order_and_garbage_is_answered_between() -> None:
    async def work(transport: StdioTransport, to_us: FileIO, from_us: FileIO) -> None:
        to_us.write(b'{"id":1,"method":"a"}\ngarbage\n\n{"id":2,"method":"b"}\n{"method":"c"}')
        assert (await transport.receive() or {})["method"] == "a"
        assert (await transport.receive() or {})["method"] == "b"
        to_us.close()
        assert (await transport.receive() or {})["method"] == "c"  # a line without its end
        assert await transport.receive() is None
        answer = json.loads(from_us.read(9_000))
        assert answer["error"]["code"] == -32700

    over_pipes(work)


def test_an_editor_that_stops_reading_has_ended() -> None:
    async def work(transport: StdioTransport, _: FileIO, from_us: FileIO) -> None:
        from_us.close()
        await transport.send({"method": "a"})
        assert await transport.receive() is None
        await transport.send({"method": "b"})  # nobody hears it, nobody waits

    over_pipes(work)


def test_an_editor_that_reads_slowly_gets_all_in_its_order() -> None:
    async def work(transport: StdioTransport, _: FileIO, from_us: FileIO) -> None:
        large = "x" * 100_000  # more than a pipe holds
        sent = [asyncio.ensure_future(transport.send({"n": n, "t": large})) for n in range(5)]
        await asyncio.sleep(0)
        found = b""
        while found.count(b"\n") < 5:
            found += await asyncio.to_thread(from_us.read, 65_536)
        await asyncio.gather(*sent)
        assert [json.loads(line)["n"] for line in found.splitlines()] == [0, 1, 2, 3, 4]

    over_pipes(work)


def test_a_signal_ends_it_like_the_end_of_input() -> None:
    async def work(transport: StdioTransport, to_us: FileIO, _: FileIO) -> None:
        for number in range(20):  # more than are taken in ahead
            to_us.write(b'{"id":%d,"method":"a"}\n' % number)
        transport.end()
        taken = 0
        while await transport.receive() is not None:
            taken += 1
        assert taken < 20

    over_pipes(work)
