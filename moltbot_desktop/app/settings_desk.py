"""The pages of the settings window: which there are, how one is opened, and what saving it does.

    desk = FileSettingsDesk(paths, os.environ, language, store)
    form = desk.open("plugin:weather").put(("config", "units"), "metric")
    desk.save("plugin:weather", form)

The general page is the whole file; a plugin's page is its entry, by the manifest's schema. Only
what was edited is written, each edit at its place, so that comments and everything else stay. Keys
go to the password store; the file gets their names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.form.form import open_form
from moltbot_desktop.config.form.trees import NoPlace, at, same
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.errors import ConfigInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.plugins.discovery import FoundPlugin, discover, plugin_roots
from moltbot_desktop.sdk.forms import (
    Change,
    FieldPlace,
    FormState,
    Put,
    SettingsPage,
    Unset,
)
from moltbot_desktop.security.secrets import SecretStore

GENERAL = "general"
_PLUGIN = "plugin:"
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 64

_PHRASES = Phrases(
    english={
        "general": "General",
        "general_note": "Everything in {file}. What is not written has its default.",
        "plugin": "Plugin: {name}",
        "enabled": "Switched on",
        "config": "Settings",
        "no_page": "There is no page “{page}” any more.",
        "no_page_hint": "Open the settings again.",
        "wrong": "{count} of the values do not fit; nothing was saved.",
        "wrong_hint": "What is wrong stands at the field.",
        "meanwhile": "{place} was changed in the file meanwhile; nothing was saved.",
        "meanwhile_hint": "Open the settings again and repeat what you changed.",
    },
    chinese={
        "general": "常规",
        "general_note": "{file} 中的全部设置。没有写的使用默认值。",
        "plugin": "插件：{name}",
        "enabled": "已打开",
        "config": "设置",
        "no_page": "“{page}”这一页已经没有了。",
        "no_page_hint": "请重新打开设置。",
        "wrong": "有 {count} 处的值不合适；没有保存。",
        "wrong_hint": "问题写在对应的栏位上。",
        "meanwhile": "{place} 在此期间被改动过；没有保存。",
        "meanwhile_hint": "请重新打开设置，再改一次。",
    },
)


@dataclass(frozen=True)
class FileSettingsDesk:
    """See `sdk.forms.SettingsDesk`, which this is.

    Attributes:
        store: where keys are kept.
    """

    paths: Paths
    environment: Mapping[str, str]
    language: Language
    store: SecretStore

    def pages(self) -> tuple[SettingsPage, ...]:
        note = self._say("general_note", file=self.paths.config)
        general = SettingsPage(GENERAL, self._say("general"), note)
        return (general, *map(self._plugin_page, self._plugins()))

    def open(self, page: str) -> FormState:
        whole = self._file().own()
        if page == GENERAL:
            return open_form(json_schema(), whole, None, self.language)
        found = self._plugin(page)
        schema, hints = self._plugin_form(found)
        try:
            entry = at(whole, _entry_place(found))
        except NoPlace:
            entry = {}
        saved: JsonObject = entry if isinstance(entry, Mapping) else {}
        return open_form(schema, saved, hints, self.language)

    def save(self, page: str, form: FormState) -> FormState:
        if form.wrong:
            raise ConfigInvalid(self._say("wrong", count=form.wrong), hint=self._say("wrong_hint"))
        above = () if page == GENERAL else _entry_place(self._plugin(page))
        self._refuse_if_changed(page, form)
        changes = [_below(above, change) for change in form.changes()]
        for place, secret in form.secrets.items():
            name = _secret_name((*above, *place))
            self.store.set(name, secret)
            changes.append(Put((*above, *place), f"keyring:{name}"))
        self._file().change(changes)
        return self.open(page)

    # ------------------------------------------------------------------ inside

    def _file(self) -> SettingsFile:
        return SettingsFile(self.paths.home, self.environment, self.language)

    def _refuse_if_changed(self, page: str, form: FormState) -> None:
        """Somebody else may have written the file since the form was opened; what they wrote at
        the places that were edited is not overwritten unseen."""
        now = self.open(page).saved
        for place in [one.place for one in form.changes()] + list(form.secrets):
            if not same(_at(now, place), _at(form.saved, place)):
                told = ".".join(map(str, place))
                raise ConfigInvalid(
                    self._say("meanwhile", place=told), hint=self._say("meanwhile_hint")
                )

    def _plugins(self) -> tuple[FoundPlugin, ...]:
        config = load_config(self.paths.home, language=self.language).config
        workspace = config.agent.workspace or self.paths.default_workspace
        bundled = self.paths.program / "moltbot_desktop" / "extensions"
        roots = plugin_roots(config.plugins, self.paths.home, Path(workspace), bundled)
        found = discover(roots, self.language).plugins
        usable = (one for one in found if one.manifest and one.overridden_by is None)
        return tuple(sorted(usable, key=_name))

    def _plugin(self, page: str) -> FoundPlugin:
        for found in self._plugins():
            if f"{_PLUGIN}{found.id}" == page:
                return found
        raise UserInputInvalid(
            self._say("no_page", page=page.removeprefix(_PLUGIN)), hint=self._say("no_page_hint")
        )

    def _plugin_page(self, found: FoundPlugin) -> SettingsPage:
        about = found.manifest.description if found.manifest else ""
        note = "\n".join(filter(None, (about, found.problem, str(found.folder))))
        return SettingsPage(f"{_PLUGIN}{found.id}", self._say("plugin", name=_name(found)), note)

    def _plugin_form(self, found: FoundPlugin) -> tuple[JsonObject, JsonObject]:
        """Schema and hints of the entry, with the plugin's own below ``config``."""
        manifest = found.manifest
        inner: JsonObject = manifest.config_schema if manifest else {}
        dialect = {"$schema": inner["$schema"]} if "$schema" in inner else {}
        schema: JsonObject = {
            **dialect,
            "type": "object",
            "properties": {
                "enabled": {"type": "boolean", "title": self._say("enabled")},
                "config": {"title": self._say("config"), **_nested(inner)},
            },
        }
        own = manifest.ui_hints if manifest else {}
        return schema, {f"config.{path}": hint for path, hint in own.items()}

    def _say(self, phrase: str, **slots: object) -> str:
        return _PHRASES.say(phrase, self.language, **slots)


