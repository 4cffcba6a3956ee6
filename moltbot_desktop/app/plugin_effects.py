"""What the things that a plugin registers do in the program: `plugins.host.Effects`.

    effects = PluginEffects(hooks.bus, hooks.internal, language, setup.plugin_models, env)
    take_away = effects.take(found, registration)      # all of it takes effect, or nothing
    effects.tools, effects.commands, effects.methods, effects.memory   # read by who uses them

| registered | takes effect |
|---|---|
| tool | at every agent's next prompt, through the dispatcher and its verdict |
| on, hook | at once, on the hook bus and the internal hooks |
| command | at once, before the program's own; their names are refused |
| gateway method | at once, on the local socket |
| subcommand | in a shell, when it is typed (`app.plugin_cli`) |
| memory engine | at the next question to the memory (`app.memory_slot`) |
| service | started and stopped by the host |
| folder of skills (its manifest) | at the next turn (`app.plugin_skills`) |
| channel | at once: the accounts that ``channels.<id>`` names are opened (`app.channels`) |
| HTTP route | at once, where the local web server is on (`app.web_server`) |
| provider | its chat models at the next run that names one (`app.plugin_models`), its embedding
models at the memory's next look (`app.plugin_embedder`) |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial

from moltbot_desktop.app.channel_kinds import PluginChannels
from moltbot_desktop.app.memory_slot import MemorySlot
from moltbot_desktop.app.plugin_commands import PluginCommands
from moltbot_desktop.app.plugin_models import PluginModels
from moltbot_desktop.app.plugin_routes import PluginRoutes
from moltbot_desktop.app.plugin_skills import PluginSkills
from moltbot_desktop.app.plugin_tools import PluginTools
from moltbot_desktop.app.plugins_off import PluginsOff
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.gateway.rpc.methods import Given, Method
from moltbot_desktop.plugins.discovery import FoundPlugin
from moltbot_desktop.plugins.handlers import contained
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.plugins.registry import Registration
from moltbot_desktop.sdk.plugins import GatewayMethod


@dataclass
class PluginMethods:
    """The methods of plugins for the local socket, by name."""

    _methods: dict[str, Method] = field(default_factory=dict)

    def __call__(self) -> Mapping[str, Method]:
        return self._methods

    def add(self, methods: Sequence[GatewayMethod]) -> Callable[[], None]:
        """Take them in; the answer takes them away again. What is there already stays: the
        program's own about plugins came first."""
        mine = {one.name: _method(one) for one in methods if one.name not in self._methods}
        self._methods.update(mine)

        def remove() -> None:
            for name in mine:
                self._methods.pop(name, None)

        return remove


class PluginEffects:
    """Lives on the agent's event loop."""

    def __init__(
        self,
        bus: HookBus,
        internal: InternalHooks,
        language: Language,
        models: PluginModels,
        environment: Callable[[], Mapping[str, str]],
    ) -> None:
        """`environment` is for ``${NAME}`` in the settings of channels."""
        self._bus = bus
        self._internal = internal
        self.models = models
        self.tools = PluginTools()
        self.commands = PluginCommands(language)
        self.off = PluginsOff()
        self.methods = PluginMethods()
        self.skills = PluginSkills()
        self.memory = MemorySlot()
        self.channels = PluginChannels(language, environment)
        self.routes = PluginRoutes()

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
            for memory in registration.memories:
                undo.callback(self.memory.fill(plugin.id, memory))
            undo.callback(self.methods.add(registration.methods))
            undo.callback(self.skills.add(plugin))
            undo.callback(self.tools.add(plugin.id, registration.tools))
            undo.callback(self.channels.add(plugin.manifest, registration.channels))
            undo.callback(self.routes.add(plugin.id, registration.routes))
            undo.callback(self.models.add(registration.providers))
            return undo.pop_all().close
        raise AssertionError  # the stack above swallows nothing


def _method(one: GatewayMethod) -> Method:
    return Method(one.name, partial(_answered, one), one.properties, one.required, one.once)


async def _answered(one: GatewayMethod, given: Given) -> JsonValue:
    with contained():
        return await one.answer(given.params)
