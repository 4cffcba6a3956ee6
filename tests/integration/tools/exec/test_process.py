"""`process`: commands that go on are seen, spoken to and ended."""

from __future__ import annotations

import asyncio

from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from tests.integration.tools.exec.conftest import Desk


async def begun(desk: Desk, command: str, **more: bool) -> None:
    ran = await desk.call("exec", command=command, background=True, **more)
    assert ran.result.data["status"] == "running", ran.result


async def until(desk: Desk, words: str) -> ToolRan:
    """Look until it said `words`."""
    ran = await desk.call("process", action="log", sessionId="1")
    for _ in range(2_000):
        if words in str(ran.result.data["output"]):
            return ran
        await asyncio.sleep(0.01)
        ran = await desk.call("process", action="log", sessionId="1")
    raise AssertionError(f"it never said {words!r}: {ran.result.data}")


def test_it_is_written_to_and_ends_by_itself(desk: Desk) -> None:
    async def work() -> None:
        await begun(desk, "sh -c 'read name; echo hello $name; cat; echo end'")
        sent = await desk.call("process", action="submit", sessionId="1", data="anna")
        assert sent.outcome == "ok"
        await until(desk, "hello anna")
        await desk.call("process", action="write", data="more\n", eof=True)
        await until(desk, "more\nend")
        over = await until(desk, "end")
        while over.result.data["status"] == "running":
            await asyncio.sleep(0.01)
            over = await until(desk, "end")
        assert (over.result.data["status"], over.result.data["exitCode"]) == ("completed", 0)

    desk.run(work)
    assert desk.cards[1][0].startswith("type into “sh -c 'read name;")
    assert desk.cards[1][0].endswith("anna\\u{d}")


def test_in_a_terminal_keys_do_what_they_do_there(desk: Desk) -> None:
    async def work() -> None:
        # Short sleeps: a shell that is interrupted just before one sleeps it to its end.
        loop = "while true; do sleep 0.1; done"
        await begun(desk, f"sh -c 'trap \"echo caught\" INT; tty; stty size; {loop}'", pty=True)
        text = str((await until(desk, "30 120")).result.data["output"])
        assert "/dev/pts/" in text
        await desk.call("process", action="send-keys", keys=["C-c"])
        await until(desk, "caught")

    desk.run(work)


def test_poll_tells_what_is_new(desk: Desk) -> None:
    async def work() -> None:
        await begun(desk, "sh -c 'echo one; read x; echo two; read x'")
        await until(desk, "one")
        first = await desk.call("process", action="poll")
        assert first.result.data["output"] in ("one", "(no new output)")
        await desk.call("process", action="submit")
        await until(desk, "two")
        second = await desk.call("process", action="poll", sessionId="1")
        assert second.result.data["output"] == "two"
        third = await desk.call("process", action="poll", sessionId="1")
        assert third.result.data["output"] == "(no new output)"
        assert third.result.taints

    desk.run(work)


def test_a_no_means_that_nothing_is_typed(desk: Desk) -> None:
    async def work() -> None:
        await begun(desk, "sh -c 'read x; echo got $x'")
        desk.says = False
        ran = await desk.call("process", action="submit", sessionId="1", data="x")
        assert ran.outcome == "denied"

    desk.run(work)


def test_looking_and_stopping_need_nobody(desk: Desk) -> None:
    async def work() -> None:
        await begun(desk, "sleep 316")
        desk.labels, desk.presence = Labels(untrusted=True, private=True), Presence.NOBODY
        for action in ("list", "poll", "log", "kill", "remove"):
            ran = await desk.call("process", action=action, sessionId="1")
            assert ran.outcome == "ok", action
        gone = await desk.call("process", action="poll", sessionId="1")
        assert "No session found" in str(gone.result.data["error"])
        typed = await desk.call("process", action="write", sessionId="1", data="x")
        assert typed.outcome == "failed"

    desk.run(work)
    assert len(desk.cards) == 1


def test_another_conversation_does_not_see_it(desk: Desk) -> None:
    async def work() -> None:
        await begun(desk, "sleep 317")
        assert desk.sessions.of(SessionKey("agent:main:other")) == []
        assert desk.sessions.find(SessionKey("agent:main:other"), "1") is None

    desk.run(work)


def test_keys_that_are_none_are_named(desk: Desk) -> None:
    async def work() -> None:
        await begun(desk, "cat")
        ran = await desk.call("process", action="send-keys", keys=["Hyper", "Enter"])
        assert "Hyper" in str(ran.result.data["error"])

    desk.run(work)


def test_without_one_there_is_nothing_to_see(desk: Desk) -> None:
    async def work() -> None:
        ran = await desk.call("process", action="list")
        assert ran.result.data["sessions"] == []
        asked = await desk.call("process", action="kill")
        assert asked.result.question

    desk.run(work)


def test_what_is_over_is_put_away_after_a_while(desk: Desk) -> None:
    async def work() -> None:
        await begun(desk, "sh -c 'echo quick'")
        await until(desk, "quick")
        [session] = desk.sessions.of(SessionKey("agent:main:main"))
        await session.running.over.wait()
        await asyncio.sleep(0)
        desk.clock.advance(31 * 60)  # type: ignore[attr-defined]
        assert desk.sessions.of(SessionKey("agent:main:main")) == []

    desk.run(work)
