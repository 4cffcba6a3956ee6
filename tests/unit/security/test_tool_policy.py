"""Which tools a run has, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.tools import ToolPolicyConfig, ToolsConfig
from moltbot_desktop.security.tool_names import KNOWN, NOT_FOR_HELPERS, expanded, normalised
from moltbot_desktop.security.tool_policy import (
    Layer,
    ToolSituation,
    allowed,
    tool_filters,
)

NOTHING = ToolsConfig()
TOOLS = ("apply_patch", "calc", "cron", "exec", "memory_search", "read", "session_status", "write")
MODEL = "lab/qwen3-8b"


def left(
    everywhere: ToolsConfig = NOTHING,
    agent: ToolsConfig = NOTHING,
    situation: ToolSituation | None = None,
) -> set[str]:
    return set(allowed(TOOLS, tool_filters(everywhere, agent, situation or ToolSituation(MODEL))))


def test_nothing_said_is_everything() -> None:
    assert left() == set(TOOLS)
    assert not tool_filters(NOTHING, NOTHING, ToolSituation(MODEL))


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (ToolsConfig(allow=("read", "CALC ")), {"read", "calc"}),
        (ToolsConfig(deny=("group:memory",)), set(TOOLS) - {"memory_search"}),
        (ToolsConfig(allow=("read",), deny=("read",)), set()),
        (ToolsConfig(allow=("*",), deny=("mem*",)), set(TOOLS) - {"memory_search"}),
        (ToolsConfig(allow=("bash",)), {"exec", "apply_patch"}),
        (ToolsConfig(allow=("exec",), deny=("apply-patch",)), {"exec"}),
        (ToolsConfig(allow=()), set(TOOLS)),
        (ToolsConfig(profile="minimal"), {"session_status"}),
        (ToolsConfig(profile="minimal", also_allow=("calc",)), {"session_status", "calc"}),
        (ToolsConfig(profile="full"), set(TOOLS)),
        (ToolsConfig(also_allow=("some_plugin",)), set(TOOLS)),
        (ToolsConfig(allow=("group:openclaw",)), set(TOOLS)),
        (ToolsConfig(allow=("read.",)), set(TOOLS)),
    ],
)
def test_one_filter(policy: ToolsConfig, expected: set[str]) -> None:
    assert left(policy) == expected


def test_an_allow_list_of_nothing_known_is_dropped_and_said() -> None:
    filters = tool_filters(ToolsConfig(allow=("reed",)), NOTHING, ToolSituation())
    assert [one.dropped for one in filters] == [("reed",)]


def test_an_allow_list_of_what_this_build_lacks_still_holds() -> None:
    assert left(ToolsConfig(allow=("web_search",))) == set()


NO_READ = ToolPolicyConfig(deny=("read",))
EVERY_LAYER: Mapping[Layer, tuple[ToolsConfig, ToolsConfig, ToolSituation]] = {
    Layer.PROFILE: (ToolsConfig(profile="messaging"), NOTHING, ToolSituation(MODEL)),
    Layer.PROVIDER_PROFILE: (
        ToolsConfig(by_provider={"lab": ToolPolicyConfig(profile="minimal")}),
        NOTHING,
        ToolSituation(MODEL),
    ),
    Layer.ALL: (ToolsConfig(deny=("read",)), NOTHING, ToolSituation(MODEL)),
    Layer.ALL_PROVIDER: (ToolsConfig(by_provider={"Lab": NO_READ}), NOTHING, ToolSituation(MODEL)),
    Layer.AGENT: (NOTHING, ToolsConfig(deny=("read",)), ToolSituation(MODEL)),
    Layer.AGENT_PROVIDER: (NOTHING, ToolsConfig(by_provider={MODEL: NO_READ}),
                           ToolSituation(MODEL)),
    Layer.GROUP: (NOTHING, NOTHING, ToolSituation(MODEL, group=NO_READ)),
    Layer.SANDBOX: (ToolsConfig(sandbox_tools=NO_READ), NOTHING,
                    ToolSituation(MODEL, sandboxed=True)),
    Layer.HELPER: (ToolsConfig(subagent_tools=NO_READ), NOTHING,
                   ToolSituation(MODEL, helper=True)),
}  # fmt: skip


@pytest.mark.parametrize("layer", Layer)
def test_each_layer_filters(layer: Layer) -> None:
    everywhere, agent, situation = EVERY_LAYER[layer]
    assert [one.layer for one in tool_filters(everywhere, agent, situation)] == [layer]
    assert "read" not in left(everywhere, agent, situation)


@pytest.mark.parametrize("layer", Layer)
def test_no_other_layer_gives_back_what_one_took(layer: Layer) -> None:
    everywhere, agent, situation = EVERY_LAYER[layer]
    generous = ("*", "read")
    if layer not in (Layer.ALL, Layer.PROFILE, Layer.PROVIDER_PROFILE):
        everywhere = replace(everywhere, allow=generous)
    if layer is not Layer.AGENT:
        agent = replace(agent, allow=generous)
    assert "read" not in left(everywhere, agent, situation)


def test_a_filter_of_another_model_does_not_hold() -> None:
    policy = ToolsConfig(by_provider={"cloud": NO_READ, "lab/other": NO_READ})
    assert "read" in left(policy)


def test_the_model_itself_comes_before_its_provider() -> None:
    policy = ToolsConfig(by_provider={"lab": NO_READ, MODEL: ToolPolicyConfig(deny=("calc",))})
    assert left(policy) == set(TOOLS) - {"calc"}


def test_the_agents_profile_comes_before_that_of_all() -> None:
    everywhere = ToolsConfig(profile="minimal")
    assert left(everywhere, ToolsConfig(profile="full")) == set(TOOLS)
    assert "read" in left(everywhere, ToolsConfig(profile="coding"))


def test_a_helper_never_has_what_is_the_owners() -> None:
    generous = ToolsConfig(subagent_tools=ToolPolicyConfig(allow=("*",)))
    filters = tool_filters(generous, NOTHING, ToolSituation(helper=True))
    assert not allowed(NOT_FOR_HELPERS, filters)
    assert "read" in left(generous, NOTHING, ToolSituation(helper=True))


names = st.lists(st.sampled_from([*sorted(KNOWN), "*", "mem*", "group:fs", "BASH", "", "x."]))
policies = st.builds(ToolPolicyConfig, allow=names.map(tuple), deny=names.map(tuple))


@settings(max_examples=60)
@given(policies, policies, policies)
def test_whatever_is_denied_anywhere_is_gone(
    one: ToolPolicyConfig, two: ToolPolicyConfig, three: ToolPolicyConfig
) -> None:
    everywhere = ToolsConfig(allow=one.allow, deny=one.deny, by_provider={"lab": three})
    agent = ToolsConfig(allow=two.allow, deny=two.deny)
    found = allowed(KNOWN, tool_filters(everywhere, agent, ToolSituation(MODEL)))
    denied = expanded((*one.deny, *two.deny, *three.deny))
    assert not found & {normalised(name) for name in denied}
    assert found <= KNOWN


PLUGINS = {"weather": ("weather_query",), "group:plugins": ("weather_query", "dice")}


def lent(everywhere: ToolsConfig) -> set[str]:
    tools = ("calc", "weather_query", "dice")
    return set(allowed(tools, tool_filters(everywhere, NOTHING, ToolSituation(plugins=PLUGINS))))


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (ToolsConfig(deny=("weather",)), {"calc", "dice"}),
        (ToolsConfig(deny=("group:plugins",)), {"calc"}),
        (ToolsConfig(allow=("calc", "Weather")), {"calc", "weather_query"}),
        (ToolsConfig(allow=("group:memory", "group:plugins")), {"weather_query", "dice"}),
        (ToolsConfig(profile="minimal", also_allow=("weather",)), {"weather_query"}),
    ],
)
def test_a_plugin_is_named_for_its_tools(policy: ToolsConfig, expected: set[str]) -> None:
    assert lent(policy) == expected


def test_a_list_of_nothing_but_plugins_takes_nothing_away_and_is_no_slip() -> None:
    policy = ToolsConfig(allow=("dice",))
    assert lent(policy) == {"calc", "weather_query", "dice"}
    assert not tool_filters(policy, NOTHING, ToolSituation(plugins=PLUGINS))
