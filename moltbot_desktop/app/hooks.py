"""The hooks of this assistant: found, switched on as the settings say, and listening.

hooks = open_hooks(paths, config.hooks, workspace, language)
hooks.bus, hooks.internal, hooks.problems
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.automation import HooksConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.gateway.happenings import Happenings, Places
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.plugins.hook_folders import FoundHook, HookRoot, find_hooks
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


def hook_roots(paths: Paths, config: HooksConfig, workspace: Path) -> tuple[HookRoot, ...]:
    """Where hooks are looked for; a later root's hook replaces an earlier one's."""
    return (
        *(HookRoot("extra", folder) for folder in config.internal.extra_dirs),
        HookRoot("bundled", paths.resources / "hooks"),
        HookRoot("managed", paths.home / "hooks"),
        HookRoot("workspace", workspace / "hooks"),
    )


def open_hooks(paths: Paths, config: HooksConfig, workspace: Path, language: Language) -> Hooks:
    """Load the hooks that are switched on; none of them may keep the assistant from starting."""
    bus, internal = HookBus(), InternalHooks()
    if not config.internal.enabled:
        return Hooks(bus, internal)
    found = find_hooks(hook_roots(paths, config, workspace), language)
    wanted = {
        name: WantedHook(bool(entry.enabled), entry.env)
        for name, entry in config.internal.entries.items()
    }
    problems = load_hooks(found, wanted, bus, internal)
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
