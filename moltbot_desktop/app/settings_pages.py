"""Which pages the settings window has: where each stands in the file, its schema, how things stand.

    pages = SettingsPages(paths, environment, language, clock).all()
    pages[0].page.title, pages[0].place, pages[0].schema

The whole file; the skills, each with whether it can be used and why not; a page for each plugin, by
its manifest's schema, and one for each channel; of what is a channel and nothing else that is the
only one. No plugin is run for that; how one stands that the assistant has brought in,
`PluginsNow` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.app.agent_plan import agent_plan, default_agent
from moltbot_desktop.app.channel_pages import channel_hints, channel_schema
from moltbot_desktop.app.channel_panel import CHANNEL
from moltbot_desktop.app.channel_setup import is_one_channel
from moltbot_desktop.app.mcp_page import HINTS, mcp_page
from moltbot_desktop.app.nested_schema import nested
from moltbot_desktop.app.page_form import PageForm
from moltbot_desktop.app.paths import Paths, own_python
from moltbot_desktop.app.plugin_skills import roots_of_records
from moltbot_desktop.app.plugins import plugin_survey
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.skills_setup import open_skills
from moltbot_desktop.config.chinese import in_chinese
from moltbot_desktop.config.groups import section_hints, sections
from moltbot_desktop.config.load import LoadedConfig, load_config
from moltbot_desktop.config.mcp import read_mcp_servers
from moltbot_desktop.config.settings import json_schema
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.plugins.host import PluginRecord, PluginStatus, static_records
from moltbot_desktop.sdk.forms import SettingsPage
from moltbot_desktop.skills.book import Standing
from moltbot_desktop.skills.discovery import BUNDLED
from moltbot_desktop.skills.eligibility import Gate
from moltbot_desktop.tools.mcp.noted import NOTED_FILE, read_noted

GENERAL = "general"
CHANNELS = "channels"
SKILLS = "skills"
MCP = "mcp"
PLUGIN = "plugin:"

_PHRASES = Phrases(
    english={
        "general": "General",
        "general_note": "What hardly anybody needs. All settings stand in {file}; what is not"
        " written there has its default.",
        "channels": "Channels",
        "overview": "Overview",
        "channels_help": "What a plugin's channel needs has a page of its own; here is all of it.",
        "skills": "Each skill",
        "skills_note": "Keys, variables and the switch of each. Choose one on the left.",
        "usable": "It can be used.",
        "channel_note": "The plugin {name} brings it.",
        "channels_note": "Messengers through which you can write to the assistant.",
        "on": "On: {reason}.",
        "off": "Off: {reason}.",
        "starting": "Not in yet: {reason}.",
        "broken": "It cannot be used: {reason}.",
        "renewed": "Brought in anew.",
        "not_renewed": "It was not brought in. Why stands above.",
        "trouble": "But {trouble}.",
        "enabled": "Switched on",
        "server": "MCP server",
        "config": "Settings",
        "key": "Its key",
        "env": "Variables",
        "env_help": "For the programs it starts.",
        "trusted": "You trust it; /skill untrust {name} in the chat takes that back.",
    },
    chinese={
        "general": "常规",
        "general_note": "很少有人需要的设置。所有设置都在 {file} 里；没有写的使用默认值。",
        "channels": "渠道",
        "overview": "概览",
        "channels_help": "插件的渠道有单独的页面；这里是全部内容。",
        "skills": "每个技能",
        "skills_note": "各个技能的密钥、变量和开关。请在左边选择一个。",
        "usable": "可以使用。",
        "channel_note": "由插件 {name} 提供。",
        "channels_note": "可以用来给助手写消息的聊天软件。",
        "on": "已启用：{reason}。",
        "off": "未启用：{reason}。",
        "starting": "还没有载入：{reason}。",
        "broken": "不能使用：{reason}。",
        "renewed": "已重新载入。",
        "not_renewed": "没有载入，原因写在上面。",
        "trouble": "但是{trouble}。",
        "enabled": "已启用",
        "server": "MCP 服务器",
        "config": "设置",
        "key": "它的密钥",
        "env": "变量",
        "env_help": "交给它所启动的程序。",
        "trusted": "你信任它；在聊天里输入 /skill untrust {name} 可以收回。",
    },
)


@dataclass(frozen=True)
class SettingsPages:
    """Reads the settings, the skills and the manifests anew each time; blocks."""

    paths: Paths
    environment: Mapping[str, str]
    language: Language
    clock: Clock
    plugins: PluginsNow

    def all(self) -> tuple[PageForm, ...]:
        """In the order to show them.

        Raises:
            AgentUnusable: the default agent's workspace cannot be said.
        """
        loaded = load_config(self.paths.home, language=self.language)
        return (
            self.general(),
            self._skills(loaded),
            self._all_channels(),
            *self._plugins(loaded),
            self._mcp(loaded),
        )

    def general(self) -> PageForm:
        """The whole file, whatever is wrong with it."""
        note = self._say("general_note", file=self.paths.config)
        schema = json_schema()
        shown = in_chinese(schema) if self.language is Language.CHINESE else schema
        hints: JsonObject = {
            **section_hints(self.language),
            "$schema": {"hidden": True},
            "mcp": {"hidden": True},  # all of it is on a page of its own
            "skills.entries": {"hidden": True},  # likewise
            "channels": {"label": self._say("channels"), "help": self._say("channels_help")},
        }
        page = SettingsPage(GENERAL, self._say("general"), note, sections=sections(self.language))
        return PageForm(page, (), shown, hints)

    # ------------------------------------------------------------------ MCP servers

    def _mcp(self, loaded: LoadedConfig) -> PageForm:
        servers = read_mcp_servers(loaded.config.raw, self.environment, self.language)
        known = read_noted(self.paths.home / NOTED_FILE)
        title, note, schema = mcp_page(servers, known, self.language)
        return PageForm(
            SettingsPage(MCP, title, note, live=True, place="plugins", entry=self._say("server")),
            ("mcp", "servers"),
            schema,
            HINTS,
        )

    # ------------------------------------------------------------------ skills

    def _skills(self, loaded: LoadedConfig) -> PageForm:
        config = loaded.config
        agent = default_agent(config)
        workspace = agent_plan(self.paths, config, agent, self.language).workspace
        lent = roots_of_records(self._records(loaded))
        book = open_skills(
            self.paths,
            workspace,
            agent,
            lambda: config,
            self.clock,
            self.language,
            lambda: lent,
        )
        standings = book.view().standings
        schema: JsonObject = {
            "type": "object",
            "properties": {one.skill.key: self._skill(one) for one in standings},
        }
        page = SettingsPage(SKILLS, self._say("skills"), self._say("skills_note"))
        return PageForm(page, ("skills", "entries"), schema)

    def _skill(self, standing: Standing) -> JsonObject:
        skill, report = standing.skill, standing.report
        said = [skill.description, report.words(self.language) or self._say("usable")]
        said += [one.advice(self.language) for one in report.reasons]
        if skill.source != BUNDLED and not (report.has(Gate.UNTRUSTED) or report.has(Gate.CHANGED)):
            said.append(self._say("trusted", name=skill.name))
        fields: dict[str, JsonValue] = {
            "enabled": {
                "type": ["boolean", "null"],
                "default": None,
                "title": self._say("enabled"),
            },
        }
        if skill.metadata.primary_env:
            title = self._say("key")
            fields["apiKey"] = {
                "type": "string",
                "title": title,
                "description": skill.metadata.primary_env,
            }
        fields["env"] = {
            "type": "object",
            "title": self._say("env"),
            "description": self._say("env_help"),
            "additionalProperties": {"type": "string"},
        }
        return {
            "title": skill.name,
            "description": "\n".join(said),
            "type": "object",
            "properties": fields,
        }

    # ------------------------------------------------------------------ plugins

    def _plugins(self, loaded: LoadedConfig) -> list[PageForm]:
        shown = [one for one in self._records(loaded) if one.found.overridden_by is None]
        return [
            page
            for one in sorted(shown, key=lambda one: _name(one).casefold())
            for page in (
                *(() if is_one_channel(one) else (self._plugin(one),)),
                *self._channels(one),
            )
        ]

    def _all_channels(self) -> PageForm:
        """All that stands on it is `app.channel_panel`'s."""
        note = self._say("channels_note")
        page = SettingsPage(CHANNELS, self._say("overview"), note, live=True, place="channels")
        nothing: JsonObject = {
            "type": "object",
            "properties": {},
            "additionalProperties": False,
        }
        return PageForm(page, (), nothing)

    def _channels(self, record: PluginRecord) -> list[PageForm]:
        """A page for each channel of a plugin that is on and says what its channel needs; of one
        that is a channel and nothing else also while it is off, for that is all its page."""
        manifest = record.found.manifest
        whole = is_one_channel(record)
        if manifest is None or not (whole or record.status is PluginStatus.ON):
            return []
        note = self._say("channel_note", name=_name(record))
        now = self._now(record)
        if whole:
            broken = self._standing(now) if now.status is not PluginStatus.ON else ""
            note = "\n".join(filter(None, (manifest.description, broken)))
        return [
            PageForm(
                SettingsPage(
                    f"{CHANNEL}{channel}",
                    config.label or channel,
                    note,
                    renewable=whole and record.status is PluginStatus.ON and self.plugins.runs,
                    live=True,
                    place="channels",
                ),
                ("channels", channel),
                channel_schema(config, self.language),
                channel_hints(config),
            )
            for channel, config in manifest.channel_configs.items()
        ]

    def plugin_of(self, page: str) -> str:
        """The id of the plugin whose page that is, or whose channel's.

        Raises:
            AgentUnusable: the default agent's workspace cannot be said.
        """
        channel = page.removeprefix(CHANNEL)
        if channel != page:
            for one in self._records(load_config(self.paths.home, language=self.language)):
                manifest = one.found.manifest
                if manifest is not None and channel in manifest.channel_configs:
                    return one.found.id
        return page.removeprefix(PLUGIN)

    def _now(self, record: PluginRecord) -> PluginRecord:
        """As the running assistant has it. What the settings have just switched on is brought in a
        moment later."""
        on = record.status is PluginStatus.ON
        now = self.plugins.record(record.found) if on else None
        return now if now is not None and now.status is not PluginStatus.OFF else record

    def _records(self, loaded: LoadedConfig) -> tuple[PluginRecord, ...]:
        survey = plugin_survey(self.paths, loaded.config, self.environment, self.language)
        return static_records(survey, own_python(), self.language)

    def renewed(self, record: PluginRecord) -> str:
        """What became of a plugin that was to be brought in anew; its page has the details."""
        return self._say("renewed" if record.status is PluginStatus.ON else "not_renewed")

    def _standing(self, record: PluginRecord) -> str:
        said = [self._say(record.status.value, reason=record.reason.rstrip(".。"))]
        said += [self._say("trouble", trouble=one) for one in record.troubles]
        return "\n".join(filter(None, (*said, record.hint)))

    def _plugin(self, record: PluginRecord) -> PageForm:
        manifest, found = record.found.manifest, record.found
        on = record.status is PluginStatus.ON
        # What holds while the file says nothing: one that came with us may be on by itself.
        wanted = on or (record.status is PluginStatus.BROKEN and record.wanted)
        record = self._now(record)
        about = manifest.description if manifest is not None else ""
        note = "\n".join(filter(None, (about, self._standing(record), str(found.folder))))
        inner: JsonObject = manifest.config_schema if manifest is not None else {}
        dialect = {"$schema": inner["$schema"]} if "$schema" in inner else {}
        own_config = nested(inner, "#/properties/config")
        schema: JsonObject = {
            **dialect,
            "type": "object",
            "properties": {
                "enabled": {
                    "type": "boolean",
                    "title": self._say("enabled"),
                    "default": wanted,
                },
                "config": {"type": "object", "title": self._say("config"), **own_config},
            },
        }
        own = manifest.ui_hints if manifest is not None else {}
        return PageForm(
            SettingsPage(
                f"{PLUGIN}{found.id}",
                _name(record),
                note,
                renewable=on and self.plugins.runs,
                place="plugins",
            ),
            ("plugins", "entries", found.id),
            schema,
            {f"config.{path}": hint for path, hint in own.items()},
        )

    def _say(self, phrase: str, **slots: object) -> str:
        return _PHRASES.say(phrase, self.language, **slots)


def _name(record: PluginRecord) -> str:
    manifest = record.found.manifest
    return (manifest.name if manifest is not None else "") or record.found.id
