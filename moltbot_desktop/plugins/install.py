"""Puts plugins into ``~/.moltbot/extensions`` and takes them out; runs none of them.

    home = PluginHome(paths.home / "extensions", language)
    offered = home.offered("~/Downloads/weather.zip")      # read as a whole, nothing unpacked
    home.put_in(offered)                                   # the folder is there whole or not
    home.remove("weather")                                 # kept in .removed/ until the next one

What is inside is read with the guards of `skills.package`: names that lead elsewhere, links, bombs.
Being installed switches nothing on: that is the owner's word in the settings.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from moltbot_desktop.core.errors import PluginInvalid, SkillInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.plugins.discovery import PLUGIN_FILE
from moltbot_desktop.plugins.manifest import MANIFEST_NAMES, PluginManifest, parse_manifest
from moltbot_desktop.skills.package import PackedFile, read_package
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_REMOVED = ".removed"
_PHRASES = Phrases(
    {
        "hint": "Give a folder with a moltbot.plugin.json, a zip of one, or a git repository here.",
        "no_manifest": "There is no moltbot.plugin.json in {source}.",
        "no_code": "There is no plugin.py beside the manifest in {source}.",
        "there": "The plugin “{id}” is installed already.",
        "there_hint": "moltbot-desktop plugins remove {id} takes it out first.",
        "not_there": "No plugin called “{id}” was installed.",
        "not_there_hint": "plugins list shows where each one lies; one of your own you remove as a "
        "folder.",
    },
    {
        "hint": "请给出带 moltbot.plugin.json 的文件夹、它的 zip，或本机上的 git 仓库。",
        "no_manifest": "{source} 里没有 moltbot.plugin.json。",
        "no_code": "{source} 的清单旁边没有 plugin.py。",
        "there": "插件“{id}”已经安装。",
        "there_hint": "先用 moltbot-desktop plugins remove {id} 删除它。",
        "not_there": "没有安装过叫“{id}”的插件。",
        "not_there_hint": "plugins list 会列出每个插件的位置；自己写的请直接删文件夹。",
    },
)


@dataclass(frozen=True)
class OfferedPlugin:
    """What would be installed; `files` have paths below the plugin's folder."""

    manifest: PluginManifest
    files: tuple[PackedFile, ...]


@dataclass(frozen=True)
class PluginHome:
    """The folder of plugins that were installed."""

    folder: Path
    language: Language

    def offered(self, source: str) -> OfferedPlugin:
        """What `source` (a folder, a zip, a git repository here) holds.

        Raises:
            PluginInvalid: there is no plugin in it, or it holds what must not be unpacked.
        """
        try:
            files = read_package(source, self.language)
        except SkillInvalid as error:
            raise PluginInvalid(error.message, hint=self._say("hint")) from error
        top = _top(files)
        if top is None:
            said = self._say("no_manifest", source=source)
            raise PluginInvalid(said, hint=self._say("hint"))
        inside = tuple(
            PackedFile(path, one.data, one.runnable)
            for one in files
            if (path := _below(one.path, top.parent))
        )
        named = next(one for one in inside if one.path == top.name)
        manifest = parse_manifest(named.data, named.path, self.language)
        if PLUGIN_FILE not in {one.path for one in inside}:
            said = self._say("no_code", source=source)
            raise PluginInvalid(said, hint=self._say("hint"))
        return OfferedPlugin(manifest, inside)

    def put_in(self, offered: OfferedPlugin) -> Path:
        """Install it; its folder.

        Raises:
            PluginInvalid: there is one of that id.
            StorageError: the disk said no; nothing is there then.
        """
        plugin = offered.manifest.id
        target = self.folder / plugin
        if target.exists():
            hint = self._say("there_hint", id=plugin)
            raise PluginInvalid(self._say("there", id=plugin), hint=hint)
        make_private_dir(self.folder)
        with disk_errors(target), tempfile.TemporaryDirectory(dir=self.folder, prefix=".") as made:
            whole = Path(made) / plugin
            whole.mkdir(mode=0o700)  # as a parent of others it would be open to all
            for file in offered.files:
                path = whole / file.path
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_atomic(path, file.data, mode=0o700 if file.runnable else 0o600)
            whole.replace(target)
        return target

    def remove(self, plugin: str, folder: Path | None) -> Path:
        """Take one out; where it is kept. `folder` is where it lies.

        Raises:
            PluginInvalid: it was not installed here.
            StorageError: the disk said no.
        """
        if folder is None or folder.parent.resolve() != self.folder.resolve():
            hint = self._say("not_there_hint")
            raise PluginInvalid(self._say("not_there", id=plugin), hint=hint)
        kept = self.folder / _REMOVED / plugin
        with disk_errors(folder):
            kept.parent.mkdir(mode=0o700, exist_ok=True)
            if folder.is_symlink():  # what it leads to is the person's own
                folder.unlink()
                return folder
            shutil.rmtree(kept, ignore_errors=True)
            folder.replace(kept)
        return kept

    def _say(self, key: str, **values: object) -> str:
        return _PHRASES.say(key, self.language, **values)


def _top(files: tuple[PackedFile, ...]) -> PurePosixPath | None:
    """The manifest that is nearest to the top."""
    found = [path for one in files if (path := PurePosixPath(one.path)).name in MANIFEST_NAMES]
    return min(
        found, key=lambda path: (len(path.parts), MANIFEST_NAMES.index(path.name)), default=None
    )


def _below(path: str, folder: PurePosixPath) -> str:
    inside = PurePosixPath(path)
    return str(inside.relative_to(folder)) if inside.is_relative_to(folder) else ""
