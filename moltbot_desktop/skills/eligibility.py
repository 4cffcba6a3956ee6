"""Whether a skill can be used here, and every reason why not.

    report = eligibility(skill, surroundings)
    report.eligible
    for reason in report.reasons:
        reason.words(language), reason.advice(language)

Pure: what the computer, the settings and the owner say comes in as `Surroundings`. The order is
the reference's: switched off, not among the allowed bundled ones, another system; then, unless it
says ``always``, programs, variables and settings. Ours comes last: a skill from outside is not
used before the owner has trusted what is in its folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.skills.discovery import BUNDLED, Skill

_YES_BY_DEFAULT = frozenset({"browser.enabled", "browser.evaluateEnabled"})
"""Settings of the reference that say yes where nothing is written."""
_PLUGIN_ON = re.compile(r"plugins\.entries\.([A-Za-z0-9_-]+)\.enabled")


class Gate(StrEnum):
    """What keeps a skill from being used."""

    DISABLED = "disabled"
    NOT_ALLOWED = "not_allowed"
    OS = "os"
    BINS = "bins"
    ANY_BINS = "any_bins"
    ENV = "env"
    CONFIG = "config"
    NOT_FOR_AGENT = "not_for_agent"
    UNTRUSTED = "untrusted"
    CHANGED = "changed"


@dataclass(frozen=True)
class SkillEntry:
    """What the settings say of one skill (``skills.entries.<key>``).

    Attributes:
        enabled: False takes it out; None is not said.
        env: variables its scripts get.
        api_key: whether there is one for its `primary_env`; its value is no business of a verdict.
    """

    enabled: bool | None = None
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    api_key: bool = False


class TrustState(StrEnum):
    """What the owner said about the files of a skill."""

    TRUSTED = "trusted"
    CHANGED = "changed"
    """Trusted once, and different since."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Surroundings:
    """Where a skill would work.

    Attributes:
        platform: ``linux``, ``darwin`` or ``win32``.
        has_binary: whether a program of that name can be started.
        has_env: whether a variable is set, and not empty.
        config: the setting at a dotted path, None where there is none.
        entries: by skill key.
        allow_bundled: names or keys; empty allows all.
        only: names of those that the agent may use; None is all.
        trust: what the owner said about a skill from outside.
    """

    platform: str
    has_binary: Callable[[str], bool]
    has_env: Callable[[str], bool]
    config: Callable[[str], JsonValue]
    trust: Callable[[Skill], TrustState]
    entries: Mapping[str, SkillEntry] = field(default_factory=lambda: MappingProxyType({}))
    allow_bundled: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None

    def entry(self, skill: Skill) -> SkillEntry:
        return self.entries.get(skill.key) or SkillEntry()


@dataclass(frozen=True)
class Reason:
    """One reason why not; `missing` names what it is about."""

    gate: Gate
    skill: str
    missing: tuple[str, ...] = ()

    def words(self, language: Language) -> str:
        between = "；" if language is Language.CHINESE else "; "
        return between.join(self._said("", language))

    def advice(self, language: Language) -> str:
        return ("" if language is Language.CHINESE else " ").join(self._said("_do", language))

    def _said(self, ending: str, language: Language) -> Iterator[str]:
        """A plugin that is off is called by its name: what to do about it is a command, not a
        line in a file."""
        on = self.missing if self.gate is Gate.CONFIG else ()
        plugins = {one: found[1] for one in on if (found := _PLUGIN_ON.fullmatch(one))}
        for plugin in plugins.values():
            yield _PHRASES.say(f"plugin{ending}", language, plugin=plugin)
        rest = [one for one in self.missing if one not in plugins]
        if rest or not plugins:
            slots = {"name": self.skill, "missing": ", ".join(rest)}
            yield _PHRASES.say(f"{self.gate.value}{ending}", language, **slots)


@dataclass(frozen=True)
class EligibilityReport:
    """All that keeps a skill from being used; nothing when it can be."""

    reasons: tuple[Reason, ...] = ()

    @property
    def eligible(self) -> bool:
        return not self.reasons

    def missing(self, gate: Gate) -> tuple[str, ...]:
        """What that gate misses; empty when it is open."""
        return next((one.missing for one in self.reasons if one.gate is gate), ())

    def has(self, gate: Gate) -> bool:
        return any(one.gate is gate for one in self.reasons)

    def words(self, language: Language) -> str:
        """All reasons in one line."""
        between = "；" if language is Language.CHINESE else "; "
        return between.join(one.words(language) for one in self.reasons)

    def advice(self, language: Language) -> str:
        """What to do about all of them, each thing once."""
        said = dict.fromkeys(one.advice(language) for one in self.reasons)
        return ("" if language is Language.CHINESE else " ").join(said)


