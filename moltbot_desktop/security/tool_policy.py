"""Which tools a run may use: the settings' filters, one after the other. Pure.

    filters = tool_filters(config.tools, entry.tools, ToolSituation("lab/qwen3-8b"))
    allowed(("read", "exec"), filters)      # frozenset({"read"})

A tool must pass every filter: profile, the provider's profile, global, global by provider, the
agent's own, the agent's by provider, the group's, the sandbox's, the helpers'. In each, what is
denied is looked at first, and no allow list means everything. So no filter can give back what
another has taken, and the most that a mistake in one of them does is to take too much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from moltbot_desktop.config.tools import ToolPolicyConfig, ToolsConfig
from moltbot_desktop.security.tool_names import (
    NOT_FOR_HELPERS,
    PLUGINS,
    PROFILES,
    expanded,
    matches,
    means_something,
    normalised,
)

_FINDS_OTHERS = "find_tool"
"""Finds those that pass and no others, so that no list has to name it."""


class Layer(StrEnum):
    """Where a filter comes from, in the order of the filters."""

    PROFILE = "profile"
    PROVIDER_PROFILE = "provider profile"
    ALL = "tools"
    ALL_PROVIDER = "tools.byProvider"
    AGENT = "agent"
    AGENT_PROVIDER = "agent byProvider"
    GROUP = "group"
    SANDBOX = "sandbox"
    HELPER = "subagent"


@dataclass(frozen=True)
class ToolSituation:
    """What a run is, as far as tools depend on it.

    Attributes:
        model: ``provider/model`` of the one that answers; ``local/...`` for one on this computer.
        group: what the settings of the group or channel it takes place in say.
        sandboxed: calls run in a sandbox with settings of its own.
        helper: it is a sub-agent's.
        plugins: tools by their plugin's id, and all of them as ``group:plugins``.
    """

    model: str = ""
    group: ToolPolicyConfig | None = None
    sandboxed: bool = False
    helper: bool = False
    plugins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolFilter:
    """One layer. Names are expanded.

    Attributes:
        allow: nothing is everything.
        dropped: an allow list that named nothing known, which therefore does not hold.
    """

    layer: Layer
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    def lets(self, tool: str) -> bool:
        """Whether `tool` passes."""
        name = normalised(tool)
        if matches(name, self.deny):
            return False
        if not self.allow or name == _FINDS_OTHERS or matches(name, self.allow):
            return True
        # Whoever may run any command may change files anyhow.
        return name == "apply_patch" and matches("exec", self.allow)


def tool_filters(
    everywhere: ToolsConfig, agent: ToolsConfig, situation: ToolSituation
) -> tuple[ToolFilter, ...]:
    """The filters that hold for a run, in order; those that filter nothing are left out.

    Args:
        everywhere: `tools` of the settings.
        agent: what the agent's entry says.
    """
    for_all = _of_model(everywhere.by_provider, situation.model)
    for_agent = _of_model(agent.by_provider, situation.model)
    helpers = everywhere.subagent_tools
    denied = ToolPolicyConfig(allow=helpers.allow, also_allow=helpers.also_allow,
                              deny=(*NOT_FOR_HELPERS, *helpers.deny))  # fmt: skip
    plugins = situation.plugins
    policies = (
        (Layer.ALL, everywhere),
        (Layer.ALL_PROVIDER, for_all),
        (Layer.AGENT, agent),
        (Layer.AGENT_PROVIDER, for_agent),
        (Layer.GROUP, situation.group),
        (Layer.SANDBOX, everywhere.sandbox_tools if situation.sandboxed else None),
        (Layer.HELPER, denied if situation.helper else None),
    )
    found = (
        _profile(Layer.PROFILE, plugins, agent, everywhere),
        _profile(Layer.PROVIDER_PROFILE, plugins, for_agent, for_all),
        *(_filter(layer, policy, plugins) for layer, policy in policies),
    )
    return tuple(one for one in found if one is not None)


def allowed(tools: Iterable[str], filters: Iterable[ToolFilter]) -> frozenset[str]:
    """Those of `tools` that pass every filter."""
    layers = tuple(filters)
    return frozenset(tool for tool in tools if all(one.lets(tool) for one in layers))


def named_tools(*policies: ToolPolicyConfig) -> frozenset[str]:
    """The tools that settings name one by one, or by a group or profile of few."""
    names = (
        (*(one.allow or ()), *one.also_allow, *PROFILES.get(one.profile or "", ()))
        for one in policies
    )
    return frozenset(name for some in names for name in expanded(some))


def _of_model(by_provider: Mapping[str, ToolPolicyConfig], model: str) -> ToolPolicyConfig | None:
    """What is said for that very model, else for its provider."""
    named = {name.strip().lower(): policy for name, policy in by_provider.items()}
    whole = model.strip().lower()
    return named.get(whole) or named.get(whole.partition("/")[0])


def _with_plugins(names: Iterable[str], plugins: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """`names`, expanded, and the tools of the plugins among them."""
    known = expanded(names)
    return (*known, *(tool for name in known for tool in plugins.get(name, ())))


def _profile(
    layer: Layer, plugins: Mapping[str, tuple[str, ...]], *policies: ToolPolicyConfig | None
) -> ToolFilter | None:
    """The first profile that is named, with what the first `alsoAllow` adds to it."""
    said = [one for one in policies if one is not None]
    profile = next((one.profile for one in said if one.profile), None)
    allow = PROFILES.get(profile, ()) if profile else ()
    if not allow:
        return None
    more = next((one.also_allow for one in said if one.also_allow), ())
    return ToolFilter(layer, _with_plugins((*allow, *more), plugins))


def _filter(
    layer: Layer, policy: ToolPolicyConfig | None, plugins: Mapping[str, tuple[str, ...]]
) -> ToolFilter | None:
    if policy is None:
        return None
    allow, deny = expanded(policy.allow or ()), _with_plugins(policy.deny, plugins)
    if policy.also_allow and allow:  # not together in one place; a file may have both all the same
        allow = (*allow, *expanded(policy.also_allow))
    dropped: tuple[str, ...] = ()
    if allow and not means_something(allow):
        of_plugins = {PLUGINS, *plugins, *plugins.get(PLUGINS, ())}
        dropped = () if of_plugins.issuperset(allow) else tuple(policy.allow or ())
        allow = ()
    allow = _with_plugins(allow, plugins)
    if not (allow or deny or dropped):
        return None
    return ToolFilter(layer, allow, deny, dropped)
