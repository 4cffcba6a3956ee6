"""read, write and edit by the names that larger models learned; policy sees the same path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.edit import Edit
from moltbot_desktop.tools.files import Read, Write
from moltbot_desktop.tools.undo import FileHands
from tests.fakes.owner import Owner
from tests.fakes.tool_context import tool_context

T = TypeVar("T")
CLOCK = ManualClock(datetime(2026, 11, 21, tzinfo=UTC))


def test_a_file_is_written_changed_and_read_by_other_names(tmp_path: Path) -> None:
    owner, hands = Owner(), FileHands(CLOCK)
    around = Surroundings(tmp_path, tmp_path / "state", tmp_path)

    async def at_once(call: Callable[[], T]) -> T:
        return call()

    async def run(tool: str, **given: JsonValue) -> ToolRan:
        tools = (Read(), Write(hands), Edit(hands))
        dispatcher = Dispatcher(tools, {}, around, owner.approvals, at_once)
        scope = Scope(tool_context(tmp_path), Presence.PRESENT, owner)
        return await dispatcher.run(ToolCall("1", tool, given), scope)

    async def scenario() -> None:
        await run("write", file_path="a.md", content="milk")
        ran = await run("edit", file_path="a.md", old_string="milk", new_string="oat milk")
        assert ran.result.ok, ran.result
        assert (await run("read", file_path="a.md")).result.data["text"] == "oat milk"
        assert owner.cards == []
        await run("write", file_path="SKILL.md", content="x")
        assert [card.tool for card in owner.cards] == ["write"]
        assert (await run("read", file_path="state/keys")).outcome == "denied"
        assert not (await run("read", file_path="a.md", path="a.md")).result.ok

    asyncio.run(scenario())
