"""Helpers and other conversations in the whole program."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.fakes.obedient import Ask, ObedientModel, obedient, socket_of

MAIN, CLI = "agent:main:main", "agent:main:cli"
NOTE = "My dentist is Doctor Okafor"


def run(home: Path, scenario: Callable[[Ask, ObedientModel], Awaitable[None]]) -> None:
    async def limited(models: dict[str, ObedientModel]) -> None:
        async with asyncio.timeout(60), socket_of(home, {}) as ask:
            await ask(MAIN, "hello")
            await scenario(ask, models["obedient"])

    with obedient() as models:
        asyncio.run(limited(models))


async def log_of(ask: Ask, number: int) -> str:
    while "running" in (listed := await ask(MAIN, "/subagents list")):
        await asyncio.sleep(0.02)
    assert f"{number}." in listed
    return await ask(MAIN, f"/subagents log {number}")


def test_a_helper_works_and_has_none_of_the_owners_own(tmp_path: Path) -> None:
    home = tmp_path / ".moltbot"
    (home / "workspace").mkdir(parents=True)
    (home / "workspace" / "MEMORY.md").write_text(f"- {NOTE}\n", encoding="utf-8")
    (home / "workspace" / "AGENTS.md").write_text("Answer in rhyme.", encoding="utf-8")

    async def scenario(ask: Ask, model: ObedientModel) -> None:
        assert "childSessionKey" in await ask(MAIN, 'sessions_spawn {"task": "count to three"}')
        assert "count to three" in await log_of(ask, 1)
        (own,) = (r for r in model.requests if r.messages[-1].content.startswith("count"))
        system = own.messages[0].content
        assert "You are a helper now" in system and "Answer in rhyme." in system
        assert NOTE not in str(own.messages)
        names = {tool.name for tool in own.tools}
        assert names.isdisjoint({"sessions_spawn", "sessions_send", "memory_search", "cron"})
        assert {"read", "calc"} <= names

    run(home, scenario)


def test_a_helper_cannot_call_what_it_is_not_offered(tmp_path: Path) -> None:
    async def scenario(ask: Ask, model: ObedientModel) -> None:
        del model
        task = r"look\nmemory_search {\"query\": \"dentist\"}"
        await ask(MAIN, f'sessions_spawn {{"task": "{task}"}}')
        assert "not among the tools" in await log_of(ask, 1)

    run(tmp_path / ".moltbot", scenario)


def test_another_conversation_is_seen_and_asked(tmp_path: Path) -> None:
    async def scenario(ask: Ask, model: ObedientModel) -> None:
        del model
        await ask(CLI, "the draft is done")
        assert CLI in await ask(MAIN, "sessions_list {}")
        assert "draft is done" in await ask(MAIN, f'sessions_history {{"sessionKey": "{CLI}"}}')
        sent = await ask(MAIN, f'sessions_send {{"sessionKey": "{CLI}", "message": "really?"}}')
        assert "really?" in sent and "ok" in sent
        assert "obedient" in await ask(MAIN, "session_status {}")

    run(tmp_path / ".moltbot", scenario)
