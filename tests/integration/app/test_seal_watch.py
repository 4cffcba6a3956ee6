"""A seal that somebody else moves: a window shows it, and nothing is told where nothing moved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.seal_watch import follow_seal
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import AssistantStatus, ClientEvent
from moltbot_desktop.security.seal import Seal
from tests.fakes.obedient import obedient

CHECKOUT = Path(__file__).parents[3]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.02)


def test_what_a_shell_does_to_the_seal_is_told_to_the_window(tmp_path: Path) -> None:
    shown: list[bool] = []

    def hear(event: ClientEvent) -> None:
        if isinstance(event, AssistantStatus):
            shown.append(event.sealed)

    async def carried_out() -> None:
        paths = Paths(tmp_path, tmp_path.parent, CHECKOUT)
        options = AssistantOptions(Language.ENGLISH)
        async with open_assistant(paths, load_config(tmp_path), SystemClock(), options) as client:
            client.subscribe(hear)
            with Seal(tmp_path, SystemClock()) as of_a_shell:
                of_a_shell.close_it()
                await until(lambda: shown[-1:] == [True])
                of_a_shell.open_it()
                await until(lambda: shown[-1:] == [False])

    with obedient():
        asyncio.run(carried_out())


def test_only_what_is_different_is_told(tmp_path: Path) -> None:
    told: list[bool] = []

    async def carried_out() -> None:
        with Seal(tmp_path, SystemClock()) as seal:
            work = asyncio.create_task(
                follow_seal(tmp_path, SystemClock(), seal, False, lambda: told.append(seal.closed))
            )
            for closed in (True, True, False):  # the second is another file of the same meaning
                (seal.close_it if closed else seal.open_it)()
                await until(lambda closed=closed: told[-1:] == [closed])  # type: ignore[misc]
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    asyncio.run(carried_out())
    assert told == [True, False]
