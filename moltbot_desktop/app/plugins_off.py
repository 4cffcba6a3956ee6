"""The commands of plugins that are there and do not work: whoever types one is told why.

    off = PluginsOff()
    off.follow(host.records)                  # from then on; before, none
    EitherCommands(ports.further, off)        # last: what works has its names first

A command is registered by code, and code of a plugin that is off is not run. So a plugin answers to
its id, and to what its manifest lists as ``commands``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.gateway.commands.command import Command, Topic, Who
from moltbot_desktop.gateway.commands.further import Further
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandReply
from moltbot_desktop.gateway.commands.registry import NAMES
from moltbot_desktop.plugins.host import PluginRecord, PluginStatus

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_PHRASES = Phrases(
    english={
        "off": "/{name} belongs to the plugin “{plugin}”, which is off: {reason}.",
        "broken": "/{name} belongs to the plugin “{plugin}”, which cannot be used: {reason}.",
        "enable": "To switch it on: moltbot-desktop plugins enable {plugin}",
    },
    chinese={
        "off": "/{name} 属于插件“{plugin}”，这个插件没有打开：{reason}。",
        "broken": "/{name} 属于插件“{plugin}”，这个插件不能用：{reason}。",
        "enable": "要打开它：moltbot-desktop plugins enable {plugin}",
    },
)


def _no_records() -> tuple[PluginRecord, ...]:
    return ()


class PluginsOff:
    """`gateway.commands.ports.FurtherCommands`; lives on the agent's event loop."""

    def __init__(self) -> None:
        self._records: Callable[[], tuple[PluginRecord, ...]] = _no_records
        self._seen: tuple[PluginRecord, ...] = ()
        self._by_name: Mapping[str, PluginRecord] = MappingProxyType({})
        self._shown: Mapping[str, Further] = MappingProxyType({})

    def follow(self, records: Callable[[], tuple[PluginRecord, ...]]) -> None:
        """`records` gives the same value while nothing has changed."""
        self._records = records

    def commands(self) -> Mapping[str, Further]:
        records = self._records()
        if records is not self._seen:
            self._seen = records
            self._by_name = _by_name(records)
            self._shown = MappingProxyType({name: _further(name) for name in self._by_name})
        return self._shown

    async def answer(self, call: CommandCall) -> CommandReply:
        record = self._by_name[call.name]
        off = record.status is PluginStatus.OFF
        slots = {"name": call.name, "plugin": record.found.id}
        said = _PHRASES.say(
            "off" if off else "broken",
            call.language,
            reason=record.reason.rstrip(".。"),
            **slots,
        )
        enable = _PHRASES.say("enable", call.language, **slots) if off else ""
        return CommandReply(f"{said}\n{record.hint or enable}".rstrip(), ok=False)


def _by_name(records: tuple[PluginRecord, ...]) -> Mapping[str, PluginRecord]:
    found: dict[str, PluginRecord] = {}
    for one in records:
        if one.status is PluginStatus.ON or one.found.overridden_by is not None:
            continue
        listed = one.found.manifest.commands if one.found.manifest is not None else ()
        for name in (*listed, one.found.id):
            plain = name.removeprefix("/").casefold()
            if _NAME.fullmatch(plain) and plain not in NAMES:
                found.setdefault(plain, one)
    return MappingProxyType(found)


def _further(name: str) -> Further:
    command = Command(
        name, Topic.EXTENSIONS, name, name, arguments="[request]", lines=True, who=Who.OWNER
    )
    return Further(command, hidden=True)
