"""``plugins.entries`` of the settings file: what the owner says about each plugin.

    entries = read_plugin_entries(config.raw, environment, language)
    entries["weather"].enabled       # True, False, or None where nothing is said
    entries["weather"].config        # its own settings, ${NAME} filled in

A mistake costs the entry it stands in. What a key in the password store is called
(``keyring:NAME``) stays as it is: it is looked up when the plugin is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from moltbot_desktop.config.problems import ConfigProblem
from moltbot_desktop.config.reading import SettingsReader, UnusableSetting
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue


@dataclass(frozen=True)
class PluginEntry:
    """What the settings say about one plugin.

    Attributes:
        enabled: the owner's word; None when there is none.
        problem: makes it unusable.
    """

    enabled: bool | None = None
    config: JsonObject = field(default_factory=lambda: MappingProxyType({}), repr=False)
    problem: ConfigProblem | None = None


PluginEntries = Mapping[str, PluginEntry]
"""By the plugins' ids."""


def read_plugin_entries(
    raw: JsonObject, environment: Mapping[str, str], language: Language = Language.ENGLISH
) -> PluginEntries:
    """All entries of the file `raw` (`Config.raw`). Never raises."""
    plugins = raw.get("plugins")
    entries = plugins.get("entries") if isinstance(plugins, Mapping) else None
    found = entries if isinstance(entries, Mapping) else {}
    return MappingProxyType(
        {name: _entry(name, one, environment, language) for name, one in found.items()}
    )


def _entry(
    name: str, value: JsonValue, environment: Mapping[str, str], language: Language
) -> PluginEntry:
    reader = SettingsReader(environment, language)
    path = f"plugins.entries.{name}"
    enabled: JsonValue = None
    try:
        if not isinstance(value, Mapping):
            raise reader.unusable(path, "group")
        enabled = value.get("enabled")
        if enabled is not None and not isinstance(enabled, bool):
            raise reader.unusable(f"{path}.enabled", "flag")
        config = reader.filled(value.get("config"), f"{path}.config")
        if config is not None and not isinstance(config, Mapping):
            raise reader.unusable(f"{path}.config", "group")
    except UnusableSetting:
        # A wrong switch is no word of the owner's; a wrong config leaves the switch as it is.
        said = enabled if isinstance(enabled, bool) else None
        return PluginEntry(said, problem=reader.problems[0])
    return PluginEntry(enabled, MappingProxyType(dict(config or {})))
