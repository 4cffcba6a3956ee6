"""The object that ``register(api)`` gets: `sdk.plugins.PluginApi`, over a scratch registration.

    surface = PluginSurface(found.manifest, found.folder, config, runtime, scratch, language)
    register(surface)
    registration = scratch.finished()

It holds what this plugin may see and nothing of others, and writes nowhere but into its scratch.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.plugins.manifest import PluginManifest
from moltbot_desktop.plugins.registry import Scratch
from moltbot_desktop.sdk.hooks import HookEvent
from moltbot_desktop.sdk.internal_hooks import InternalEvent
from moltbot_desktop.sdk.memory_plugins import PluginMemory
from moltbot_desktop.sdk.plugins import (
    CliCommand,
    GatewayMethod,
    HttpRoute,
    PluginChannel,
    PluginCommand,
    PluginLogger,
    PluginProvider,
    PluginRuntime,
    PluginService,
    ToolFactory,
)
from moltbot_desktop.sdk.tools import AnyTool

E = TypeVar("E", bound=HookEvent)

LOGGERS = "moltbot_desktop.plugin"
"""Each plugin writes as ``moltbot_desktop.plugin.<id>``."""


def plugin_logger(plugin: str) -> logging.Logger:
    """What the plugin of that id writes into."""
    return logging.getLogger(f"{LOGGERS}.{plugin}")


@dataclass(frozen=True)
class PluginSurface:
    """See `sdk.plugins.PluginApi`."""

    manifest: PluginManifest
    folder: Path
    config: JsonObject
    runtime: PluginRuntime
    scratch: Scratch = field(repr=False)

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def name(self) -> str:
        return self.manifest.name or self.manifest.id

    @property
    def version(self) -> str:
        return self.manifest.version

    @property
    def logger(self) -> PluginLogger:
        return plugin_logger(self.manifest.id)

    def resolve_path(self, text: str) -> Path:
        path = Path(text).expanduser()
        return path if path.is_absolute() else self.folder / path

    def register_tool(
        self, tool: AnyTool | ToolFactory, *, names: Sequence[str] = (), optional: bool = False
    ) -> None:
        self.scratch.tool(tool, names, optional)

    def on(
        self, event: type[E] | str, handler: Callable[[E], object], *, priority: int = 0
    ) -> None:
        self.scratch.hook(event, handler, priority)

    def register_hook(
        self,
        events: str | Sequence[str],
        handler: Callable[[InternalEvent], object],
        *,
        name: str = "",
    ) -> None:
        wanted = (events,) if isinstance(events, str) else events
        self.scratch.internal_hook(wanted, handler, name or self.id)

    def register_channel(self, channel: PluginChannel) -> None:
        self.scratch.channel(channel)

    def register_service(self, service: PluginService) -> None:
        self.scratch.service(service)

    def register_cli(self, command: CliCommand) -> None:
        self.scratch.cli(command)

    def register_command(self, command: PluginCommand) -> None:
        self.scratch.command(command)

    def register_gateway_method(self, method: GatewayMethod) -> None:
        self.scratch.method(method)

    def register_http_route(self, route: HttpRoute) -> None:
        self.scratch.route(route)

    def register_provider(self, provider: PluginProvider) -> None:
        self.scratch.provider(provider)

    def register_memory(self, memory: PluginMemory) -> None:
        self.scratch.memory(memory, self.manifest.kind)
