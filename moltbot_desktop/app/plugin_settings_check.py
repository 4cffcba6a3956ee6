"""What does not fit in the settings of plugins and of their channels, for `config validate`.

    for problem in plugin_problems(paths, loaded, language): print(problem.message)

No plugin is run: the manifests say what fits. Nothing is said of plugins that are off, whose
settings may be half written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from moltbot_desktop.app.channel_kinds import account_settings, accounts_in
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugins import plugin_survey, survey_problems, switched_on
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.plugin_entries import PluginEntry
from moltbot_desktop.config.problems import ConfigProblem
from moltbot_desktop.config.reading import SettingsReader, UnusableSetting
from moltbot_desktop.core.errors import ManifestMistake
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.plugins.config_check import check_config
from moltbot_desktop.plugins.manifest import ChannelConfig, PluginManifest

_PHRASES = Phrases(
    {
        "hint": "The plugin “{plugin}” says what fits; the settings window shows it.",
        "waits": "Kept, and not used yet: {paths}",
        "waits_hint": "Nothing needs to be done.",
    },
    {
        "hint": "由插件“{plugin}”规定；设置窗口里可以看到。",
        "waits": "已保留，暂不使用：{paths}",
        "waits_hint": "无需处理。",
    },
)


def plugin_problems(
    paths: Paths, loaded: LoadedConfig, language: Language
) -> tuple[ConfigProblem, ...]:
    """By the plugins' ids; blocks.

    Raises:
        AgentUnusable: the default agent's workspace cannot be said.
    """
    survey = plugin_survey(paths, loaded.config, loaded.environment, language)
    written = loaded.config.raw.get("channels")
    check = _Check(loaded, language)
    found = [
        ConfigProblem("plugins", one.text, one.hint, serious=True)
        for one in survey_problems(survey, language)
    ]
    for plugin in switched_on(survey):
        manifest = plugin.manifest
        if manifest is None:
            continue
        found += check.entry(manifest, survey.entry(plugin.id))
        for channel, config in manifest.channel_configs.items():
            if isinstance(written, Mapping) and channel in written:
                found += check.channel(manifest.id, channel, config, written[channel])
    return tuple(dict.fromkeys(found))


class _Check:
    def __init__(self, loaded: LoadedConfig, language: Language) -> None:
        self._loaded = loaded
        self._language = language

    def entry(self, manifest: PluginManifest, entry: PluginEntry) -> Iterator[ConfigProblem]:
        """Of ``plugins.entries.<id>``."""
        if entry.problem is not None:
            yield entry.problem
            return
        checked = check_config(manifest.config_schema, entry.config, self._language)
        for one in checked.mistakes:
            yield self._problem(manifest.id, f"plugins.entries.{manifest.id}.config", one)

    def channel(
        self, plugin: str, channel: str, config: ChannelConfig, section: JsonValue
    ) -> Iterator[ConfigProblem]:
        """Of the accounts in ``channels.<id>`` that are on."""
        for account in accounts_in(channel, section):
            if not account.enabled:
                continue
            reader = SettingsReader(self._loaded.environment, self._language)
            try:
                filled = reader.filled(account.settings, f"channels.{channel}")
            except UnusableSetting:
                yield from reader.problems
                continue
            settings = filled if isinstance(filled, Mapping) else {}
            checked = account_settings(config, settings, self._language)
            for one in checked.mistakes:
                yield self._problem(plugin, f"channels.{channel}", one)
            if checked.waiting:
                yield self._waits(channel, checked.waiting)

    def _waits(self, channel: str, places: tuple[str, ...]) -> ConfigProblem:
        """What the reference has and this version does not use yet: no fault of anybody's."""
        paths = [f"channels.{channel}.{one}" for one in places]
        said = _PHRASES.say("waits", self._language, paths=", ".join(paths))
        hint = _PHRASES.say("waits_hint", self._language)
        return ConfigProblem(paths[0], said, hint, serious=False)

    def _problem(self, plugin: str, place: str, mistake: ManifestMistake) -> ConfigProblem:
        path = f"{place}.{mistake.path}".rstrip(".")
        hint = _PHRASES.say("hint", self._language, plugin=plugin)
        return ConfigProblem(path, f"{path}: {mistake.message}", hint, serious=True)
