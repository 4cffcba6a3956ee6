"""What a person does to have a channel, in a shell or the window: switch it on, log in, log out.

    setup = ChannelSetup(paths, os.environ, language, store)
    setup.known()                                       # every channel that a plugin here brings
    setup.switch_on("telegram"), setup.switch_off("telegram")
    setup.asked("telegram", "")                         # (AskedField("botToken", ...),)
    setup.log_in("telegram", "", {"botToken": "123:abc"})
    setup.log_out("telegram", "")

No plugin is run for it: the manifests say what a channel needs. Keys go to the password store, and
moltbot.json gets their names; a running assistant follows the file at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moltbot_desktop.app.channel_kinds import NO_CHANNELS, accounts_in
from moltbot_desktop.app.paths import Paths, own_python
from moltbot_desktop.app.plugins import PHRASES as PLUGIN_PHRASES
from moltbot_desktop.app.plugins import plugin_survey
from moltbot_desktop.app.secret_names import secret_name
from moltbot_desktop.channels.pipe_lines import CHANNEL as PIPE
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.form.hints import read_hints
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases, in_one_line
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.plugins.discovery import Origin
from moltbot_desktop.plugins.host import PluginRecord, PluginStatus, static_records
from moltbot_desktop.plugins.manifest import ChannelConfig
from moltbot_desktop.sdk.channel_setup import AskedField, ChannelStanding, KnownChannel
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT
from moltbot_desktop.sdk.forms import Change, FieldPlace, Put, Unset
from moltbot_desktop.security.secrets import SecretStore

_KEYRING = "keyring:"
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_PHRASES = Phrases(
    english={
        "no_channel": "No plugin here brings a channel “{name}”.",
        "no_channel_hint": "moltbot-desktop channels list shows those that are there.",
        "outside": "The plugin “{name}” comes from outside, so it is not switched on in passing.",
        "outside_hint": "Look at it first; then: moltbot-desktop plugins enable {name}",
        "missing": "{field} is needed.",
        "missing_hint": "Nothing was changed.",
    },
    chinese={
        "no_channel": "这里没有插件提供“{name}”渠道。",
        "no_channel_hint": "用 moltbot-desktop channels list 可以看到全部渠道。",
        "outside": "插件“{name}”来自外部，不会顺便打开。",
        "outside_hint": "请先看看它，再运行：moltbot-desktop plugins enable {name}",
        "missing": "需要填写{field}。",
        "missing_hint": "没有任何改动。",
    },
)


@dataclass(frozen=True)
class _Brought:
    """A channel, and the plugin that brings it."""

    id: str
    config: ChannelConfig
    record: PluginRecord

    @property
    def label(self) -> str:
        return self.config.label or self.id

    @property
    def standing(self) -> ChannelStanding:
        match self.record.status:
            case PluginStatus.ON:
                return ChannelStanding.ON
            case PluginStatus.BROKEN:
                return ChannelStanding.BROKEN
        bundled = self.record.found.origin is Origin.BUNDLED
        return ChannelStanding.OFF if bundled else ChannelStanding.OUTSIDE


def is_one_channel(record: PluginRecord) -> bool:
    """Whether a plugin came with the program and is one channel and nothing else: then it has one
    page, the channel's."""
    manifest = record.found.manifest
    if manifest is None or record.found.origin is not Origin.BUNDLED:
        return False
    more = (manifest.kind, manifest.providers, manifest.skills, manifest.commands)
    settings = _group(manifest.config_schema.get("properties"))
    return len(manifest.channel_configs) == 1 and not any(more) and not settings


