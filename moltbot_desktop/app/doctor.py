"""`doctor`: looks at what makes the program less safe than it could be, and mends what it may.

    doctor = SecurityDoctor(paths, lambda: loaded, clock, language)
    findings = doctor.examine()            # blocks for about a second; changes nothing
    doctor.mend(findings[0].repair)        # after the owner's yes

What is judged is decided in `security.audit`, on values; here they are gathered. A part that cannot
be looked at becomes a finding itself, so that nobody takes silence for an all-clear.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.agent_plan import agent_ids, agent_plan
from moltbot_desktop.app.channel_kinds import accounts_in, waiting_in
from moltbot_desktop.app.doctor_files import (
    copies_with_keys,
    files_seen,
    files_with_keys,
    plain_in_settings,
)
from moltbot_desktop.app.paths import Paths, own_python
from moltbot_desktop.app.plugin_skills import roots_of_records
from moltbot_desktop.app.plugins import plugin_survey, switched_on
from moltbot_desktop.app.skills_setup import open_skills
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.load import CONFIG_NAME, LoadedConfig
from moltbot_desktop.config.mcp import read_mcp_servers
from moltbot_desktop.config.providers_reading import read_remote
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.ordering import natural
from moltbot_desktop.gateway.access import access_rules
from moltbot_desktop.plugins.discovery import Origin
from moltbot_desktop.plugins.host import Survey, static_records
from moltbot_desktop.sdk.audit import (
    Finding,
    Modes,
    Repair,
    Setting,
    Severity,
    TakeBack,
    by_severity,
)
from moltbot_desktop.sdk.channels import DEFAULT_ACCOUNT
from moltbot_desktop.security.audit.channels import Door, channel_findings
from moltbot_desktop.security.audit.files import Kind, file_findings, synced_findings
from moltbot_desktop.security.audit.grants import grant_findings
from moltbot_desktop.security.audit.plain_secrets import secret_findings
from moltbot_desktop.security.audit.settings import (
    network_findings,
    provider_findings,
    server_findings,
    settings_findings,
)
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.sandbox.probe import Found, probe
from moltbot_desktop.security.sandbox.walls import Backend
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.sessions.index import load_index
from moltbot_desktop.skills.eligibility import Gate
from moltbot_desktop.storage.files import disk_errors

_OUTSIDE = frozenset({Origin.LOAD_PATH, Origin.OWN, Origin.WORKSPACE, Origin.INSTALLED})
_MOST_NAMED = 5


@dataclass(frozen=True)
class SecurityDoctor:
    """For any thread.

    Attributes:
        loaded: the settings as they are now.
        look: tries the walls around commands.
        written: called when the settings' file says more (`app.settings_now`).
    """

    paths: Paths
    loaded: Callable[[], LoadedConfig]
    clock: Clock
    language: Language
    look: Callable[[], Found] = probe
    written: Callable[[], None] = lambda: None

    def examine(self) -> tuple[Finding, ...]:
        """The worst first."""
        loaded = self.loaded()
        parts = (
            ("files", self._files),
            ("settings", self._settings),
            ("channels", self._channels),
            ("keys", self._keys),
            ("permissions", self._permissions),
            ("plugins", self._plugins),
            ("skills", self._skills),
            ("process", self._process),
        )
        found: list[Finding] = []
        for name, part in parts:
            try:
                found += part(loaded)
            except MoltbotError as error:
                facts = {"what": name, "reason": error.message}
                found.append(Finding("looking.failed", Severity.WARNING, facts))
        return by_severity(tuple(found))

    def mend(self, repair: Repair) -> None:
        """Carry out what a finding proposes.

        Raises:
            MoltbotError: it could not be done.
        """
        match repair:
            case Modes(path, mode):
                with disk_errors(path):
                    path.chmod(mode)
            case TakeBack(grant):
                with contextlib.closing(PermissionBook(self.paths.permissions_database)) as book:
                    Permissions(book, self.clock).revoke(grant)
            case Setting(place, value):
                SettingsFile(self.paths.home, os.environ, self.language).put(place, value)
                self.written()

    # ------------------------------------------------------------------ the parts

    def _files(self, loaded: LoadedConfig) -> Iterator[Finding]:
        workspaces = [self._workspace(loaded, agent) for agent in agent_ids(loaded.config)]
        servers = read_mcp_servers(loaded.config.raw, loaded.environment, self.language)
        if sys.platform != "win32":
            seen = files_seen(self.paths, loaded, workspaces, servers)
            yield from file_findings(seen, os.geteuid())
        kept = [(Kind.HOME, self.paths.home), *((Kind.WORKSPACE, one) for one in workspaces)]
        yield from synced_findings((kind, path.resolve()) for kind, path in kept)

    def _workspace(self, loaded: LoadedConfig, agent: AgentId) -> Path:
        return agent_plan(self.paths, loaded.config, agent, self.language).workspace

    def _settings(self, loaded: LoadedConfig) -> Iterator[Finding]:
        config = loaded.config
        if loaded.warnings:
            places = dict.fromkeys(one.path or CONFIG_NAME for one in loaded.warnings)
            yield Finding("config.broken", Severity.WARNING, {"where": _listed([*places])})
        if loaded.moved:
            yield Finding("config.older_names", Severity.INFO, {"count": len(loaded.moved)})
        yield from settings_findings(config, tuple(self._elevated()))
        servers = read_mcp_servers(config.raw, loaded.environment, self.language)
        remote = read_remote(config.raw, environment=loaded.environment, language=self.language)
        yield from server_findings(servers)
        yield from provider_findings(remote.config.providers)
        elsewhere = [*remote.config.providers]
        elsewhere += [one.name for one in servers.values() if one.enabled and one.url]
        with Seal(self.paths.home, self.clock) as seal:
            yield from network_findings(config, closed=seal.closed, remote=elsewhere)

    def _elevated(self) -> Iterator[str]:
        """Conversations in which it was left on."""
        for index in sorted((self.paths.home / "agents").glob("*/sessions/sessions.json")):
            for key, entry in load_index(index).entries.items():
                if entry.other.get("elevatedLevel", "off") != "off":
                    yield str(key)

    def _channels(self, loaded: LoadedConfig) -> Iterator[Finding]:
        config = loaded.config
        yield from channel_findings(
            _doors(config.raw),
            shared=config.session.dm_scope == "main",
            lists_bind=config.commands.use_access_groups,
        )
        unused = [*self._unused(loaded)]
        if unused:
            yield Finding("channels.not_used", Severity.INFO, {"names": _listed(unused)})

    def _unused(self, loaded: LoadedConfig) -> Iterator[str]:
        """Settings of channels that are known and do nothing yet, each place once."""
        written = loaded.config.raw.get("channels")
        sections = written if isinstance(written, Mapping) else {}
        for plugin in switched_on(self._survey(loaded)):
            configs = plugin.manifest.channel_configs if plugin.manifest is not None else {}
            for channel in configs.keys() & sections.keys():
                places = dict.fromkeys(
                    place
                    for account in accounts_in(channel, sections[channel])
                    if account.enabled
                    for place in waiting_in(configs[channel], account.settings)
                )
                yield from (f"channels.{channel}.{place}" for place in places)

    def _keys(self, loaded: LoadedConfig) -> Iterator[Finding]:
        agents = self.paths.home / "agents"
        yield from secret_findings(
            plain_in_settings(loaded),
            copies_with_keys(self.paths),
            files_with_keys(agents.glob("*/sessions/*.jsonl")),
            files_with_keys(self.paths.logs.glob("*")),
        )

    def _permissions(self, _: LoadedConfig) -> Iterator[Finding]:
        if not self.paths.permissions_database.exists():
            return
        with contextlib.closing(PermissionBook(self.paths.permissions_database)) as book:
            grants = Permissions(book, self.clock).grants()
        yield from grant_findings(grants, self.clock.now(), self.paths.user_home)

    def _survey(self, loaded: LoadedConfig) -> Survey:
        return plugin_survey(self.paths, loaded.config, loaded.environment, self.language)

    def _plugins(self, loaded: LoadedConfig) -> Iterator[Finding]:
        survey = self._survey(loaded)
        outside = []
        for one in switched_on(survey):
            objection = survey.objections.get(one.folder)
            if objection is not None:
                facts = {"name": one.id, "reason": objection.reason}
                yield Finding("plugins.changed", Severity.WARNING, facts)
            elif one.origin in _OUTSIDE:
                outside.append(one.id)
        if outside:
            yield Finding("plugins.outside", Severity.INFO, {"names": _listed(outside)})

    def _skills(self, loaded: LoadedConfig) -> Iterator[Finding]:
        records = static_records(self._survey(loaded), own_python(), self.language)
        lent = roots_of_records(records)
        waiting: dict[Path, str] = {}
        changed: dict[Path, str] = {}
        for agent in agent_ids(loaded.config):
            workspace = self._workspace(loaded, agent)
            book = open_skills(
                *(self.paths, workspace, agent, lambda: loaded.config, self.clock),
                *(self.language, lambda: lent),
            )
            for one in book.view().waiting:
                into = changed if one.report.has(Gate.CHANGED) else waiting
                into[one.skill.folder] = one.skill.name
        for name in changed.values():
            yield Finding("skills.changed", Severity.WARNING, {"name": name})
        if waiting:
            names = sorted(waiting.values(), key=natural)
            facts: dict[str, str | int] = {"names": _listed(names), "count": len(names)}
            yield Finding("skills.waiting", Severity.INFO, facts)

    def _process(self, loaded: LoadedConfig) -> Iterator[Finding]:
        if sys.platform != "win32" and os.geteuid() == 0:
            yield Finding("process.root", Severity.WARNING)
        if loaded.config.tools.exec.security != "deny":
            found = self.look()
            if found.backend is Backend.NONE:
                yield Finding("sandbox.none", Severity.WARNING, {"reason": found.reason})


def _doors(raw: JsonObject) -> Iterator[Door]:
    channels = raw.get("channels")
    for channel, settings in channels.items() if isinstance(channels, Mapping) else ():
        if channel == "defaults" or not isinstance(settings, Mapping):
            continue
        accounts = settings.get("accounts")
        named = list(accounts) if isinstance(accounts, Mapping) and accounts else []
        for account in named or [DEFAULT_ACCOUNT]:
            own = accounts.get(account) if isinstance(accounts, Mapping) else None
            off = isinstance(own, Mapping) and own.get("enabled") is False
            if off or settings.get("enabled") is False:
                continue
            place = f"channels.{channel}"
            yield _door(
                channel, account, f"{place}.accounts.{account}" if named else place, settings
            )


def _door(channel: str, account: str, place: str, settings: JsonObject) -> Door:
    rules = access_rules(settings, account, name=channel)
    groups = (rules.groups or {}).values()
    return Door(
        channel,
        account,
        place,
        rules.dm_policy,
        rules.allow_from,
        rules.group_policy,
        rules.group_allow_from,
        unmentioned=any(one.require_mention is False for one in groups),
    )


def _listed(names: Sequence[str]) -> str:
    """The first few of them."""
    more = ["…"] if len(names) > _MOST_NAMED else []
    return ", ".join([*names[:_MOST_NAMED], *more])
