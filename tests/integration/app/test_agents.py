"""Several agents in one program: what each has is its own."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from tests.fakes.obedient import Ask, ObedientModel, obedient, socket_of

MAIN, WORK, HOME = (f"agent:{one}:main" for one in ("main", "work", "home"))
THREE = {"agents": {"list": [{"id": "main"}, {"id": "work"}, {"id": "home"}]}}
NOTES = {
    "workspace": "My dentist is Doctor Okafor",
    "workspace-work": "The merger is called Bluebird",
    "workspace-home": "The alarm code is seven two",
}
WORDS = ("dentist Okafor", "merger Bluebird", "alarm code")


def run(
    home: Path,
    settings: Mapping[str, object],
    scenario: Callable[[Ask, dict[str, ObedientModel]], Awaitable[None]],
) -> list[Notice]:
    """What was told beside."""
    told: list[ClientEvent] = []

    async def limited(models: dict[str, ObedientModel]) -> None:
        async with asyncio.timeout(60), socket_of(home, settings, told) as ask:
            await scenario(ask, models)

    with obedient() as models:
        asyncio.run(limited(models))
    return [one for one in told if isinstance(one, Notice)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / ".moltbot"


def with_notes(home: Path) -> None:
    for folder, note in NOTES.items():
        (home / folder / "memory").mkdir(parents=True)
        (home / folder / "MEMORY.md").write_text(f"- {note}\n", encoding="utf-8")


def test_three_agents_never_see_each_others_notes(home: Path) -> None:
    with_notes(home)

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        for own, key in enumerate((MAIN, WORK, HOME)):
            for other, words in enumerate(WORDS):
                found = await ask(key, f'memory_search {{"query": "{words}"}}')
                note = list(NOTES.values())[other]
                assert (note in found) == (own == other), (key, words, found)
            prompts = str([one.messages for one in models["obedient"].requests])
            models["obedient"].requests.clear()
            assert [note in prompts for note in NOTES.values()] == [
                own == other for other in range(3)
            ]
            for folder, note in NOTES.items():
                read = await ask(key, f'read {{"path": "../{folder}/MEMORY.md"}}')
                assert note not in read or folder == list(NOTES)[own]
            models["obedient"].requests.clear()

    run(home, THREE, scenario)


def test_what_one_notes_down_stays_with_it(home: Path) -> None:
    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        await ask(WORK, 'memory_store {"text": "The merger is called Bluebird"}')
        assert "Bluebird" in await ask(WORK, 'memory_search {"query": "merger Bluebird"}')
        for key in (MAIN, HOME):
            found = await ask(key, 'memory_search {"query": "the name of the merger"}')
            assert "Bluebird" not in found
            assert "Bluebird" not in await ask(key, "/memory search merger")
        assert "Bluebird" in await ask(WORK, "/memory search merger")

    run(home, THREE, scenario)
    written = [path for path in home.rglob("*.md") if "Bluebird" in path.read_text()]
    assert [path.relative_to(home).parts[0] for path in written] == ["workspace-work"]


def test_who_an_agent_is_stands_in_its_prompt_alone(home: Path) -> None:
    settings = {
        "agents": {
            "list": [
                {"id": "main"},
                {"id": "work", "identity": {"name": "Fern", "theme": "dry", "emoji": "🌿"}},
            ]
        }
    }
    (home / "workspace-work").mkdir(parents=True)
    (home / "workspace-work" / "AGENTS.md").write_text("Answer in rhyme.", encoding="utf-8")

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        await ask(WORK, "hello")
        system = models["obedient"].system
        assert "Fern 🌿" in system and "dry" in system and "Answer in rhyme." in system
        await ask(MAIN, "hello")
        system = models["obedient"].system
        assert "Fern" not in system and "rhyme" not in system

    run(home, settings, scenario)


def test_a_tool_that_the_settings_keep_from_an_agent_is_neither_shown_nor_run(home: Path) -> None:
    settings = {
        "tools": {"deny": ["calc"]},
        "agents": {
            "list": [
                {"id": "main"},
                {"id": "work", "tools": {"allow": ["read", "group:reminders"]}},
            ]
        },
    }

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        denied = await ask(WORK, 'memory_store {"text": "The merger is called Bluebird"}')
        assert "not let me" in denied or "not among the tools" in denied
        assert models["obedient"].tools <= {
            *("read", "reminder_add", "reminder_list", "reminder_cancel", "find_tool")
        }
        assert "not among" in await ask(WORK, 'calc {"expression": "1+1"}')
        assert "not among" in await ask(MAIN, 'calc {"expression": "1+1"}')
        assert "memory_store" in models["obedient"].tools
        assert "calc" not in models["obedient"].tools
        assert "Bluebird" not in str(list(home.rglob("*.md")))

    run(home, settings, scenario)
    assert not [one for one in home.rglob("*.md") if "Bluebird" in one.read_text()]


def test_whom_an_agent_may_ask_is_listed(home: Path) -> None:
    one = {"id": "main", "subagents": {"allowAgents": ["Work", "nobody"]}}
    work = {"id": "work", "name": "Office", "subagents": {"allowAgents": ["*"]}}
    settings = {"agents": {"list": [one, work, {"id": "home"}]}}

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        listed = await ask(MAIN, "agents_list {}")
        assert "Office" in listed and "home" not in listed
        listed = await ask(WORK, "agents_list {}")
        assert "home" in listed and "main" in listed
        assert "work" not in (await ask(HOME, "agents_list {}")).partition('"text"')[2]

    run(home, settings, scenario)


def test_an_agent_without_memory_tools_is_reminded_of_nothing(home: Path) -> None:
    with_notes(home)
    settings = {"agents": {"list": [{"id": "main", "tools": {"deny": ["group:memory"]}}]}}

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        await ask(MAIN, "What is the name of my dentist, Doctor Okafor?")
        assert "relevant-memories" not in str(models["obedient"].requests[-1].messages[1:])

    run(home, settings, scenario)


def test_one_folder_for_two_is_told_and_the_others_work(home: Path) -> None:
    shared = str(home / "shared")
    settings = {
        "agents": {
            "list": [
                {"id": "main"},
                {"id": "work", "workspace": shared},
                {"id": "home", "workspace": shared},
                {"id": "tidy"},
            ]
        }
    }

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        refused = await ask(HOME, "hello there")
        assert "has the folder of the agent" in refused
        for key in (MAIN, WORK, "agent:tidy:main"):
            assert "hello there" in await ask(key, "hello there")

    told = run(home, settings, scenario)
    assert any("shared" in one.text for one in told)


def test_an_agent_that_is_gone_says_so_and_touches_nobodys_notes(home: Path) -> None:
    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        with pytest.raises(RpcFailure, match="There is no agent"):
            await ask("agent:gone:main", "hello")
        assert not models

    run(home, THREE, scenario)
    assert not (home / "workspace-gone").exists()


def test_a_model_of_its_own_and_one_that_is_not_there(home: Path) -> None:
    models_there = home / "models" / "files"
    models_there.mkdir(parents=True)
    settings = {
        "agents": {
            "list": [{"id": "main"}, {"id": "work", "model": "nowhere"}, {"id": "home"}],
        }
    }

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        assert "no model called" in await ask(WORK, "hello there")
        assert "hello there" in await ask(HOME, "hello there")
        assert set(models) == {"obedient"}

    told = run(home, settings, scenario)
    assert any(one.serious and "nowhere" in one.text for one in told)


def test_the_window_talks_to_the_default_agent(home: Path) -> None:
    settings = {"agents": {"list": [{"id": "work"}, {"id": "home", "default": True}]}}

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        await ask("main", "hello")

    run(home, settings, scenario)
    assert list((home / "agents" / "home" / "sessions").glob("*.jsonl"))
    assert (home / "workspace").is_dir() and not (home / "workspace-home").exists()


def test_what_the_owner_mentions_to_an_agent_waits_in_its_own_inbox(home: Path) -> None:
    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        await ask(WORK, "By the way, I'm allergic to peanuts. What can I cook?")
        async with asyncio.timeout(30):
            while "peanuts" not in await ask(WORK, "/inbox"):
                await asyncio.sleep(0.02)
        for key in (MAIN, HOME):
            assert "peanuts" not in await ask(key, "/inbox")

    told = run(home, THREE, scenario)
    (asked,) = (one.text for one in told if "work asks whether to remember" in one.text)
    how = re.search("moltbot-desktop (memory accept .* --agent work)", asked)
    assert how is not None
    command = [sys.executable, "-m", "moltbot_desktop", *how[1].split()]
    subprocess.run(command, env={**os.environ, "MOLTBOT_HOME": str(home)}, check=True)
    kept = [path for path in home.rglob("MEMORY.md") if "peanuts" in path.read_text()]
    assert kept == [home / "workspace-work" / "MEMORY.md"]
    assert (home / "agents" / "work" / "memory-inbox.jsonl").exists()
    assert not (home / "memory-inbox.jsonl").exists()


def test_tools_and_identity_follow_the_file_while_it_runs(home: Path) -> None:
    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        assert "2" in await ask(WORK, 'calc {"expression": "1+1"}')
        work = {"id": "work", "tools": {"deny": ["calc"]}, "identity": {"name": "Fern"}}
        listed = [{"id": "main"}, {**work, "workspace": str(home / "elsewhere")}]
        (home / "moltbot.json").write_text(json.dumps({"agents": {"list": listed}}))
        async with asyncio.timeout(20):
            while "not among" not in await ask(WORK, 'calc {"expression": "1+1"}'):
                await asyncio.sleep(0.1)
        await ask(WORK, "/new")
        await ask(WORK, "hello")
        assert "Fern" in models["obedient"].system

    told = run(home, THREE, scenario)
    assert any("from the next start" in one.text and "work" in one.text for one in told)


def test_an_agent_taken_out_of_the_file_answers_no_more_and_comes_back(home: Path) -> None:
    talk = {"tools": {"agentToAgent": {"enabled": True}}}
    asked = {"sessionKey": WORK, "message": "hello there"}

    async def until(ask: Ask, said: str, agents: list[str]) -> None:
        listed = [{"id": one} for one in agents]
        (home / "moltbot.json").write_text(json.dumps({**talk, "agents": {"list": listed}}))
        async with asyncio.timeout(20):
            while said not in await told_by(ask, WORK):
                await asyncio.sleep(0.1)

    async def told_by(ask: Ask, key: str) -> str:
        try:
            return await ask(key, "hello there")
        except RpcFailure as error:
            return str(error)

    async def scenario(ask: Ask, models: dict[str, ObedientModel]) -> None:
        assert "hello there" in await ask(WORK, "hello there")
        await until(ask, "There is no agent", ["main", "home"])
        assert "hello there" in await ask(HOME, "hello there")
        assert "There is no agent" in await ask(MAIN, f"sessions_send {json.dumps(asked)}")
        await until(ask, "hello there", ["main", "home", "work"])

    told = run(home, {**THREE, **talk}, scenario)
    assert any("no agent “work”" in one.text for one in told)