@dataclass(frozen=True)
class ChannelSetup:
    """See `sdk.channel_setup.Setup`. Reads the file and the manifests anew each time; blocks.

    Attributes:
        environment: for ``${NAME}`` in the settings.
        store: where keys are kept.
    """

    paths: Paths
    environment: Mapping[str, str]
    language: Language
    store: SecretStore

    def known(self) -> tuple[KnownChannel, ...]:
        """All of them, by label."""
        loaded = self._loaded()
        channels = _group(loaded.config.raw.get("channels"))
        return tuple(
            KnownChannel(
                one.id,
                one.label,
                one.record.found.id,
                one.standing,
                in_one_line(one.record.reason, one.record.hint),
                tuple(account.name for account in accounts_in(one.id, channels[one.id]))
                if one.id in channels
                else (),
                is_one_channel(one.record),
            )
            for one in sorted(self._brought(loaded), key=lambda one: one.label.casefold())
        )

    def asked(self, channel: str, account: str) -> tuple[AskedField, ...]:
        """What a login asks: texts that the channel needs or that name who we are there.

        Raises:
            UserInputInvalid: no plugin brings it.
        """
        one = self._one(channel)
        hints, needed = read_hints(one.config.ui_hints), one.config.schema.get("required")
        section = _group(_group(self._file().own().get("channels")).get(channel))
        written = self._section(section, account)
        fields = [
            (hints.at((name,)).order, name, schema)
            for name, schema in _group(one.config.schema.get("properties")).items()
            if _is_asked(_group(schema)) and not hints.at((name,)).advanced
        ]
        return tuple(
            AskedField(
                name,
                hints.at((name,)).label or name,
                hints.at((name,)).help or _text(_group(schema).get("description")),
                secret=hints.secret((name,)),
                needed=isinstance(needed, list) and name in needed,
                there=bool(_text(written.get(name))),
            )
            for _, name, schema in sorted(fields, key=lambda one: one[0])
        )

    def switch_on(self, channel: str) -> None:
        """Have the plugin brought in that brings the channel.

        Raises:
            UserInputInvalid: no plugin does, or one from outside, which is looked at first.
            ConfigInvalid, StorageError: the file could not be written.
        """
        changes = [*self._switching(self._one(channel)), *self._bare(channel, "")]
        self._file().change(changes)

    def switch_off(self, channel: str) -> None:
        """Have the plugin left out that brings the channel; its settings and keys stay.

        Raises:
            UserInputInvalid: no plugin brings it.
            ConfigInvalid, StorageError: the file could not be written.
        """
        plugin = self._one(channel).record.found.id
        self._file().change([Put(("plugins", "entries", plugin, "enabled"), False)])

    def log_in(self, channel: str, account: str, values: Mapping[str, str]) -> None:
        """Keep what was asked and switch the channel and the account on. What is "" stays as it is,
        and a key may name a variable of the environment instead: ``${NAME}``.

        Raises:
            UserInputInvalid: no plugin brings it, or something is missing.
            SecretsUnavailable: there is no password store.
            ConfigInvalid, StorageError: the file could not be written.
        """
        one, fields = self._one(channel), self.asked(channel, account)
        for field in fields:
            if field.needed and not (field.there or values.get(field.name)):
                raise self._refused("missing", "missing_hint", field=field.label)
        place = self._place(channel, account)
        changes = [*self._switching(one), *self._bare(channel, account)]
        section = _group(_group(self._file().own().get("channels")).get(channel))
        changes += [
            Put((*off, "enabled"), True)
            for off in dict.fromkeys((("channels", channel), place))
            if _group(_at(section, off[2:])).get("enabled") is False
        ]
        for field in fields:
            if value := values.get(field.name, ""):
                if field.secret and not _VARIABLE.fullmatch(value):
                    standing = _group(_at(section, place[2:])).get(field.name)
                    name = secret_name((*place, field.name), standing, self.store.names())
                    self.store.set(name, value)
                    value = f"{_KEYRING}{name}"
                changes.append(Put((*place, field.name), value))
        self._file().change(changes)

    def log_out(self, channel: str, account: str) -> tuple[str, ...]:
        """Forget the keys of an account and switch it off; labels of what was forgotten.

        Raises:
            UserInputInvalid: no plugin brings it.
            SecretsUnavailable: the password store is locked.
            ConfigInvalid, StorageError: the file could not be written.
        """
        one = self._one(channel)
        hints, place = read_hints(one.config.ui_hints), self._place(channel, account)
        section = _group(_group(self._file().own().get("channels")).get(channel))
        written = _group(_at(section, place[2:]))
        secret = [
            name
            for name in _group(one.config.schema.get("properties"))
            if hints.secret((name,)) and name in written
        ]
        for name in secret:
            kept = _text(written[name]).removeprefix(_KEYRING)
            if kept != written[name] and kept in self.store.names():
                self.store.remove(kept)
        gone: list[Change] = [Unset((*place, name)) for name in secret]
        if channel in _group(self._file().own().get("channels")):
            gone.append(Put((*place, "enabled"), False))
        self._file().change(gone)
        return tuple(hints.at((name,)).label or name for name in secret)

    # ------------------------------------------------------------------ inside

    def _loaded(self) -> LoadedConfig:
        return load_config(self.paths.home, language=self.language)

    def _file(self) -> SettingsFile:
        return SettingsFile(self.paths.home, self.environment, self.language)

    def _brought(self, loaded: LoadedConfig) -> Iterator[_Brought]:
        survey = plugin_survey(self.paths, loaded.config, self.environment, self.language)
        for record in static_records(survey, own_python(), self.language):
            manifest = record.found.manifest
            if manifest is None or record.found.overridden_by is not None:
                continue
            for channel, config in manifest.channel_configs.items():
                if channel not in (PIPE, *NO_CHANNELS):
                    yield _Brought(channel, config, record)

    def _one(self, channel: str) -> _Brought:
        for one in self._brought(self._loaded()):
            if one.id == channel:
                return one
        raise self._refused("no_channel", "no_channel_hint", name=channel[:40])

    def _switching(self, one: _Brought) -> Iterator[Change]:
        """What has to stand in the file for its plugin to be brought in."""
        plugin = one.record.found.id
        match one.standing:
            case ChannelStanding.OUTSIDE:
                raise self._refused("outside", "outside_hint", name=plugin)
            case ChannelStanding.BROKEN:
                slots = {"name": plugin, "reason": one.record.reason}
                raise UserInputInvalid(PLUGIN_PHRASES.say("broken", self.language, **slots))
            case ChannelStanding.OFF:
                yield Put(("plugins", "entries", plugin, "enabled"), True)

    def _bare(self, channel: str, account: str) -> Iterator[Change]:
        """An account of a channel that asks for nothing: only that it is wanted is to be said."""
        place = self._place(channel, account)
        if not self.asked(channel, account) and _at(self._file().own(), place) is None:
            yield Put((*place, "enabled"), True)

    def _place(self, channel: str, account: str) -> FieldPlace:
        """Where an account's settings stand: in the channel's section while it has but one."""
        section = _group(_group(self._file().own().get("channels")).get(channel))
        accounts = _group(section.get("accounts"))
        if not account and accounts:
            account = next(iter(accounts))
        if account in ("", DEFAULT_ACCOUNT) and not accounts:
            return ("channels", channel)
        return ("channels", channel, "accounts", account)

    def _section(self, section: JsonObject, account: str) -> JsonObject:
        """One account's settings with those of all below it."""
        accounts = _group(section.get("accounts"))
        own = accounts.get(account or next(iter(accounts), ""))
        return {**section, **_group(own)}

    def _refused(self, phrase: str, hint: str, **slots: object) -> UserInputInvalid:
        said = _PHRASES.say(phrase, self.language, **slots)
        return UserInputInvalid(said, hint=_PHRASES.say(hint, self.language, **slots))


def _is_asked(schema: JsonObject) -> bool:
    """A text that has no value of its own and is not one of several."""
    kind = schema.get("type")
    text = kind == "string" or (isinstance(kind, list) and "string" in kind)
    return text and "enum" not in schema and not schema.get("default")


def _group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _at(tree: JsonValue, place: FieldPlace) -> JsonValue:
    for step in place:
        tree = _group(tree).get(str(step))
    return tree
