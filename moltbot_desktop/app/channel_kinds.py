"""The kinds of channels that plugins bring, and which accounts the settings want of them.

    kinds = PluginChannels(language, lambda: os.environ)
    remove = kinds.add(manifest, registration.channels)
    kinds.known                                   # {"sun": ChannelKind(...)}
    kinds.on_change(follow)                       # a plugin came or went

    accounts_in("sun", config.raw["channels"]["sun"])       # pure: each with its merged settings

A channel has one section, ``channels.<id>``; what stands in ``accounts.<name>`` there goes over
what stands beside it. A part of it every channel has, such as who may write; for the rest the
plugin's manifest has a schema.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from moltbot_desktop.app.channel_waiting import (
    OF_EVERY_CHANNEL,
    near,
    waiting_settings,
    without,
)
from moltbot_desktop.channels.pipe_lines import CHANNEL as PIPE
from moltbot_desktop.config.reading import SettingsReader, UnusableSetting
from moltbot_desktop.core.errors import ChannelRefused, ManifestMistake, PluginInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.plugins.config_check import check_config
from moltbot_desktop.plugins.manifest import ChannelConfig, PluginManifest
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT, DESKTOP
from moltbot_desktop.sdk.plugins import PluginChannel

NO_CHANNELS = ("defaults",)
"""What stands under ``channels`` and is none."""

EVERY_CHANNEL = frozenset(
    "enabled accounts name dm policy dmPolicy allowFrom groupPolicy groupAllowFrom groups channels"
    " rooms allowlistOnly username skills textChunkLimit chunkMode replyToMode blockStreaming"
    " streamMode".split()
)
"""Settings that every channel has; a plugin's schema need not name them."""

_RESERVED = frozenset({DESKTOP, PIPE, *NO_CHANNELS})
_PHRASES = Phrases(
    english={
        "reserved": "the channel “{name}” is one of the program's own",
        "misfit": "channels.{channel} does not fit: {reasons}.",
        "meant": "{said}: perhaps “{near}”.",
        "misfit_hint": "Correct it in moltbot.json or in the settings window.",
    },
    chinese={
        "reserved": "渠道“{name}”是程序自己的",
        "misfit": "channels.{channel} 不合要求：{reasons}。",
        "meant": "{said}：也许是“{near}”。",
        "misfit_hint": "请在 moltbot.json 或设置窗口里改正。",
    },
)


@dataclass(frozen=True)
class ChannelKind:
    """A channel of a plugin, and what its manifest says of its settings.

    Attributes:
        environment: for ``${NAME}`` in them.
    """

    channel: PluginChannel
    config: ChannelConfig
    environment: Callable[[], Mapping[str, str]]

    def settings(self, written: JsonObject, language: Language) -> JsonObject:
        """One account's settings with ``${NAME}`` and defaults filled in.

        Raises:
            ChannelRefused: they do not fit the manifest's schema, or a variable is not set.
        """
        reader = SettingsReader(self.environment(), language)
        try:
            filled = reader.filled(written, f"channels.{self.channel.id}")
        except UnusableSetting as error:
            [problem] = reader.problems
            raise ChannelRefused(problem.message, hint=problem.hint) from error
        checked = account_settings(self.config, _group(filled), language)
        if checked.mistakes:
            told = (f"{one.path}: {one.message}" for one in checked.mistakes)
            reasons = "; ".join(one.removeprefix(": ").rstrip(".。") for one in told)
            said = _PHRASES.say("misfit", language, channel=self.channel.id, reasons=reasons)
            raise ChannelRefused(said, hint=_PHRASES.say("misfit_hint", language))
        return checked.value

    def waiting(self, written: JsonObject) -> tuple[str, ...]:
        """Places in one account's settings that are known and do nothing yet."""
        return waiting_in(self.config, written)


@dataclass(frozen=True)
class AccountSettings:
    """One account's settings as the manifest's schema has them.

    Attributes:
        waiting: places that are known and do nothing yet; they are not in `value`.
        mistakes: what does not fit.
    """

    value: JsonObject
    mistakes: tuple[ManifestMistake, ...]
    waiting: tuple[str, ...]


