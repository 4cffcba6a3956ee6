"""Where code of others comes in: the one place that runs a file by its path.

    report = load_hooks(found, wanted, bus, internal)      # what the settings switched on, no more

A hook runs with all the rights of the program; that is why it is off until its owner switches it
on by name, and why no tool may write into a hooks folder without asking (`security.places`).
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import HookInvalid, MoltbotError
from moltbot_desktop.plugins.hearing import hearing
from moltbot_desktop.plugins.hook_folders import FoundHook
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sdk.hooks import HOOKS

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WantedHook:
    """What the settings say about a hook: whether it is on, and what it is given."""

    enabled: bool
    env: Mapping[str, str]


@dataclass(frozen=True)
class HookProblem:
    """A hook that was wanted and cannot be used; `reason` is for the person."""

    name: str
    reason: str


def load_hooks(
    found: Sequence[FoundHook],
    wanted: Mapping[str, WantedHook],
    bus: HookBus,
    internal: InternalHooks,
) -> tuple[HookProblem, ...]:
    """Load what is switched on and let it listen; the rest is not touched. Never raises for a
    hook: what is wrong with one is told, and the others are loaded."""
    problems: list[HookProblem] = []
    for hook in found:
        entry = wanted.get(hook.key)
        if entry is None or not entry.enabled:
            continue
        try:
            if hook.problem:
                raise HookInvalid(hook.problem)
            handler = load_function(hook.handler, hook.function)
            _listen(hook, hearing(hook, handler), entry.env, bus, internal)
        except MoltbotError as error:
            problems.append(HookProblem(hook.name, str(error)))
    missing = set(wanted) - {hook.key for hook in found}
    problems += [HookProblem(name, "") for name in sorted(missing) if wanted[name].enabled]
    return tuple(problems)


def load_files(
    files: Sequence[tuple[str, Path, str]], internal: InternalHooks
) -> tuple[HookProblem, ...]:
    """Load single files (event, path, name of the function); the problems, as `load_hooks`."""
    problems: list[HookProblem] = []
    for event, path, function in files:
        try:
            internal.on(event, load_function(path, function), name=path.name)
        except MoltbotError as error:
            problems.append(HookProblem(path.name, str(error)))
    return tuple(problems)


def load_function(path: Path, name: str) -> Callable[[object], object]:
    """The function `name` of the Python file at `path`, which is run for it.

    Raises:
        HookInvalid: it cannot be run, or has no such function.
    """
    module_name = f"moltbot_hook_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise HookInvalid(f"{path} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(module_name, None)
        _log.exception("hook %s cannot be loaded", path)
        raise HookInvalid(
            f"{path.name} failed: {type(error).__name__}: {error}"[:300],
            hint="The log has the details.",
        ) from error
    function = getattr(module, name, None)
    if not callable(function):
        raise HookInvalid(f"{path.name} has no function “{name}”.")
    return function  # type: ignore[no-any-return]


def _listen(
    hook: FoundHook,
    handler: Callable[[object], object],
    env: Mapping[str, str],
    bus: HookBus,
    internal: InternalHooks,
) -> None:
    for event in hook.events:
        if event in HOOKS:
            bus.on(HOOKS[event], handler, name=hook.name, priority=hook.priority)
        else:
            internal.on(event, handler, name=hook.name, env=env)
