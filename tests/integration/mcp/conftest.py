"""A hub with real servers, and the servers themselves: installed once, kept for the next run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.mcp import connector
from moltbot_desktop.config.mcp import read_mcp_servers
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.tools.mcp.hub import McpHub
from moltbot_desktop.tools.mcp.values import Standing, State

HOSTILE = Path(__file__).with_name("hostile_server.py")
PATIENCE = 40.0


class Servers:
    """A hub whose changes can be waited for."""

    def __init__(self, workspace: Path, home: Path, seal: Seal) -> None:
        self.workspace = workspace
        self._heard = threading.Condition()
        self.hub = McpHub(
            lambda: connector(workspace, home, seal, Language.ENGLISH), self._told, Language.ENGLISH
        )

    def start(self, servers: dict[str, object]) -> None:
        self.hub.follow(read_mcp_servers({"mcp": {"servers": servers}}, {}))  # type: ignore[dict-item]

    def hostile(self, mode: str, **more: object) -> Standing:
        self.start({mode: {"command": sys.executable, "args": [str(HOSTILE), mode], **more}})
        return self.ready(mode)

    def of(self, name: str) -> Standing:
        return next(one for one in self.hub.standings() if one.server.name == name)

    def ready(self, name: str) -> Standing:
        return self.until(name, lambda one: one.state is State.READY)

    def until(self, name: str, holds: Callable[[Standing], bool]) -> Standing:
        with self._heard:
            assert self._heard.wait_for(lambda: holds(self.of(name)), PATIENCE), self.of(name)
        return self.of(name)

    def _told(self) -> None:
        with self._heard:
            self._heard.notify_all()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    workspace, home = tmp_path / "workspace", tmp_path / "home"
    workspace.mkdir()
    home.mkdir()
    seal = Seal(home, ManualClock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC)))
    found = Servers(workspace, home, seal)
    yield found
    found.hub.close()
    seal.close()
