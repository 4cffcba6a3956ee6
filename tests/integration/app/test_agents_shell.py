"""`agents list|show|add|remove` on a real settings file, and memory commands of another agent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from moltbot_desktop.app.agents_command import run_agents_command
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.library import run_memory
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import AgentUnusable, UserInputInvalid
from moltbot_desktop.core.i18n import Language

Shell = Callable[..., str]


@pytest.fixture
def paths(tmp_path: Path, checkout: Path) -> Paths:
    return Paths(tmp_path / ".moltbot", tmp_path, checkout)


@pytest.fixture
def shell(paths: Paths, capsys: pytest.CaptureFixture[str]) -> Shell:
    def typed(*line: str, language: Language = Language.ENGLISH) -> str:
        arguments, loaded = parse(line), load_config(paths.home)
        if arguments.command == "memory":
            queries = iter((arguments.text,))
            run_memory(paths, loaded, SystemClock(), arguments, queries, language)
        else:
            assert run_agents_command(paths, loaded, arguments, language) == 0
        return capsys.readouterr().out

    return typed


def listed(shell: Shell) -> dict[str, dict[str, object]]:
    return {one["id"]: one for one in json.loads(shell("agents", "list", "--json"))}


def test_without_settings_there_is_one(shell: Shell) -> None:
    assert list(listed(shell)) == ["main"]
    assert "main (default)" in shell("agents", "list")
    assert "默认" in shell("agents", "list", language=Language.CHINESE)


def test_a_new_one_leaves_the_default_as_it_was(shell: Shell, paths: Paths) -> None:
    told = shell("agents", "add", "Work", "--name", "Office")
    assert str(paths.home / "workspace-work") in told
    found = listed(shell)
    assert [one["default"] for one in found.values()] == [True, False]
    assert found["work"]["name"] == "Office"
    assert (paths.home / "workspace-work" / "memory").is_dir()
    shell("agents", "add", "home", "--workspace", str(paths.home / "elsewhere"))
    assert listed(shell)["home"]["workspace"] == str(paths.home / "elsewhere")
    with pytest.raises(UserInputInvalid, match="already"):
        shell("agents", "add", "home")


def test_what_the_person_wrote_about_others_stays(shell: Shell, paths: Paths) -> None:
    paths.home.mkdir()
    paths.config.write_text(
        "{ agents: { list: [\n  { id: 'main' }, // the first\n  { id: 'work' },\n] },\n"
        "  bindings: [{ agentId: 'work', match: { channel: 'pipe' } },\n"
        "    { agentId: 'main', match: { channel: 'telegram' } }] }\n"
    )
    assert listed(shell)["work"]["bindings"] == ["pipe"]
    (paths.home / "workspace-work").mkdir()
    told = shell("agents", "remove", "work")
    assert str(paths.home / "workspace-work") in told and "gone too: 1" in told
    assert (paths.home / "workspace-work").is_dir()
    assert "// the first" in paths.config.read_text()
    config = load_config(paths.home)
    assert not config.warnings
    assert [one.agent_id for one in config.config.bindings] == ["main"]


def test_the_default_one_cannot_be_removed(shell: Shell) -> None:
    shell("agents", "add", "work")
    with pytest.raises(UserInputInvalid, match="default agent"):
        shell("agents", "remove", "main")
    with pytest.raises(AgentUnusable, match="no agent"):
        shell("agents", "remove", "nobody")
    assert list(listed(shell)) == ["main", "work"]


def test_what_is_wrong_with_one_is_shown(shell: Shell, paths: Paths) -> None:
    shell("agents", "add", "work", "--model", "nowhere")
    assert "no model called" in shell("agents", "show", "work")
    assert "no model called" not in shell("agents", "show", "main")
    shared = str(paths.home / "shared")
    paths.config.write_text(
        json.dumps({"agents": {"list": [{"id": "main"}, {"id": "work", "workspace": shared},
                                        {"id": "home", "workspace": shared}]}})
    )  # fmt: skip
    problems = [bool(one["problem"]) for one in listed(shell).values()]
    assert problems == [False, False, True]


def test_the_tools_it_has_are_shown(shell: Shell, paths: Paths) -> None:
    paths.home.mkdir()
    settings = {
        "tools": {"deny": ["calc"]},
        "agents": {"list": [{"id": "main"}, {"id": "work", "tools": {"allow": ["read"]}}]},
    }
    paths.config.write_text(json.dumps(settings))
    assert "all but apply_patch, calc" in shell("agents", "show", "main")
    assert "tools: find_tool, read\n" in shell("agents", "show", "work")


def test_templates_go_into_the_workspace_of_whom_they_are_for(shell: Shell, paths: Paths) -> None:
    shell("agents", "add", "work")
    shell("agents", "init", "--agent", "work")
    assert (paths.home / "workspace-work" / "SOUL.md").exists()
    assert not (paths.home / "workspace" / "SOUL.md").exists()


def test_the_memory_of_another_agent_is_searched_by_name(shell: Shell, paths: Paths) -> None:
    shell("agents", "add", "work")
    note = paths.home / "workspace-work" / "MEMORY.md"
    note.write_text("- The merger is called Bluebird\n", encoding="utf-8")
    assert "Bluebird" in shell("memory", "search", "merger", "--agent", "work")
    assert "Bluebird" not in shell("memory", "search", "merger")
    with pytest.raises(AgentUnusable):
        shell("memory", "search", "merger", "--agent", "wrok")
    assert not (paths.home / "workspace-wrok").exists()