def account_settings(
    config: ChannelConfig, written: JsonObject, language: Language
) -> AccountSettings:
    """What the channel gets of `written`, and what is said of the rest."""
    own, waiting = _group(config.schema.get("properties")), _waiting(config, written)
    used = without(written, waiting)
    common = {k: v for k, v in used.items() if k in EVERY_CHANNEL and k not in own}
    asked = {k: v for k, v in used.items() if k not in common}
    checked = check_config(config.schema, asked, language)
    known = {*own, *EVERY_CHANNEL, *(one.partition(".")[0] for one in _places(config))}
    mistakes = tuple(_with_suggestion(one, asked, known, language) for one in checked.mistakes)
    value = {**common, **checked.value}
    return AccountSettings(value, mistakes, tuple(map(".".join, waiting)))


def waiting_in(config: ChannelConfig, written: JsonObject) -> tuple[str, ...]:
    """Places in one account's settings that are known and do nothing yet."""
    return tuple(map(".".join, _waiting(config, written)))


def _places(config: ChannelConfig) -> tuple[str, ...]:
    return (*OF_EVERY_CHANNEL, *config.waiting)


def _waiting(config: ChannelConfig, written: JsonObject) -> tuple[tuple[str, ...], ...]:
    return waiting_settings(written, _places(config), _group(config.schema.get("properties")))


def _with_suggestion(
    mistake: ManifestMistake, asked: JsonObject, known: Collection[str], language: Language
) -> ManifestMistake:
    """A name that nobody knows, with the one that was probably meant."""
    if mistake.path not in asked or mistake.path in known:
        return mistake
    meant = near(mistake.path, known)
    if not meant:
        return mistake
    slots = {"said": mistake.message.rstrip(".。"), "near": meant}
    return replace(mistake, message=_PHRASES.say("meant", language, **slots))


def _group(value: JsonValue) -> JsonObject:
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True)
class WrittenAccount:
    """An account as the settings have it; `settings`: the channel's with its own over them."""

    name: str
    enabled: bool
    settings: JsonObject


def accounts_in(channel: str, section: JsonValue) -> Iterator[WrittenAccount]:
    """The accounts in a channel's section; one called ``default`` where none is named, but for a
    pipe, which has no such account."""
    whole = section if isinstance(section, Mapping) else {}
    accounts = whole.get("accounts")
    # Each pipe has files of its own: two that read one file would take each other's lines.
    shared = {k: v for k, v in whole.items() if k != "accounts" and channel != PIPE}
    on = whole.get("enabled") is not False
    if isinstance(accounts, Mapping) and accounts:
        for name, own in accounts.items():
            inner = own if isinstance(own, Mapping) else {}
            enabled = on and inner.get("enabled") is not False
            yield WrittenAccount(name, enabled, {**shared, **inner})
    elif channel != PIPE:
        yield WrittenAccount(DEFAULT_ACCOUNT, on, shared)


class PluginChannels:
    """Lives on the agent's event loop."""

    def __init__(self, language: Language, environment: Callable[[], Mapping[str, str]]) -> None:
        self._language = language
        self._environment = environment
        self._known: Mapping[str, ChannelKind] = MappingProxyType({})
        self._listeners: list[Callable[[], None]] = []

    @property
    def known(self) -> Mapping[str, ChannelKind]:
        """By id; another object after each change."""
        return self._known

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """`listener` is called after each change; the answer takes it away again."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def add(
        self, manifest: PluginManifest | None, channels: Sequence[PluginChannel]
    ) -> Callable[[], None]:
        """Take them in; the answer takes them away again.

        Raises:
            PluginInvalid: the program has one of that name; none is taken in.
        """
        for one in channels:
            if one.id in _RESERVED:
                raise PluginInvalid(_PHRASES.say("reserved", self._language, name=one.id))
        configs = manifest.channel_configs if manifest is not None else {}
        anything = ChannelConfig({"type": "object"})
        mine = {
            one.id: ChannelKind(one, configs.get(one.id, anything), self._environment)
            for one in channels
        }
        if mine:
            self._now({**self._known, **mine})

        def remove() -> None:
            left = {name: one for name, one in self._known.items() if one is not mine.get(name)}
            if mine:
                self._now(left)

        return remove

    def _now(self, known: Mapping[str, ChannelKind]) -> None:
        self._known = MappingProxyType(dict(known))
        for listener in tuple(self._listeners):
            listener()
