"""Finds plugins: folders with a manifest, below ordered roots. Nothing of a plugin is run by it.

    found = discover(plugin_roots(config.plugins, home, workspace, bundled), language)
    found.plugins           # FoundPlugin(id="weather", folder=..., origin=Origin.BUNDLED, ...)
    found.missing           # load paths that are not there

The first plugin of an id counts, later ones are shown as overridden by it. The order: the load
paths of the settings, ``~/.moltbot/extensions``, what pip installed (entry points of the group
``moltbot_desktop.plugins``), what comes with the program, and last, on purpose otherwise than in
the reference, ``<workspace>/.moltbot/extensions``: a workspace is where the assistant and downloads
write, and what lies there may not take the place of a plugin that its owner has switched on.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from moltbot_desktop.config.plugins import PluginsConfig
from moltbot_desktop.core.errors import ManifestMistake, PluginInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.plugins.manifest import PluginManifest, manifest_file, read_manifest

PLUGIN_FILE = "plugin.py"
ENTRY_POINTS = "moltbot_desktop.plugins"
MAX_PER_ROOT = 2_000
_NO_PLUGINS = frozenset({"node_modules", "__pycache__"})

_PHRASES = Phrases(
    {
        "no_code": "there is no plugin.py beside its manifest",
        "no_code_hint": "Plugins are written in Python here; docs/PLUGINS.md says how.",
        "no_manifest": "there is no moltbot.plugin.json in it",
        "no_folder": "the Python package “{name}” has no folder",
        "too_many": "it holds more than {most} folders; the others were not looked at",
    },
    {
        "no_code": "清单旁边没有 plugin.py",
        "no_code_hint": "这里的插件用 Python 写；见 docs/PLUGINS.md。",
        "no_manifest": "里面没有 moltbot.plugin.json",
        "no_folder": "Python 包“{name}”没有文件夹",
        "too_many": "里面超过 {most} 个文件夹；其余的没有查看",
    },
)


class Origin(StrEnum):
    """Where a plugin comes from, in the order in which they count."""

    LOAD_PATH = "config"
    OWN = "global"
    INSTALLED = "installed"
    BUNDLED = "bundled"
    WORKSPACE = "workspace"


@dataclass(frozen=True)
class PluginRoot:
    """A folder whose subfolders are plugins; a load path may also be one itself."""

    origin: Origin
    path: Path


@dataclass(frozen=True)
class FoundPlugin:
    """A folder with a manifest.

    Attributes:
        id: the manifest's; the folder's name where that cannot be read.
        manifest: None when it cannot be used, `problem` says why and `mistakes` each reason.
        problem: "" or why it cannot be used, for the person.
        overridden_by: the folder of the plugin that has its place.
    """

    id: str
    folder: Path
    origin: Origin
    manifest: PluginManifest | None = None
    problem: str = ""
    hint: str = ""
    mistakes: tuple[ManifestMistake, ...] = ()
    overridden_by: Path | None = None

    @property
    def code(self) -> Path:
        return self.folder / PLUGIN_FILE


@dataclass(frozen=True)
class Discovered:
    """All that was found, in the order in which it counts; `missing` are load paths that are no
    folders."""

    plugins: tuple[FoundPlugin, ...]
    missing: tuple[Path, ...] = ()

    def plugin(self, plugin: str) -> FoundPlugin | None:
        """The one that counts of that id; a broken one when there is no other."""
        named = [one for one in self.plugins if one.id == plugin and one.overridden_by is None]
        return next((one for one in named if one.manifest is not None), next(iter(named), None))


def plugin_roots(
    config: PluginsConfig, home: Path, workspace: Path, bundled: Path
) -> tuple[PluginRoot, ...]:
    """Where to look; `bundled` is the folder of those that come with the program."""
    return (
        *(PluginRoot(Origin.LOAD_PATH, path) for path in config.load_paths),
        PluginRoot(Origin.OWN, home / "extensions"),
        PluginRoot(Origin.BUNDLED, bundled),
        PluginRoot(Origin.WORKSPACE, workspace / ".moltbot" / "extensions"),
    )


def discover(
    roots: Sequence[PluginRoot], language: Language = Language.ENGLISH, *, installed: bool = True
) -> Discovered:
    """All plugins below `roots`, whose order is theirs; `installed` adds those of pip after
    `Origin.OWN`. Never raises for what lies on the disk."""
    missing = [
        root.path for root in roots if root.origin is Origin.LOAD_PATH and not root.path.is_dir()
    ]
    found = [one for root in roots for one in _below(root, language)]
    if installed:
        found += _installed(language)
    order = list(Origin)
    found.sort(key=lambda one: order.index(one.origin))  # stable: roots keep their order inside
    return Discovered(tuple(_deduplicated(found)), tuple(missing))


def _deduplicated(found: Sequence[FoundPlugin]) -> Iterator[FoundPlugin]:
    first: dict[str, Path] = {}
    seen: set[Path] = set()
    for one in found:
        real = one.folder.resolve()
        if real in seen:  # the same folder by two ways is one plugin
            continue
        seen.add(real)
        if one.manifest is None:  # a broken one takes nobody's place
            yield one
        elif one.id in first:
            yield replace(one, overridden_by=first[one.id])
        else:
            first[one.id] = one.folder
            yield one


def _below(root: PluginRoot, language: Language) -> Iterator[FoundPlugin]:
    if root.origin is Origin.LOAD_PATH and manifest_file(root.path) is not None:
        yield found_plugin(root.path, root.origin, language)
        return
    try:
        inside = sorted(root.path.iterdir()) if root.path.is_dir() else []
    except OSError:
        return
    folders = [
        one for one in inside if not one.name.startswith(".") and one.name not in _NO_PLUGINS
    ]
    for folder in folders[:MAX_PER_ROOT]:
        if manifest_file(folder) is not None:
            yield found_plugin(folder, root.origin, language)
    if len(folders) > MAX_PER_ROOT:
        said = _PHRASES.say("too_many", language, most=MAX_PER_ROOT)
        yield FoundPlugin(root.path.name, root.path, root.origin, problem=said)


def found_plugin(folder: Path, origin: Origin, language: Language) -> FoundPlugin:
    """The plugin in `folder`."""
    path = manifest_file(folder)
    if path is None:
        said = _PHRASES.say("no_manifest", language)
        return FoundPlugin(folder.name, folder, origin, problem=said)
    try:
        manifest = read_manifest(path, language)
    except PluginInvalid as error:
        return FoundPlugin(
            folder.name,
            folder,
            origin,
            problem=error.message,
            hint=error.hint,
            mistakes=error.mistakes,
        )
    found = FoundPlugin(manifest.id, folder, origin, manifest)
    if not found.code.is_file():
        said, hint = _PHRASES.say("no_code", language), _PHRASES.say("no_code_hint", language)
        return replace(found, problem=said, hint=hint)
    return found


def _installed(language: Language) -> Iterator[FoundPlugin]:
    """The packages that entry points name. They are not imported: only where they lie is asked."""
    for point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        folder = _package_folder(point.module)
        if folder is None:
            said = _PHRASES.say("no_folder", language, name=point.module)
            yield FoundPlugin(point.name, Path(point.module), Origin.INSTALLED, problem=said)
        else:
            yield found_plugin(folder, Origin.INSTALLED, language)


def _package_folder(module: str) -> Path | None:
    top, *inner = module.split(".")
    try:
        spec = importlib.util.find_spec(top)  # of a name without a dot: nothing is imported
    except (ImportError, ValueError):
        return None
    places = [] if spec is None else list(spec.submodule_search_locations or ())
    folders = (Path(place, *inner) for place in places)
    return next((folder for folder in folders if folder.is_dir()), None)
