"""`moltbot-desktop plugins`: finds plugins, switches them, installs and checks; runs none."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.app.paths import Paths, own_python
from moltbot_desktop.app.plugins import plugin_survey, survey_problems
from moltbot_desktop.app.running_command import asking
from moltbot_desktop.app.typed import typed_line
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.plugins import (
    CheckedManifest,
    PluginLine,
    list_plugins,
    show_checked,
    show_plugin,
    show_reloaded,
    told_done,
)
from moltbot_desktop.cli.running import Ask
from moltbot_desktop.cli.terminal_text import shown as harmless
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.form.report import form_report
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.places import show_place
from moltbot_desktop.core.errors import PluginInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.plugins.consent import PluginConsent
from moltbot_desktop.plugins.discovery import Origin, found_plugin
from moltbot_desktop.plugins.host import PluginRecord, PluginStatus, Survey, static_records
from moltbot_desktop.plugins.install import PluginHome
from moltbot_desktop.plugins.manifest import MANIFEST_NAMES, read_manifest
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_TEMPLATE_ID, _TEMPLATE_NAME = "my-plugin", "My plugin"
_DEEPEST = 12
_YES = frozenset({"y", "yes", "是", "好", "可以"})

_PHRASES = Phrases(
    {
        "no_plugin": "There is no plugin “{name}”.",
        "look": "moltbot-desktop plugins list shows all of them.",
        "broken": "The plugin “{name}” cannot be used: {reason}",
        "name": "A plugin's name has small letters, digits, - and _: “{name}”",
        "exists": "There is something at {folder} already.",
        "other_name": "Choose another name.",
        "no_folder": "There is no folder {folder}.",
        "give_folder": "Give a folder with manifests below it.",
        "nobody": "There is nobody to ask about the plugin.",
        "nobody_do": "Type the same in a terminal of your own.",
        "ask_trust": "Take “{name}” as it is now? It has all the rights of the program. [y/N] ",
    },
    {
        "no_plugin": "没有叫“{name}”的插件。",
        "look": "用 moltbot-desktop plugins list 可以看到全部插件。",
        "broken": "插件“{name}”不能用：{reason}",
        "name": "插件名只用小写字母、数字、- 和 _：“{name}”",
        "exists": "{folder} 处已有东西。",
        "other_name": "请换一个名字。",
        "no_folder": "没有文件夹 {folder}。",
        "give_folder": "请给出一个下面有清单的文件夹。",
        "nobody": "没有人可以问这个插件的事。",
        "nobody_do": "请在你自己的终端里输入同样的命令。",
        "ask_trust": "接受“{name}”现在的样子吗？它拥有本程序的全部权限。[y/N] ",
    },
)


def run_plugins_command(
    paths: Paths, loaded: LoadedConfig, arguments: Arguments, language: Language
) -> int:
    """Carry out `plugins list|info|enable|disable|trust|reload|check|new|install|remove`.

    Raises:
        UserInputInvalid: there is no such plugin, folder or name.
        PluginInvalid: it cannot be used.
        ConfigInvalid, StorageError: the settings or the disk said no.
        GatewayError: of reload: nobody is running.
    """
    desk = _Desk(paths, loaded, arguments, language)
    by_hand = _ask if sys.stdin.isatty() else None
    match arguments.action:
        case "list":
            return desk.list()
        case "info":
            return show_plugin(desk.line(), arguments.json, language, sys.stdout)
        case "enable" | "disable":
            return desk.switch(on=arguments.action == "enable")
        case "trust":
            return desk.trust(by_hand)
        case "reload":
            return desk.reload(asking(paths, language), by_hand)
        case "install":
            return desk.install()
        case "remove":
            return desk.remove()
        case "new":
            return desk.new()
        case _:
            return desk.check()


class _Desk:
    def __init__(
        self, paths: Paths, loaded: LoadedConfig, arguments: Arguments, language: Language
    ) -> None:
        self._paths = paths
        self._loaded = loaded
        self._arguments = arguments
        self._language = language
        self._home = PluginHome(paths.home / "extensions", language)
        self._consent = PluginConsent(paths.plugin_trust, language)

    # ------------------------------------------------------------------ looking

    def list(self) -> int:
        survey = self._survey()
        lines = [_line(one) for one in self._records(survey)]
        notes = [f"{one.text} {one.hint}" for one in survey_problems(survey, self._language)]
        return list_plugins(lines, notes, self._arguments.json, self._language, sys.stdout)

    def line(self) -> PluginLine:
        return _line(self._record())

    def check(self) -> int:
        folder = Path(self._arguments.name).expanduser()
        if not folder.is_dir():
            raise UserInputInvalid(
                self._say("no_folder", folder=folder), hint=self._say("give_folder")
            )
        found = [self._checked(path) for path in _manifests(folder)]
        as_json = self._arguments.json
        return show_checked(found, str(folder), as_json, self._language, sys.stdout)

    def _checked(self, path: Path) -> CheckedManifest:
        try:
            manifest = read_manifest(path, self._language)
        except PluginInvalid as error:
            told = (f"{one.path}: {one.message}".removeprefix(": ") for one in error.mistakes)
            return CheckedManifest(str(path), (), (), tuple(told))
        report = form_report(manifest.config_schema, self._language)
        raw = tuple((one.path, one.reason) for one in report.raw)
        return CheckedManifest(str(path), report.drawn, raw, report.errors)

    # ------------------------------------------------------------------ doing

    def switch(self, on: bool) -> int:
        record = self._record()
        plugin = record.found.id
        if on and record.found.problem:
            said = self._say("broken", name=plugin, reason=record.found.problem)
            raise PluginInvalid(said, hint=record.found.hint)
        if on:
            self._consent.say_yes(record.found)
        else:
            self._consent.take_back(record.found)
        self._put(plugin, on)
        done = "enabled" if on else "disabled"
        if on and not self._arguments.json:
            self._warn_of(plugin)
        return self._told(done, _line(record))

    def trust(self, ask: Callable[[str], str] | None) -> int:
        """Show what changed in one that is switched on, and take it as it is now. Only by hand:
        a program that could change a plugin and say yes to it would make the question worthless."""
        record = self._record()
        found = record.found
        if found.folder not in self._survey().objections:
            return self._told("as_before", _line(record))
        changes = self._consent.changes(found)
        if ask is None or self._arguments.json:
            raise UserInputInvalid(self._say("nobody"), hint=self._say("nobody_do"))
        sys.stdout.write(harmless(changes) + "\n")
        if ask(self._say("ask_trust", name=found.id)).strip().casefold() not in _YES:
            self._told("not_trusted", _line(record))
            return 1
        self._consent.say_yes(found)
        return self._told("trusted", _line(record))

    def reload(self, ask: Ask, by_hand: Callable[[str], str] | None) -> int:
        """Have the running program take the code as it is now; 1 when one cannot be used. Whoever
        writes a plugin reloads it after each change: at a terminal the question that comes with a
        change is asked at once."""
        name = self._arguments.name
        if name and by_hand is not None and not self._arguments.json:
            changed = self._record().found.folder in self._survey().objections
            if changed and (code := self.trust(by_hand)):
                return code
        told = ask("plugins.reload", {"name": name} if name else {})
        return show_reloaded(told, self._arguments.json, self._language, sys.stdout)

    def install(self) -> int:
        offered = self._home.offered(self._arguments.name)
        plugin = offered.manifest.id
        folder = self._home.put_in(offered)
        if self._survey().entry(plugin).enabled:  # the word was given to other code
            self._put(plugin, on=False)
        found = found_plugin(folder, Origin.OWN, self._language)
        self._consent.take_back(found)
        return self._told("installed", _line(PluginRecord(found, PluginStatus.OFF, "")))

    def remove(self) -> int:
        record = self._record(where=Origin.OWN)
        self._consent.take_back(record.found)
        kept = self._home.remove(record.found.id, record.found.folder)
        if self._survey().entry(record.found.id).enabled:
            self._put(record.found.id, on=False)
        return self._told("removed", replace(_line(record), location=str(kept)))

    def new(self) -> int:
        name = self._arguments.name
        if not _ID.fullmatch(name):
            raise UserInputInvalid(self._say("name", name=name))
        folder = self._paths.home / "extensions" / name
        if folder.exists():
            hint = self._say("other_name")
            raise UserInputInvalid(self._say("exists", folder=folder), hint=hint)
        make_private_dir(folder.parent)
        template = self._paths.resources / "templates" / "plugin"
        shown = name.replace("-", " ").replace("_", " ").capitalize()
        with disk_errors(folder):
            for path in sorted(template.iterdir()):
                if path.is_file():
                    text = path.read_text(encoding="utf-8")
                    text = text.replace(_TEMPLATE_ID, name).replace(_TEMPLATE_NAME, shown)
                    folder.mkdir(mode=0o700, exist_ok=True)
                    write_atomic(folder / path.name, text.encode())
        found = found_plugin(folder, Origin.OWN, self._language)
        return self._told("made", _line(PluginRecord(found, PluginStatus.OFF, "")))

    # ------------------------------------------------------------------ inside

    def _survey(self) -> Survey:
        loaded = self._loaded
        return plugin_survey(self._paths, loaded.config, loaded.environment, self._language)

    def _records(self, survey: Survey) -> tuple[PluginRecord, ...]:
        return static_records(survey, own_python(), self._language)

    def _record(self, where: Origin | None = None) -> PluginRecord:
        """The one that is named; of several, the one that counts."""
        name = self._arguments.name
        named = [one for one in self._records(self._survey()) if one.found.id == name]
        named = [one for one in named if where is None or one.found.origin is where]
        if not named:
            raise UserInputInvalid(self._say("no_plugin", name=name), hint=self._say("look"))
        return min(
            named, key=lambda one: (one.found.manifest is None, bool(one.found.overridden_by))
        )

    def _put(self, plugin: str, on: bool) -> None:
        settings = SettingsFile(self._paths.home, os.environ, self._language)
        settings.put(show_place(("plugins", "entries", plugin, "enabled")), on)

    def _warn_of(self, plugin: str) -> None:
        """What keeps it from working although it is switched on now."""
        survey = self._survey()
        wish = replace(survey.wish, said={**(survey.wish.said or {}), plugin: True})
        for one in self._records(replace(survey, wish=wish)):
            if one.found.id == plugin and one.status is not PluginStatus.ON:
                if one.found.overridden_by is None:
                    said = self._say("broken", name=plugin, reason=one.reason)
                    sys.stderr.write(f"{said} {one.hint}".rstrip() + "\n")

    def _told(self, done: str, line: PluginLine) -> int:
        return told_done(done, line, self._arguments.json, self._language, sys.stdout)

    def _say(self, key: str, **values: object) -> str:
        return _PHRASES.say(key, self._language, **values)


def _line(record: PluginRecord) -> PluginLine:
    found, manifest = record.found, record.found.manifest
    return PluginLine(
        found.id,
        manifest.name if manifest else "",
        manifest.version if manifest else "",
        manifest.description if manifest else "",
        manifest.kind if manifest else "",
        found.origin.value,
        str(found.folder),
        record.status.value,
        record.reason,
        record.hint,
        tuple((one.path, one.message) for one in record.mistakes),
    )


def _manifests(folder: Path, depth: int = _DEEPEST) -> Iterator[Path]:
    """Every manifest in and below `folder`, sorted; links to folders are not followed."""
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    yield from (path for path in inside if path.name in MANIFEST_NAMES)
    for path in inside:
        if depth and path.is_dir() and not path.is_symlink() and path.name != "node_modules":
            yield from _manifests(path, depth - 1)


def _ask(question: str) -> str:
    sys.stdout.write(question)
    sys.stdout.flush()
    return typed_line()
