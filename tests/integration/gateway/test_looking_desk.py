"""The menu behind "/" and the table of the model's window, as a window asks for them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.client import (
    ClientEvent,
    CommandsListed,
    ContextShare,
    ContextShown,
)
from moltbot_desktop.gateway.commands.ports import CommandPorts, ContextPart
from moltbot_desktop.gateway.looking_desk import LookingDesk
from tests.fakes.commands import fake_ports

KEY = SessionKey("agent:main:main")


@dataclass
class Report:
    """Two parts; with `broken` the disk does not answer, with `held` nothing ever comes."""

    broken: bool = False
    held: bool = False

    async def parts(self, session: SessionKey) -> Sequence[ContextPart]:
        assert session == KEY
        if self.held:
            await asyncio.Event().wait()
        if self.broken:
            raise StorageError("the disk does not answer", hint="Look at it.")
        return [ContextPart("system", 600, 150), ContextPart("AGENTS.md", 80, 20, "system")]

    def cached(self, session: SessionKey) -> int:
        return 128


def looking(ports: CommandPorts, told: list[ClientEvent], language: Language) -> LookingDesk:
    return LookingDesk(ports, lambda: KEY, language, told.append)


def ports(report: Report | None = None) -> CommandPorts:
    return replace(fake_ports(), context=report)


def test_the_menu_lists_what_works_here_in_the_persons_language() -> None:
    told: list[ClientEvent] = []
    looking(ports(), told, Language.CHINESE).commands()
    listed = told[0]
    assert isinstance(listed, CommandsListed)
    by_name = {name: one for one in listed.commands for name in (one.name, *one.aliases)}
    assert by_name["compact"].help == "把对话较早的部分压缩成摘要"
    assert by_name["think"].name == "思考"
    assert by_name["思考"].aliases == ("think", "thinking", "t")
    assert "bash" not in by_name, "switched off"
    assert "tts" not in by_name, "not in this build"


def test_the_window_is_told_with_what_was_read_before() -> None:
    async def look() -> None:
        told: list[ClientEvent] = []
        desk = looking(ports(Report()), told, Language.ENGLISH)
        desk.context()
        while not told:
            await asyncio.sleep(0)
        shares = (ContextShare("system", 600, 150), ContextShare("AGENTS.md", 80, 20, "system"))
        assert told == [ContextShown(shares, 0, 128)]
        await desk.close()

    asyncio.run(look())


@pytest.mark.expect_log
def test_what_cannot_be_counted_is_an_empty_table() -> None:
    async def look() -> None:
        told: list[ClientEvent] = []
        desk = looking(ports(Report(broken=True)), told, Language.ENGLISH)
        desk.context()
        while not told:
            await asyncio.sleep(0)
        assert told == [ContextShown((), 0, 0)]
        await desk.close()

    asyncio.run(look())


def test_closing_waits_for_nothing() -> None:
    async def look() -> None:
        told: list[ClientEvent] = []
        desk = looking(ports(Report(held=True)), told, Language.ENGLISH)
        desk.context()
        await asyncio.sleep(0)
        await desk.close()
        assert told == []

    asyncio.run(look())
