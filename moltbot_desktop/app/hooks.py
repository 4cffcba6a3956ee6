"""The hooks of this assistant: found, switched on as the settings say, and listening.

hooks = open_hooks(paths, config.hooks, workspaces, language)
hooks.bus, hooks.internal, hooks.problems

A hook in the workspace of an agent hears of that agent alone, and takes the place of the shared one
of its name there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.agent_plan import agent_ids, agent_plan
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.automation import HooksConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import AgentUnusable
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.gateway.happenings import Happenings, Places
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.plugins.hook_folders import FoundHook, HookRoot, find_hooks, with_workspaces
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.plugins.loader import HookProblem, WantedHook, load_files, load_hooks

PHRASES = Phrases(
    {
        "broken": "The hook “{name}” cannot be used: {reason}",
        "missing": "The settings switch on a hook “{name}”, which is not there.",
        "no_hook": "There is no hook “{name}”.",
        "look": "moltbot-desktop hooks list shows all of them.",
    },
    {
        "broken": "钩子“{name}”不能用：{reason}",
        "missing": "设置里打开了钩子“{name}”，但找不到它。",
        "no_hook": "没有叫“{name}”的钩子。",
        "look": "用 moltbot-desktop hooks list 可以看到全部钩子。",
    },
)


@dataclass(frozen=True)
class Hooks:
    """What listens, and what could not."""

    bus: HookBus
    internal: InternalHooks
    problems: tuple[HookProblem, ...] = ()

    def watching(
        self, desks: SessionDesks, places: Places, clock: Clock, tell: Callable[[str], None]
    ) -> Happenings:
        """What tells them of everything that happens to the conversations of `desks`."""
        happenings = Happenings(self.bus, self.internal, places, clock, tell)
        desks.on_sessions(happenings.session_begun, happenings.session_left)
        return happenings


Workspaces = Mapping[AgentId, Path]
"""Of all agents, the default one's first."""


def workspaces_of(paths: Paths, config: Config, first: AgentId, language: Language) -> Workspaces:
    """Those of the agents that can work, beginning with `first`."""
    found: dict[AgentId, Path] = {}
    for agent in dict.fromkeys((first, *agent_ids(config))):
        with contextlib.suppress(AgentUnusable):  # told at the start
            found[agent] = agent_plan(paths, config, agent, language).workspace
    return found


def all_hooks(
    paths: Paths, config: HooksConfig, workspaces: Workspaces, language: Language
) -> tuple[FoundHook, ...]:
    """Every hook there is; of the shared folders, a later one's replaces an earlier one's."""
    roots = (
        *(HookRoot("extra", folder) for folder in config.internal.extra_dirs),
        HookRoot("bundled", paths.resources / "hooks"),
        HookRoot("managed", paths.home / "hooks"),
    )
    own = {
        agent: find_hooks([HookRoot("workspace", workspace / "hooks")], language)
        for agent, workspace in workspaces.items()
    }
    return with_workspaces(find_hooks(roots, language), own)


def open_hooks(
    paths: Paths, config: HooksConfig, workspaces: Workspaces, language: Language
) -> Hooks:
    """Load the hooks that are switched on; none of them may keep the assistant from starting."""
    bus, internal = HookBus(), InternalHooks()
    if not config.internal.enabled:
        return Hooks(bus, internal)
    found = all_hooks(paths, config, workspaces, language)
    wanted = {
        name: WantedHook(bool(entry.enabled), entry.env)
        for name, entry in config.internal.entries.items()
    }
    problems = load_hooks(found, wanted, bus, internal)
    workspace = next(iter(workspaces.values()))
    files = [(one.event, workspace / one.module, one.export) for one in config.internal.handlers]
    return Hooks(bus, internal, (*problems, *load_files(files, internal)))


def is_on(hook: FoundHook, config: HooksConfig) -> bool:
    """Whether the settings switch it on."""
    entry = config.internal.entries.get(hook.key)
    return config.internal.enabled and entry is not None and bool(entry.enabled)


def problem_words(problem: HookProblem, language: Language) -> tuple[str, str]:
    """What is wrong, and where to look."""
    key = "broken" if problem.reason else "missing"
    said = PHRASES.say(key, language, name=problem.name, reason=problem.reason)
    return said, PHRASES.say("look", language)