def eligibility(skill: Skill, around: Surroundings) -> EligibilityReport:
    """Whether `skill` can be used in these surroundings."""
    metadata, entry = skill.metadata, around.entry(skill)
    found: dict[Gate, tuple[str, ...]] = {}
    if entry.enabled is False:
        found[Gate.DISABLED] = ()
    if (
        skill.source == BUNDLED
        and around.allow_bundled
        and not {skill.key, skill.name} & set(around.allow_bundled)
    ):
        found[Gate.NOT_ALLOWED] = ()
    if metadata.os and around.platform not in metadata.os:
        found[Gate.OS] = metadata.os
    if not metadata.always:
        found |= _not_there(skill, entry, around)
    if around.only is not None and skill.name not in around.only:
        found[Gate.NOT_FOR_AGENT] = ()
    if skill.source != BUNDLED:
        match around.trust(skill):
            case TrustState.CHANGED:
                found[Gate.CHANGED] = ()
            case TrustState.UNKNOWN:
                found[Gate.UNTRUSTED] = ()
            case TrustState.TRUSTED:
                pass
    return EligibilityReport(
        tuple(Reason(gate, skill.name, missing) for gate, missing in found.items())
    )


def _not_there(
    skill: Skill, entry: SkillEntry, around: Surroundings
) -> dict[Gate, tuple[str, ...]]:
    needs, found = skill.metadata.requires, {}
    if bins := tuple(one for one in needs.bins if not around.has_binary(one)):
        found[Gate.BINS] = bins
    if needs.any_bins and not any(map(around.has_binary, needs.any_bins)):
        found[Gate.ANY_BINS] = needs.any_bins

    def is_set(name: str) -> bool:
        by_key = entry.api_key and name == skill.metadata.primary_env
        return by_key or bool(entry.env.get(name)) or around.has_env(name)

    if env := tuple(one for one in needs.env if not is_set(one)):
        found[Gate.ENV] = env
    if config := tuple(one for one in needs.config if not says_yes(around.config(one), one)):
        found[Gate.CONFIG] = config
    return found


def says_yes(value: JsonValue, path: str) -> bool:
    """Whether a setting counts as a yes: blank text, 0, false and null do not, groups and lists
    do, empty ones too. `path` is its place, for what is a yes by default."""
    if value is None:
        return path in _YES_BY_DEFAULT
    if isinstance(value, bool | int | float):
        return bool(value)
    return bool(value.strip()) if isinstance(value, str) else True


_PHRASES = Phrases(
    english={
        "disabled": "it is switched off in the settings",
        "disabled_do": "Set skills.entries.{name}.enabled to true.",
        "not_allowed": "it is not among the bundled skills that skills.allowBundled names",
        "not_allowed_do": "Add {name} to skills.allowBundled.",
        "os": "it is for {missing} only",
        "os_do": "It cannot be used on this system.",
        "bins": "these programs are not installed: {missing}",
        "bins_do": "Install them, then ask again.",
        "any_bins": "none of these programs is installed: {missing}",
        "any_bins_do": "Install one of them, then ask again.",
        "env": "these variables are not set: {missing}",
        "env_do": "Set them under skills.entries.{name}.env.",
        "config": "these settings are not there, or say no: {missing}",
        "config_do": "Set them in moltbot.json.",
        "plugin": "the plugin “{plugin}” is off",
        "plugin_do": "moltbot-desktop plugins enable {plugin}",
        "not_for_agent": "it is not among the skills of this agent",
        "not_for_agent_do": "Add {name} to the skills of the agent in agents.list.",
        "untrusted": "you have not said yet that you trust it",
        "untrusted_do": "Read its SKILL.md; if it is fine: /skill trust {name}, or in a"
        " shell: moltbot-desktop skills trust {name}",
        "changed": "its files have changed since you trusted it",
        "changed_do": "Look at what changed; if it is fine: /skill trust {name}, or in a"
        " shell: moltbot-desktop skills trust {name}",
    },
    chinese={
        "disabled": "已在设置中关闭",
        "disabled_do": "请把 skills.entries.{name}.enabled 设为 true。",
        "not_allowed": "不在 skills.allowBundled 允许的内置技能之中",
        "not_allowed_do": "请把 {name} 加入 skills.allowBundled。",
        "os": "只适用于 {missing}",
        "os_do": "在此系统上无法使用。",
        "bins": "未安装这些程序：{missing}",
        "bins_do": "请先安装它们。",
        "any_bins": "以下程序一个也没有安装：{missing}",
        "any_bins_do": "请先安装其中一个。",
        "env": "未设置这些变量：{missing}",
        "env_do": "请在 skills.entries.{name}.env 中设置。",
        "config": "这些设置不存在或为否：{missing}",
        "config_do": "请在 moltbot.json 中设置。",
        "plugin": "插件“{plugin}”没有打开",
        "plugin_do": "请运行 moltbot-desktop plugins enable {plugin}。",
        "not_for_agent": "不在这个智能体的技能之中",
        "not_for_agent_do": "请把 {name} 加入 agents.list 中该智能体的 skills。",
        "untrusted": "你还没有表示信任它",
        "untrusted_do": "请先看看它的 SKILL.md；没有问题就输入：/skill trust {name}，或在命令行："
        "moltbot-desktop skills trust {name}",
        "changed": "自你信任它以来，它的文件有了改动",
        "changed_do": "请看看改了什么；没有问题就输入：/skill trust {name}，或在命令行："
        "moltbot-desktop skills trust {name}",
    },
)
