"""The tool policy of one agent, from the settings as they are now.

    policies = ToolPolicies(lambda: live.config, AgentId("work"))
    policies.allowed(("read", "cron"), key, "lab/qwen3-8b")      # frozenset({"read"})
    policies.problems()                                          # allow lists that name nothing

What a group may use stands in its channel's settings:
``channels.telegram.groups["-100"].tools: { deny: ["write"] }``, with ``*`` for all others. A policy
there that cannot be read denies everything: nobody meant to give more by a slip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from moltbot_desktop.app.rooms import Room, group_layers, inside, room_of
from moltbot_desktop.config.kinds import WrongValue
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.structures import GroupOf
from moltbot_desktop.config.tools import ToolPolicyConfig
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.security.tool_policy import ToolSituation, allowed, tool_filters
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key, thread_parent

_PHRASES = Phrases(
    english={
        "dropped": "Tools of the agent “{agent}”: none of {names} is known here, so this list "
        "({layer}) does not hold.",
        "dropped_hint": "Correct the names under tools.allow in moltbot.json.",
    },
    chinese={
        "dropped": "智能体“{agent}”的工具：{names} 里没有一个是已知的，"
        "因此这份名单（{layer}）不起作用。",
        "dropped_hint": "请在 moltbot.json 的 tools.allow 里改正名称。",
    },
)
_LOCAL = "local"
_EVERYTHING_DENIED = ToolPolicyConfig(deny=("*",))
_MOST_KNOWN = 256
_PATCHES = frozenset({"apply_patch"})
_NO_PLUGINS: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass
class _Known:
    """Answers that hold until the settings are others; every prompt asks several times."""

    config: Config | None = None
    plugins: Mapping[str, tuple[str, ...]] | None = None
    answers: dict[tuple[tuple[str, ...], SessionKey, str], frozenset[str]] = field(
        default_factory=dict
    )


def _no_plugins() -> Mapping[str, tuple[str, ...]]:
    return _NO_PLUGINS


@dataclass(frozen=True)
class ToolPolicies:
    """See the module."""

    config: Callable[[], Config]
    agent: AgentId
    plugins: Callable[[], Mapping[str, tuple[str, ...]]] = field(default=_no_plugins)
    _known: _Known = field(default_factory=_Known, repr=False, compare=False)

    def allowed(self, tools: Iterable[str], key: SessionKey, model: str) -> frozenset[str]:
        """Those of `tools` that a conversation may use with the model of that name."""
        config, plugins, names = self.config(), self.plugins(), tuple(tools)
        if config is not self._known.config or plugins is not self._known.plugins:
            self._known.config, self._known.plugins = config, plugins
            self._known.answers.clear()
        asked = (names, key, model)
        if asked not in self._known.answers:
            own = config.agent_entry(self.agent).tools
            situation = replace(_situation(config, key, model), plugins=plugins)
            filters = tool_filters(config.tools, own, situation)
            self._known.answers[asked] = allowed(names, filters) - _left_out(config, model)
            if len(self._known.answers) > _MOST_KNOWN:
                del self._known.answers[next(iter(self._known.answers))]
        return self._known.answers[asked]

    def problems(self, language: Language) -> list[tuple[str, str]]:
        """Allow lists that do not hold because they name nothing known: message and hint."""
        config = self.config()
        filters = tool_filters(
            config.tools,
            config.agent_entry(self.agent).tools,
            ToolSituation(helper=True, plugins=self.plugins()),
        )
        return [
            (
                _PHRASES.say(
                    "dropped",
                    language,
                    agent=self.agent,
                    names=", ".join(one.dropped),
                    layer=one.layer.value,
                ),
                _PHRASES.say("dropped_hint", language),
            )
            for one in filters
            if one.dropped
        ]


def _left_out(config: Config, model: str) -> frozenset[str]:
    """Patches are for models that were trained on them: where the settings say so, and for those
    they name; with or without its provider."""
    settings = config.tools.exec
    named = {one.casefold() for one in settings.apply_patch_models}
    known = {model.casefold(), model.casefold().partition("/")[2]}
    offered = settings.apply_patch and (not named or bool(named & known))
    return frozenset() if offered else _PATCHES


def _situation(config: Config, key: SessionKey, model: str) -> ToolSituation:
    parsed = parse_session_key(thread_parent(key) or key)
    room = room_of(key)
    group = _group_policy(config.raw, room) if room is not None else None
    named = model if "/" in model else f"{_LOCAL}/{model}"
    helper = parsed is not None and parsed.kind is KeyKind.SUBAGENT
    return ToolSituation(named, group, helper=helper)


def _group_policy(raw: JsonObject, room: Room) -> ToolPolicyConfig | None:
    """What the settings of a channel say about a group; of that very one before all others."""
    found = (inside(group, "tools") for group in group_layers(raw, room))
    tools = next((one for one in found if one is not None), None)
    if tools is None:
        return None
    try:
        return GroupOf(ToolPolicyConfig()).check(tools)
    except WrongValue:
        return _EVERYTHING_DENIED
