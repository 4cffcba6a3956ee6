"""`moltbot-desktop hooks`: finds hooks, and switches them in the settings file."""

from __future__ import annotations

import os
import sys

from moltbot_desktop.app.agent_plan import default_agent
from moltbot_desktop.app.hooks import PHRASES, all_hooks, is_on, workspaces_of
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import prepare_workspace
from moltbot_desktop.cli.hooks import HookLine, list_hooks, show_hook, told_switched
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.places import show_place
from moltbot_desktop.core.errors import HookInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.hook_folders import FoundHook

_INTERNAL = ("hooks", "internal")


def run_hooks_command(
    paths: Paths, loaded: LoadedConfig, arguments: Arguments, language: Language
) -> int:
    """`hooks list`, `info`, `enable` and `disable`.

    Raises:
        UserInputInvalid: there is no hook of that name.
        HookInvalid: it is to be switched on and cannot be used.
        ConfigInvalid, StorageError: the settings cannot be changed.
    """
    config = loaded.config.hooks
    prepare_workspace(paths, loaded.config)
    workspaces = workspaces_of(paths, loaded.config, default_agent(loaded.config), language)
    found = all_hooks(paths, config, workspaces, language)
    if arguments.action == "list":
        several = len(workspaces) > 1
        lines = [_line(hook, is_on(hook, config), several) for hook in found]
        return list_hooks(lines, config.internal.enabled, arguments.json, language, sys.stdout)
    named = [hook for hook in found if arguments.name in (hook.name, hook.key)]
    if not named:
        raise UserInputInvalid(
            PHRASES.say("no_hook", language, name=arguments.name),
            hint=PHRASES.say("look", language),
        )
    hook = named[0]
    line = _line(hook, is_on(hook, config), len(workspaces) > 1)
    if arguments.action == "info":
        return show_hook(line, arguments.json, language, sys.stdout)
    on = arguments.action == "enable"
    if on and hook.problem:
        said = PHRASES.say("broken", language, name=hook.name, reason=hook.problem)
        raise HookInvalid(said)
    settings = SettingsFile(paths.home, os.environ, language)
    settings.put(show_place((*_INTERNAL, "entries", hook.key, "enabled")), on)
    if on and not config.internal.enabled:
        settings.put(show_place((*_INTERNAL, "enabled")), True)
    return told_switched(line, on, arguments.json, language, sys.stdout)


def _line(hook: FoundHook, enabled: bool, several: bool) -> HookLine:
    """`several`: there is more than one agent."""
    whose = f" {hook.agent}" if several and hook.agent else ""
    return HookLine(
        hook.name,
        hook.description,
        f"{hook.source}{whose}",
        hook.events,
        str(hook.folder),
        enabled,
        hook.problem,
        hook.about,
    )
