"""Whether a plugin is on: pure, from the settings and what its manifest says.

    wish = wish_of(config.plugins, entries)
    decision = decide(wish, "weather", kind="", bundled=True)
    decision.on, decision.reason          # False, "bundled"

The first that applies, as in the reference: plugins are off as a whole; denied; not among those
allowed; fills the memory slot; the entry's own word. Where nobody has said anything a bundled
plugin is off, and so, on purpose otherwise than in the reference, is everybody else's: a plugin
runs with all the rights of the program, so a folder that appeared somewhere is nobody's consent.
The owner says it once, with ``plugins enable NAME``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.config.plugins import MEMORY_CORE, PluginsConfig
from moltbot_desktop.core.i18n import Language, Phrases

MEMORY_KIND = "memory"


class Reason(StrEnum):
    """What decided."""

    ALL_OFF = "all_off"
    DENIED = "denied"
    NOT_ALLOWED = "not_allowed"
    SLOT = "slot"
    SWITCHED_ON = "switched_on"
    SWITCHED_OFF = "switched_off"
    BUNDLED = "bundled"
    NOBODY_SAID = "nobody_said"
    SLOT_TAKEN = "slot_taken"
    NO_SLOT = "no_slot"


_PHRASES = Phrases(
    {
        "all_off": "plugins are switched off as a whole (plugins.enabled)",
        "denied": "the settings deny it (plugins.deny)",
        "not_allowed": "the settings allow only others (plugins.allow)",
        "slot": "it keeps the memory (plugins.slots.memory)",
        "switched_on": "the settings switch it on",
        "switched_off": "the settings switch it off",
        "bundled": "it comes with the program and is off until you switch it on",
        "nobody_said": "it is code of others and is off until you switch it on",
        "slot_taken": "another plugin keeps the memory (plugins.slots.memory)",
        "no_slot": "no plugin keeps the memory (plugins.slots.memory)",
    },
    {
        "all_off": "插件总开关是关的（plugins.enabled）",
        "denied": "设置里禁止了它（plugins.deny）",
        "not_allowed": "设置里只允许别的插件（plugins.allow）",
        "slot": "它负责记忆（plugins.slots.memory）",
        "switched_on": "设置里打开了它",
        "switched_off": "设置里关闭了它",
        "bundled": "它随程序附带，要你打开才会运行",
        "nobody_said": "它是别人的代码，要你打开才会运行",
        "slot_taken": "由另一个插件负责记忆（plugins.slots.memory）",
        "no_slot": "没有插件负责记忆（plugins.slots.memory）",
    },
)


@dataclass(frozen=True)
class Wish:
    """What the settings say of plugins.

    Attributes:
        said: by id, the entry's word; who is not in it has none.
        memory: the plugin that fills the slot; "" for none.
        memory_named: the settings name it, it is not merely the usual one.
    """

    enabled: bool = True
    allow: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()
    said: Mapping[str, bool] | None = None
    memory: str = MEMORY_CORE
    memory_named: bool = False


@dataclass(frozen=True)
class Decision:
    on: bool
    reason: Reason

    def words(self, language: Language) -> str:
        """Why, after a colon."""
        return _PHRASES.say(self.reason, language)


def wish_of(config: PluginsConfig, said: Mapping[str, bool | None]) -> Wish:
    """`said` is the word of each entry (`PluginEntry.enabled`)."""
    slot = (config.memory_slot or "").strip()
    return Wish(
        config.enabled,
        frozenset(config.allow),
        frozenset(config.deny),
        {name: word for name, word in said.items() if word is not None},
        "" if config.keeps_no_memory else slot or MEMORY_CORE,
        bool(slot),
    )


def decide(wish: Wish, plugin: str, *, kind: str, bundled: bool) -> Decision:
    """Whether the plugin of that id is on; `kind` is its manifest's."""
    keeps = kind == MEMORY_KIND
    first = _asked(wish, plugin, bundled, keeps_memory=keeps)
    asked = first.on or first.reason is Reason.BUNDLED
    if asked and keeps and plugin != wish.memory:
        return Decision(False, Reason.SLOT_TAKEN if wish.memory else Reason.NO_SLOT)
    return first


def _asked(wish: Wish, plugin: str, bundled: bool, *, keeps_memory: bool) -> Decision:
    if not wish.enabled:
        return Decision(False, Reason.ALL_OFF)
    if plugin in wish.deny:
        return Decision(False, Reason.DENIED)
    if wish.allow and plugin not in wish.allow:
        return Decision(False, Reason.NOT_ALLOWED)
    # A folder with the usual one's name is not the usual one: that takes a word of the owner's.
    # And one that keeps no memory is not switched on because the slot names it.
    if keeps_memory and plugin == wish.memory and (bundled or wish.memory_named):
        return Decision(True, Reason.SLOT)
    word = (wish.said or {}).get(plugin)
    if word is not None:
        return Decision(word, Reason.SWITCHED_ON if word else Reason.SWITCHED_OFF)
    return Decision(False, Reason.BUNDLED if bundled else Reason.NOBODY_SAID)
