"""The memory slot in the real program: switched while it runs, in a shell, and left empty."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from moltbot_desktop.agent.recall import Recaller
from moltbot_desktop.app.agent_setup import agent_tools
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.made import AssistantOptions, Made, make
from moltbot_desktop.app.memory_slot import Filling
from moltbot_desktop.app.paths import locate
from moltbot_desktop.app.plugin_life import follow_plugins
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.memory.engine import STRONG_HIT
from moltbot_desktop.sdk.inbox import Heard
from moltbot_desktop.sdk.memory_plugins import MemoryContext, MemoryIndex, PluginMemory, RecallRule
from moltbot_desktop.sdk.plugins import ToolFactoryContext
from moltbot_desktop.security.policy import Presence

ENGLISH = Language.ENGLISH
DENTIST = "My dentist is Dr. Okafor"
RECALL_TOOL = "memory_recall"


def settings(home: Path, slot: str, **config: object) -> None:
    plugins: dict[str, object] = {"slots": {"memory": slot}} if slot else {}
    if config:
        plugins["entries"] = {slot: {"config": config}}
    (home / "moltbot.json").write_text(json.dumps({"plugins": plugins}), "utf-8")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    notes = tmp_path / "workspace"
    notes.mkdir()
    (notes / "MEMORY.md").write_text(f"- {DENTIST}\n- Tom likes tea\n", "utf-8")
    return tmp_path


@asynccontextmanager
async def house(home: Path) -> AsyncIterator[tuple[Made, list[Notice]]]:
    told: list[Notice] = []
    async with AsyncExitStack() as stack:
        paths = locate({"MOLTBOT_HOME": str(home)}, home)
        options = AssistantOptions(ENGLISH, presence=Presence.SCRIPT)
        made = await make(stack, paths, load_config(home), SystemClock(), options, told.append)
        await follow_plugins(stack, made, told.append)
        yield made, told


async def asked(made: Made, question: str) -> tuple[list[str], str]:
    """The words that were found, and the engine that is named."""
    answer = await made.in_thread(lambda: made.answering.search(question))
    return [hit.snippet for hit in answer.hits], made.answering.glance(ENGLISH).engine


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not done():
            await asyncio.sleep(0.01)


def is_in(made: Made, plugin: str) -> bool:
    filling = made.plugins.memory.filling
    return filling is not None and filling.plugin == plugin


def names(made: Made) -> set[str]:
    context = ToolFactoryContext(
        AgentId("main"), made.workspace, made.plan.folder, ENGLISH, made.answering
    )
    lent = made.plugins.tools.for_agent(context, lambda: made.live.config)
    return {tool.spec.name for tool in (*agent_tools(made), *lent())}


def test_a_running_program_changes_its_engine_and_loses_nothing(home: Path) -> None:
    async def seen() -> None:
        settings(home, "")
        async with house(home) as (made, told):
            assert await asked(made, "Who is my dentist?") == ([DENTIST], "memory-core")
            assert RECALL_TOOL not in names(made)
            for plugin in ("memory-lancedb", "memory-core"):
                settings(home, plugin)
                made.live.take(load_config(home))
                await until(partial(is_in, made, plugin))
                await made.in_thread(partial(made.answering.store, f"Kept by {plugin}"))
                assert await asked(made, "Who is my dentist?") == ([DENTIST], plugin)
                assert (await asked(made, "kept by lancedb"))[0][0] == "Kept by memory-lancedb"
                assert (RECALL_TOOL in names(made)) == (plugin == "memory-lancedb")
            assert told == []

    asyncio.run(seen())


def test_a_slot_that_names_none_that_keeps_a_memory_is_told_and_the_notes_are_found(
    home: Path,
) -> None:
    async def seen() -> None:
        settings(home, "nosuch")
        async with house(home) as (made, told):
            assert "nosuch" in told.pop().text and not told
            settings(home, "weather")
            made.live.take(load_config(home))
            await until(lambda: bool(told))
            assert "which keeps no memory" in told.pop().text
            assert (await asked(made, "Who is my dentist?"))[0] == [DENTIST]
            assert made.plugins.commands.commands().keys() == {"plugins"}

    asyncio.run(seen())


def test_what_is_brought_up_and_proposed_is_as_the_plugin_in_the_slot_says(home: Path) -> None:
    async def seen(recalls: bool, captures: bool) -> None:
        settings(home, "memory-lancedb", autoRecall=recalls, autoCapture=captures)
        async with house(home) as (made, _):
            slot = made.plugins.memory
            recaller = Recaller(made.answering, made.in_thread, STRONG_HIT, lambda: slot.recall)
            hits = await recaller.recalled("Who is my dentist?")
            assert [hit.snippet for hit in hits] == ([DENTIST] if recalls else [])
            assert await recaller.recalled("tea?") == ()  # shorter than five characters
            (quoted,) = await recaller.answering("Who is my dentist?")
            assert quoted.snippet == DENTIST
            heard = Heard("I'm allergic to peanuts.", "agent:main:main", made.clock.now())
            judged = await made.in_thread(lambda: made.inbox.hear(heard))
            assert len(judged.proposed) == int(captures)

    for recalls, captures in ((True, False), (False, True)):
        asyncio.run(seen(recalls, captures))


def test_the_usual_rule_is_the_programs_own_strong_hit() -> None:
    assert RecallRule().least_score == STRONG_HIT


def test_with_none_there_is_no_memory_and_the_notes_stay(home: Path) -> None:
    async def seen() -> None:
        settings(home, "memory-core")
        async with house(home) as (made, _):
            settings(home, "none")
            made.live.take(load_config(home))  # while it runs: nothing is found or kept
            await until(lambda: made.plugins.memory.filling is None)
            assert (await asked(made, "Who is my dentist?"))[0] == []
            assert made.plugins.memory.recall is None and not made.plugins.memory.captures
            assert "switched off" in made.answering.status().note
            assert made.answering.glance(Language.CHINESE).note.startswith("记忆已关闭")
            with pytest.raises(UserInputInvalid, match="switched off"):
                made.answering.store("Tom likes coffee")
        async with house(home) as (made, _):  # from the next start on there are no tools
            assert not {one for one in names(made) if one.startswith("memory_")}
        settings(home, "memory-core")
        async with house(home) as (made, _):
            assert (await asked(made, "Who is my dentist?"))[0] == [DENTIST]

    asyncio.run(seen())


class Broken:
    """An engine with a bug."""

    def __init__(self, context: MemoryContext) -> None:
        if context.language is Language.CHINESE:
            raise ZeroDivisionError

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> object:
        raise ZeroDivisionError("oh no")

    status = forgotten = close = lambda self, *_: None


@pytest.mark.expect_log("failed")
def test_an_engine_that_fails_costs_its_own_answers_only(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def opened(context: MemoryContext) -> MemoryIndex:
        return Broken(context)  # type: ignore[return-value]

    async def seen() -> None:
        settings(home, "")
        async with house(home) as (made, _):
            made.plugins.memory.filling = Filling("broken", PluginMemory(opened))
            answer = await made.in_thread(lambda: made.answering.search("Who is my dentist?"))
            assert [hit.snippet for hit in answer.hits] == [DENTIST]
            assert "“broken” failed (oh no)" in answer.note
            assert "“broken” failed" in made.answering.glance(ENGLISH).note

    caplog.set_level(logging.CRITICAL + 1, "moltbot_desktop.app")
    asyncio.run(seen())


def shell(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "moltbot_desktop", *words],
        env={**os.environ, "MOLTBOT_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize("slot", ["", "memory-lancedb"])
def test_a_shell_asks_the_engine_in_the_slot(home: Path, slot: str) -> None:
    settings(home, slot)
    assert DENTIST in shell(home, "memory", "search", "dentist").stdout
    status = json.loads(shell(home, "memory", "status", "--json").stdout)
    assert (status["engine"], status["chunks"]) == (slot or "memory-core", 2)


def test_a_plugin_that_cannot_be_used_is_told_and_the_own_memory_answers(home: Path) -> None:
    settings(home, "memory-lancedb", dbpath="wrong")
    told = shell(home, "memory", "search", "dentist")
    assert DENTIST in told.stdout
    assert "memory-lancedb" in told.stderr and "dbpath" in told.stderr
