"""The MCP servers of the assistant that runs in this process, asked from another thread.

    now = McpNow()                          # before the assistant is opened
    now.open(hub)                           # with it; now.close() before the hub goes
    now.standings()                         # any thread; None while nothing runs
    now.again("time")                       # a worker thread: False where there is none to try

The settings window shows them while they live; see `plugins_now`.
"""

from __future__ import annotations

import threading

from moltbot_desktop.tools.mcp.hub import McpHub
from moltbot_desktop.tools.mcp.values import Standing

_BEGUN_SECONDS = 2.0
"""So long one who asked waits until the server's new state can be seen."""


class McpNow:
    """See the module."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hub: McpHub | None = None

    def open(self, hub: McpHub) -> None:
        with self._lock:
            self._hub = hub

    def close(self) -> None:
        """From now on nothing runs."""
        with self._lock:
            self._hub = None

    def standings(self) -> tuple[Standing, ...] | None:
        hub = self._hub
        return None if hub is None else hub.standings()

    def again(self, name: str) -> bool:
        """Have a server started anew; back when it says that it is starting."""
        with self._lock:  # the hub's loop stays there meanwhile
            return self._hub is not None and self._hub.again(name, _BEGUN_SECONDS)
