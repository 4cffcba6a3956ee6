"""What a conversation may use, by the settings that concern it."""

from __future__ import annotations

import pytest

from moltbot_desktop.app.tool_policies import ToolPolicies
from moltbot_desktop.config.agent_list import AgentEntry
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.tools import ToolPolicyConfig, ToolsConfig
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.json import JsonObject

TOOLS = ("calc", "cron", "read", "write")
GROUP = "agent:main:telegram:group:-100ab"


def allowed(config: Config, key: str = "agent:main:main", model: str = "starter") -> set[str]:
    policies = ToolPolicies(lambda: config, AgentId("main"))
    return set(policies.allowed(TOOLS, SessionKey(key), model))


def groups(tools: object, name: str = "-100AB") -> JsonObject:
    return {"channels": {"telegram": {"groups": {name: {"tools": tools}}}}}  # type: ignore[dict-item]


@pytest.mark.parametrize("key", [GROUP, f"{GROUP}:topic:7", f"{GROUP}:thread:x"])
def test_a_group_may_have_less(key: str) -> None:
    config = Config(raw=groups({"deny": ["write"]}))
    assert allowed(config, key) == {"calc", "cron", "read"}
    assert allowed(config) == set(TOOLS)
    assert allowed(config, "agent:main:telegram:group:-200") == set(TOOLS)


def test_all_groups_and_those_of_an_account() -> None:
    config = Config(raw=groups({"allow": ["read"]}, "*"))
    assert allowed(config, GROUP) == {"read"}
    account = {"groups": {"-100AB": {"tools": {"allow": ["calc"]}}}}
    raw: JsonObject = {"channels": {"telegram": {"accounts": {"biz": account}}}}
    assert allowed(Config(raw=raw), GROUP) == {"calc"}


def test_a_policy_of_a_group_that_cannot_be_read_denies_everything() -> None:
    for slip in ("read", {"deny": "write"}, {"deny": [3]}, ["read"]):
        assert allowed(Config(raw=groups(slip)), GROUP) == set(), slip


def test_a_model_on_this_computer_is_of_the_provider_local() -> None:
    policy = ToolsConfig(by_provider={"local": ToolPolicyConfig(deny=("cron",))})
    config = Config(tools=policy)
    assert "cron" not in allowed(config, model="starter")
    assert "cron" in allowed(config, model="lab/qwen3-8b")


def test_a_helper_has_no_schedule() -> None:
    assert "cron" not in allowed(Config(), "agent:main:subagent:1")


@pytest.mark.parametrize("language", Language)
def test_a_list_that_names_nothing_known_is_told(language: Language) -> None:
    agents = (AgentEntry(id="main", tools=ToolsConfig(allow=("reed",))),)
    policies = ToolPolicies(lambda: Config(agents=agents), AgentId("main"))
    ((message, hint),) = policies.problems(language)
    assert "reed" in message and "tools.allow" in hint
    assert not ToolPolicies(Config, AgentId("main")).problems(language)
