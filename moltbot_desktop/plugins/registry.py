"""What a plugin registered, as one value that takes effect as a whole or not at all.

    scratch = Scratch()
    register(PluginSurface(..., scratch))       # api.register_tool(...) and the like end up here
    registration = scratch.finished()           # nothing can be added any more
    clash = first_clash(others, registration)   # who has a name already, and which name

Nothing of the program is touched while a plugin registers: a plugin that fails on the way leaves
nothing behind, because there is nothing yet but this value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moltbot_desktop.core.errors import PluginInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.plugins.enablement import MEMORY_KIND
from moltbot_desktop.sdk.hooks import HOOKS, HookEvent
from moltbot_desktop.sdk.internal_hooks import EVENTS, InternalEvent
from moltbot_desktop.sdk.memory_plugins import PluginMemory
from moltbot_desktop.sdk.plugins import (
    CliCommand,
    GatewayMethod,
    HttpRoute,
    PluginChannel,
    PluginCommand,
    PluginProvider,
    PluginService,
    ToolFactory,
)
from moltbot_desktop.sdk.tools import AnyTool, ToolSpec

_COMMAND = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_WORD = re.compile(r"[a-z][a-z0-9-]{0,63}")
_TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_METHOD = re.compile(r"[a-z][A-Za-z0-9_-]*(?:\.[A-Za-z][A-Za-z0-9_-]*){1,4}")
_ROUTE = re.compile(r"/[A-Za-z0-9._~/-]{0,200}")
_INTERNAL = frozenset({*EVENTS, *(event.partition(":")[0] for event in EVENTS)})

_PHRASES = Phrases(
    {
        "over": "it registered something after register had returned",
        "name": "{what} cannot be called “{name}”",
        "twice": "it registered {what} “{name}” twice",
        "event": "there is no event “{name}”",
        "clash": "{what} “{name}” is taken by the plugin {other}",
        "tool": "a tool",
        "service": "a service",
        "command": "a command",
        "cli": "a subcommand",
        "method": "a method",
        "route": "a path",
        "channel": "a channel",
        "provider": "a provider",
        "memory": "an engine of the memory",
        "no_kind": "it registers an engine of the memory, which its manifest does not say "
        '("kind": "memory")',
    },
    {
        "over": "register 返回以后它还在注册",
        "name": "{what}不能叫“{name}”",
        "twice": "{what}“{name}”注册了两次",
        "event": "没有“{name}”这个事件",
        "clash": "{what}“{name}”已被插件 {other} 占用",
        "tool": "工具",
        "service": "服务",
        "command": "命令",
        "cli": "子命令",
        "method": "方法",
        "route": "路径",
        "channel": "通道",
        "provider": "模型提供方",
        "memory": "记忆引擎",
        "no_kind": '它注册了记忆引擎，但清单里没有写（"kind": "memory"）',
    },
)


@dataclass(frozen=True)
class OfferedTool:
    """A tool, or what makes tools for each agent; `names` are those it makes."""

    tool: AnyTool | ToolFactory
    names: tuple[str, ...]
    optional: bool


@dataclass(frozen=True)
class HookListener:
    """A handler of a typed hook; a higher `priority` is called first."""

    event: type[HookEvent]
    handler: Callable[[HookEvent], object]
    priority: int = 0


@dataclass(frozen=True)
class InternalListener:
    """A handler of internal events."""

    events: tuple[str, ...]
    handler: Callable[[InternalEvent], object]
    name: str


@dataclass(frozen=True)
class Registration:
    """Everything one plugin registered, each in the order in which it came."""

    tools: tuple[OfferedTool, ...] = ()
    hooks: tuple[HookListener, ...] = ()
    internal_hooks: tuple[InternalListener, ...] = ()
    channels: tuple[PluginChannel, ...] = ()
    services: tuple[PluginService, ...] = ()
    cli: tuple[CliCommand, ...] = ()
    commands: tuple[PluginCommand, ...] = ()
    methods: tuple[GatewayMethod, ...] = ()
    routes: tuple[HttpRoute, ...] = ()
    providers: tuple[PluginProvider, ...] = ()
    memories: tuple[PluginMemory, ...] = ()

    def names(self) -> Iterator[tuple[str, str]]:
        """Kind and name of all that nobody else may have: ``("command", "weather")``."""
        yield from (("tool", name) for one in self.tools for name in one.names)
        yield from (("channel", one.id) for one in self.channels)
        yield from (("cli", one.name) for one in self.cli)
        yield from (("command", one.name) for one in self.commands)
        yield from (("method", one.name) for one in self.methods)
        yield from (("route", one.path) for one in self.routes)
        yield from (("provider", one.id) for one in self.providers)
        yield from (("memory", MEMORY_KIND) for _ in self.memories)


def first_clash(
    others: Mapping[str, Registration], new: Registration, language: Language
) -> str | None:
    """What of `new` another plugin (`others`, by id) has already, in words."""
    taken = {name: plugin for plugin, one in others.items() for name in one.names()}
    for kind, name in new.names():
        other = taken.get((kind, name))
        if other is not None and kind != "route":  # those lie below each plugin's own path
            what = _PHRASES.say(kind, language)
            return _PHRASES.say("clash", language, what=what, name=name, other=other)
    return None


class Scratch:
    """Collects while ``register`` runs; every method raises PluginInvalid for what is no use."""

    def __init__(self, language: Language = Language.ENGLISH) -> None:
        self._language = language
        self._found: Registration | None = Registration()

    def finished(self) -> Registration:
        """All of it; from now on nothing is taken."""
        found = self._open()
        self._found = None
        return found

    def tool(self, tool: AnyTool | ToolFactory, names: Sequence[str], optional: bool) -> None:
        # A class of tools has `spec` too, and makes one when it is called: that is a factory.
        spec = None if isinstance(tool, type) else getattr(tool, "spec", None)
        if isinstance(spec, ToolSpec):
            names = (spec.name,)
        for name in names:
            self._check("tool", name, _TOOL)
        self._add(tools=OfferedTool(tool, tuple(names), optional))

    def hook(
        self, event: type[HookEvent] | str, handler: Callable[..., object], priority: int
    ) -> None:
        known = HOOKS.get(event) if isinstance(event, str) else event
        if known is None or known not in HOOKS.values():
            raise self._refused("event", name=getattr(event, "__name__", event))
        self._add(hooks=HookListener(known, handler, priority))

    def internal_hook(
        self, events: Iterable[str], handler: Callable[[InternalEvent], object], name: str
    ) -> None:
        wanted = tuple(events)
        for event in wanted:
            if event not in _INTERNAL:
                raise self._refused("event", name=event)
        self._add(internal_hooks=InternalListener(wanted, handler, name))

    def channel(self, channel: PluginChannel) -> None:
        self._check("channel", channel.id, _WORD)
        self._add(channels=channel)

    def service(self, service: PluginService) -> None:
        if service.id in {one.id for one in self._open().services}:
            what = _PHRASES.say("service", self._language)
            raise self._refused("twice", what=what, name=service.id)
        self._add(services=service)

    def cli(self, command: CliCommand) -> None:
        self._check("cli", command.name, _WORD)
        self._add(cli=command)

    def command(self, command: PluginCommand) -> None:
        self._check("command", command.name, _COMMAND)
        self._add(commands=command)

    def method(self, method: GatewayMethod) -> None:
        self._check("method", method.name, _METHOD)
        self._add(methods=method)

    def route(self, route: HttpRoute) -> None:
        self._check("route", route.path, _ROUTE)
        self._add(routes=route)

    def provider(self, provider: PluginProvider) -> None:
        self._check("provider", provider.id, _WORD)
        self._add(providers=provider)

    def memory(self, memory: PluginMemory, kind: str) -> None:
        """`kind` is the manifest's: by it the slot is filled before anything is run."""
        if kind != MEMORY_KIND:
            raise self._refused("no_kind")
        self._check("memory", MEMORY_KIND, _WORD)
        self._add(memories=memory)

    def _open(self) -> Registration:
        if self._found is None:
            raise self._refused("over")
        return self._found

    def _check(self, kind: str, name: str, pattern: re.Pattern[str]) -> None:
        found = self._open()
        what = _PHRASES.say(kind, self._language)
        if not isinstance(name, str) or not pattern.fullmatch(name):
            raise self._refused("name", what=what, name=str(name)[:80])
        if (kind, name) in found.names():
            raise self._refused("twice", what=what, name=name)

    def _add(self, **one: object) -> None:
        found = self._open()
        changed: dict[str, Any] = {
            kind: (*getattr(found, kind), value) for kind, value in one.items()
        }
        self._found = replace(found, **changed)

    def _refused(self, phrase: str, **slots: object) -> PluginInvalid:
        return PluginInvalid(_PHRASES.say(phrase, self._language, **slots))
