"""Where code of others comes in: the one place that runs a file by its path.

    report = load_hooks(found, wanted, bus, internal)      # what the settings switched on, no more
    code = load_plugin(folder, "weather")                  # its ``register``; `code.forget()` later

A plugin is a package with a name of its own here, so that two may have files of one name: from
``plugin.py``, both ``from . import rain`` and ``import rain`` find the ``rain.py`` beside it.

A hook runs with all the rights of the program; that is why it is off until its owner switches it
on by name, and why no tool may write into a hooks folder without asking (`security.places`).
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from moltbot_desktop.core.errors import HookInvalid, MoltbotError, PluginInvalid
from moltbot_desktop.plugins.hearing import hearing
from moltbot_desktop.plugins.hook_folders import FoundHook
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sdk.hooks import HOOKS
from moltbot_desktop.sdk.plugins import PluginApi

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


# ----------------------------------------------------------------------------- plugins


@dataclass(frozen=True)
class PluginCode:
    """The code of a plugin that was run; `package` is its name among the modules."""

    register: Callable[[PluginApi], object]
    package: str

    def forget(self) -> None:
        """Let the next `load_plugin` begin anew. Calls that run keep what they have."""
        _forget(self.package)


def load_plugin(folder: Path, plugin: str) -> PluginCode:
    """Run ``plugin.py`` in `folder`; `plugin` is its id. Blocks as long as its imports take.

    Raises:
        PluginInvalid: it fails, or has no function ``register``.
    """
    digest = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
    package = f"moltbot_plugin_{plugin.replace('-', '_')}_{digest}"
    _forget(package)
    importlib.invalidate_caches()  # files may be newer than what was listed of the folder
    path = folder / "plugin.py"
    try:
        with _neighbours(folder):
            module = _run_as_package(path, package)
    except (Exception, SystemExit) as error:
        _forget(package)
        _log.exception("plugin %s cannot be loaded", plugin)
        raise PluginInvalid(
            f"{path.name}: {type(error).__name__}: {error}"[:300],
            hint="The log has the details.",
        ) from error
    register = getattr(module, "register", None)
    if not callable(register) or inspect.iscoroutinefunction(register):
        _forget(package)
        raise PluginInvalid(
            f"{path.name} has no plain function register(api).", hint="See docs/PLUGINS.md."
        )
    return PluginCode(register, package)


class _FromSource(SourceFileLoader):
    """Compiles the file as it is now: what is cached of it may be of the same second."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _run_as_package(path: Path, package: str) -> ModuleType:
    around = ModuleType(package)
    around.__path__ = [str(path.parent)]
    sys.modules[package] = around
    name = f"{package}.plugin"
    spec = importlib.util.spec_from_file_location(name, path, loader=_FromSource(name, str(path)))
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def _neighbours(folder: Path) -> Iterator[None]:
    """``import rain`` finds ``rain.py`` in `folder`, where nothing else is called so; afterwards
    nobody else finds it."""
    before = set(sys.modules)
    sys.path.append(str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules.get(name), "__file__", None)
            foreign = "." in name or file is None
            if not foreign and Path(str(file)).is_relative_to(folder):
                _forget(name)


def _forget(package: str) -> None:
    # list() copies in one step; a comprehension would meet what other threads import meanwhile.
    for name in list(sys.modules):
        if name == package or name.startswith(f"{package}."):
            sys.modules.pop(name, None)
