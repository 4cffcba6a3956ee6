"""Who waits for a command in the background hears when it ended by itself, and only then."""

from __future__ import annotations

import asyncio

from moltbot_desktop.tools.exec.sessions import Session
from moltbot_desktop.tools.exec.tool import ExecLimits
from tests.integration.tools.exec.conftest import Desk


def heard(
    desk: Desk, command: str, *, then: str = "", waits_ms: int = 50
) -> list[tuple[str, int | None]]:
    told: list[tuple[str, int | None]] = []
    over = asyncio.Event()

    async def listen(session: Session) -> None:
        told.append((session.id, session.running.status))
        over.set()

    desk.sessions.on_over = listen
    desk.limits = ExecLimits(background_ms=waits_ms)

    async def work() -> None:
        await desk.call("exec", command=command)
        if then:
            await desk.call("process", action=then, sessionId="1")
        elif "sleep" in command:
            await over.wait()

    desk.run(work)
    return told


def test_one_that_ends_by_itself_is_told(desk: Desk) -> None:
    assert heard(desk, "sh -c 'sleep 0.5; exit 3'") == [("1", 3)]


def test_one_that_was_waited_for_is_not(desk: Desk) -> None:
    assert heard(desk, "true", waits_ms=60_000) == []


def test_one_that_was_killed_is_not(desk: Desk) -> None:
    assert heard(desk, "sleep 313", then="kill") == []
