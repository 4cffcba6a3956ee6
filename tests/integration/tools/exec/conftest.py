"""A desk for commands: the real tools behind the real dispatcher, in folders of a test's own."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.clock import Clock, ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.permissions import Offer
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.security.approvals import Answer, Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sandbox.probe import Found, probe
from moltbot_desktop.tools.exec.planning import Settings
from moltbot_desktop.tools.exec.process import Process
from moltbot_desktop.tools.exec.sessions import CommandSessions
from moltbot_desktop.tools.exec.tool import Exec, ExecLimits, WallsHere
from tests.fakes.tool_context import tool_context


@dataclass
class Desk:
    """`call` is what a model would do; `says` is the owner's answer to each card, and
    `meanwhile` happens before it."""

    root: Path
    found: Found
    clock: Clock
    says: bool = True
    settings: Settings = field(default_factory=Settings)
    limits: ExecLimits = field(default_factory=ExecLimits)
    labels: Labels = field(default_factory=Labels)
    presence: Presence = Presence.PRESENT
    language: Language = Language.ENGLISH
    cards: list[tuple[str, str]] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def __post_init__(self) -> None:
        self.workspace = self.root / "workspace"
        self.workspace.mkdir()
        self.home = self.root / "state"
        self.home.mkdir()
        self.user_home = self.root / "home"
        self.user_home.mkdir()
        around = Surroundings(self.workspace, self.home, self.user_home)
        self.sessions = CommandSessions(self.clock)
        walls = WallsHere(lambda: self.found)
        settings = lambda _key: (self.settings, self.limits)  # noqa: E731
        tools = (Exec(self.sessions, walls, around, settings), Process(self.sessions))
        numbers = itertools.count(1)
        self._approvals = Approvals(lambda: str(next(numbers)))
        self._dispatcher = Dispatcher(tools, {}, around, self._approvals, _never)

    def show(
        self, approval_id: ApprovalId, call: ToolCall, title: str, reason: str, offer: Offer
    ) -> None:
        self.cards.append((title, reason))
        self.meanwhile()
        asyncio.get_running_loop().call_soon(
            lambda: self._approvals.answer(approval_id, allow=self.says)
        )

    def close(self, approval_id: ApprovalId, answer: Answer) -> None:
        pass

    async def call(self, tool: str, **arguments: JsonValue) -> ToolRan:
        scope = Scope(tool_context(self.workspace, self.language), self.presence, self, self.labels)
        return await self._dispatcher.run(ToolCall("1", tool, arguments), scope)

    def run(self, work: Callable[[], Awaitable[None]]) -> None:
        """`work` on a loop of its own; every command has ended afterwards."""

        async def whole() -> None:
            try:
                await work()
            finally:
                await self.sessions.close()

        asyncio.run(whole())

    def exec(self, command: str, **more: JsonValue) -> ToolRan:
        """One command, and that is all."""
        ran: list[ToolRan] = []

        async def work() -> None:
            ran.append(await self.call("exec", command=command, **more))

        self.run(work)
        return ran[0]


async def _never(call: Callable[[], ToolResult]) -> ToolResult:
    raise AssertionError("commands wait on the loop")


@pytest.fixture(scope="session")
def walls() -> Found:
    """Those of this computer."""
    return probe()


@pytest.fixture
def desk(tmp_path: Path, walls: Found, manual_clock: ManualClock) -> Desk:
    return Desk(tmp_path, walls, manual_clock)


@pytest.fixture
def manual_clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