def _name(found: FoundPlugin) -> str:
    return (found.manifest.name if found.manifest else "") or found.id


def _entry_place(found: FoundPlugin) -> FieldPlace:
    return ("plugins", "entries", found.id)


def _below(above: FieldPlace, change: Change) -> Change:
    match change:
        case Put(place, value):
            return Put((*above, *place), value)
        case Unset(place):
            return Unset((*above, *place))


def _at(tree: JsonValue, place: FieldPlace) -> JsonValue:
    """What stands there; for what does not, a value that no file can hold."""
    try:
        return at(tree, place)
    except NoPlace:
        return float("inf")


def _secret_name(place: FieldPlace) -> str:
    """What the password store calls the key at `place`."""
    name = _NOT_IN_A_NAME.sub("-", ".".join(map(str, place)))
    return name if len(name) <= _LONGEST_NAME else name[-_LONGEST_NAME:].lstrip(".-_")


def _nested(schema: JsonObject) -> JsonObject:
    """`schema` as a part of another one: its references to itself lead to where it stands now."""
    moved = _moved(schema)
    found = moved if isinstance(moved, Mapping) else {}
    return {name: item for name, item in found.items() if name not in ("$schema", "$id")}


def _moved(schema: JsonValue) -> JsonValue:
    if isinstance(schema, list):
        return [_moved(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = {name: _moved(item) for name, item in schema.items()}
    ref = schema.get("$ref")
    if isinstance(ref, str) and (ref == "#" or ref.startswith("#/")):
        found["$ref"] = f"#/properties/config{ref[1:]}"
    return found
