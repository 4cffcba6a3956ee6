"""The contract of a plugin: one function ``register(api)`` in its ``plugin.py``.

    from moltbot_desktop.sdk.plugins import PluginApi

    def register(api: PluginApi) -> None:
        units = api.config["units"]                       # checked, defaults filled in
        api.register_tool(Weather(api.runtime.web, units))
        api.register_command(PluginCommand("weather", ..., handler=answer))

`register` is a plain function and only says what there is: it starts nothing and asks nothing
over the network. What it registered takes effect all together when it returns; when it raises,
nothing of it does. A plugin imports `moltbot_desktop.sdk` and `moltbot_desktop.core`, nothing
else of the program. docs/PLUGINS.md is the guide.

Every ``register_…`` raises PluginInvalid for what cannot be taken: a name twice, a name that is
no name. What is taken by somebody else shows when the plugin is taken over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.hooks import HookEvent
from moltbot_desktop.sdk.internal_hooks import InternalEvent
from moltbot_desktop.sdk.memory import MemoryEngine, MemoryExcerpt, SearchAnswer
from moltbot_desktop.sdk.memory_plugins import PluginMemory
from moltbot_desktop.sdk.plugin_values import (
    ChannelAccount,
    CliCommand,
    CommandCall,
    GatewayMethod,
    HttpRequest,
    HttpResponse,
    HttpRoute,
    ListedCommand,
    PluginChannel,
    PluginCommand,
    PluginProvider,
    PluginService,
    RunningChannel,
    ToolFactory,
    ToolFactoryContext,
)
from moltbot_desktop.sdk.plugin_web import PluginWeb, WebAnswer, WebStream
from moltbot_desktop.sdk.tools import AnyTool

__all__ = [
    "ChannelAccount",
    "CliCommand",
    "CommandCall",
    "GatewayMethod",
    "HttpRequest",
    "HttpResponse",
    "HttpRoute",
    "ListedCommand",
    "MemoryReader",
    "MemoryTools",
    "PluginApi",
    "PluginChannel",
    "PluginCommand",
    "PluginLogger",
    "PluginMemory",
    "PluginProvider",
    "PluginRuntime",
    "PluginService",
    "PluginWeb",
    "RunningChannel",
    "TextParts",
    "ToolFactory",
    "ToolFactoryContext",
    "WebAnswer",
    "WebStream",
]

E = TypeVar("E", bound=HookEvent)


class PluginLogger(Protocol):
    """Writes into the program's log under the plugin's name; ``%s`` slots, as in `logging`."""

    def debug(self, msg: str, *args: object) -> None: ...

    def info(self, msg: str, *args: object) -> None: ...

    def warning(self, msg: str, *args: object) -> None: ...

    def error(self, msg: str, *args: object) -> None: ...


class MemoryTools(Protocol):
    """The program's own memory tools, for a plugin that offers them over an engine."""

    def __call__(self, memory: MemoryEngine) -> Sequence[AnyTool]:
        """``memory_search``, ``memory_get`` and ``memory_store`` over `memory`."""
        ...


class MemoryReader(Protocol):
    """What the default agent remembers, to be looked at. It blocks: call it on a thread.

    It is the owner's own: a tool that hands on any of it says so (`ToolResult.private`)."""

    def search(self, query: str, *, max_results: int = 6) -> SearchAnswer:
        """See `sdk.memory.MemoryEngine.search`.

        Raises:
            StorageError: memory cannot be read, or no assistant runs (a subcommand in a shell).
        """
        ...

    def get(self, path: str, *, start_line: int = 1, lines: int = 0) -> MemoryExcerpt:
        """Part of a memory file, from `start_line` (from 1) on; `lines` 0 means to the end.

        Raises:
            PathRefused: not a memory file.
            StorageError: as for `search`.
        """
        ...


class TextParts(Protocol):
    """Markdown in parts that a platform takes, code blocks whole in each."""

    def __call__(self, text: str, most: int) -> Sequence[str]:
        """`text` in parts of at most `most` characters each, none of them blank.

        Raises:
            ValueError: `most` is less than 1.
        """
        ...


@dataclass(frozen=True)
class PluginRuntime:
    """What the program lends.

    Attributes:
        version: of the program.
        language: of the person.
        state: a folder of this plugin's own, absolute; made at the first start.
        parts: for a channel whose platform takes so many characters at once.
    """

    version: str
    language: Language
    clock: Clock
    state: Path
    web: PluginWeb
    memory_tools: MemoryTools
    memory: MemoryReader
    parts: TextParts


class PluginApi(Protocol):
    """What `register` gets. Good for the call alone, but for what can be read."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def config(self) -> JsonObject:
        """``plugins.entries.<id>.config``, checked against `configSchema`, defaults filled in."""
        ...

    @property
    def logger(self) -> PluginLogger: ...

    @property
    def runtime(self) -> PluginRuntime: ...

    def resolve_path(self, text: str) -> Path:
        """An absolute path: ``~`` is the person's home, what is relative lies in the plugin's
        folder."""
        ...

    def register_tool(
        self, tool: AnyTool | ToolFactory, *, names: Sequence[str] = (), optional: bool = False
    ) -> None:
        """Offer a tool to every agent, or tools that a factory makes for each.

        Its `ToolSpec.effect` is the row of the policy's table that its calls are judged by.

        Args:
            names: of the tools that a factory makes; others of its tools are dropped.
            optional: only where an allow list names the tool, the plugin or ``group:plugins``.
        """
        ...

    def on(
        self, event: type[E] | str, handler: Callable[[E], object], *, priority: int = 0
    ) -> None:
        """Be called at a hook of `sdk.hooks`, given by its class or by its name in `HOOKS`; a
        higher priority goes first."""
        ...

    def register_hook(
        self,
        events: str | Sequence[str],
        handler: Callable[[InternalEvent], object],
        *,
        name: str = "",
    ) -> None:
        """Be called at internal events (`sdk.internal_hooks`); `name` is for the log."""
        ...

    def register_channel(self, channel: PluginChannel) -> None: ...

    def register_service(self, service: PluginService) -> None: ...

    def register_cli(self, command: CliCommand) -> None: ...

    def register_command(self, command: PluginCommand) -> None: ...

    def register_gateway_method(self, method: GatewayMethod) -> None: ...

    def register_http_route(self, route: HttpRoute) -> None: ...

    def register_provider(self, provider: PluginProvider) -> None: ...

    def register_memory(self, memory: PluginMemory) -> None:
        """Offer an engine for the slot `memory` (`sdk.memory_plugins`); one, and only where the
        manifest's `kind` is ``memory``."""
        ...
