"""Servers that hold still: lines stay open, new ones are taken by the system, nobody answers.

    hold(server, transports)             # an asyncio server of the test's loop
    hold_web(runner)                     # one of aiohttp
    with connecting() as tried:          # a connection that somebody but this thread tries to make
        ...

What waits for an answer of such a server waits for ever: only who told it to end can end it.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterable, Iterator
from typing import Any
from unittest.mock import patch

from aiohttp import web


def hold(server: asyncio.Server, lines: Iterable[asyncio.BaseTransport]) -> None:
    """Until the server and its lines are closed."""
    loop = asyncio.get_running_loop()
    for one in server.sockets:
        loop.remove_reader(one.fileno())
    for line in lines:
        assert isinstance(line, asyncio.ReadTransport)
        line.pause_reading()


def hold_web(runner: web.AppRunner | None) -> None:
    """The same of all sites and lines of a runner."""
    assert runner is not None and runner.server is not None
    lines = [one.transport for one in runner.server.connections if one.transport is not None]
    for site in runner.sites:
        listening: Any = site
        hold(listening._server, lines)


@contextlib.contextmanager
def connecting() -> Iterator[list[object]]:
    """The addresses that other threads than this one connect to inside."""
    here, tried = threading.get_ident(), list[object]()

    def noted(name: str) -> contextlib.AbstractContextManager[object]:
        real = getattr(socket.socket, name)

        def connect(self: socket.socket, address: object) -> object:
            try:
                return real(self, address)
            finally:
                if self.family == socket.AF_INET and threading.get_ident() != here:
                    tried.append(address)

        return patch.object(socket.socket, name, connect)

    with noted("connect"), noted("connect_ex"):
        yield tried
