"""A real browser for the tests of this folder; they are left out where there is none."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolInput, ToolResult
from moltbot_desktop.security.forward_door import LocalHosts
from moltbot_desktop.tools.browser.house import BrowserHouse, MakeKeeper
from moltbot_desktop.tools.browser.settings import BrowserSettings
from moltbot_desktop.tools.browser.tool import Browser
from moltbot_desktop.tools.web.addresses import ReadAddresses
from tests.fakes.pages import Site, served
from tests.fakes.tool_context import tool_context
from tests.fakes.way import FakeWay

pytest.importorskip("playwright.async_api", reason="the extra “browser” is not installed")
T = TypeVar("T")
PROGRAMS = ("google-chrome", "microsoft-edge", "chromium", "chromium-browser")
PROGRAM = next(filter(None, map(shutil.which, PROGRAMS)), None)


def load() -> MakeKeeper:
    from moltbot_desktop.tools.browser.keeper import Keeper

    return Keeper


@dataclass
class Desk:
    """The tool as an agent has it, and the site it looks at. `settings` may be changed."""

    house: BrowserHouse
    tool: Browser
    site: Site
    way: FakeWay
    workspace: Path
    settings: BrowserSettings
    session: str = "agent:main:main"
    said: str = ""

    def call(self, **arguments: JsonValue) -> ToolResult:
        """As the dispatcher calls it after a yes."""
        return self.run(self.called(**arguments))

    async def called(self, **arguments: JsonValue) -> ToolResult:
        given = ToolInput(arguments)
        mark = self.tool.foreseen(given, self.context).mark
        return await self.tool.wait(given, replace(self.context, judged=mark))

    def effect(self, **arguments: JsonValue) -> Effect:
        return self.tool.effect_in(ToolInput(arguments), self.context)

    def open(self, path: str = "/") -> ToolResult:
        return self.call(action="open", url=self.site.at(path))

    def ref(self, words: str) -> str:
        """Of the line of a fresh snapshot that holds `words`."""
        shown = self.call(action="snapshot", maxChars=80_000)
        lines = [one for one in str(shown.data["snapshot"]).splitlines() if words in one]
        return lines[0].rpartition("[ref=")[2].partition("]")[0]

    def act(self, kind: str, words: str = "", **further: JsonValue) -> ToolResult:
        ref = {"ref": self.ref(words)} if words else {}
        return self.call(action="act", kind=kind, **ref, **further)

    @property
    def context(self) -> Any:
        made = tool_context(self.workspace)
        return replace(made, session=SessionKey(self.session), user_text=self.said)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(work)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One browser for the tests of a file; each test leaves no tab."""
    if PROGRAM is None:
        pytest.skip("no Chrome, Edge or Chromium is installed")
    folder = tmp_path_factory.mktemp("browser")
    workspace = folder / "workspace"
    workspace.mkdir()
    with served() as site:
        settings = BrowserSettings(
            folder / "state" / "profile",
            headless=True,
            sandbox=os.geteuid() != 0,
            local=LocalHosts.of([f"127.0.0.1:{site.port}", f"localhost:{site.port}"]),
        )
        way = FakeWay()
        house = BrowserHouse(
            load, lambda: made.settings, lambda _: Path(PROGRAM), way, lambda: way.closed
        )
        made = Desk(house, Browser(house, ReadAddresses()), site, way, workspace, settings)
        try:
            # Its threads last as long as this fixture, not a test.
            made.call(action="open", url=site.at(host="localhost"))
            yield made
        finally:
            house.close()


@pytest.fixture(autouse=True)
def _no_tabs_left(desk: Desk) -> Iterator[None]:
    yield
    desk.way.closed = False
    for session in ("agent:main:main", "agent:main:telegram:dm:7"):
        desk.session = session
        for tab in desk.call(action="status").data.get("tabs", []):
            desk.call(action="close", targetId=tab)
    desk.session, desk.said = "agent:main:main", ""
    desk.site.asked.clear()
    desk.site.posted.clear()
