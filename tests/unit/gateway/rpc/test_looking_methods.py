"""What there is: skills, models, agents, settings; and the memory."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.config.agent_list import AgentEntry, IdentityConfig
from moltbot_desktop.config.problems import ConfigProblem
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.commands.ports import ModelChoice
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.gateway.rpc.looking_methods import LookingMethods, ShownConfig
from moltbot_desktop.gateway.rpc.memory_methods import MemoryMethods
from moltbot_desktop.gateway.rpc.methods import Method, Methods, Repeats
from moltbot_desktop.gateway.rpc.session_names import SessionNames
from moltbot_desktop.sdk.memory import MemoryStatus, SearchAnswer, SearchHit
from moltbot_desktop.skills.book import SkillView, Standing
from moltbot_desktop.skills.discovery import Skill, SkillProblem
from moltbot_desktop.skills.eligibility import EligibilityReport, Gate, Reason
from tests.fakes.commands import FakeModels

SKILL = Skill("weather", "Tells it.", Path("/s/weather/SKILL.md"), "bundled")
PROBLEM = SkillProblem(Path("/s/broken/SKILL.md"), "It has no name.", "Give it one.")


class Models(FakeModels):
    async def choices(self) -> list[ModelChoice]:
        return [
            ModelChoice("starter", "local", current=True),
            ModelChoice("lab/large", "lab", note="no key"),
        ]


async def skills() -> SkillView:
    report = EligibilityReport((Reason(Gate.BINS, "weather", ("curl",)),))
    return SkillView(1, (Standing(SKILL, report),), (), (PROBLEM,))


async def config() -> ShownConfig:
    problem = ConfigProblem("ui.theme", "It is no theme.", "Choose another.", serious=True)
    return ShownConfig(Path("/h/moltbot.json"), True, {"ui": {"theme": "pink"}}, (problem,))


LOOKING = LookingMethods(
    version="1.2.3",
    default_agent="main",
    agents=lambda: (),
    skills=skills,
    models=Models(),
    config=config,
    schema=json_schema,
)


def ask(group: tuple[Method, ...], name: str, params: JsonObject | None = None) -> JsonValue:
    return asyncio.run(Methods(group, Repeats(lambda: 0.0)).call(name, params or {}))


def test_skills_are_told_with_those_that_cannot_be_used() -> None:
    told = ask(LOOKING.methods(), "skills.status")
    assert isinstance(told, dict)
    whole, broken = told["skills"]
    assert (
        whole.items()
        >= {
            "name": "weather",
            "description": "Tells it.",
            "source": "bundled",
            "filePath": "/s/weather/SKILL.md",
            "skillKey": "weather",
            "eligible": False,
            "disabled": False,
            "blockedByAllowlist": False,
            "waitsForTrust": False,
            "offeredToModel": True,
            "missing": {"bins": ["curl"], "anyBins": [], "env": [], "config": [], "os": []},
            "problem": "these programs are not installed: curl",
        }.items()
    )
    assert broken == {
        "name": "broken",
        "filePath": "/s/broken/SKILL.md",
        "eligible": False,
        "problem": "It has no name.",
        "hint": "Give it one.",
    }


def test_models_are_told_with_where_they_are() -> None:
    assert ask(LOOKING.methods(), "models.list") == {
        "models": [
            {"id": "starter", "name": "starter", "provider": "local", "current": True},
            {
                "id": "lab/large",
                "name": "large",
                "provider": "lab",
                "current": False,
                "problem": "no key",
            },
        ]
    }


def test_there_is_always_one_agent() -> None:
    alone: JsonObject = {"defaultId": "main", "agents": [{"id": "main"}]}
    assert ask(LOOKING.methods(), "agents.list") == alone
    anna = AgentEntry(id="anna", name="Anna", identity=IdentityConfig(emoji="🦀"))
    several = replace(LOOKING, agents=lambda: (anna,), default_agent="anna")
    assert ask(several.methods(), "agents.list") == {
        "defaultId": "anna",
        "agents": [{"id": "anna", "name": "Anna", "identity": {"emoji": "🦀"}}],
    }


def test_an_agent_says_who_it_is() -> None:
    alone = ask(LOOKING.methods(), "agent.identity.get")
    assert alone == {"agentId": "main", "name": "main"}
    anna = AgentEntry(id="anna", identity=IdentityConfig(name="Anna", emoji="🦀"))
    several = replace(LOOKING, agents=lambda: (anna,), default_agent="anna")
    told = ask(several.methods(), "agent.identity.get", {"agentId": "Anna"})
    assert told == {"agentId": "anna", "name": "Anna", "emoji": "🦀"}
    with pytest.raises(RpcFailure, match=r"no agent “bert”"):
        ask(several.methods(), "agent.identity.get", {"agentId": "bert"})


def test_settings_are_told_with_what_is_wrong_with_them() -> None:
    assert ask(LOOKING.methods(), "config.get") == {
        "path": "/h/moltbot.json",
        "exists": True,
        "valid": False,
        "config": {"ui": {"theme": "pink"}},
        "issues": [
            {
                "path": "ui.theme",
                "message": "It is no theme.",
                "hint": "Choose another.",
                "serious": True,
            }
        ],
    }
    answer = ask(LOOKING.methods(), "config.schema")
    assert isinstance(answer, dict)
    assert answer["schema"]["title"] == "moltbot.json"


def test_nothing_changes_the_settings_over_the_socket() -> None:
    names = {one.name for one in LOOKING.methods()}
    assert names.isdisjoint({"config.set", "config.patch", "config.apply"})


def test_the_memory_says_how_it_stands_and_finds() -> None:
    hit = SearchHit("MEMORY.md", 3, 4, "Anna likes tea", 0.9, "memory", ("keyword",), "web")
    asked: list[tuple[str, str, int]] = []

    async def search(key: SessionKey, words: str, most: int) -> SearchAnswer:
        asked.append((key, words, most))
        return SearchAnswer((hit,), "Words only.")

    def status_of(key: SessionKey) -> MemoryStatus:
        return MemoryStatus(3 if "work" in key else 9, 40, True, "minilm", "/index")

    names = SessionNames(AgentId("main"), lambda: ["main", "work"])
    group = MemoryMethods(names, status_of, search).methods()
    status = ask(group, "memory.status", {"agentId": "work"})
    assert isinstance(status, dict)
    assert (status["agentId"], status["files"], status["model"]) == ("work", 3, "minilm")
    status = ask(group, "memory.status")
    assert isinstance(status, dict)
    assert (status["agentId"], status["files"]) == ("main", 9)
    with pytest.raises(RpcFailure, match="no agent"):
        ask(group, "memory.search", {"query": "tea", "agentId": "nobody"})
    wanted: JsonObject = {"query": "tea", "maxResults": 900, "sessionKey": "agent:work:notes"}
    assert ask(group, "memory.search", wanted) == {
        "agentId": "work",
        "results": [
            {
                "path": "MEMORY.md",
                "startLine": 3,
                "endLine": 4,
                "score": 0.9,
                "snippet": "Anna likes tea",
                "source": "memory",
                "why": ["keyword"],
                "mark": "web",
            }
        ],
        "note": "Words only.",
    }
    assert asked == [("agent:work:notes", "tea", 50)]
