"""What the things that a plugin registers do in the program: `plugins.host.Effects`.

    effects = PluginEffects(hooks.bus, hooks.internal, language)
    take_away = effects.take(found, registration)      # all of it takes effect, or nothing
    effects.tools, effects.commands, effects.methods   # read by who has use for them

| registered | takes effect |
|---|---|
| tool | at every agent's next prompt, through the dispatcher and its verdict |
| on, hook | at once, on the hook bus and the internal hooks |
| command | at once, before the program's own; their names are refused |
| gateway method | at once, on the local socket |
| subcommand | in a shell, when it is typed (`app.plugin_cli`) |
| service | started and stopped by the host |
| HTTP route | waits: this build has no local web server |
| channel, provider | waits for the next start, when channels and models are opened |
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from moltbot_desktop.app.plugin_commands import PluginCommands
from moltbot_desktop.app.plugin_tools import PluginTools
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.rpc.methods import Given, Method
from moltbot_desktop.plugins.discovery import FoundPlugin
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.plugins.registry import Registration
from moltbot_desktop.sdk.plugins import GatewayMethod

_log = logging.getLogger(__name__)


@dataclass
class PluginMethods:
    """The methods of plugins for the local socket, by name."""

    _methods: dict[str, Method] = field(default_factory=dict)

    def __call__(self) -> Mapping[str, Method]:
        return self._methods

    def add(self, methods: Sequence[GatewayMethod]) -> Callable[[], None]:
        """Take them in; the answer takes them away again."""
        mine = {one.name: _method(one) for one in methods}
        self._methods.update(mine)

        def remove() -> None:
            for name in mine:
                self._methods.pop(name, None)

        return remove


class PluginEffects:
    """Lives on the agent's event loop."""

    def __init__(self, bus: HookBus, internal: InternalHooks, language: Language) -> None:
        self._bus = bus
        self._internal = internal
        self.tools = PluginTools()
        self.commands = PluginCommands(language)
        self.methods = PluginMethods()

    def take(self, plugin: FoundPlugin, registration: Registration) -> Callable[[], None]:
        """See `plugins.host.Effects.take`."""
        with ExitStack() as undo:
            undo.callback(self.commands.add(registration.commands))
            for hook in registration.hooks:
                undo.callback(
                    self._bus.on(hook.event, hook.handler, name=plugin.id, priority=hook.priority)
                )
            for listener in registration.internal_hooks:
                for event in listener.events:
                    undo.callback(self._internal.on(event, listener.handler, name=listener.name))
            undo.callback(self.methods.add(registration.methods))
            undo.callback(self.tools.add(plugin.id, registration.tools))
            for route in registration.routes:
                _log.warning(
                    "plugin %s: %s waits: this build has no local web server",
                    plugin.id,
                    route.path,
                )
            return undo.pop_all().close
        raise AssertionError  # the stack above swallows nothing


def _method(one: GatewayMethod) -> Method:
    return Method(one.name, partial(_answered, one), one.properties, one.required, one.once)


async def _answered(one: GatewayMethod, given: Given) -> JsonValue:
    return await one.answer(given.params)
