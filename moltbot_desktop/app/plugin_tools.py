"""The tools of plugins, as one agent has them at this moment.

    offers = PluginTools()
    remove = offers.add("weather", registration.tools)
    lent = offers.for_agent(context, lambda: live.config)
    lent()          # (WeatherQuery,): the same tuple until something changes

A tool is there for every agent; the settings' filters say who may use it, by its own name, its
plugin's, or ``group:plugins``. An optional one is there only where an allow list names it so. A
factory is called once for each agent, at that agent's next prompt.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import cast

from moltbot_desktop.config.settings import Config
from moltbot_desktop.plugins.registry import OfferedTool
from moltbot_desktop.sdk.plugins import ToolFactory, ToolFactoryContext
from moltbot_desktop.sdk.tools import AnyTool, Effect, ToolSpec
from moltbot_desktop.security.tool_names import PLUGINS, normalised

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Offer:
    plugin: str
    offered: OfferedTool


@dataclass
class PluginTools:
    """Lives on the agent's event loop.

    Attributes:
        effects: what each tool does to the world, by name; what a factory makes may do anything.
    """

    effects: dict[str, Effect] = field(default_factory=dict)
    _offers: tuple[_Offer, ...] = ()
    _groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, plugin: str, tools: Sequence[OfferedTool]) -> Callable[[], None]:
        """Offer `tools`; the answer takes them away again."""
        mine = tuple(_Offer(plugin, one) for one in tools)
        self._now((*self._offers, *mine))

        def remove() -> None:
            self._now(tuple(one for one in self._offers if one not in mine))

        return remove

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Names of tools by their plugin's id, and all of them under ``group:plugins``; the same
        object until something changes."""
        return self._groups

    def for_agent(
        self, context: ToolFactoryContext, config: Callable[[], Config]
    ) -> Callable[[], tuple[AnyTool, ...]]:
        """What gives the tools of one agent now, the same tuple until something changes."""
        return _AgentTools(self, context, config)

    def _now(self, offers: tuple[_Offer, ...]) -> None:
        self._offers = offers
        self.effects.clear()
        groups: dict[str, tuple[str, ...]] = {PLUGINS: ()}
        for one in offers:
            tool = _as_tool(one.offered.tool)
            effect = Effect.EXEC if tool is None else tool.spec.effect
            self.effects.update(dict.fromkeys(one.offered.names, effect))
            for group in (one.plugin.lower(), PLUGINS):
                groups[group] = (*groups.get(group, ()), *map(normalised, one.offered.names))
        self._groups = MappingProxyType(groups)


@dataclass
class _AgentTools:
    plugins: PluginTools
    context: ToolFactoryContext
    config: Callable[[], Config]
    _seen: tuple[_Offer, ...] | None = None
    _of: Config | None = None
    _now: tuple[AnyTool, ...] = ()
    _made: list[tuple[_Offer, tuple[AnyTool, ...]]] = field(default_factory=list)

    def __call__(self) -> tuple[AnyTool, ...]:
        offers, config = self.plugins._offers, self.config()
        if offers is not self._seen or config is not self._of:
            self._seen, self._of = offers, config
            self._made = [(one, made) for one, made in self._made if one in offers]
            named = _allowed_by_name(config, self.context)
            now = tuple(tool for one in offers for tool in self._wanted(one, named))
            if now != self._now:
                self._now = now
        return self._now

    def _wanted(self, offer: _Offer, named: frozenset[str]) -> Iterator[AnyTool]:
        for tool in self._tools(offer):
            names = {normalised(tool.spec.name), offer.plugin.lower(), PLUGINS}
            if not offer.offered.optional or names & named:
                yield tool

    def _tools(self, offer: _Offer) -> tuple[AnyTool, ...]:
        known = next((made for one, made in self._made if one is offer), None)
        if known is None:
            known = tuple(_made(offer, self.context))
            self._made.append((offer, known))
        return known


def _made(offer: _Offer, context: ToolFactoryContext) -> Iterator[AnyTool]:
    offered = offer.offered.tool
    if (tool := _as_tool(offered)) is not None:
        yield tool
        return
    try:
        found = cast("ToolFactory", offered)(context)
    except (Exception, SystemExit):  # noqa: BLE001 - border: a plugin's bug costs its own tools, never an agent
        _log.exception("plugin %s cannot make its tools", offer.plugin)
        return
    several = found if isinstance(found, Sequence) else () if found is None else (found,)
    for one in several:
        if one.spec.name in offer.offered.names:
            yield one
        else:
            _log.warning("plugin %s made %s without naming it", offer.plugin, one.spec.name)


def _as_tool(offered: AnyTool | ToolFactory) -> AnyTool | None:
    """The tool itself; None for what makes tools, which may be a class of them."""
    spec = None if isinstance(offered, type) else getattr(offered, "spec", None)
    return cast("AnyTool", offered) if isinstance(spec, ToolSpec) else None


def _allowed_by_name(config: Config, context: ToolFactoryContext) -> frozenset[str]:
    """What the allow lists of everybody and of this agent name, as it is written."""
    everywhere, own = config.tools, config.agent_entry(context.agent_id).tools
    lists = (
        (*(one.allow or ()), *one.also_allow)
        for policy in (everywhere, own)
        for one in (policy, *policy.by_provider.values())
    )
    return frozenset(normalised(name) for names in lists for name in names)
