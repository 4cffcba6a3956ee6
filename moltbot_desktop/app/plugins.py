"""The plugins of this assistant: what there is, what the settings say, and what each is lent.

survey = plugin_survey(paths, config, environment, language)      # runs nothing
lender = ProgramLender(paths, clock, language, memory_tools, seal, memory)      # to those that run

Short commands ask too, so nothing here needs a model, a memory or a conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop import __version__
from moltbot_desktop.app.agent_plan import agent_plan, default_agent
from moltbot_desktop.app.paths import BUNDLED_PLUGINS, Paths, own_python
from moltbot_desktop.config.plugin_entries import read_plugin_entries
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import SecretsUnavailable, StorageError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.gateway.chunks import blocks, texts
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.plugins.consent import PluginConsent
from moltbot_desktop.plugins.discovery import FoundPlugin, discover, plugin_roots
from moltbot_desktop.plugins.enablement import MEMORY_KIND, wish_of
from moltbot_desktop.plugins.host import PluginRecord, PluginStatus, Survey
from moltbot_desktop.plugins.manifest import PluginManifest
from moltbot_desktop.plugins.opening import Lent
from moltbot_desktop.plugins.web import ConfiguredWeb, hosts_in
from moltbot_desktop.sdk.memory import MemoryExcerpt, SearchAnswer
from moltbot_desktop.sdk.plugins import MemoryReader, MemoryTools, PluginRuntime
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.storage.files import make_private_dir

PHRASES = Phrases(
    {
        "starting": "The plugin “{name}” is not in yet: {reason}.",
        "came": "The plugin “{name}” is in now.",
        "trouble": "The plugin “{name}” is on, but {trouble}.",
        "broken": "The plugin “{name}” cannot be used: {reason}",
        "no_path": "There is no folder {path}, which plugins.load.paths names.",
        "no_path_hint": "Correct it in moltbot.json.",
        "shell_memory": "A plugin's subcommand in a shell cannot look into memory.",
        "shell_memory_hint": "moltbot-desktop memory search does.",
        "no_secret": "There is no key “{name}” in the password store.",
        "no_secret_hint": "moltbot-desktop secrets set {name} keeps one.",
        "no_slot": "plugins.slots.memory names “{name}”, and there is no such plugin.",
        "no_memory": "plugins.slots.memory names “{name}”, which keeps no memory.",
    },
    {
        "starting": "插件“{name}”还没有载入：{reason}。",
        "came": "插件“{name}”已载入。",
        "trouble": "插件“{name}”已打开，但是{trouble}。",
        "broken": "插件“{name}”不能用：{reason}",
        "no_path": "plugins.load.paths 写的文件夹 {path} 不存在。",
        "no_path_hint": "请在 moltbot.json 里改正。",
        "shell_memory": "插件在命令行里的子命令不能查看记忆。",
        "shell_memory_hint": "可以用 moltbot-desktop memory search。",
        "no_secret": "密码库里没有密钥“{name}”。",
        "no_secret_hint": "用 moltbot-desktop secrets set {name} 保存。",
        "no_slot": "plugins.slots.memory 写的是“{name}”，但没有这个插件。",
        "no_memory": "plugins.slots.memory 写的是“{name}”，但它不管记忆。",
    },
)


def plugin_survey(
    paths: Paths, config: Config, environment: Mapping[str, str], language: Language
) -> Survey:
    """What is there and what the settings say about it; blocks. Runs no plugin.

    Raises:
        AgentUnusable: the default agent's workspace cannot be said.
    """
    workspace = agent_plan(paths, config, default_agent(config), language).workspace
    roots = plugin_roots(config.plugins, paths.home, workspace, BUNDLED_PLUGINS)
    entries = read_plugin_entries(config.raw, environment, language)
    said = {name: entry.enabled for name, entry in entries.items()}
    survey = Survey(discover(roots, language), wish_of(config.plugins, said), entries)
    consent = PluginConsent(paths.plugin_trust, language)
    ids = Counter(one.id for one in survey.discovered.plugins)
    found = {
        one.folder: consent.objection(one, alone=ids[one.id] == 1) for one in switched_on(survey)
    }
    objections = {folder: one for folder, one in found.items() if one is not None}
    return replace(survey, objections=objections)


def switched_on(survey: Survey) -> list[FoundPlugin]:
    """Those that the settings have on, whether they can be used or not."""
    usable = (one for one in survey.discovered.plugins if one.manifest and not one.overridden_by)
    return [one for one in usable if survey.decision(one).on]


@dataclass(frozen=True)
class KeyringSecrets:
    """What ``keyring:NAME`` in the settings stands for; blocks, perhaps until the person has
    unlocked the store."""

    home: Path
    language: Language

    def __call__(self, name: str) -> str:
        """Raises SecretsUnavailable: there is none of that name."""
        found = SecretStore(self.home / SECRET_NAMES_FILE).get(name)
        if not found:
            raise SecretsUnavailable(
                PHRASES.say("no_secret", self.language, name=name),
                hint=PHRASES.say("no_secret_hint", self.language, name=name),
            )
        return found


@dataclass(frozen=True)
class ProgramLender:
    """What the program lends to plugins (`plugins.opening.Lender`)."""

    paths: Paths
    clock: Clock
    language: Language
    memory_tools: MemoryTools
    seal: Seal
    memory: MemoryReader

    @property
    def python(self) -> str:
        return own_python()

    def secret(self, name: str) -> str:
        return KeyringSecrets(self.paths.home, self.language)(name)

    def lend(self, manifest: PluginManifest, config: JsonObject) -> Lent:
        errand = Errand(Purpose.PLUGIN, manifest.id)
        web = ConfiguredWeb(hosts_in(config), self.seal.way(errand))
        state = self.paths.home / "plugins" / manifest.id
        make_private_dir(state)
        runtime = PluginRuntime(
            __version__,
            self.language,
            self.clock,
            state,
            web,
            self.memory_tools,
            self.memory,
            _in_parts,
        )
        return Lent(runtime, web.close)


@dataclass(frozen=True)
class NoMemory:
    """`sdk.plugins.MemoryReader` in a shell, where no assistant runs."""

    language: Language

    def search(self, query: str, *, max_results: int = 6) -> SearchAnswer:
        raise self._error()

    def get(self, path: str, *, start_line: int = 1, lines: int = 0) -> MemoryExcerpt:
        raise self._error()

    def _error(self) -> StorageError:
        say = PHRASES.say
        return StorageError(
            say("shell_memory", self.language), hint=say("shell_memory_hint", self.language)
        )


def _in_parts(text: str, most: int) -> tuple[str, ...]:
    return texts(blocks(text, most=most, least=most * 2 // 3))


def plugin_notices(records: tuple[PluginRecord, ...], language: Language) -> list[Notice]:
    """What to tell about plugins that are switched on and cannot be used."""
    return (
        [
            Notice(
                PHRASES.say("broken", language, name=one.found.id, reason=one.reason),
                one.hint,
                serious=True,
            )
            for one in records
            # What is off because of the settings has no hint; what they switch on and is off all
            # the same (`Survey.objections`) says what to do.
            if (one.status is PluginStatus.BROKEN and one.wanted)
            or (one.status is PluginStatus.OFF and one.hint)
        ]
        + [
            Notice(PHRASES.say("trouble", language, name=one.found.id, trouble=trouble))
            for one in records
            for trouble in one.troubles
        ]
        + [
            Notice(PHRASES.say("starting", language, name=one.found.id, reason=one.reason))
            for one in records
            if one.status is PluginStatus.STARTING
        ]
    )


def late_notices(record: PluginRecord, language: Language) -> list[Notice]:
    """What to tell of one that came in when nobody waited for it any more."""
    return [Notice(PHRASES.say("came", language, name=record.found.id))]


def survey_problems(survey: Survey, language: Language) -> list[Notice]:
    """What is wrong with the settings about plugins, apart from single plugins."""
    found = [
        Notice(PHRASES.say("no_path", language, path=path), PHRASES.say("no_path_hint", language))
        for path in survey.discovered.missing
    ]
    named = survey.wish.memory if survey.wish.memory_named else ""
    keeper = survey.discovered.plugin(named) if named else None
    if named and keeper is None:
        said = PHRASES.say("no_slot", language, name=named)
        found.append(Notice(said, PHRASES.say("no_path_hint", language)))
    elif keeper is not None and keeper.manifest and keeper.manifest.kind != MEMORY_KIND:
        said = PHRASES.say("no_memory", language, name=named)
        found.append(Notice(said, PHRASES.say("no_path_hint", language)))
    return found
